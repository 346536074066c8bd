"""However a project lays its judged lists out, and a clinic its gradings, they say the same."""

import json
from pathlib import Path

import openpyxl
import pytest
from written import as_csv, as_json, as_lines, recorded

from python_llm.errors import FileError
from python_llm.labels import store
from python_llm.labels.importing import Report, Source, import_labels
from python_llm.runs import store as runs_store

# case, gold diagnosis, model: what it said, the relation and the severity of each
LISTS = {
    ("0001", "Gout", "gpt-4o"): [
        ("Gout", "Exact Synonym", "mild"),
        ("Flu", "Not Related", "moderate"),
        ("Pseudogout", "Exact Disease Group", "mild"),
    ],
    ("0001", "Gout", "opus"): [("Sepsis", "Not Related", "critical")],
    ("0002", "Rickets", "gpt-4o"): [
        ("Osteomalacia", "Broad Synonym", "severe"),
        ("Gout", "Broad Disease Group", "mild"),
    ],
    ("0002", "Rickets", "opus"): [("Rickets", "Exact Synonym", "severe")],
}


def each():
    for (case, gold, model), items in LISTS.items():
        for rank, (name, relation, severity) in enumerate(items, 1):
            yield case, gold, model, rank, name, relation, severity


def objects(case, model):
    keys = ("rank", "diagnosis", "semantic_relationship", "severity")
    return [
        dict(zip(keys, (rank, *said), strict=True))
        for (of, _, by), items in LISTS.items()
        for rank, said in enumerate(items, 1)
        if (of, by) == (case, model)
    ]


CASES = {case: gold for case, gold, _ in LISTS}
MODELS = ("gpt-4o", "opus")


def by_case(entry):
    return {case: {"gold": gold, **entry(case)} for case, gold in CASES.items()}


def as_document(path: Path, content) -> Path:
    path = path.with_suffix(".json")
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def a_row_a_list(cell):
    return [
        {"patient": case, "model": model, "golden_diagnosis": gold, **cell(items)}
        for (case, gold, model), items in LISTS.items()
    ]


def in_lists(items):
    names, relations, severities = (list(part) for part in zip(*items, strict=True))
    return {"diagnoses": names, "relations": relations, "severities": severities}


def in_columns(items):
    row = {}
    for rank in (1, 2, 3):
        said = items[rank - 1] if rank <= len(items) else ("", "", "")
        for name, text in zip(("diagnosis", "semantic", "severity"), said, strict=True):
            row[f"{name}_{rank}"] = text
    return row


def of_models(case, gold, rank):
    row = {"case_id": case, "gold": gold, "rank": rank}
    for model in MODELS:
        items = LISTS[case, gold, model]
        said = items[rank - 1] if rank <= len(items) else ("", "", "")
        row |= dict(zip((model, f"{model}_relation", f"{model} severity"), said, strict=True))
    return row


LAYOUTS = {
    "models in a case": lambda path: as_lines(
        path,
        [
            {
                "patient_id": case,
                "golden_diagnosis": gold,
                "models": [{"model": m, "diagnoses": objects(case, m)} for m in MODELS],
            }
            for case, gold in CASES.items()
        ],
    ),
    "cases and models as keys": lambda path: as_document(
        path, by_case(lambda case: {m: objects(case, m) for m in MODELS})
    ),
    "under a name of their own": lambda path: as_document(
        path, by_case(lambda case: {"predictions": {m: objects(case, m) for m in MODELS}})
    ),
    "models, then cases, then ranks as keys": lambda path: as_document(
        path,
        {
            m: {
                case: {
                    "gold": gold,
                    "diagnoses": {f"rank_{one.pop('rank')}": one for one in objects(case, m)},
                }
                for case, gold in CASES.items()
            }
            for m in MODELS
        },
    ),
    "an object for each part": lambda path: as_lines(
        path,
        [
            {
                "case": {"id": case, "gold_diagnosis": gold},
                "model": model,
                "prediction": {"rank": rank, "name": name},
                "judgement": {"semantic": relation, "severity": severity},
            }
            for case, gold, model, rank, name, relation, severity in each()
        ],
    ),
    "lists side by side": lambda path: as_json(path, a_row_a_list(in_lists)),
    "lists of objects side by side": lambda path: as_json(
        path,
        a_row_a_list(
            lambda items: {
                "diagnoses": [{"rank": n, "name": one[0]} for n, one in enumerate(items, 1)],
                "relations": [{"rank": n, "label": one[1]} for n, one in enumerate(items, 1)],
                "severities": [{"rank": n, "severity": one[2]} for n, one in enumerate(items, 1)],
            }
        ),
    ),
    "lists as Python prints them": lambda path: as_csv(
        path,
        a_row_a_list(
            lambda items: {
                "differential": str(
                    [{"diagnosis": a, "relation": b, "severity": c} for a, b, c in items]
                )
            }
        ),
    ),
    "a column for each rank": lambda path: as_csv(path, a_row_a_list(in_columns)),
    "a column for each model": lambda path: as_csv(
        path, [of_models(case, gold, rank) for case, gold in CASES.items() for rank in (1, 2, 3)]
    ),
    "ranks from nought": lambda path: as_csv(
        path,
        [
            dict(
                zip(
                    ("case", "gold", "model", "rank", "dx", "relation", "severity"),
                    one,
                    strict=True,
                )
            )
            | {"rank": one[3] - 1}
            for one in reversed(list(each()))
        ],
    ),
}


def bring(tmp_path, file, **options) -> Report:
    return import_labels(
        file,
        Source("panel"),
        tmp_path / "store",
        runs_dir=tmp_path / "runs",
        cases_dir=tmp_path / "cases",
        **options,
    )


def said(tmp_path):
    """(case, model, diagnosis, scale, label, rater) of everything stored."""
    pairs = store.read(tmp_path / "store", "pairs").to_pylist()
    case_of = {one["case_ref"]: one["list_key"].removeprefix("case ") for one in pairs}
    return {
        (
            case_of[row["case_ref"]],
            row["configuration_id"].split("/")[0],
            *(row[name] for name in ("diagnosis", "scale", "label", "rater")),
        )
        for row in store.read(tmp_path / "store", "labels").to_pylist()
    }


@pytest.mark.parametrize("layout", LAYOUTS)
def test_judged_lists_say_the_same_in_every_layout(tmp_path, layout):
    report = bring(tmp_path, LAYOUTS[layout](tmp_path / "judged"))
    assert report.rejects == []
    assert report.unread == []
    assert said(tmp_path) == {
        (case, model, name, scale, label, None)
        for case, _, model, _, name, relation, severity in each()
        for scale, label in (("semantic", relation), ("severity", severity))
    }
    runs = runs_store.read(tmp_path / "runs", "answers").to_pylist()
    lists = sorted([item["diagnosis"] for item in run["diagnoses"]] for run in runs)
    assert lists == sorted([name for name, *_ in items] for items in LISTS.values())


GRADED = [
    (case, gold, name, {"anna": relation, "ben": "Not Related"}, {"anna": severity, "ben": "mild"})
    for case, gold, model, _, name, relation, severity in each()
    if model == "gpt-4o"
]
EXPECTED = {
    (case, "judged_lists", name, scale, labels[rater], rater)
    for case, _, name, relations, severities in GRADED
    for scale, labels in (("semantic", relations), ("severity", severities))
    for rater in ("anna", "ben")
}


def sheet(path: Path, sheets: dict[str, list[list]], merged: tuple[str, ...] = ()) -> Path:
    book = openpyxl.Workbook()
    book.active.append(["Please read me", "case", "relation"])
    for name, rows in sheets.items():
        made = book.create_sheet(name)
        for row in rows:
            made.append(row)
        for cells in merged:
            made.merge_cells(cells)
    book.save(path.with_suffix(".xlsx"))
    return path.with_suffix(".xlsx")


def with_both(case, gold, name, relations, severities):
    said_of = [part for rater in relations for part in (relations[rater], severities[rater])]
    return [case, gold, name, *said_of]


TOP = ["Case", "Gold diagnosis", "Diagnosis", "Anna", None, "Ben", None]
SUB = [None, None, None, "Relation", "Severity", "Relation", "Severity"]


def in_blocks(rows):
    """Case and gold diagnosis only in the first row of each list."""
    seen = set()
    for row in rows:
        yield ["", "", *row[2:]] if row[0] in seen else row
        seen.add(row[0])


GRADINGS = {
    "a header of two rows": lambda path: sheet(
        path,
        {"Grades": [TOP, SUB, *(with_both(*one) for one in GRADED)]},
        ("A1:A2", "B1:B2", "C1:C2", "D1:E1", "F1:G1"),
    ),
    "raters above the header": lambda path: sheet(
        path,
        {
            "Grades": [
                ["Second round"],
                [None, None, None, *TOP[3:]],
                [*TOP[:3], *SUB[3:]],
                *(with_both(*one) for one in GRADED),
            ]
        },
    ),
    "a sheet for each rater": lambda path: sheet(
        path,
        {
            rater: [
                ["Case", "Gold diagnosis", "Diagnosis", "Relation", "Severity"],
                *([*one[:3], one[3][rater], one[4][rater]] for one in GRADED),
            ]
            for rater in ("anna", "ben")
        },
    ),
    "a sheet for each rater, one with comments": lambda path: sheet(
        path,
        {
            rater: [
                *([["Second round"]] if rater == "ben" else []),
                ["Case", "Gold diagnosis", *more, "Diagnosis", "Relation", "Severity"],
                *([*one[:2], *more, one[2], one[3][rater], one[4][rater]] for one in GRADED),
            ]
            for rater, more in (("anna", ["Why"]), ("ben", []))
        },
    ),
    "objects by rater": lambda path: as_lines(
        path,
        [
            {
                "case_id": case,
                "gold": gold,
                "diagnosis": name,
                "ratings": {
                    rater: {"relation": relations[rater], "severity": severities[rater]}
                    for rater in relations
                },
            }
            for case, gold, name, relations, severities in GRADED
        ],
    ),
    "an object for each rater": lambda path: as_lines(
        path,
        [
            {"case_id": case, "gold": gold, "diagnosis": name}
            | {rater: {"relation": said[rater], "severity": grave[rater]} for rater in said}
            for case, gold, name, said, grave in GRADED
        ],
    ),
    "initials of the reviewer": lambda path: as_csv(
        path,
        [
            dict(
                zip(
                    (
                        "record_id",
                        "true_diagnosis",
                        "ai_diagnosis",
                        "reviewer_initials",
                        "semantic_match",
                        "severity_rating",
                    ),
                    (*one[:3], rater, one[3][rater], one[4][rater]),
                    strict=True,
                )
            )
            for one in GRADED
            for rater in ("anna", "ben")
        ],
    ),
    "the case once for each list": lambda path: as_csv(
        path,
        [
            dict(
                zip(
                    (
                        "Case",
                        "Gold",
                        "Diagnosis",
                        "Anna relation",
                        "Anna severity",
                        "Ben relation",
                        "Ben severity",
                    ),
                    row,
                    strict=True,
                )
            )
            for row in in_blocks(
                with_both(*one)
                for one in [*GRADED, *(("9", "Flu", f"D{n}", *GRADED[0][3:]) for n in range(5))]
            )
        ],
    ),
}


@pytest.mark.parametrize("layout", GRADINGS)
def test_gradings_say_the_same_in_every_layout(tmp_path, layout):
    report = bring(tmp_path, GRADINGS[layout](tmp_path / "graded"))
    assert report.rejects == []
    assert {one for one in said(tmp_path) if one[0] != "9"} == EXPECTED
    runs = runs_store.read(tmp_path / "runs", "answers").to_pylist()
    lists = [[item["diagnosis"] for item in run["diagnoses"]] for run in runs]
    for case, gold in CASES.items():
        assert [name for name, *_ in LISTS[case, gold, "gpt-4o"]] in lists


def test_columns_of_labels_are_raters_and_others_are_named(tmp_path):
    rows = [
        {"case_id": case, "gold": gold, "diagnosis": name, "anna": labels["anna"],
         "ben": labels["ben"], "comments": "none", "ward": "5", "sure": "0,85"}
        for case, gold, name, labels, _ in GRADED
    ]  # fmt: skip
    # a number may be anything
    report = bring(tmp_path, as_csv(tmp_path / "wide", rows), meanings=[("5", "Exact Synonym")])
    assert said(tmp_path) == {one for one in EXPECTED if one[3] == "semantic"}
    assert report.unread == ["comments", "ward", "sure"]


def test_sheets_of_different_lists_are_of_a_model_each(tmp_path):
    header = ["case", "gold", "rank", "diagnosis", "relation", "severity"]
    sheets = {
        model: [header, *([c, g, n, *rest] for c, g, m, n, *rest in each() if m == model)]
        for model in MODELS
    }
    assert bring(tmp_path, sheet(tmp_path / "book", sheets)).rejects == []
    assert {one[:3] for one in said(tmp_path)} == {(c, m, name) for c, _, m, _, name, *_ in each()}


def test_columns_of_ids_and_scores_are_told_from_labels(tmp_path):
    rows = [
        {"patient_id": case, "llm_name": model, "differential_diagnosis_id": number, "rank": rank,
         "predicted_diagnosis": name, "golden_diagnosis": gold, "golden_diagnosis_id": 7,
         "semantic_category": relation, "semantic_category_id": "4", "semantic_score": "0.25",
         "severity_category": severity, "severity_category_id": "2"}
        for number, (case, gold, model, rank, name, relation, severity) in enumerate(each())
    ]  # fmt: skip
    report = bring(tmp_path, as_csv(tmp_path / "joined", rows))
    assert (report.rejects, report.judges) == ([], ["panel"])
    assert len(said(tmp_path)) == 2 * len(list(each()))
    assert report.unread == [
        *("differential_diagnosis_id", "golden_diagnosis_id", "semantic_category_id"),
        *("semantic_score", "severity_category_id"),
    ]


def test_several_raters_of_relations_share_a_severity(tmp_path):
    row = {"case": "1", "gold": "Gout", "diagnosis": "Gout", "anna relation": "Same"}
    row |= {"ben relation": "Broad", "severity": "mild"}
    bring(tmp_path, as_csv(tmp_path / "mixed", [row]))
    assert {one[3:] for one in said(tmp_path)} == {
        *(("semantic", "Exact Synonym", "anna"), ("semantic", "Broad Synonym", "ben")),
        ("severity", "mild", None),
    }


def test_a_case_of_which_a_model_said_nothing_is_a_case(tmp_path):
    rows = [
        {"case": "1", "gold": "Gout", "diagnosis": [{"name": "Gout", "relation": "Same"}]},
        {"case": "2", "gold": "Rickets", "diagnosis": []},
    ]
    file = as_lines(tmp_path / "empty", rows)
    report = bring(tmp_path, file)
    assert report.n_new_cases == 2
    assert [(one["source_line"], one["reason"]) for one in report.rejects] == [(2, "no diagnosis")]
    runs = runs_store.read(tmp_path / "runs", "answers").to_pylist()
    assert [run["case_ref"] for run in runs] == ["1"]
    assert bring(tmp_path, file).n_new_cases == 0


def test_lists_side_by_side_meet_at_their_ranks(tmp_path):
    row = {
        "case": "1",
        "gold": "Gout",
        "diagnoses": [{"rank": rank, "name": f"D{rank}"} for rank in (1, 2, 3)],
        "relations": [{"rank": rank, "label": "Broad Synonym"} for rank in (3, 1)],
    }
    bring(tmp_path, as_lines(tmp_path / "skipped", [row]))
    assert {one[2] for one in said(tmp_path)} == {"D1", "D3"}


@pytest.mark.parametrize(
    ("cases", "rejected"),
    [(["1", "2", "", "4"], [4]), (["1", "1", "", "", ""], [4, 5, 6])],
)
def test_empty_cells_are_filled_from_above_only_in_blocks(tmp_path, cases, rejected):
    rows = [
        {"case": case, "gold": case and "Gout", "diagnosis": f"D{n}", "relation": "Same"}
        for n, case in enumerate(cases)
    ]
    report = bring(tmp_path, as_csv(tmp_path / "holes", rows))
    assert [(one["source_line"], one["reason"]) for one in report.rejects] == [
        (line, "no gold diagnosis") for line in rejected
    ]


def test_what_says_that_there_is_no_label_is_none(tmp_path):
    rows = [
        {"case": "1", "gold": "Gout", "diagnosis": f"D{n}", "relation": text}
        for n, text in enumerate(["Same", "NA", "n/a", "-", "nan", " "])
    ]
    report = bring(tmp_path, as_csv(tmp_path / "blanks", rows))
    assert (report.n_new, report.rejects) == (1, [])


def test_gradings_name_cases_as_the_import_of_their_lists(tmp_path):
    judged = as_csv(
        tmp_path / "judged",
        [dict(zip(("id", "gold", "model", "rank", "dx", "relation"), one, strict=False))
         for one in each()],
    )  # fmt: skip
    places = {"runs_dir": tmp_path / "runs", "cases_dir": tmp_path / "cases"}
    import_labels(judged, Source("program", kind="recorded"), tmp_path / "store", **places)
    # whoever grades is told neither the gold diagnosis nor the model
    rows = [{"id": "0001", "dx": name, "anna": "Broad Synonym"} for name in ("Gout", "Sepsis")]
    rows += [{"id": "0001", "dx": "Nothing of the kind", "anna": "Broad Synonym"}]
    source = Source("clinic", test_set="program")
    report = import_labels(as_csv(tmp_path / "graded", rows), source, tmp_path / "store", **places)
    assert (report.n_new, report.n_new_cases) == (2, 0)
    graded = store.rows(tmp_path / "store", "labels", "clinic")
    assert {(row["case_ref"], row["configuration_id"], row["diagnosis"]) for row in graded} == {
        ("1", None, "Gout"),
        ("1", None, "Sepsis"),
    }
    assert [one["reason"] for one in report.rejects] == ["no list of the case has this diagnosis"]


def test_labels_of_nobody_in_particular_are_not_one_persons(tmp_path):
    rows = [
        {"case": "1", "gold": "Gout", "diagnosis": "Gout", "who": who, "relation": label}
        for who, label in (("a", "Exact Synonym"), ("b", "Not Related"))
    ]
    file = as_csv(tmp_path / "long", rows)
    with pytest.raises(FileError, match=r"under several 'who': .* --column rater='who'"):
        bring(tmp_path, file)
    assert not (tmp_path / "store").exists()
    assert bring(tmp_path, file, columns={"rater": "who"}).judges == ["panel/a", "panel/b"]


def test_a_row_without_its_rater_is_nobodys(tmp_path):
    rows = [
        {"case": "1", "gold": "Gout", "diagnosis": "Gout", "rater": rater, "relation": "Same"}
        for rater in ("a", "")
    ]
    report = bring(tmp_path, as_csv(tmp_path / "long", rows))
    assert report.judges == ["panel/a"]
    assert [one["reason"] for one in report.rejects] == ["no rater: fill the column 'rater'"]


def test_ranks_alone_that_begin_at_nought_are_refused(tmp_path):
    rows = [{"case": "t/1", "rank": rank, "relation": "None"} for rank in ("1", "0")]
    source = Source("panel", configuration="m/p/t")
    recorded(tmp_path, "m/p/t")
    with pytest.raises(FileError, match=r"long\.csv, line 3: 'rank' is 0: number the ranks 1, 2"):
        import_labels(
            *(as_csv(tmp_path / "long", rows), source, tmp_path / "store"),
            runs_dir=tmp_path / "runs",
        )


def test_a_gold_diagnosis_of_several_names_keeps_them(tmp_path):
    from python_llm.test_sets import store as cases_store

    row = {"case": "1", "gold": ["Gout", "Podagra"], "diagnosis": "Flu", "relation": "None"}
    bring(tmp_path, as_lines(tmp_path / "names", [row]))
    (case,) = cases_store.read_records(tmp_path / "cases").to_pylist()
    assert case["gold_names"] == ["Gout", "Podagra"]
