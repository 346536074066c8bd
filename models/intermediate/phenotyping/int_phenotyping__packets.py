"""The context packet of every case that no red flag stops."""

from functools import partial

from python_llm.job.changes import apart
from python_llm.phenotyping.packets import build_packets


def model(dbt, session):
    candidates = dbt.ref("fct_disease_match")
    cases = dbt.ref("int_phenotyping__patients").filter("not is_stopped")
    tests = dbt.ref("diagnostic_tests")
    place = "unnest(range(1, len(features) + 1))::integer as feature_rank"
    features = dbt.ref("int_phenotyping__disease_matches").select(
        f"case_id, disease_id, {place}, unnest(features, recursive := true)"
    )
    # a test for a general finding also looks for its descendants
    below = dbt.ref("bridge_hpo_ancestor").select("hpo_id as finding, ancestor_hpo_id as hpo_id")
    looked_for = below.join(tests.select("hpo_id, test_id"), "hpo_id")
    # an imported mapping may have joined the id of a disease to another one
    ids = dbt.ref("bridge_disease_id").select("source_disease_id, disease_id")
    confirming = dbt.ref("confirming_tests").select(
        "disease_id as source_disease_id, * exclude (disease_id)"
    )
    tables = {
        "phenotypes": dbt.ref("fct_case_phenotype").join(cases.select("case_id"), "case_id"),
        "flags": dbt.ref("fct_red_flag"),
        "candidates": candidates,
        "features": features.join(dbt.ref("dim_hpo_term").select("hpo_id, hpo_name"), "hpo_id"),
        "profiles": dbt.ref("dim_disease_profile").join(
            candidates.select("unnest([disease_id, gene_twin_id]) as disease_id").distinct(),
            "disease_id",
        ),
        "tests": tests,
        "looked_for": looked_for.select("finding as hpo_id, test_id").distinct(),
        "confirming": confirming.join(ids, "source_disease_id"),
        "reanalyses": dbt.ref("fct_reanalysis"),
        "pictures": dbt.ref("int_phenotyping__pictures"),
        "test_names": dbt.ref("test_names"),
    }
    arrow = {name: table.to_arrow_table() for name, table in tables.items()}
    numbers = {name: value for name, value, _ in dbt.ref("work_up_parameters").fetchall()}
    build = partial(build_packets, numbers=numbers, **arrow)
    return apart.made(build, cases.to_arrow_table(), apart.FEW_LONG)
