"""Serves the public marts, once every test of theirs has passed."""

from python_llm import paths
from python_llm.publish import COMMENTS, publish


def model(dbt, session):
    marts = {
        "dim_icd10_code": dbt.ref("dim_icd10_code").to_arrow_reader,
        "dim_hpo_term": dbt.ref("dim_hpo_term").to_arrow_reader,
        "bridge_hpo_ancestor": dbt.ref("bridge_hpo_ancestor").to_arrow_reader,
        "dim_disease": dbt.ref("dim_disease").to_arrow_reader,
        "bridge_disease_phenotype": dbt.ref("bridge_disease_phenotype").to_arrow_reader,
        "bridge_disease_phenotype_closure": dbt.ref(
            "bridge_disease_phenotype_closure"
        ).to_arrow_reader,
        "bridge_disease_gene": dbt.ref("bridge_disease_gene").to_arrow_reader,
        "dim_concept_alias": dbt.ref("dim_concept_alias").to_arrow_reader,
        "dim_abbreviation_sense": dbt.ref("dim_abbreviation_sense").to_arrow_reader,
        "bridge_abbreviation_cue": dbt.ref("bridge_abbreviation_cue").to_arrow_reader,
        "bridge_disease_relation": dbt.ref("bridge_disease_relation").to_arrow_reader,
        "dim_hpo_term_translation": dbt.ref("dim_hpo_term_translation").to_arrow_reader,
        "rpt_terminology_release": dbt.ref("rpt_terminology_release").to_arrow_reader,
        "dim_test_set": dbt.ref("dim_test_set").to_arrow_reader,
        "dim_case": dbt.ref("dim_case").to_arrow_reader,
        "bridge_case_phenotype": dbt.ref("bridge_case_phenotype").to_arrow_reader,
        "bridge_test_set_case": dbt.ref("bridge_test_set_case").to_arrow_reader,
        "fct_case_quality": dbt.ref("fct_case_quality").to_arrow_reader,
        "rpt_test_set_composition": dbt.ref("rpt_test_set_composition").to_arrow_reader,
        "rpt_record_issue": dbt.ref("rpt_record_issue").to_arrow_reader,
        "dim_llm_model": dbt.ref("dim_llm_model").to_arrow_reader,
        "dim_prompt": dbt.ref("dim_prompt").to_arrow_reader,
        "dim_configuration": dbt.ref("dim_configuration").to_arrow_reader,
        "dim_judge": dbt.ref("dim_judge").to_arrow_reader,
        "fct_answer": dbt.ref("fct_answer").to_arrow_reader,
        "fct_judged_diagnosis": dbt.ref("fct_judged_diagnosis").to_arrow_reader,
        "fct_case_score": dbt.ref("fct_case_score").to_arrow_reader,
        "fct_configuration_score": dbt.ref("fct_configuration_score").to_arrow_reader,
        "fct_stratified_score": dbt.ref("fct_stratified_score").to_arrow_reader,
        "fct_configuration_comparison": dbt.ref("fct_configuration_comparison").to_arrow_reader,
        "fct_judge_agreement": dbt.ref("fct_judge_agreement").to_arrow_reader,
        "fct_llm_call": dbt.ref("fct_llm_call").to_arrow_reader,
        "rpt_prompt_versions": dbt.ref("rpt_prompt_versions").to_arrow_reader,
        "rpt_recorded_run": dbt.ref("rpt_recorded_run").to_arrow_reader,
        "fct_group_score": dbt.ref("fct_group_score").to_arrow_reader,
        "fct_configuration_rank": dbt.ref("fct_configuration_rank").to_arrow_reader,
        "fct_case_error": dbt.ref("fct_case_error").to_arrow_reader,
        "rpt_missed_diagnosis": dbt.ref("rpt_missed_diagnosis").to_arrow_reader,
        "rpt_severity_bias": dbt.ref("rpt_severity_bias").to_arrow_reader,
        "rpt_detectable_difference": dbt.ref("rpt_detectable_difference").to_arrow_reader,
        "dim_question": dbt.ref("dim_question").to_arrow_reader,
        "bridge_question_option": dbt.ref("bridge_question_option").to_arrow_reader,
        "dim_question_configuration": dbt.ref("dim_question_configuration").to_arrow_reader,
        "fct_question_answer": dbt.ref("fct_question_answer").to_arrow_reader,
        "fct_question_score": dbt.ref("fct_question_score").to_arrow_reader,
        "fct_question_comparison": dbt.ref("fct_question_comparison").to_arrow_reader,
        "fct_question_call": dbt.ref("fct_question_call").to_arrow_reader,
        "rpt_question_report": dbt.ref("rpt_question_report").to_arrow_reader,
        "rpt_question_set": dbt.ref("rpt_question_set").to_arrow_reader,
        "rpt_question_type_agreement": dbt.ref("rpt_question_type_agreement").to_arrow_reader,
        "dim_phenotyping_case": dbt.ref("dim_phenotyping_case").to_arrow_reader,
        "fct_case_phenotype": dbt.ref("fct_case_phenotype").to_arrow_reader,
        "fct_excluded_finding": dbt.ref("fct_excluded_finding").to_arrow_reader,
        "fct_phenotype_timing": dbt.ref("fct_phenotype_timing").to_arrow_reader,
        "rpt_phenotype_reading": dbt.ref("rpt_phenotype_reading").to_arrow_reader,
        "rpt_phenotype_issue": dbt.ref("rpt_phenotype_issue").to_arrow_reader,
        "rpt_leaderboard": dbt.ref("rpt_leaderboard").to_arrow_reader,
    }
    meta = dbt.config.get("meta")
    comments = session.execute(COMMENTS).fetchall()
    return publish(marts, comments, paths.resolve(meta["serve_dir"]))
