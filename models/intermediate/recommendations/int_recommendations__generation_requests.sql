{{ distinct_requests(ref('int_recommendations__generation_asks')) }}
