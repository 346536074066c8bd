with notes as (
    select
        {{ case_id("'kernel29_notes'", "case_number") }} as case_id,
        case_number,
        language,
    from {{ ref('stg_phenotyping__case') }}
    where note is not null and len(hpo_terms) = 0 and len(excluded_hpo_terms) = 0
),

gold as (
    select
        notes.case_id,
        notes.language,
        findings.hpo_id,
        findings.is_excluded,
        findings.onset_years,
    from {{ ref('phenotyping_gold_findings') }} as findings
    inner join notes on findings.case_number = notes.case_number
),

found as (
    select
        notes.case_id,
        notes.language,
        phenotypes.hpo_id,
        phenotypes.is_excluded,
        phenotypes.onset_years,
    from {{ ref('int_phenotyping__case_phenotypes') }} as phenotypes
    inner join notes on phenotypes.case_id = notes.case_id
),

-- an age of onset is right within a week
compared as (
    select
        coalesce(gold.language, found.language) as language,
        unnest([
            {
                'task': if(coalesce(gold.is_excluded, found.is_excluded), 'excluded', 'present'),
                'is_gold': gold.hpo_id is not null,
                'is_found': found.hpo_id is not null,
                'is_right': gold.hpo_id is not null and found.hpo_id is not null
            },
            {
                'task': 'onset',
                'is_gold': gold.onset_years is not null,
                'is_found': found.onset_years is not null,
                'is_right': coalesce(abs(gold.onset_years - found.onset_years) < 0.02, false)
            }
        ]) as item,
    from gold
    full outer join found
        on
            gold.case_id = found.case_id
            and gold.hpo_id = found.hpo_id
            and gold.is_excluded = found.is_excluded
),

counts as (
    select
        language,
        item.task,
        count(*) filter (where item.is_gold) as n_gold,
        count(*) filter (where item.is_found) as n_found,
        count(*) filter (where item.is_right) as n_right,
    from compared
    group by all
),

final as (
    select
        language,
        task,
        n_gold,
        n_found,
        n_right,
        n_right / nullif(n_found, 0) as reading_precision,
        n_right / nullif(n_gold, 0) as reading_recall,
        2 * n_right / nullif(n_gold + n_found, 0) as f1,
    from counts
)

select * from final
