"""Reads the notes: findings, what is said of them, since when. The work is the package's."""

from functools import partial

from python_llm.job.changes import kept
from python_llm.phenotyping.notes import read_notes


def model(dbt, session):
    cases = dbt.ref("int_phenotyping__cases").filter("trim(note) != ''")
    names = dbt.ref("int_phenotyping__names").filter("is_meant")
    # in one order, by which what is made of them is known again
    names = names.select("* exclude (method, is_meant, is_looked_up)").order("all")
    read = partial(
        read_notes,
        examples=dbt.ref("example_notes")
        .select("note, status, emergency, picture")
        .to_arrow_table(),
        names=names.to_arrow_table(),
        same_words=dbt.ref("finding_words").to_arrow_table(),
        stop_words=dbt.ref("reading_stop_words").to_arrow_table(),
        cues=dbt.ref("note_cues").to_arrow_table(),
        normal_findings=dbt.ref("normal_findings").to_arrow_table(),
        relative_times=dbt.ref("relative_times").to_arrow_table(),
        progression_cues=dbt.ref("progression_cues").to_arrow_table(),
        signs=dbt.ref("clinical_signs").select("sign, criterion, words").to_arrow_table(),
        values=dbt.ref("abnormal_values").to_arrow_table(),
        red_flags=dbt.ref("dim_red_flag").select("hpo_id, is_event").to_arrow_table(),
    )
    notes = cases.select("case_id, language, note, age_years")
    node, notes_from = (f"model.kernel29.int_phenotyping__{one}" for one in ("mentions", "cases"))
    return kept.by_row(session, node, notes, notes_from, read)
