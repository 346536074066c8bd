with final as (
    {{ as_facts({
        "action_phrases": ref("stg_recommendations__action_phrase"),
        "assertion_cues": ref("stg_recommendations__assertion_cue"),
        "clinical_actions": ref("stg_recommendations__action"),
        "clinical_documents": ref("stg_recommendations__document"),
        "clinical_findings": ref("stg_recommendations__finding"),
        "clinical_problems": ref("stg_recommendations__problem"),
        "contraindications": ref("stg_recommendations__contraindication"),
        "drug_classes": ref("stg_recommendations__drug_class"),
        "guideline_rule_requirements": ref("stg_recommendations__rule_requirement"),
        "guideline_rules": ref("stg_recommendations__guideline_rule"),
        "lab_tests": ref("stg_recommendations__lab_test"),
        "latency_targets": ref("stg_recommendations__latency_target"),
        "red_flags": ref("stg_recommendations__red_flag"),
        "scope_disambiguation": ref("stg_recommendations__scope_disambiguation"),
        "scope_terms": ref("stg_recommendations__scope_term"),
    }) }}
)

select * from final
