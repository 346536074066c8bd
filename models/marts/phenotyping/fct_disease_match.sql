with matches as (
    select * from {{ ref('int_phenotyping__disease_matches') }}
    where
        match_rank <= {{ work_up_number('explained_ranks') }}
        or disease_id = group_leader_id
),

profiles as (
    select * from {{ ref('dim_disease_profile') }}
),

patients as (
    select * from {{ ref('int_phenotyping__patients') }}
),

terms as (
    select * from {{ ref('dim_hpo_term') }}
),

weighed_findings as (
    select
        case_id,
        disease_id,
        unnest(range(len(evidence))) as evidence_rank,
        unnest(evidence, recursive := true),
    from matches
),

evidence as (
    select
        weighed_findings.case_id,
        weighed_findings.disease_id,
        {% for role in ('supporting', 'contradicting', 'missing') -%}
            list(terms.hpo_name order by weighed_findings.evidence_rank)
            filter (where weighed_findings.role = '{{ role }}') as {{ role }},
        {% endfor -%}
    from weighed_findings
    inner join terms on weighed_findings.hpo_id = terms.hpo_id
    group by all
),

explained as (
    select
        matches.*,
        coalesce(evidence.supporting, []) as supporting_phenotypes,
        coalesce(evidence.contradicting, []) as contradicting_phenotypes,
        coalesce(evidence.missing, []) as missing_phenotypes,
        len(supporting_phenotypes)::integer as n_supporting,
        len(contradicting_phenotypes)::integer as n_contradicting,
    from matches
    left join evidence
        on matches.case_id = evidence.case_id and matches.disease_id = evidence.disease_id
),

final as (
    select
        matches.case_id,
        matches.disease_id,
        profiles.disease_name,
        profiles.gene_twin_id,
        matches.group_leader_id,
        {{ match_confidence("coalesce(matches.group_probability, matches.probability)") }}
            as confidence,
        matches.supporting_phenotypes,
        matches.contradicting_phenotypes,
        matches.missing_phenotypes,
        matches.match_rank,
        matches.group_rank,
        matches.score,
        matches.finding_score,
        matches.overlap_score,
        matches.excluded_score,
        matches.onset_score,
        matches.sex_score,
        matches.relatives_score,
        matches.probability,
        matches.group_probability,
        matches.n_supporting,
        matches.n_contradicting,
        -- null without a gold diagnosis: false would count the case as a miss
        case
            when len(patients.gold_disease_ids) > 0
                then list_contains(patients.gold_disease_ids, matches.disease_id)
        end as is_gold,
    from explained as matches
    inner join profiles on matches.disease_id = profiles.disease_id
    inner join patients on matches.case_id = patients.case_id
)

select * from final
