{{ judge_asks('semantic_prompt') }}
