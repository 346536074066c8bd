"""What is added to a copy of the warehouse before both engines score it: five configurations with
two judges on 200 shipped cases (10,000 judged ranks and more), one of which fails on every case,
two of which have the same labels throughout (ties), and a recorded run with a panel's gradings of
whole lists. Names are in four scripts."""

DRAWN = """
create or replace temp macro draw(item) as hash(item) / 18446744073709551616.0;

create temp table drawn_configurations as
select
    number,
    'drawn_' || number as model_alias,
    'drawn_' || number || '/no_prompt/simulated_rare_200' as configuration_id,
from range(1, 9) as numbers (number);

-- add int_experiments__configurations
create or replace temp table drawn as
select
    configuration_id,
    model_alias,
    'no_prompt' as prompt_alias,
    'simulated_rare_200' as test_set,
    'ffe679bb831c' as prompt_version,
    'llm' as model_kind,
    'drawn' as model_family,
    true as is_phi_approved,
    true as is_test_set_named,
    29 as sample_seed,
from drawn_configurations;

-- add dim_configuration
create or replace temp table drawn as
select
    drawn_configurations.configuration_id,
    drawn_configurations.model_alias,
    'no_prompt' as prompt_alias,
    'ffe679bb831c' as prompt_version,
    'simulated_rare_200' as test_set,
    'provider' as provider,
    drawn_configurations.model_alias as api_model,
    'drawn' as family,
    template.test_set_version,
from drawn_configurations
cross join (
    select test_set_version from dim_configuration where test_set = 'simulated_rare_200' limit 1
) as template;

-- add int_experiments__configuration_spending
create or replace temp table drawn as
select
    configuration_id,
    round(10 * draw(configuration_id), 2) as generation_usd,
    0 as n_unpriced_calls,
    1000 + 9000 * draw(configuration_id || 'ms') as median_latency_ms,
from drawn_configurations;

-- add dim_judge
create or replace temp table drawn as
select 'recorded_panel' as judge_id, 'recorded' as kind, 'Grades lists as a whole.' as description;

create temp table cells as
select
    drawn_configurations.number,
    drawn_configurations.model_alias,
    drawn_configurations.configuration_id,
    bridge.case_id,
    row_number() over (partition by drawn_configurations.number order by bridge.case_id)
        as place,
    drawn_configurations.number = 4
    or draw(drawn_configurations.number || bridge.case_id) < 0.07 as fails,
from drawn_configurations
cross join bridge_test_set_case as bridge
where bridge.test_set = 'simulated_rare_200';

-- add int_experiments__cell_outcomes
create or replace temp table drawn as
select
    configuration_id,
    case_id,
    md5(configuration_id || case_id) as request_key,
    model_alias,
    'no_prompt' as prompt_alias,
    'ffe679bb831c' as prompt_version,
    'simulated_rare_200' as test_set,
    if(
        fails,
        (['refused', 'timeout', 'parse_error', 'not_requested'])[1 + place % 4],
        'ok'
    ) as status,
    place::integer as sample_order,
    if(fails, 0, 5)::integer as n_diagnoses,
    if(fails, 0, 5)::integer as n_judged,
    if(fails, 0, 5)::integer as n_within_depth,
    if(fails, 0, 5)::integer as n_items,
    1 as n_attempts,
    1000 + 9000 * draw(configuration_id || case_id || 'ms') as latency_ms,
from cells;

-- add fct_judged_diagnosis
create or replace temp table drawn as
with ranks as (
    select
        cells.*,
        ranks.diagnosis_rank::integer as diagnosis_rank,
        judges.judge_id,
        -- the second configuration answers as the first does
        draw(
            cells.case_id || judges.judge_id || ranks.diagnosis_rank
            || if(cells.number = 2, 1, cells.number)
        ) as chance,
    from cells
    cross join range(1, 6) as ranks (diagnosis_rank)
    cross join (values ('terminology'), ('gpt4o_judge')) as judges (judge_id)
    where not cells.fails and cells.number != 7
),

labelled as (
    select
        ranks.*,
        1 + floor(5 * chance)::integer as semantic_distance,
        1 + floor(6 * draw(chance::varchar))::integer as severity_value,
    from ranks
)

select
    labelled.configuration_id,
    labelled.case_id,
    labelled.diagnosis_rank,
    labelled.judge_id,
    'ffe679bb831c' as prompt_version,
    (['Síndrome de Marfán', 'Μεσογειακός πυρετός ΟΔΟΣ', '布加综合征', 'Болезнь Вильсона'])[
        1 + (labelled.diagnosis_rank % 4)
    ] as diagnosis,
    cases.gold_diagnosis,
    relations.semantic_relation,
    'majority_vote' as semantic_rule,
    coalesce(levels.severity, 'unknown') as severity,
    golds.gold_severity,
    'majority_vote' as severity_rule,
    if(levels.severity = 'rare', null, levels.severity) as acuity,
    golds.gold_acuity,
    levels.severity = 'rare' as is_rare,
    golds.is_gold_rare,
    labelled.semantic_distance,
    (1 + abs(gold_levels.severity_value - levels.severity_value))::integer as severity_distance,
    (1 + abs(gold_acuities.severity_value - nullif(levels.severity_value, 5)))::integer
        as acuity_distance,
    if(golds.is_gold_rare = (levels.severity = 'rare'), 1, 5)::integer as rarity_distance,
    3 as n_votes,
    labelled.chance > 0.02 as has_semantic_label,
    levels.severity is not null as has_severity_label,
    false as is_own_family,
from labelled
inner join dim_case as cases on labelled.case_id = cases.case_id
inner join semantic_relations as relations
    on relations.is_label and labelled.semantic_distance = relations.distance
left join severity_levels as levels on labelled.severity_value = levels.severity_value
left join int_experiments__gold_severities as golds
    on labelled.case_id = golds.case_id and golds.judge_id = 'terminology'
left join severity_levels as gold_levels on golds.gold_severity = gold_levels.severity
left join severity_levels as gold_acuities on golds.gold_acuity = gold_acuities.severity;

-- add int_experiments__list_gradings
create or replace temp table drawn as
select
    configuration_id,
    case_id,
    'recorded_panel' as judge_id,
    (['1', '3', 'no'])[1 + place % 3] as label_written,
    'drawn' as source,
    ([1, 3, null])[1 + place % 3]::integer as hit_within,
    ([0, 2, 5])[1 + place % 3]::integer as missed_within,
    [1, 3, 5] as asked_depths,
    true as is_written_plainly,
    place % 50 = 0 as is_contradictory,
from cells
where number = 7 and not fails;
"""
