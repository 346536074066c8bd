-- Which encounters the generator makes, in four steps: every chapter's encounters are shared out
-- among its diagnoses, every diagnosis gets whole encounters, these are put in an order, and
-- unusable rows are scattered among them.
with test_sets as (
    select * from {{ ref('generated_test_sets') }}
    where kind = 'generated'
),

segments as (
    select * from {{ ref('emergency_segments') }}
),

chapter_counts as (
    select * from {{ ref('emergency_chapter_counts') }}
),

mix as (
    select * from {{ ref('emergency_case_mix') }}
),

-- '~' in a code stands for the side of the body; both sides have the same chapter
diagnoses as (
    select
        diagnoses.code_template,
        codes.chapter_code,
    from {{ ref('emergency_diagnoses') }} as diagnoses
    inner join {{ ref('dim_icd10_code') }} as codes
        on replace(diagnoses.code_template, '~', '1') = codes.code
),

shares as (
    select
        test_sets.test_set,
        test_sets.seed,
        segments.* exclude (n_cases),
        diagnoses.chapter_code,
        mix.code_template,
        chapter_counts.n_cases,
        chapter_counts.n_cases * mix.weight / sum(mix.weight) over (
            partition by test_sets.test_set, segments.segment, diagnoses.chapter_code
        ) as share,
    from test_sets
    cross join segments
    inner join chapter_counts on segments.segment = chapter_counts.segment
    inner join mix on segments.population = mix.population
    inner join diagnoses
        on
            mix.code_template = diagnoses.code_template
            and chapter_counts.chapter_code = diagnoses.chapter_code
),

-- largest remainders: whole encounters that add up to the chapter's number; rounded, so that shares
-- that are equal on paper are equal on every machine
apportioned as (
    select
        *,
        row_number() over (
            partition by test_set, segment, chapter_code
            order by round(share - floor(share), 6) desc, code_template asc
        ) as remainder_rank,
        sum(floor(share)) over (partition by test_set, segment, chapter_code) as n_given,
        (floor(share) + (remainder_rank <= n_cases - n_given)::integer)::integer as n_encounters,
    from shares
),

encounters as (
    select
        *,
        segment || ':' || code_template || ':' || unnest(generate_series(1, n_encounters))
            as draw_key,
    from apportioned
),

-- the first 1,000 encounters have a composition of their own (docs/specification.md#set-sizes)
early as (
    select
        *,
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
        )::double as position,
        false as is_unusable,
    from early
),

sizes as (
    select
        test_set,
        count(*) as n_encounters,
    from ordered
    group by all
),

-- patients who left unseen and rows opened by mistake are scattered among them
unusable_keys as (
    select
        *,
        'unusable:' || unnest(generate_series(1, n_unusable)) as draw_key,
    from test_sets
),

unusable as (
    select
        unusable_keys.test_set,
        unusable_keys.seed,
        'adult' as age_group,
        'discharge' as outcome,
        unusable_keys.draw_key,
        sizes.n_encounters
        * {{ uniform("unusable_keys.seed || ':place:' || unusable_keys.draw_key") }} as position,
        true as is_unusable,
    from unusable_keys
    inner join sizes on unusable_keys.test_set = sizes.test_set
),

all_rows as (
    select * from ordered
    union all by name
    select * from unusable
),

final as (
    select
        test_set,
        seed,
        row_number() over (
            partition by test_set
            order by position, draw_key
        )::integer as source_row,
        draw_key,
        code_template,
        age_group,
        outcome,
        is_unusable,
    from all_rows
)

select * from final
