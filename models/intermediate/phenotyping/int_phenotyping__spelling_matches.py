"""The nearest known name of every written one that no name equals."""

from python_llm.phenotyping.spelling import match_spellings


def model(dbt, session):
    written = dbt.ref("int_phenotyping__input_lookups").filter("hpo_id is null and issue is null")
    names = dbt.ref("int_phenotyping__names").filter("is_looked_up and claim >= 0.85")
    cut_off = dbt.ref("work_up_parameters").filter("parameter = 'spelling_cut_off'")
    return match_spellings(
        written.select("name_normalised").distinct().to_arrow_table(),
        names.select("name_normalised, hpo_id").to_arrow_table(),
        dbt.ref("opposite_words").select("one, other").to_arrow_table(),
        cut_off=cut_off.fetchone()[1],
    )
