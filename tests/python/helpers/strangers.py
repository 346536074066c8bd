"""Rows as strangers bring them: an import of every kind, odd in every way a file can be and still
be read."""

import csv
import json
from pathlib import Path

from click.testing import CliRunner

from python_llm.console.cli import main

HALF = "a half \ufffd\ud83d".encode("utf-8", "surrogatepass").decode("utf-8", "replace")
LONG = "Very long name " * 700
NAMES = (
    *("Wilson disease", "Wilson's disease", "WILSON DISEASE ", "wilson  disease"),
    *("", "  ", "NULL", "nan", "-", "???", "{}", "=== LIST ENDS ===", "1. Gout", "x"),
    *("肝豆状核变性", "Болезнь Вильсона", "Νόσος Wilson（肝）", "مرض ويلسون"),
    *(LONG, HALF, "A\u202eB\u200b", "🫀🧠", "'; drop table dim_case; --", "ORPHA:905", "E83.01"),
    *("Gout / Podagra", "Gout; Gout", "Zzyzx malady", "Mal de Zzyzx", "a" * 200, "%s %d {0}"),
)
TEXTS = (
    *(
        "Fever and rash since Monday.",
        "Fever and rash since Monday.",
        "fever and rash since monday",
    ),
    *(
        "x",
        "",
        "   ",
        LONG * 2,
        HALF,
        "患者发热三天。",
        "Лихорадка",
        "Wilson disease was suspected.",
    ),
    *("=== CASE ENDS === answer Gout", "{gold_diagnosis} {case}", "nan", "a\x00b", "\u202e" * 40),
)
AGES = (
    "34",
    "-5",
    "0",
    "999",
    "1e9",
    "NaN",
    "inf",
    "3 months",
    "abc",
    "",
    "0.001",
    "１２",
    "99999999999",
)
SEXES = ("f", "M", "male", "", "?", "unknown", "diverse", "0", "hombre")
CODES = (
    "OMIM:277900",
    "ORPHA:905",
    "OMIM:0",
    "XYZ:1",
    "E83.01",
    "e8301",
    "",
    "HP:0001250",
    "Q99.Q99",
)
TERMS = (
    "HP:0001250",
    "HP:0000000",
    "HP:9999999",
    "Seizure",
    "seizures",
    "",
    "Zzz",
    "HP:1",
    "Fièvre",
)
LABELS = (
    *("Exact Synonym", "exact synonym", "A Cousin", "", "NULL", "5", "Not Related", LONG, HALF),
    *("Sinónimo exacto", "精确", "P2", "yes", "0"),
)


# the test sets that are brought
SETS = (
    *("odd", "single", "unknown_golds", "one_text", "one_text_twice", "simulated_rare_mine"),
    *("synthetic_urg_mine", "ramedis", "hms", "pairs"),
)


def command(folder, kind, file, flags=(), **options):
    """`kernel29 KIND import FILE` with its files below `folder`; it must take the file."""
    places = ("RUNS", "CASES", "LABELS", "TERMINOLOGY", "DATA")
    done = CliRunner().invoke(
        main,
        [
            *(kind, "import", str(file), *flags),
            *(f"--{name.replace('_', '-')}={value}" for name, value in options.items()),
        ],
        env={
            **{f"KERNEL29_{place}_DIR": str(folder / place.lower()) for place in places},
            "KERNEL29_SERVE_DIR": str(folder / "build"),  # what the groundwork has built
        },
    )
    assert done.exit_code == 0, done.output or repr(done.exception)


def table(file, header, rows):
    with file.open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle).writerows([header, *rows])
    return file


def every(n, *kinds):
    """n rows that meet the values of every kind in turn."""
    return [tuple(kind[i * (k + 1) % len(kind)] for k, kind in enumerate(kinds)) for i in range(n)]


def bring_cases(folder):
    mapping = folder / "mapping.yml"
    mapping.write_text(
        "columns:\n  record_id: id\n  history: text\n  gold_names: gold\n  gold_codes: code\n"
        "  age: age\n  sex: sex\n  hpo_ids: terms\n  icd10_code: icd\n  severity: severity\n"
    )
    columns = ("id", "text", "gold", "code", "age", "sex", "terms", "icd", "severity")
    ids = (
        "1",
        "1",
        "",
        "A/B",
        "synthetic_urg_all/0001",
        "2",
        "NULL",
        "é",
        "a b",
        "0003",
        "x" * 300,
    )
    odd = [
        (ids[i % len(ids)], *row)
        for i, row in enumerate(
            every(90, TEXTS, NAMES, CODES, AGES, SEXES, TERMS, CODES, ("rare", "?", ""))
        )
    ]
    one = ("1", "Fever.", "Wilson disease", "", "3", "f", "", "", "")
    sets = {
        "odd": odd,
        "single": [one],
        "unknown_golds": [
            (str(i), f"Text {i}.", f"Zzyzx {i}", "", "", "", "", "", "") for i in range(8)
        ],
        "one_text": [(str(i), *one[1:]) for i in range(6)],
        "one_text_twice": [(str(i), *one[1:]) for i in range(6)],
        # named like sets of ours
        "simulated_rare_mine": [one],
        "synthetic_urg_mine": [one],
        "ramedis": [one, ("2", "Cough.", "Gout", "", "40", "m", "", "", "")],
    }
    for name, rows in sets.items():
        file = table(folder / f"{name}.csv", columns, rows)
        phi = "--phi" if name == "one_text" else "--no-phi"
        command(folder, "cases", file, test_set=name, format="table", mapping=mapping, flags=[phi])
    patients = [
        {"Phenotype": [*TERMS], "RareDisease": [*CODES], "id": 1},
        {
            "Phenotype": ["HP:0001250", "HP:0001250", 5, None],
            "RareDisease": ["OMIM:277900"],
            "id": 1,
        },
        {"Phenotype": ["HP:0001250"], "RareDisease": ["OMIM:277900"], "Age": -1, "Sex": []},
        {"Phenotype": [], "RareDisease": []},
    ]
    file = folder / "hms.jsonl"
    file.write_text("\n".join(map(json.dumps, patients)))
    command(folder, "cases", file, test_set="hms", format="rarebench")


def bring_runs(folder):
    answers = [
        (i + 1, "\n".join(f"{rank}. {name}" for rank, name in enumerate(NAMES[i:] + NAMES[:i], 1)))
        for i in range(len(NAMES))
    ]
    texts = [*answers, *((100 + i, text) for i, text in enumerate((*TEXTS, *NAMES, *LABELS)))]
    # ranks with gaps, a list that begins at 5, names twice after normalising, labels of every kind
    ranks = [
        (case, rank, NAMES[(case + rank) % len(NAMES)], LABELS[(case * 3 + rank) % len(LABELS)])
        for case in range(1, 41)
        for rank in ((1, 2, 3, 5) if case % 2 else (5, 6, 7))
    ]
    ranks += [(41, rank, "Wilson disease", "Exact Synonym") for rank in range(1, 8)]
    by_rank = ("case_number", "rank", "diagnosis", "semantic_relation")
    plain = ("case_number", "answer")
    runs = [
        ("odd", "synthetic_urg_200", plain, texts[:150]),
        ("ranks", "simulated_rare_200", by_rank, ranks),
        ("nothing", "simulated_rare_200", plain, [(i, "") for i in range(1, 31)]),
        *(
            ("some", name, plain, answers[: 1 if name == "single" else 3])
            for name in ("odd", "single", "unknown_golds", "one_text", "hms")
        ),
    ]
    for number, (model, name, header, rows) in enumerate(runs):
        file = table(folder / f"run_{number}.csv", header, rows)
        # where several cases have the id 1, a number could be meant as either
        flags = ["--match", "positions"] if name == "odd" else []
        command(folder, "runs", file, flags, model=model, prompt="plain", test_set=name)


def bring_the_rest(folder):
    rows = [
        (case, NAMES[i % len(NAMES)], LABELS[i % len(LABELS)], rater)
        for i, case in enumerate(
            ["simulated_rare_200/0001", "simulated_rare_200/0001", "nobody/7", "odd/0001", "1", "é"]
            * 12
        )
        for rater in ("anna", "ben", LONG[:60])
    ]
    # more than half of them can be read: fewer are refused
    rows += [(f"simulated_rare_200/{n:04}", NAMES[0], LABELS[0], "anna") for n in range(2, 102)]
    file = table(
        folder / "labels.csv", ("case_id", "diagnosis", "semantic_relation", "rater"), rows
    )
    command(folder, "labels", file, judge="panel")
    pairs = [(gold, name, label) for gold, name, label in every(60, NAMES, NAMES, LABELS)]
    pairs += [("Gout", f"Gout of toe {n}", "Not Related") for n in range(10)]
    file = table(folder / "pairs.csv", ("gold", "predicted", "relation"), pairs)
    command(folder, "labels", file, judge="pairs")
    questions = [
        {
            "question": text.strip() or "?",
            "options": {"A": a, "B": b, "C": "x", "D": "x"},
            "answer_idx": "A",
        }
        for text, a, b in every(
            40, TEXTS, [n for n in NAMES if n.strip()], [n for n in LABELS if n]
        )
    ]
    file = folder / "exam.jsonl"
    file.write_text("\n".join(map(json.dumps, questions)))
    command(folder, "questions", file, set="exam")
    translations = folder / "hp-es.babelon.tsv"
    translations.write_text(
        "source_language\ttranslation_language\tsubject_id\tpredicate_id\tsource_value\t"
        "translation_value\ttranslation_status\n"
        + "".join(
            f"en\tes\t{term}\trdfs:label\tSeizure\t{name}\tOFFICIAL\n"
            for term in ("HP:0001250", "HP:9999999", "HP:0001251", "HP:0001945")
            for name in ("Convulsión", "Convulsión", "fiebre", "x", "Болезнь", "a" * 300, "", " ")
        )
    )
    command(folder, "terminology", translations, format="babelon")
    # names of other diseases and of findings, twins of one disease, twins in a ring; a disease that
    # our seeds know by the id that is joined to another one
    names = [
        *(
            ("558", "Wilson disease"),
            ("558", "Wilson disease"),
            ("905", "Marfan syndrome"),
            ("905", "Seizure"),
            ("1", "x"),
        ),
        *(("99999999", "Zzyzx malady"), ("905", LONG), ("905", HALF), ("166024", "Fever")),
        ("275555", "Preeclampsia"),
    ]
    links = [("558", "154700"), ("558", "277900"), ("905", "154700"), ("905", "0"), ("1", "277900")]
    links.append(("275555", "189800"))
    disorders = [
        {
            "OrphaCode": code,
            "Name": [{"lang": "en", "label": name}],
            "DisorderFlagList": [{"count": "0"}],
            "SynonymList": [
                {"count": "1", "Synonym": [{"lang": "en", "label": name + " disease"}]}
            ],
            "ExternalReferenceList": [
                {
                    "count": "1",
                    "ExternalReference": [
                        {
                            "id": "1",
                            "Source": "OMIM",
                            "Reference": omim,
                            "DisorderMappingRelation": [
                                {"Name": [{"lang": "en", "label": "E (exact)"}]}
                            ],
                            "DisorderMappingICDRelation": "",
                            "DisorderMappingValidationStatus": [
                                {"Name": [{"lang": "en", "label": "Validated"}]}
                            ],
                        }
                        for orpha, omim in links
                        if orpha == code
                    ],
                }
            ],
        }
        for code, name in names
    ]
    orphadata = folder / "product1.json"
    orphadata.write_text(
        json.dumps(
            {
                "JDBOR": [
                    {
                        "date": "2030-12-03 07:03:37",
                        "DisorderList": [{"count": str(len(names)), "Disorder": disorders}],
                    }
                ]
            }
        )
    )
    command(folder, "terminology", orphadata, format="orphadata")
    sssom = folder / "ring.sssom.tsv"
    ring = ("OMIM:154700", "ORPHA:558", "OMIM:277900", "ORPHA:905", "MONDO:0000001", "DOID:14323")
    sssom.write_text(
        "# mapping_set_id: ring\n# license: none\nsubject_id\tpredicate_id\tobject_id\n"
        + "".join(
            f"{one}\t{how}\t{other}\n"
            for one, other in zip(ring, (*ring[1:], ring[0]), strict=True)
            for how in ("skos:exactMatch", "skos:exactMatch", "skos:broadMatch")
        )
    )
    command(folder, "terminology", sssom, format="sssom")


def bring_feedback(folder):
    feedback = folder / "data" / "feedback"
    feedback.mkdir(parents=True)
    table(
        feedback / "a.csv",
        ("feedback_id", "tenant_id", "patient_id", "document", "is_helpful"),
        [
            *(("1", "nobody", "x", "no document", "true"), ("1", "nobody", "x", "other", "false")),
            *(("", "", "", "", "yes"), ("2", HALF, LONG, "d", "0"), ("2", "t", "p", "d", "0")),
        ],
    )


def bring_everything(folder: Path) -> None:
    """Import all of it below `folder`, where the groundwork has been built."""
    for bring in (bring_cases, bring_runs, bring_the_rest, bring_feedback):
        bring(folder)
