{{ distinct_requests(ref('int_phenotyping__reasoning_asks')) }}
