"""Ranks the diseases of the HPO annotations for each case by the match of the work-up."""

from functools import partial

from python_llm.job.changes import apart
from python_llm.phenotyping.matching import differentials, match_all


def model(dbt, session):
    cells = dbt.ref("int_experiments__expected_cells")
    asked = cells.filter("ranker = 'int_experiments__profile_ranking'").select("case_id")
    cases = dbt.ref("dim_case").join(asked, "case_id", how="semi")
    terms = dbt.ref("dim_hpo_term").filter("is_phenotypic_abnormality")
    annotations = dbt.ref("bridge_disease_phenotype").filter("not is_excluded")
    profiles = dbt.ref("dim_disease_profile")
    numbers = dbt.ref("work_up_parameters").fetchall()
    match = partial(
        match_all,
        findings=dbt.ref("int_experiments__case_findings").to_arrow_table(),
        # it compares no diseases with one another, and need not ask what tells them apart
        numbers={name: value for name, value, _ in numbers} | {"compared_ranks": 0},
        terms=terms.select("hpo_id, information_content").to_arrow_table(),
        ancestors=dbt.ref("bridge_hpo_ancestor").select("hpo_id, ancestor_hpo_id").to_arrow_table(),
        closure=dbt.ref("bridge_disease_phenotype_closure").to_arrow_table(),
        annotations=annotations.select("disease_id, hpo_id, frequency").to_arrow_table(),
        profiles=profiles.to_arrow_table(),
        genes=dbt.ref("bridge_disease_gene").select("disease_id, gene_symbol").to_arrow_table(),
    )
    cases = cases.select("case_id, age_years, sex").to_arrow_table()
    matches = apart.made(match, cases, apart.FEW_LONG)
    names = profiles.select("disease_id, disease_name").to_arrow_table()
    return differentials(matches, names, terms.select("hpo_id, hpo_name").to_arrow_table())
