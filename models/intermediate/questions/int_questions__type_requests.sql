{{ distinct_requests(ref('int_questions__type_asks')) }}
