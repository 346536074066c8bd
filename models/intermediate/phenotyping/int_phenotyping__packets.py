"""The context packet of every case that no red flag stops."""

from python_llm.phenotyping.packets import build_packets


def model(dbt, session):
    numbers = {name: value for name, value, _ in dbt.ref("work_up_parameters").fetchall()}
    candidates = dbt.ref("fct_disease_match")
    candidate_ids = candidates.select("disease_id").distinct()
    cases = dbt.ref("int_phenotyping__patients").filter("not is_stopped")
    phenotypes = dbt.ref("fct_case_phenotype").join(cases.select("case_id"), "case_id")
    return build_packets(
        cases.to_arrow_table(),
        phenotypes.to_arrow_table(),
        dbt.ref("fct_red_flag").to_arrow_table(),
        candidates.to_arrow_table(),
        dbt.ref("int_phenotyping__features").to_arrow_table(),
        dbt.ref("dim_disease_profile").join(candidate_ids, "disease_id").to_arrow_table(),
        dbt.ref("diagnostic_tests").to_arrow_table(),
        dbt.ref("fct_reanalysis").to_arrow_table(),
        numbers["compared_ranks"],
        numbers["discriminating_difference"],
    )
