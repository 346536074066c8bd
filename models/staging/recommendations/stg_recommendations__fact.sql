-- One relation for all: a Python model takes facts by table, and `kernel29 check` reads the same
-- tables from their files, without a warehouse.
with final as (
    {{ as_facts({
        "action_phrases": ref("action_phrases"),
        "assertion_cues": ref("assertion_cues"),
        "clinical_actions": ref("clinical_actions"),
        "clinical_documents": ref("clinical_documents"),
        "clinical_findings": ref("clinical_findings"),
        "clinical_problems": ref("clinical_problems"),
        "drug_durations": ref("drug_durations"),
        "drug_indications": ref("drug_indications"),
        "drug_rules": ref("drug_rules"),
        "drugs": ref("drugs"),
        "guideline_expectations": ref("guideline_expectations"),
        "guideline_rule_requirements": ref("guideline_rule_requirements"),
        "guideline_rules": ref("guideline_rules"),
        "lab_tests": ref("lab_tests"),
        "latency_targets": ref("latency_targets"),
        "procedure_rules": ref("procedure_rules"),
        "red_flags": ref("red_flags"),
        "scope_disambiguation": ref("scope_disambiguation"),
        "scope_terms": ref("scope_terms"),
        "target_ranges": ref("target_ranges"),
    }) }}
)

select * from final
