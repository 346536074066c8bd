-- What somebody would score who never looks at the patient and knows the case mix. A case's own
-- diagnosis is taken out of the count first, or a set of different diseases would be guessed.
with cells as (
    select distinct
        test_set,
        case_id,
    from {{ ref('int_experiments__expected_cells') }}
    where ranker = 'int_experiments__frequency_ranking'
),

golds as (
    select
        members.test_set,
        members.case_id,
        cases.gold_name,
    from {{ ref('bridge_test_set_case') }} as members
    inner join {{ ref('dim_case') }} as cases on members.case_id = cases.case_id
    semi join cells on members.test_set = cells.test_set
),

counts as (
    select
        test_set,
        gold_name as diagnosis,
        count(*) as n_cases,
    from golds
    group by all
),

-- one more than a list has places: the own diagnosis may fall out of them
frequent as (
    select * from counts
    qualify
        row_number() over (partition by test_set order by n_cases desc, diagnosis asc)
        <= {{ max_judged_rank() }} + 1
),

others as (
    select
        cells.test_set,
        cells.case_id,
        frequent.diagnosis,
        frequent.n_cases - (golds.gold_name = frequent.diagnosis)::integer as n_others,
    from cells
    inner join golds on cells.test_set = golds.test_set and cells.case_id = golds.case_id
    inner join frequent on cells.test_set = frequent.test_set
),

final as (
    select
        test_set,
        case_id,
        row_number() over (
            partition by test_set, case_id
            order by n_others desc, diagnosis asc
        ) as diagnosis_rank,
        diagnosis,
        'the diagnosis of ' || n_others || if(n_others = 1, ' other case', ' other cases')
        || ' of the test set' as reasoning,
        n_others::double as score,
    from others
    where n_others > 0
    qualify diagnosis_rank <= {{ max_judged_rank() }}
)

select * from final
