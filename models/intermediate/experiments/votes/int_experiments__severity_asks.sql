-- The severity prompt has no gold diagnosis to fill in: a judge that knew the answer would grade
-- the list by it.
{{ judge_asks('severity_prompt') }}
