-- The leaderboard as a BI tool shows it: one row per configuration and judge with what it is made
-- of, best first within a test set. `python bi/superset.py` opens it in Superset.
select
    board.test_set,
    board.judge_id,
    configurations.model_alias,
    configurations.prompt_alias,
    configurations.provider,
    board.n_cases,
    board.n_failures,
    board.top1_strict,
    board.top1_strict_low,
    board.top1_strict_high,
    board.top5_strict,
    board.top10_strict,
    board.mrr_strict,
    board.semantic_aggregate,
    board.severity_aggregate,
    board.generation_usd,
    board.prompt_version,
    board.terminology_release,
from {{ ref('rpt_leaderboard') }} as board
inner join {{ ref('dim_configuration') }} as configurations
    on board.configuration_id = configurations.configuration_id
where board.is_asked
order by board.test_set asc, board.judge_id asc, board.top1_strict desc
