{{ distinct_requests(ref('int_recommendations__judge_asks')) }}
