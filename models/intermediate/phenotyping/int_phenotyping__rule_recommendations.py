"""The recommendation that follows from each packet by rules: the baseline, and the fallback."""

from python_llm.phenotyping.recommending import recommend_all


def model(dbt, session):
    numbers = dbt.ref("work_up_parameters")
    sparse = numbers.filter("parameter = 'sparse_completeness'").fetchone()[1]
    packets = dbt.ref("int_phenotyping__packets").select("case_id, packet")
    return recommend_all(packets.to_arrow_table(), sparse)
