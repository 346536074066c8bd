-- The severity prompt has no gold diagnosis to fill in: a judge that knew the answer would grade
-- the list by it. A gold diagnosis without a severity is a list of its own, graded blind like any.
{{ judge_asks('severity_prompt', with_golds=true) }}
