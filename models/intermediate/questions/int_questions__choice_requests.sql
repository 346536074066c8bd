{{ distinct_requests(ref('int_questions__choice_asks')) }}
