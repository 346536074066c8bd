-- One relation for all: a Python model takes facts by table, and `kernel29 check` reads the same
-- tables from their files, without a warehouse.
with chosen as (
    select '{{ var("retrieval_configuration") }}' as configuration,
),

alarming_terms as (
    select distinct
        unnest(
            string_split(
                concat_ws(';', hpo_id, with_hpo_ids, also_with_hpo_ids, without_hpo_ids), ';'
            )
        ) as hpo_id,
    from {{ ref('hpo_red_flags') }}
    where severity = 'URGENT'
),

-- what a note may call the terms of urgent flags
all_names as (
    select
        id as hpo_id,
        name,
        'preferred' as scope,
        'en' as language,
    from {{ ref('hpo_term') }}
    union all
    select
        id as hpo_id,
        synonym as name,
        'exact' as scope,
        'en' as language,
    from {{ ref('hpo_synonym') }}
    where scope = 'exact' and type is distinct from 'abbreviation'
    union all
    select
        hpo_id,
        name,
        'exact' as scope,
        language,
    from {{ ref('phenotype_names') }}
),

alarm_names as (
    select all_names.*
    from all_names
    inner join alarming_terms on all_names.hpo_id = alarming_terms.hpo_id
),

-- of which a note is judged as a whole
whole_notes as (
    select
        note,
        status,
        emergency,
        picture,
    from {{ ref('example_notes') }}
    where status != 'marked'
),

final as (
    {{ as_facts({
        "abnormal_values": ref("abnormal_values"),
        "alarm_names": "alarm_names",
        "clinical_signs": ref("clinical_signs"),
        "finding_words": ref("finding_words"),
        "hpo_red_flags": ref("hpo_red_flags"),
        "normal_findings": ref("normal_findings"),
        "note_cues": ref("note_cues"),
        "progression_cues": ref("progression_cues"),
        "reading_stop_words": ref("reading_stop_words"),
        "relative_times": ref("relative_times"),
        "action_phrases": ref("action_phrases"),
        "assertion_cues": ref("assertion_cues"),
        "chosen_configuration": "chosen",
        "clinical_actions": ref("clinical_actions"),
        "clinical_documents": ref("clinical_documents"),
        "clinical_findings": ref("clinical_findings"),
        "clinical_problems": ref("clinical_problems"),
        "drug_rules": ref("drug_rules"),
        "drugs": ref("drugs"),
        "example_notes": "whole_notes",
        "example_orders": ref("example_orders"),
        "guideline_expectations": ref("guideline_expectations"),
        "guideline_rule_requirements": ref("guideline_rule_requirements"),
        "guideline_rules": ref("guideline_rules"),
        "lab_tests": ref("lab_tests"),
        "latency_targets": ref("latency_targets"),
        "order_limits": ref("order_limits"),
        "red_flags": ref("red_flags"),
        "retrieval_configurations": ref("retrieval_configurations"),
        "scope_terms": ref("scope_terms"),
    }) }}
)

select * from final
