-- One relation for all: a Python model takes facts by table, and `kernel29 check` reads the same
-- tables from their files, without a warehouse.
with chosen as (
    select '{{ var("retrieval_configuration") }}' as configuration,
),

final as (
    {{ as_facts({
        "action_phrases": ref("action_phrases"),
        "assertion_cues": ref("assertion_cues"),
        "chosen_configuration": "chosen",
        "clinical_actions": ref("clinical_actions"),
        "clinical_documents": ref("clinical_documents"),
        "clinical_findings": ref("clinical_findings"),
        "clinical_problems": ref("clinical_problems"),
        "drug_rules": ref("drug_rules"),
        "drugs": ref("drugs"),
        "guideline_expectations": ref("guideline_expectations"),
        "guideline_rule_requirements": ref("guideline_rule_requirements"),
        "guideline_rules": ref("guideline_rules"),
        "lab_tests": ref("lab_tests"),
        "latency_targets": ref("latency_targets"),
        "order_limits": ref("order_limits"),
        "red_flags": ref("red_flags"),
        "retrieval_configurations": ref("retrieval_configurations"),
        "scope_disambiguation": ref("scope_disambiguation"),
        "scope_terms": ref("scope_terms"),
    }) }}
)

select * from final
