-- a list of tests where somebody wrote one; anything else is known, and shown, but not taken apart
with patients as (
    select
        case_id,
        prior_tests,
    from {{ ref('int_phenotyping__patients') }}
    where json_valid(prior_tests) and json_type(prior_tests) = 'ARRAY'
),

tests as (
    select
        case_id,
        unnest(cast(prior_tests as json[])) as test,
        unnest(range(1, json_array_length(prior_tests)::integer + 1)) as test_number,
    from patients
),

final as (
    select
        case_id,
        lower(trim(coalesce(test ->> 'test', test ->> 'test_type'))) as test_type,
        cast(test -> 'hpo_ids' as varchar[]) as hpo_ids_then,
        cast(test -> 'genes' as varchar[]) as genes_covered,
        test_number::integer as test_number,
        try_cast(test ->> 'date' as date) as tested_on,
    from tests
    where json_type(test) = 'OBJECT'
)

select * from final
