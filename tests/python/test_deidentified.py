"""The words of patients are served only where that was asked for."""

import duckdb
import pytest
import yaml

from python_llm import paths
from python_llm.errors import UserError
from python_llm.job.serving.deidentified import FULL, TEXTS, profile, served
from python_llm.job.serving.publish import publish

SECRET = "Quixotina came on a unicycle"
MARTS = {
    **{f"fct_{n}": f"select {n} as id from range(2_000)" for n in range(9)},  # most stay the same
    "dim_test_set": f"""select 'ward' as test_set, '{SECRET}.csv' as description,
        true as contains_phi union all select 'made_up', 'As made up.', false""",
    "dim_case": f"""select * from (values
        ('ward/0001', 'ward', '{SECRET}', '{SECRET}', 'Gout', 'D:1', null, 63, true),
        ('ward/0002', 'ward', '{SECRET}', '{SECRET}', '{SECRET}', null, null, 64, true),
        ('made_up/0001', 'made_up', 'A made-up text', 'Podagra', 'Gout', 'D:1', null, 70, false)
        ) as cases (case_id, test_set, narrative, gold_written, gold_name, gold_concept_id,
        icd10_code, age_years, contains_phi)""",
    "fct_answer": f"""select * from (values
        ('m/p/ward', 'ward/0001', '1. {SECRET}'), ('m/p/made_up', 'made_up/0001', '1. Gout')
        ) as answers (configuration_id, case_id, answer_text)""",
    "rpt_run_issue": f"""select 'm/p/ward' as configuration_id, '{SECRET}' as case_ref
        union all select 'm/p/made_up', 'C1'""",
    "rpt_label_issue": f"""select 'panel' as panel, '{SECRET}.csv' as source_file,
        'no case {SECRET}' as reason""",
    "fct_score": "select 'ward/0001' as case_id, 8.25 as score",
}
# of a case or a question, and written by this project: ids, labels, words of terminologies
OURS = {
    *("case_id", "question_id", "configuration_id", "judge_id", "test_set", "request_key"),
    *("analysis_request_key", "choice_request_key", "analysis_prompt_version", "packet_hash"),
    *("choice_prompt_version", "prompt_alias", "prompt_version", "terminology_release", "release"),
    *("duplicate_of_case_id", "near_duplicate_of_case_id", "baseline_id", "step_id", "text_hash"),
    *("status", "outcome_class", "parse_status", "read_as", "error_kind", "finish_reason"),
    *("gold_severity", "gold_severity_rule", "gold_acuity", "severity", "acuity", "quadrant"),
    *("semantic_relation", "semantic_rule", "severity_rule", "semantic_votes", "severity_votes"),
    *("semantic_error", "severity_error", "probe", "scale", "label", "outcome", "rule", "effect"),
    *("reason_withheld", "remedy", "meaning", "origin", "method", "issue", "role", "frame"),
    *("hpo_id", "hpo_name", "flag_hpo_id", "flag_name", "matched_hpo_id", "matched_name"),
    *(
        "overruling_hpo_id",
        "disease_id",
        "disease_name",
        "gene_twin_id",
        "concept_id",
        "group_leader_id",
    ),
    *("vocabulary", "candidates", "cue", "exclusion_type", "onset_stage", "progression"),
    *("supporting_phenotypes", "contradicting_phenotypes", "missing_phenotypes", "new_genes"),
    *("confidence", "gold_concept_id", "gold_codes", "gold_code_source", "gold_disease_ids"),
    *("language", "phenotype_language", "written_language", "sex", "age_band", "note_set"),
    *("organ_system", "organ_system_title", "test_type", "action_type", "urgency", "reasoner"),
    *("question_set", "question_type", "typed_by", "type_rule", "type_matched_in", "step"),
    *("model_type", "unscored_reason"),
    *("labelled_type", "split_status", "answer_letter", "letter", "chosen_letter", "match_field"),
    *("untyped_match_field", "analysis_status", "input_hash", "gold_class"),
    *("complexity_level", "findings"),  # of a ranker: codes and names of HPO
}
RECOMMENDATIONS = "recommendations"  # synthetic tenants and patients


def serve(folder, name=""):
    with duckdb.connect() as session:
        marts = {mart: session.sql(query) for mart, query in MARTS.items()}
        versions = dict.fromkeys(marts, "1")
        publish(session, marts, [("dim_case", "case_id", "Id.")], folder, versions, name)
    with duckdb.connect(str(folder / "kernel29.duckdb"), read_only=True) as database:
        return {mart: database.execute(f"from {mart} order by all").fetchall() for mart in MARTS}


def is_anywhere(text, folder):
    tables = [duckdb.sql(f"from '{file}'").fetchall() for file in folder.glob("parquet/*.parquet")]
    in_bytes = any(text.encode() in file.read_bytes() for file in folder.rglob("*.duckdb"))
    return in_bytes or text in repr(tables)


@pytest.mark.parametrize("name", ["", "deidentified"])
def test_words_of_patients_are_left_out_unless_asked_for(tmp_path, name):
    rows = serve(tmp_path, name)
    assert not is_anywhere(SECRET, tmp_path)
    cases = [row[:1] + row[2:5] + row[7:8] for row in rows["dim_case"]]
    assert cases == [
        ("made_up/0001", "A made-up text", "Podagra", "Gout", 70),
        ("ward/0001", None, None, "Gout", None),
        ("ward/0002", None, None, "in no terminology", None),
    ]
    assert rows["fct_answer"][0] == ("m/p/made_up", "made_up/0001", "1. Gout")
    assert rows["fct_answer"][1] == ("m/p/ward", "ward/0001", None)
    assert rows["rpt_run_issue"] == [("m/p/made_up", "C1"), ("m/p/ward", None)]
    assert rows["dim_test_set"][1][:2] == ("ward", "Cases of patients.")
    assert rows["dim_test_set"][0][:2] == ("made_up", "As made up.")
    assert rows["rpt_label_issue"] == [("panel", None, None)]
    assert rows["fct_score"]


def test_full_serves_them_and_the_way_back_takes_them_away(tmp_path):
    serve(tmp_path)
    assert SECRET in repr(serve(tmp_path, FULL))  # the digests are the same, the profile is not
    assert is_anywhere(SECRET, tmp_path)
    serve(tmp_path)
    assert not is_anywhere(SECRET, tmp_path)


def test_what_cannot_be_told_apart_is_left_out():
    with duckdb.connect() as session:
        marts = {"fct_answer": session.sql(MARTS["fct_answer"])}
        rows, _ = served(session, marts, "deidentified")
        assert [row[2] for row in rows["fct_answer"].fetchall()] == [None, None]


def test_a_misspelt_profile_serves_nothing(tmp_path):
    with pytest.raises(UserError, match="KERNEL29_SERVE_PROFILE=ful is not a profile: use one of"):
        serve(tmp_path, "ful")
    assert not list(tmp_path.iterdir())
    assert profile(" full ") == FULL


def text_columns():
    """Of every mart of a case or a question: its columns of text."""
    for file in (paths.project_root() / "models" / "marts").rglob("*_models.yml"):
        for mart in yaml.safe_load(file.read_text())["models"]:
            columns = {c["name"]: str(c.get("data_type")) for c in mart.get("columns", [])}
            if file.parent.name != RECOMMENDATIONS and {"case_id", "question_id"} & columns.keys():
                texts = {name for name, kind in columns.items() if kind.startswith("varchar")}
                yield mart["name"], texts


def test_every_text_of_a_case_is_left_out_or_is_ours():
    """A new column of text is one or the other, and whoever adds it decides."""
    columns = dict(text_columns())
    undecided = {
        (mart, name)
        for mart, texts in columns.items()
        for name in texts - OURS - {*TEXTS.get(mart, ("", ()))[1]}
        if not name.startswith("icd10_")
    }
    vocabulary = {("fct_red_flag", "reason"), ("fct_red_flag", "source")}
    assert undecided - vocabulary == set()


def test_no_column_that_is_left_out_has_another_name_by_now():
    declared = {}
    for file in (paths.project_root() / "models" / "marts").rglob("*_models.yml"):
        for mart in yaml.safe_load(file.read_text())["models"]:
            declared[mart["name"]] = {column["name"] for column in mart.get("columns", [])}
    for mart, (_, texts) in TEXTS.items():
        assert set(texts) <= declared[mart], mart
