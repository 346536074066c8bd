{{ distinct_requests(ref('int_phenotyping__extraction_asks')) }}
