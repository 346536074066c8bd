{%- set minimum_ic = parameter('ranker_minimum_information_content') -%}

-- every case meets nearly every disease: numbers in place of ids halve what that takes
with cases as (
    select distinct
        case_id,
        dense_rank() over (order by case_id)::integer as case_number,
    from {{ ref('int_experiments__expected_cells') }}
    where ranker = 'int_experiments__ic_ranking'
),

findings as (
    select case_findings.*
    from {{ ref('int_experiments__case_findings') }} as case_findings
    semi join cases on case_findings.case_id = cases.case_id
    where not case_findings.is_excluded
),

terms as (
    select
        *,
        row_number() over (order by hpo_id)::integer as term_number,
    from {{ ref('dim_hpo_term') }}
    where is_phenotypic_abnormality
),

ancestors as (
    select * from {{ ref('bridge_hpo_ancestor') }}
),

diseases_numbered as (
    select
        disease_id,
        row_number() over (order by disease_id)::integer as disease_number,
    from {{ ref('dim_disease') }}
),

-- what a term that a disease is known to have says for it, where it says anything
disease_terms as (
    select
        terms.term_number,
        diseases_numbered.disease_number,
        {{ finding_evidence("terms.information_content", "closure.frequency") }} as evidence,
    from {{ ref('bridge_disease_phenotype_closure') }} as closure
    inner join terms
        on
            closure.hpo_id = terms.hpo_id
            and terms.information_content >= {{ minimum_ic }}
    inner join diseases_numbered on closure.disease_id = diseases_numbered.disease_id
    where {{ finding_evidence("terms.information_content", "closure.frequency") }} > 0
),

queried_ancestors as (
    select
        terms.term_number,
        ancestor_terms.term_number as ancestor_number,
    from terms
    semi join findings on terms.hpo_id = findings.hpo_id
    inner join ancestors on terms.hpo_id = ancestors.hpo_id
    inner join terms as ancestor_terms on ancestors.ancestor_hpo_id = ancestor_terms.hpo_id
),

-- the evidence of a finding for a disease, where there is any: the log of how much more likely the
-- finding, or its nearest ancestor that the disease is known to have, is in this disease than in
-- diseases in general
evidence as materialized (
    select
        queried_ancestors.term_number,
        disease_terms.disease_number,
        max(disease_terms.evidence) as evidence,
    from queried_ancestors
    inner join disease_terms on queried_ancestors.ancestor_number = disease_terms.term_number
    group by all
),

-- in numbers before millions of rows come of them
case_terms as materialized (
    select
        cases.case_number,
        terms.term_number,
    from findings
    inner join cases on findings.case_id = cases.case_id
    inner join terms on findings.hpo_id = terms.hpo_id
),

support as (
    select
        case_terms.case_number,
        evidence.disease_number,
        round(sum(evidence.evidence), 9) as support,
    from case_terms
    inner join evidence on case_terms.term_number = evidence.term_number
    group by all
),

-- only the best supported diseases can still be first after the small penalty for missing findings
best_diseases as (
    select
        case_number,
        unnest(
            max(struct_pack(support := support, before := -disease_number), 100), recursive := true
        ),
    from support
    group by case_number
),

candidates as (
    select
        cases.case_id,
        diseases_numbered.disease_id,
        diseases_numbered.disease_number,
        best_diseases.support,
    from best_diseases
    inner join cases on best_diseases.case_number = cases.case_number
    inner join diseases_numbered on -best_diseases.before = diseases_numbered.disease_number
),

typical as (
    select
        annotations.*,
        terms.hpo_name,
    from {{ ref('bridge_disease_phenotype') }} as annotations
    inner join terms on annotations.hpo_id = terms.hpo_id
    where
        not annotations.is_excluded
        and annotations.frequency >= {{ parameter('ranker_typical_frequency') }}
),

-- a finding implies its ancestors: a patient with focal seizures has seizures
covered as (
    select distinct
        findings.case_id,
        ancestors.ancestor_hpo_id as hpo_id,
    from findings
    inner join ancestors on findings.hpo_id = ancestors.hpo_id
),

missing as (
    select
        candidates.case_id,
        candidates.disease_id,
        sum({{ absence_evidence("typical.frequency") }}) as against,
    from candidates
    inner join typical on candidates.disease_id = typical.disease_id
    anti join covered on candidates.case_id = covered.case_id and typical.hpo_id = covered.hpo_id
    group by all
),

weighed as (
    select
        candidates.case_id,
        candidates.disease_id,
        candidates.disease_number,
        round(
            candidates.support
            - {{ parameter('ranker_missing_weight') }} * coalesce(missing.against, 0),
            9
        ) as score,
    from candidates
    left join missing
        on candidates.case_id = missing.case_id and candidates.disease_id = missing.disease_id
),

ranked as (
    select
        *,
        row_number() over (
            partition by case_id
            order by score desc, disease_id asc
        ) as diagnosis_rank,
    from weighed
    qualify diagnosis_rank <= {{ max_judged_rank() }}
),

missing_names as (
    select
        ranked.case_id,
        ranked.disease_id,
        string_agg(typical.hpo_name, ', ' order by typical.frequency desc, typical.hpo_name asc)
            as names,
    from ranked
    inner join typical on ranked.disease_id = typical.disease_id
    anti join covered on ranked.case_id = covered.case_id and typical.hpo_id = covered.hpo_id
    group by all
),

explained as (
    select
        ranked.case_id,
        ranked.disease_id,
        string_agg(findings.hpo_name, ', ' order by evidence.evidence desc, findings.hpo_name asc)
        filter (where evidence.term_number is not null) as matched_names,
        string_agg(findings.hpo_name, ', ' order by findings.hpo_name)
        filter (where evidence.term_number is null) as unsupporting_names,
        count(evidence.term_number) as n_matched,
        count(*) as n_findings,
    from ranked
    inner join findings on ranked.case_id = findings.case_id
    left join terms on findings.hpo_id = terms.hpo_id
    left join evidence
        on
            terms.term_number = evidence.term_number
            and ranked.disease_number = evidence.disease_number
    group by all
),

final as (
    select
        ranked.case_id,
        ranked.diagnosis_rank,
        ranked.disease_id,
        diseases.disease_name as diagnosis,
        explained.n_matched || ' of ' || explained.n_findings
        || ' findings speak for it; score ' || format('{:.1f}', ranked.score) || ' nats'
            as reasoning,
        'Matched: ' || coalesce(explained.matched_names, 'none') as in_favour,
        'No support from: ' || coalesce(explained.unsupporting_names, 'none')
        || '. Missing: ' || coalesce(missing_names.names, 'none') as against,
        ranked.score,
    from ranked
    inner join explained
        on ranked.case_id = explained.case_id and ranked.disease_id = explained.disease_id
    left join missing_names
        on ranked.case_id = missing_names.case_id and ranked.disease_id = missing_names.disease_id
    inner join {{ ref('dim_disease') }} as diseases on ranked.disease_id = diseases.disease_id
)

select * from final
