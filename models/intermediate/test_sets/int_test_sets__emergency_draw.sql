with test_sets as (
    select * from {{ ref('emergency_test_sets') }}
),

segments as (
    select * from {{ ref('emergency_segments') }}
),

chapter_counts as (
    select * from {{ ref('emergency_chapter_counts') }}
),

diagnoses as (
    select
        diagnoses.code_template,
        codes.chapter_code,
    from {{ ref('emergency_diagnoses') }} as diagnoses
    inner join {{ ref('dim_icd10_code') }} as codes
        on replace(diagnoses.code_template, '~', '1') = codes.code
),

-- every chapter's encounters go to its diagnoses by weight
shares as (
    select
        test_sets.test_set,
        test_sets.seed,
        segments.segment,
        segments.population,
        segments.age_group,
        segments.outcome,
        segments.n_in_first_1000,
        diagnoses.chapter_code,
        mix.code_template,
        chapter_counts.n_cases,
        chapter_counts.n_cases * mix.weight / sum(mix.weight) over (
            partition by test_sets.test_set, segments.segment, diagnoses.chapter_code
        ) as share,
    from test_sets
    cross join segments
    inner join chapter_counts on segments.segment = chapter_counts.segment
    inner join {{ ref('emergency_case_mix') }} as mix
        on segments.population = mix.population
    inner join diagnoses
        on
            mix.code_template = diagnoses.code_template
            and chapter_counts.chapter_code = diagnoses.chapter_code
),

ranked as (
    select
        test_set,
        seed,
        segment,
        age_group,
        outcome,
        n_in_first_1000,
        code_template,
        n_cases,
        share,
        row_number() over (
            partition by test_set, segment, chapter_code
            order by round(share - floor(share), 6) desc, code_template asc
        ) as remainder_rank,
        sum(floor(share)) over (partition by test_set, segment, chapter_code) as n_given,
    from shares
),

-- largest remainders: whole encounters that add up to the chapter's number
apportioned as (
    select
        test_set,
        seed,
        segment,
        age_group,
        outcome,
        n_in_first_1000,
        code_template,
        (floor(share) + (remainder_rank <= n_cases - n_given)::integer)::integer as n_encounters,
    from ranked
),

encounters as (
    select
        test_set,
        seed,
        segment,
        age_group,
        outcome,
        n_in_first_1000,
        code_template,
        segment || ':' || code_template || ':' || unnest(generate_series(1, n_encounters))
            as draw_key,
    from apportioned
),

placed as (
    select
        test_set,
        seed,
        age_group,
        outcome,
        code_template,
        draw_key,
        row_number() over (
            partition by test_set, segment
            order by {{ uniform("seed || ':segment:' || draw_key") }}
        ) <= n_in_first_1000 as is_in_first_1000,
    from encounters
),

ordered as (
    select
        test_set,
        seed,
        age_group,
        outcome,
        code_template,
        draw_key,
        row_number() over (
            partition by test_set
            order by is_in_first_1000 desc, {{ uniform("seed || ':order:' || draw_key") }}
        )::double as place,
    from placed
),

-- patients who left unseen and rows opened by mistake lie anywhere between them
unusable as (
    select
        test_set,
        seed,
        'unusable:' || unnest(generate_series(1, n_unusable)) as draw_key,
    from test_sets
),

sizes as (
    select
        test_set,
        count(*) as n_encounters,
    from ordered
    group by all
),

everything as (
    select
        test_set,
        seed,
        age_group,
        outcome,
        code_template,
        draw_key,
        place,
        false as is_unusable,
    from ordered
    union all
    select
        unusable.test_set,
        unusable.seed,
        'adult' as age_group,
        'discharge' as outcome,
        null as code_template,
        unusable.draw_key,
        sizes.n_encounters
        * {{ uniform("unusable.seed || ':place:' || unusable.draw_key") }} as place,
        true as is_unusable,
    from unusable
    inner join sizes on unusable.test_set = sizes.test_set
),

final as (
    select
        test_set,
        seed,
        row_number() over (
            partition by test_set
            order by place, draw_key
        )::integer as source_row,
        draw_key,
        code_template,
        age_group,
        outcome,
        is_unusable,
    from everything
)

select * from final
