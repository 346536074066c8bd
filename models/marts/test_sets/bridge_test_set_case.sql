with cases as (
    select
        *,
        coalesce(icd10_category_code, gold_concept_id, {{ normalise_name("gold_name") }})
            as gold_class,
        {{ normalise_name("presenting_complaint") }} as complaint,
        row_number() over (partition by test_set order by case_number) as position,
    from {{ ref('dim_case') }}
),

definitions as (
    select
        * replace (
            {%- for column in [
                "source_test_sets", "outcomes", "sexes", "include_chapters", "exclude_chapters",
            ] %}
                string_split({{ column }}, '|') as {{ column }}
                {%- if not loop.last %},{% endif %}
            {%- endfor %}
        ),
    from {{ ref('test_set_definitions') }}
),

-- a case without the property a condition needs (no age, no chapter) does not meet it
chosen as (
    select
        definitions.test_set,
        cases.case_id,
        cases.test_set as source_test_set,
        cases.gold_class,
        cases.position,
        case definitions.balance_by
            when 'sex' then cases.sex when 'age_band' then cases.age_band
        end
            as balance_value,
        definitions.balance_by is not null as is_balanced,
    from definitions
    inner join cases on list_contains(definitions.source_test_sets, cases.test_set)
    where
        coalesce(cases.position <= definitions.first_n, true)
        and coalesce(list_contains(definitions.outcomes, cases.outcome), true)
        and (
            definitions.min_age_years is null
            or coalesce(cases.age_years >= definitions.min_age_years, false)
        )
        and (
            definitions.max_age_years is null
            or coalesce(cases.age_years <= definitions.max_age_years, false)
        )
        and coalesce(list_contains(definitions.sexes, cases.sex), true)
        and (
            definitions.include_chapters is null
            or coalesce(
                list_contains(definitions.include_chapters, cases.icd10_chapter_code), false
            )
        )
        and (
            definitions.exclude_chapters is null
            or coalesce(
                not list_contains(definitions.exclude_chapters, cases.icd10_chapter_code), false
            )
        )
        and (
            definitions.complaint_pattern is null
            or coalesce(regexp_matches(cases.complaint, definitions.complaint_pattern), false)
        )
),

shuffled as (
    select
        *,
        row_number() over (
            partition by test_set, balance_value
            order by {{ uniform("'balance:' || case_id") }}
        ) as balance_rank,
    from chosen
    where not is_balanced or balance_value != 'unknown'
),

stratum_sizes as (
    select
        test_set,
        balance_value,
        max(balance_rank) as n_cases,
    from shuffled
    group by all
),

smallest as (
    select
        test_set,
        min(n_cases) as n_cases,
    from stratum_sizes
    group by all
),

memberships as (
    select
        test_set,
        case_id,
        test_set as source_test_set,
        gold_class,
        position,
    from cases
    union all
    select
        shuffled.test_set,
        shuffled.case_id,
        shuffled.source_test_set,
        shuffled.gold_class,
        shuffled.position,
    from shuffled
    inner join smallest on shuffled.test_set = smallest.test_set
    where not shuffled.is_balanced or shuffled.balance_rank <= smallest.n_cases
),

final as (
    select
        test_set,
        case_id,
        gold_class,
        row_number() over (
            partition by test_set
            order by source_test_set, position
        )::integer as case_number,
        {{ class_weight("test_set", "gold_class") }} as class_weight,
    from memberships
)

select * from final
