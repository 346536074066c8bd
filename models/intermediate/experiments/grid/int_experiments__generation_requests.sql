{{ distinct_requests(ref('int_experiments__generation_asks')) }}
