"""Scores every disease for every patient that no red flag stops; keeps the best and the gold."""

from python_llm.phenotyping.matching import Parameters, corpus, match, patients_of


def model(dbt, session):
    cases = dbt.ref("int_phenotyping__patients").filter("not is_stopped and n_present > 0")
    findings = dbt.ref("fct_case_phenotype")
    terms = dbt.ref("dim_hpo_term").filter("is_phenotypic_abnormality")
    ancestors = dbt.ref("bridge_hpo_ancestor")
    closure = dbt.ref("bridge_disease_phenotype_closure")
    annotations = dbt.ref("bridge_disease_phenotype").filter("not is_excluded")
    profiles = dbt.ref("dim_disease_profile")
    genes = dbt.ref("bridge_disease_gene")
    numbers = dbt.ref("work_up_parameters").fetchall()
    known = corpus(
        terms.select("hpo_id, information_content").to_arrow_table(),
        ancestors.select("hpo_id, ancestor_hpo_id").to_arrow_table(),
        closure.to_arrow_table(),
        annotations.select("disease_id, hpo_id, frequency").to_arrow_table(),
        profiles.to_arrow_table(),
        genes.select("disease_id, gene_symbol").to_arrow_table(),
    )
    patients = patients_of(cases.to_arrow_table(), findings.to_arrow_table())
    return match(patients, known, Parameters.of({name: value for name, value, _ in numbers}))
