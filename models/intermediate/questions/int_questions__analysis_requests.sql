{{ distinct_requests(ref('int_questions__analysis_asks')) }}
