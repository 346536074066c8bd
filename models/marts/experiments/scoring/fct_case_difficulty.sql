{#- Share of configurations that find a case, from which on it has a level. -#}
{%- set levels = [
    ("low", "share_found >= " ~ parameter('complexity_low')),
    ("moderate", "share_found >= " ~ parameter('complexity_moderate')),
    ("high", "share_found > 0"),
] -%}

-- a case that was blocked by budget or policy says nothing of how hard it is
with scores as (
    select *
    from {{ ref('fct_case_score') }}
    where
        is_scored
        and is_asked
        and outcome_class != 'not_asked'
        and is_top5_strict is not null
),

answers as (
    select
        test_set,
        case_id,
        judge_id,
        semantic_score,
        is_top5_strict::integer as found,
        sum(is_top5_strict::integer) over (partition by configuration_id, judge_id) as n_hits,
        count(*) over (partition by configuration_id, judge_id) as n_answers,
    from scores
),

-- what a configuration does on the other cases of the set
elsewhere as (
    select
        *,
        (n_hits - found) / nullif(n_answers - 1, 0) as found_elsewhere,
    from answers
),

by_case as (
    select
        test_set,
        case_id,
        judge_id,
        count(*)::integer as n_configurations,
        sum(found)::integer as n_found,
        {{ plain_mean("found") }} as share_found,
        {{ plain_mean("semantic_score") }} as mean_semantic_score,
        -- null where all or none of the configurations find the case
        case
            when var_pop(found) > 0 and var_pop(found_elsewhere) > 0
                then round(corr(found, found_elsewhere), 9)
        end as discrimination,
    from elsewhere
    group by all
),

-- a finding is noise if nothing of the disease implies it: neither a finding of the disease nor
-- something above one. Without an annotated disease there is no telling
annotated as (
    select distinct disease_id,
    from {{ ref('bridge_disease_phenotype_closure') }}
),

findings as (
    select
        phenotypes.case_id,
        terms.information_content,
        case
            when annotated.disease_id is not null
                then (implied.hpo_id is null)::integer
        end as is_noise,
    from {{ ref('fct_case_phenotype') }} as phenotypes
    inner join {{ ref('dim_hpo_term') }} as terms on phenotypes.hpo_id = terms.hpo_id
    inner join {{ ref('dim_case') }} as cases on phenotypes.case_id = cases.case_id
    left join annotated on cases.gold_concept_id = annotated.disease_id
    left join {{ ref('bridge_disease_phenotype_closure') }} as implied
        on
            cases.gold_concept_id = implied.disease_id
            and phenotypes.hpo_id = implied.hpo_id
    where not phenotypes.is_excluded
),

texts as (
    select
        case_id,
        count(*)::integer as n_findings,
        {{ plain_mean("information_content") }} as mean_specificity,
        round(max(information_content), 12) as highest_specificity,
        {{ plain_mean("is_noise") }} as noise_share,
    from findings
    group by all
),

final as (
    select
        by_case.test_set,
        by_case.case_id,
        by_case.judge_id,
        case
            when by_case.n_configurations < {{ parameter('complexity_configurations') }}
                then 'not known'
            {%- for level, condition in levels %}
                when by_case.{{ condition }} then '{{ level }}'
            {%- endfor %}
            else 'extreme'
        end as complexity_level,
        by_case.n_configurations,
        by_case.n_found,
        coalesce(texts.n_findings, 0) as n_findings,
        by_case.share_found,
        {{ wilson("by_case.share_found", "by_case.n_configurations", "-") }} as share_found_low,
        {{ wilson("by_case.share_found", "by_case.n_configurations", "+") }} as share_found_high,
        by_case.mean_semantic_score,
        by_case.discrimination,
        texts.mean_specificity,
        texts.highest_specificity,
        texts.noise_share,
    from by_case
    left join texts on by_case.case_id = texts.case_id
)

select * from final
