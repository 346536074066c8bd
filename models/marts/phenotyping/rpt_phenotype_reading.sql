-- notes only: a list of findings needs no reading
with notes as (
    select
        *,
        {{ case_id("'kernel29_notes'", "case_number") }} as case_id,
    from {{ ref('stg_phenotyping__case') }}
    where note is not null and len(hpo_terms) = 0 and len(excluded_hpo_terms) = 0
),

gold_findings as (
    select * from {{ ref('phenotyping_gold_findings') }}
),

phenotypes as (
    select * from {{ ref('fct_case_phenotype') }}
),

golds as (
    select
        notes.case_id,
        notes.language,
        gold_findings.hpo_id,
        gold_findings.is_excluded,
        gold_findings.onset_years,
    from gold_findings
    inner join notes on gold_findings.case_number = notes.case_number
),

readings as (
    select
        phenotypes.*,
        notes.language,
    from phenotypes
    inner join notes on phenotypes.case_id = notes.case_id
),

-- an age of onset is right within a week
comparisons as (
    select
        coalesce(golds.language, readings.language) as language,
        unnest([
            {
                'task': if(
                    coalesce(golds.is_excluded, readings.is_excluded), 'excluded', 'present'
                ),
                'is_gold': golds.hpo_id is not null,
                'is_found': readings.hpo_id is not null,
                'is_right': golds.hpo_id is not null and readings.hpo_id is not null
            },
            {
                'task': 'onset',
                'is_gold': golds.onset_years is not null,
                'is_found': readings.onset_years is not null,
                'is_right': coalesce(abs(golds.onset_years - readings.onset_years) < 0.02, false)
            }
        ], recursive := true),
    from golds
    full outer join readings
        on
            golds.case_id = readings.case_id
            and golds.hpo_id = readings.hpo_id
            and golds.is_excluded = readings.is_excluded
),

counts as (
    select
        language,
        task,
        count(*) filter (where is_gold) as n_gold,
        count(*) filter (where is_found) as n_found,
        count(*) filter (where is_right) as n_right,
    from comparisons
    group by all
),

final as (
    select
        *,
        n_right / nullif(n_found, 0) as reading_precision,
        n_right / nullif(n_gold, 0) as reading_recall,
        2 * n_right / nullif(n_gold + n_found, 0) as f1,
    from counts
)

select * from final
