with annotations as (
    select *
    from {{ ref('int_terminology__disease_annotation') }}
    where aspect = 'P'
),

-- a count repeated for each onset is one count
distinct_counts as (
    select distinct
        disease_id,
        hpo_id,
        source,
        sex,
        n_observed,
        n_total,
    from annotations
    where not is_negated and n_total is not null
),

counts as (
    select
        disease_id,
        hpo_id,
        sum(n_observed) as n_observed,
        sum(n_total) as n_total,
    from distinct_counts
    group by all
),

pairs as (
    select
        disease_id,
        hpo_id,
        count(*) filter (where not is_negated) as n_affirmed,
        count(*) as n_annotations,
        {{ exact_mean("percentage", "not is_negated") }} as percentage,
        {{ exact_mean("term_point", "not is_negated") }} as term_point,
        list_sort(list(distinct onset_hpo_id) filter (where onset_hpo_id is not null))
            as onset_hpo_ids,
        case
            when bool_and(sex is not null) and count(distinct sex) = 1 then min(sex)
        end as sex,
        list_sort(list(distinct source)) as sources,
        -- a row of a newer release names it as its source
        if(bool_and(source like 'HPO %'), max(source)[5:], null) as newer_release,
    from annotations
    group by all
),

release as (
    select release
    from {{ ref('terminology_manifest') }}
    where seed = 'disease_phenotype_omim'
),

final as (
    select
        pairs.disease_id,
        pairs.hpo_id,
        {{ pooled_frequency_source(
            "pairs.n_affirmed", "counts.n_total", "pairs.percentage", "pairs.term_point"
        ) }} as frequency_source,
        pairs.sex,
        coalesce(pairs.onset_hpo_ids, []) as onset_hpo_ids,
        pairs.sources,
        coalesce(pairs.newer_release, release.release) as release,
        counts.n_observed::integer as n_observed,
        counts.n_total::integer as n_total,
        pairs.n_annotations::integer as n_annotations,
        {{ pooled_frequency(
            "pairs.n_affirmed", "counts.n_observed", "counts.n_total", "pairs.percentage",
            "pairs.term_point"
        ) }} as frequency,
        frequency = 0 as is_excluded,
    from pairs
    left join counts on pairs.disease_id = counts.disease_id and pairs.hpo_id = counts.hpo_id
    cross join release
)

select * from final
