-- Semantic and severity judges are asked in separate models, so that each kind can be built, paid
-- for and repeated alone.
{{ judge_asks('semantic_prompt') }}
