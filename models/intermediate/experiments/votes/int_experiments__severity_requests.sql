{{ distinct_requests(ref('int_experiments__severity_asks')) }}
