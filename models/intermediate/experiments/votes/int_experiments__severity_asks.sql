{{ judge_asks('severity_prompt') }}
