"""What is added to a copy of the warehouse before both engines read, judge and score it.

Eight recorded runs on 200 shipped cases, whose names are gold diagnoses, names of the terminologies
with brackets, alternatives and denials, and texts in four scripts, with labels of a second judge
(over 10,000 judged ranks). One fails on every case, two have the same answers and labels (ties),
one is graded as whole lists by a panel. Two people label the first run, and two models vote on the
lists of the shipped systems and their probes, labels that do not exist and cut answers included.
The shipped language models give one answer, until the budget cap stops them."""

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
    'recorded' as model_kind,
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

create temp table cells as
select
    drawn_configurations.number,
    drawn_configurations.model_alias,
    drawn_configurations.configuration_id,
    bridge.case_id,
    row_number() over (partition by drawn_configurations.number order by bridge.case_id)
        as place,
    -- the second configuration answers as the first does
    bridge.case_id || if(drawn_configurations.number = 2, 1, drawn_configurations.number) as seed,
    drawn_configurations.number = 4 or draw(seed) < 0.07 as fails,
from drawn_configurations
cross join bridge_test_set_case as bridge
where bridge.test_set = 'simulated_rare_200';

-- add int_experiments__expected_cells
create or replace temp table drawn as
select
    configuration_id,
    case_id,
    model_alias,
    'no_prompt' as prompt_alias,
    'simulated_rare_200' as test_set,
    'recorded' as model_kind,
    place::integer as sample_order,
    false as is_blocked_by_policy,
from cells;

create temp table pool as
select
    row_number() over (order by md5(alias_normalised || concept_id)) as position,
    alias,
from dim_concept_alias
where vocabulary in ('disease', 'mondo', 'icd10cm')
qualify position <= 4000;

create temp table ranks as
select
    cells.*,
    ranks.diagnosis_rank::integer as diagnosis_rank,
    draw(cells.seed || ranks.diagnosis_rank) as chance,
    1 + floor(3999 * draw(cells.seed || 'pool' || ranks.diagnosis_rank))::integer as position,
from cells
cross join range(1, 6) as ranks (diagnosis_rank)
where not cells.fails;

create temp table named as
select
    ranks.*,
    case
        when chance < 0.15 then cases.gold_diagnosis
        when chance < 0.3 then pool.alias || ' (' || beside.alias || ')'
        when chance < 0.4 then pool.alias || ' or ' || cases.gold_diagnosis
        when chance < 0.45 then 'No evidence of ' || pool.alias
        when chance < 0.55 then (
            ['Síndrome de Marfán', 'Μεσογειακός πυρετός ΟΔΟΣ', '布加综合征', 'Болезнь Вильсона']
        )[1 + (ranks.position % 4)]
        else pool.alias
    end as diagnosis,
from ranks
inner join dim_case as cases on ranks.case_id = cases.case_id
inner join pool on ranks.position = pool.position
inner join pool as beside on beside.position = 1 + (ranks.position * 7) % 4000;

-- add int_experiments__recorded_answers
create or replace temp table drawn as
select
    cells.configuration_id,
    cells.case_id,
    md5(cells.configuration_id || cells.case_id) as answer_key,
    cells.case_id as case_ref,
    'numbered_list' as output_format,
    case
        when cells.fails
            then (['I cannot help with that.', '', 'Request timed out'])[1 + cells.place % 3]
        when cells.place % 2 = 0 then (
            select string_agg(diagnosis_rank || '. ' || diagnosis, chr(10) order by diagnosis_rank)
            from named
            where
                named.configuration_id = cells.configuration_id and named.case_id = cells.case_id
        )
    end as answer_text,
    if(
        cells.fails or cells.place % 2 = 0,
        [],
        (
            select list(
                {
                    rank: diagnosis_rank,
                    diagnosis: diagnosis,
                    reasoning: if(diagnosis_rank = 1, 'Wegen «' || diagnosis || '»', null),
                    in_favour: null,
                    against: null,
                    risk: null
                } order by diagnosis_rank
            )
            from named
            where
                named.configuration_id = cells.configuration_id and named.case_id = cells.case_id
        )
    ) as diagnoses,
    'drawn.csv' as recorded_in,
    true as is_text,
from cells
where not (cells.fails and cells.place % 4 = 0);

-- add int_experiments__recorded_runs
create or replace temp table drawn as
select
    configuration_id,
    model_alias,
    'drawn' as model_family,
    'no_prompt' as prompt_alias,
    'ffe679bb831c' as prompt_version,
    'numbered_list' as output_format,
    'simulated_rare_200' as test_set,
    'drawn.csv' as source_files,
    200 as n_rows,
from drawn_configurations;

-- add stg_runs__reject
create or replace temp table drawn as
select
    configuration_id,
    'drawn.csv' as source_file,
    1000 + number as source_row,
    number::integer as reject_number,
    'nobody' as case_ref,
    'unknown_case' as rule,
    'there is no such case' as reason,
    'name a case of the set' as remedy,
from drawn_configurations;

-- add stg_runs__label
create or replace temp table drawn as
select
    configuration_id,
    case_id as case_ref,
    case_id,
    diagnosis_rank,
    'drawn_judge' as judge_id,
    -- the spelling of a label, and one that does not exist
    ([
        'exact synonym', 'Broad Synonym', 'Exact Disease Group', 'broad disease group',
        'Not Related', 'perhaps'
    ])[1 + floor(6 * chance)::integer] as semantic_relation,
    (['mild', 'moderate', 'severe', 'critical', 'rare', 'dreadful'])[
        1 + floor(6 * draw(chance::varchar))::integer
    ] as severity,
    false as is_gold_rank,
    'drawn.csv, row ' || place as source,
from named
where number != 7
union all by name
select
    configuration_id,
    case_id as case_ref,
    case_id,
    place % 6 as diagnosis_rank,
    'recorded_panel' as judge_id,
    true as is_gold_rank,
    'drawn.csv, row ' || place as source,
from cells
where number = 7 and not fails
union all by name
-- a list that is graded twice, and cannot be both
select
    configuration_id,
    case_id as case_ref,
    case_id,
    1 + (1 + place) % 5 as diagnosis_rank,
    'recorded_panel' as judge_id,
    true as is_gold_rank,
    'drawn.csv, row ' || place || ', again' as source,
from cells
where number = 7 and not fails and place % 20 = 0;

-- add stg_labels__label
create or replace temp table drawn as
select
    md5(raters.rater || case_id || diagnosis_rank || scale) as label_key,
    'clinic/' || raters.rater as judge_id,
    'clinic' as panel,
    raters.rater,
    'person' as kind,
    'simulated_rare_200' as test_set,
    configuration_id,
    case_id as case_ref,
    diagnosis_rank,
    if(diagnosis_rank = 2, diagnosis, null) as diagnosis,
    scale,
    if(
        scale = 'semantic',
        (['Exact Synonym', 'Broad Synonym', 'Not Related'])[
            1 + floor(3 * draw(chance || if(chance < 0.7, '', raters.rater)))::integer
        ],
        (['moderate', 'severe', 'critical'])[
            1 + floor(3 * draw(chance || if(chance < 0.5, 's', raters.rater)))::integer
        ]
    ) as label,
    label as label_written,
    'clinic.csv' as source_file,
    (place * 5 + diagnosis_rank)::integer as source_line,
from named
cross join (values ('ana'), ('bo')) as raters (rater)
cross join (values ('semantic'), ('severity')) as scales (scale)
where number = 1 and place <= 60;

create or replace temp macro votes(request_key, labels) as
'{"judgements": [' || array_to_string(
    list_transform(
        range(1, 6),
        lambda rank: '{"rank": ' || rank || ', "label": "'
        || labels[1 + floor(len(labels) * draw(request_key || rank))::integer]
        || '", "reason": "порядок ' || rank || '"}'
    ),
    ', '
) || ']}' || if(draw(request_key) < 0.03, ' {"judgements": [{"rank": 1, "la', '');

update int_experiments__semantic_responses
set
    status = if(draw(request_key) < 0.03, 'truncated', 'ok'),
    answer_text = votes(request_key, [
        'Exact Synonym', 'Broad Synonym', 'Not Related', 'Not Related', 'Exact Disease Group',
        'unsure'
    ])
where request_key in (
    select request_key from int_experiments__semantic_asks
    where judge_id in ('gpt4o_judge', 'claude_sonnet45_judge') and draw(case_id) < 0.1
);

update int_experiments__severity_responses
set
    status = 'ok',
    answer_text = votes(request_key, ['mild', 'moderate', 'severe', 'critical', 'rare', 'unsure'])
where request_key in (
    select request_key from int_experiments__severity_asks
    where judge_id in ('gpt4o_judge', 'claude_sonnet45_judge') and draw(case_id) < 0.1
);

-- one answer in ten is left out, as by a budget cap
update int_experiments__generation_responses
set
    status = if(draw(request_key) < 0.1, 'blocked_by_budget', 'ok'),
    answer_text = if(draw(request_key) < 0.1, null, '1. Gout' || chr(10) || '2. Acute PE'),
    n_attempts = if(draw(request_key) < 0.1, 0, 1);
"""
