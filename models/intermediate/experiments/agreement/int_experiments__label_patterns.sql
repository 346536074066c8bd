{#- The objects of labels and their sources: the labels of ranks, and the questions about lists. -#}
{%- set scales = [("semantic", "ranks"), ("severity", "ranks")] -%}
{%- for question in list_questions().split() -%}
    {%- do scales.append((question, "lists")) -%}
{%- endfor -%}

with judgements as (
    select * from {{ ref('int_experiments__judgements') }}
    where probe = 'none'
    union all by name
    select * from {{ ref('int_experiments__jury_judgements') }}
),

-- materialized, because it is read twice, and without the reasons and other texts
judged as (
    select
        judgements.configuration_id,
        judgements.case_id,
        judgements.diagnosis_rank,
        judgements.judge_id,
        relations.distance as semantic_distance,
        relations.is_label as has_semantic_label,
        relations.is_strict_match,
        relations.is_broad_match,
        levels.severity_value,
    from judgements
    left join {{ ref('semantic_relations') }} as relations
        on judgements.semantic_relation = relations.semantic_relation
    left join {{ ref('severity_levels') }} as levels on judgements.severity = levels.severity
),

judges as (
    select * from {{ ref('dim_judge') }}
),

gradings as (
    select * from {{ ref('int_experiments__list_gradings') }}
    where not is_contradictory
),

configurations as (
    select * from {{ ref('int_experiments__configurations') }}
),

lengths as (
    select
        configuration_id,
        case_id,
        n_within_depth,
    from {{ ref('int_experiments__cell_outcomes') }}
),

-- a judge that left ranks unlabelled and found no match has left the question open; labels that
-- came with recorded answers often cover the matching ranks only, and none after the fifth
verdicts_by_ranks as (
    select
        judged.configuration_id,
        judged.case_id,
        judged.judge_id,
        {%- for breadth in ["strict", "broad"] %}
            {%- for depth in list_depths().split() %}
                case
                    when
                        bool_or(
                            judged.is_{{ breadth }}_match and judged.diagnosis_rank <= {{ depth }}
                        )
                        then 1
                    {%- if depth | int > max_scored_rank() | int %}
                        when count(*) < lengths.n_within_depth then null
                    {%- endif %}
                    when
                        judges.kind = 'recorded'
                        or bool_and(
                            judged.has_semantic_label or judged.diagnosis_rank > {{ depth }}
                        )
                        then 2
                end as top{{ depth }}_{{ breadth }},
            {%- endfor %}
            case
                when bool_or(judged.is_{{ breadth }}_match)
                    then min(judged.diagnosis_rank) filter (where judged.is_{{ breadth }}_match)
                when
                    judges.kind = 'recorded'
                    and lengths.n_within_depth <= {{ max_scored_rank() }}
                    then {{ deepest_list() }} + 1
                when count(*) < lengths.n_within_depth then null
                when judges.kind = 'recorded' or bool_and(judged.has_semantic_label)
                    then {{ deepest_list() }} + 1
            end as rank_{{ breadth }},
        {%- endfor %}
    from judged
    inner join judges on judged.judge_id = judges.judge_id
    inner join lengths
        on
            judged.configuration_id = lengths.configuration_id
            and judged.case_id = lengths.case_id
    group by
        judged.configuration_id,
        judged.case_id,
        judged.judge_id,
        judges.kind,
        lengths.n_within_depth
),

-- implied answers are left out: agreement would rise the fewer questions were asked. A rater did
-- not say how generously he read a name, so his answer stands in both readings
verdicts_by_lists as (
    select
        configuration_id,
        case_id,
        judge_id,
        {%- for breadth in ["strict", "broad"] %}
            {%- for depth in list_depths().split() %}
                case
                    when not list_contains(asked_depths, {{ depth }}) then null
                    when {{ is_among_first(depth, "gradings") }} then 1
                    when not {{ is_among_first(depth, "gradings") }} then 2
                end as top{{ depth }}_{{ breadth }},
            {%- endfor %}
            case
                when missed_within >= {{ deepest_list() }} then {{ deepest_list() }} + 1
                when hit_within = missed_within + 1 then hit_within
            end as rank_{{ breadth }},
        {%- endfor %}
    from gradings
),

-- a grading of the whole list takes precedence over the sum of its rank labels
verdicts as (
    select * from verdicts_by_lists
    union all by name
    select by_ranks.*
    from verdicts_by_ranks as by_ranks
    anti join verdicts_by_lists using (configuration_id, case_id, judge_id)
),

ranks as (
    select
        configuration_id,
        case_id,
        diagnosis_rank,
        list({
            judge_id: judge_id,
            label_position: if(has_semantic_label, semantic_distance, null)
        }) as semantic,
        list({ judge_id: judge_id, label_position: severity_value }) as severity,
        count(semantic_distance) filter (where has_semantic_label) as n_semantic,
        count(severity_value) as n_severity,
    from judged
    group by all
),

-- of a list of five, the first ten are the first five: the same question is not asked twice
lists as (
    select
        verdicts.configuration_id,
        verdicts.case_id,
        {%- for question in list_questions().split() %}
            list({ judge_id: verdicts.judge_id, label_position: {{ question }} }) as {{ question }},
            count({{ question }})
            {%- if question.startswith("top" ~ deepest_list()) %}
                filter (where lengths.n_within_depth > {{ max_scored_rank() }})
            {%- endif %} as n_{{ question }},
        {%- endfor %}
    from verdicts
    inner join lengths using (configuration_id, case_id)
    group by all
),

-- a rank shown to one judge, or labelled by none, is not evidence of agreement
units as (
    {%- for scale, relation in scales %}
        select
            configuration_id,
            '{{ scale }}' as scale,
            case_id,
            {{ scale }} as labels,
        from {{ relation }}
        where len({{ scale }}) > 1 and n_{{ scale }} > 0
        {%- if not loop.last %}
            union all
        {%- endif %}
    {%- endfor %}
),

-- labels that people gave, or that came with a run, answer for each run as well
given_judges as (
    select list(judge_id) as judge_ids,
    from judges
    where kind in ('person', 'recorded')
),

compared as (
    select
        configurations.test_set,
        units.*,
        list_has_any(
            list_transform(units.labels, lambda label: label.judge_id),
            coalesce(given_judges.judge_ids, [])
        ) as is_given,
    from units
    inner join configurations on units.configuration_id = configurations.configuration_id
    cross join given_judges
),

-- millions of ranks give few patterns, over which agreement is cheap to count
unsorted as (
    select
        test_set,
        'all' as configuration_id,
        scale,
        case_id,
        labels,
        count(*) as n_units,
    from compared
    group by all
    union all
    select
        test_set,
        configuration_id,
        scale,
        case_id,
        labels,
        count(*) as n_units,
    from compared
    where is_given
    group by all
),

final as (
    select
        test_set,
        configuration_id,
        scale,
        case_id,
        list_sort(labels) as labels,
        sum(n_units)::bigint as n_units,
    from unsorted
    group by all
)

select * from final
