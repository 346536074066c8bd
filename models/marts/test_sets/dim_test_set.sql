with generated as (
    select
        test_set,
        kind,
        description,
    from {{ ref('generated_test_sets') }}
),

imported as (
    select
        test_set,
        'imported' as kind,
        'Imported from ' || string_agg(distinct source_file, ', ' order by source_file)
        || ' (' || string_agg(distinct source_format, ', ' order by source_format) || ').'
            as description,
    from {{ ref('stg_cases__record') }}
    group by test_set
),

defined as (
    select
        test_set,
        'defined' as kind,
        description,
    from {{ ref('test_set_definitions') }}
),

-- an imported set cannot have the name of a defined one: the import refuses such names
test_sets as (
    {%- for kind in ["generated", "imported", "defined"] %}
        select * from {{ kind }}
        {%- if not loop.last %}
            union all by name
        {%- endif %}
    {%- endfor %}
),

-- cases without a gold diagnosis are not in any denominator
for_reading as (
    select
        test_set,
        count(*)::integer as n_for_reading,
        bool_or(contains_phi) as contains_phi,
    from {{ ref('stg_cases__record') }}
    where is_for_reading
    group by test_set
),

cases as (
    select
        members.test_set,
        sha256(
            string_agg(
                cases.content_hash || coalesce(cases.gold_severity, ''), '' order by cases.case_id
            )
        ) as content_hash,
        count(*)::integer as n_cases,
        count(*) filter (where cases.is_holdout)::integer as n_holdout,
        count(*) filter (where cases.gold_severity is null)::integer as n_without_severity,
        count(*) filter (where cases.icd10_code is null)::integer as n_without_icd10,
        count(*) filter (where not quality.is_gold_known)::integer as n_unknown_gold,
        count(*) filter (where quality.is_gold_ambiguous)::integer as n_ambiguous_gold,
        count(*) filter (where quality.is_exact_duplicate)::integer as n_exact_duplicates,
        count(*) filter (where quality.is_near_duplicate)::integer as n_near_duplicates,
        count(*) filter (where quality.is_leaking)::integer as n_leaking,
        bool_or(cases.contains_phi) as contains_phi,
    from {{ ref('bridge_test_set_case') }} as members
    inner join {{ ref('dim_case') }} as cases on members.case_id = cases.case_id
    inner join {{ ref('fct_case_quality') }} as quality on members.case_id = quality.case_id
    group by members.test_set
),

final as (
    select
        test_sets.test_set,
        test_sets.kind,
        test_sets.description,
        coalesce(cases.content_hash, sha256('')) as content_hash,
        left(coalesce(cases.content_hash, sha256('')), 12) as version,
        coalesce(cases.n_cases, 0) as n_cases,
        coalesce(for_reading.n_for_reading, 0) as n_for_reading,
        coalesce(cases.n_holdout, 0) as n_holdout,
        coalesce(cases.n_without_severity, 0) as n_without_severity,
        coalesce(cases.n_without_icd10, 0) as n_without_icd10,
        coalesce(cases.n_unknown_gold, 0) as n_unknown_gold,
        coalesce(cases.n_ambiguous_gold, 0) as n_ambiguous_gold,
        coalesce(cases.n_exact_duplicates, 0) as n_exact_duplicates,
        coalesce(cases.n_near_duplicates, 0) as n_near_duplicates,
        coalesce(cases.n_leaking, 0) as n_leaking,
        coalesce(cases.contains_phi, false) or coalesce(for_reading.contains_phi, false)
            as contains_phi,
    from test_sets
    left join for_reading on test_sets.test_set = for_reading.test_set
    left join cases on test_sets.test_set = cases.test_set
)

select * from final
