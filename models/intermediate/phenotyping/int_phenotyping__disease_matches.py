"""Scores every disease for every patient that no red flag stops; keeps the best and the gold."""

from functools import partial

from python_llm.job.changes import apart
from python_llm.phenotyping.matching import match_all


def model(dbt, session):
    cases = dbt.ref("int_phenotyping__patients").filter("not is_stopped and n_present > 0")
    terms = dbt.ref("dim_hpo_term").filter("is_phenotypic_abnormality")
    annotations = dbt.ref("bridge_disease_phenotype")
    findings = dbt.ref("fct_case_phenotype").select(
        "case_id, hpo_id, is_excluded, status, onset_years, is_ongoing"
    )
    ancestors = dbt.ref("bridge_hpo_ancestor").select("hpo_id, ancestor_hpo_id")
    implied = ancestors.join(findings, "hpo_id", how="semi").select("ancestor_hpo_id as hpo_id")
    closure = dbt.ref("bridge_disease_phenotype_closure").join(implied, "hpo_id", how="semi")
    numbers = dbt.ref("work_up_parameters").fetchall()
    match = partial(
        match_all,
        findings=findings.to_arrow_table(),
        numbers={name: value for name, value, _ in numbers},
        terms=terms.select("hpo_id, information_content").to_arrow_table(),
        ancestors=ancestors.to_arrow_table(),
        closure=closure.to_arrow_table(),
        annotations=annotations.select("disease_id, hpo_id, frequency").to_arrow_table(),
        profiles=dbt.ref("dim_disease_profile").to_arrow_table(),
        genes=dbt.ref("bridge_disease_gene").select("disease_id, gene_symbol").to_arrow_table(),
        rules=dbt.ref("patient_rules").to_arrow_table(),
    )
    return apart.made(match, cases.to_arrow_table(), apart.FEW_LONG)
