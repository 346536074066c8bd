{{ distinct_requests(ref('int_experiments__semantic_asks')) }}
