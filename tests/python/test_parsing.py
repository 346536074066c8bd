"""Reading differentials and judgements out of whatever a model wrote."""

import csv
import html
import json
import re
import time

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from python_llm import paths
from python_llm.parsing.differential import PARSERS, parse_differential, parse_differentials
from python_llm.parsing.judgement import parse_judgement, parse_judgements

NO_PATTERNS = pa.table({"pattern": pa.array([], pa.string())})

STANDARD = """Here is my list:

1. **Marfan syndrome**: tall stature and lens dislocation.
   - In favour: ectopia lentis, arachnodactyly
   - Against: none
2. **Loeys-Dietz syndrome (LDS)**: aortic disease.
   - In favour: aortic root dilatation
   - Against: lens dislocation
3. Homocystinuria: similar habitus.

These should be confirmed by genetic testing. There are 2 more. """

XML = """<thinking>1. Gout is out.
<diagnosis><name>Flu</name></diagnosis></thinking>
<differential>
<diagnosis rank="1"><name>Marfan syndrome</name><reasoning>tall &amp; thin</reasoning>
<in_favour>ectopia lentis</in_favour><against>none</against></diagnosis>
<diagnosis rank="2"><name>Enfermedad de Wilson</name><a_favor>temblor</a_favor></diagnosis>
</differential>"""

ASKED = {
    "diagnoses": [
        {
            "rank": rank,
            "diagnosis": name,
            "reasoning": "fits",
            "in_favour": ["tall", "thin"],
            "against": [],
            "risk": {
                "level": "high",
                "red_flags": ["chest pain"],
                "dangerous_alternatives": ["Aortic dissection"],
                "when_to_escalate": "at once",
            },
        }
        for rank, name in enumerate(["Marfan syndrome", "Síndrome de Ehlers-Danlos"], 1)
    ]
}
JSON = json.dumps(ASKED, ensure_ascii=False, indent=1)


def read(text, output_format="numbered_list"):
    parsed = parse_differential(text, output_format)
    return [item.diagnosis for item in parsed.diagnoses]


def test_the_asked_for_list_is_read_whole():
    parsed = parse_differential(STANDARD, "numbered_list")
    assert (parsed.status, parsed.read_as) == ("ok", "numbered_list")
    first = parsed.diagnoses[0]
    assert (first.rank, first.diagnosis) == (1, "Marfan syndrome")
    assert first.reasoning == "tall stature and lens dislocation."
    assert first.in_favour == "ectopia lentis, arachnodactyly"
    assert first.against == "none"
    assert parsed.diagnoses[1].diagnosis == "Loeys-Dietz syndrome (LDS)"
    assert [item.rank for item in parsed.diagnoses] == [1, 2, 3]
    assert parsed.diagnoses[2].reasoning == "similar habitus."


@pytest.mark.parametrize(
    "text",
    [
        "+1. Asthma: wheeze\n+2. COPD: smoker",
        "1) Asthma\n2) COPD",
        "(1) Asthma\n(2) COPD",
        "[1] Asthma\n[2] COPD",
        "#1: Asthma\n#2: COPD",
        "**1. Asthma** - wheeze\n**2. COPD** - smoker",
        "**1.** **Asthma** wheeze\n**2.** **COPD** smoker",
        "- **1. Asthma:** wheeze\n- **2. COPD:** smoker",
        "### 1. Asthma\ntext\n### 2. COPD\ntext",
        "### Diagnosis 1: Asthma\ntext\n### Diagnosis 2: COPD\ntext",
        "Diagnóstico 1: Asthma\nDiagnóstico 2: COPD",
        "1. Diagnosis: Asthma\nWhy: wheeze\n2. Diagnosis: COPD\nWhy: smoker",
        "1: Asthma\n2: COPD",
        "1.- Asthma: sibilancias\n2.- COPD: fumador",
        "1-Asthma\n2-COPD",
        "1º Asthma\n2º COPD",
        "1️⃣ Asthma\n2️⃣ COPD",
        "① Asthma\n② COPD",
        "1. Asthma.\r\n2. COPD.\r\n",
        "1. Asthma,\n2. COPD.",
        "1. Asthma\n\n\n1. COPD",
        "1. Asthma (70%): wheeze\n2. COPD - 20 %",
        r"\n\n+1. Asthma: wheeze\n\n+2. COPD: smoker",
        "+1. Asthma: wheeze, cough. +2. COPD: smoker",
        "+1. Asthma: wheeze in common.+2. COPD: smoker",
        " +1. Asthma: wheeze\n\n+2. COPD: smoker",
        "   1. Asthma\n   2. COPD",
        "The two most likely are\n1. Asthma\n2. COPD",
        "1. Asthma:\n   1. wheeze\n   2. cough\n2. COPD: smoker",
        "1. Asthma\n 1.1. allergic\n 1.2. other\n2. COPD",
        "1. Asthma. The patient wheezes.\n2. COPD. The patient smokes.",
        "1. Asthma is a chronic disease\n2. COPD, which is due to smoking",
        "+1. Asthma: The patient has \n\n+23. Wheeze, which is typical.\n\n+2. COPD: smoker",
        "6. Asthma: wheeze\n9. COPD: smoker",
        "| Rank | Diagnosis | Why |\n|---|---|---|\n| 1 | Asthma | wheeze |\n| 2 | COPD | smoker |",
        "Possible diagnoses:\n- Asthma: wheeze\n- COPD: smoker",
        "<think>1. Gout\n2. Flu</think>\n1. Asthma\n2. COPD",
        "1. Gout\n2. Flu</think>\n1. Asthma\n2. COPD",
        "Draft:\n1. Gout\n2. Flu\nFinal ranking:\n1. Asthma\n2. COPD",
        "1. Airways: a\n2. Lungs: b\n\nThe top 2 diagnoses are therefore:\n1. Asthma\n2. COPD",
        "The most likely diagnoses are:\n1. Asthma\n2. COPD\n\nOthers:\n1. Gout\n2. Flu",
        "1. Asthma: a\n2. COPD: b\n\nRecommended tests:\n1. Spirometry\n2. Chest X-ray",
        "Reasoning steps:\n1. Look\n2. Think\n\nDifferential:\n1. Asthma\n2. COPD",
        "```\n1. Asthma\n2. COPD\n```",
        '1. "Asthma"\n2. «COPD»',
        "'+1' Asthma: wheeze\n'+2' COPD: smoker",
        "'+1' Asthma\n'+2' COPD",
        "'+1 Asthma:\nwheeze\n\n'+2 COPD:\nsmoker",
        "'+1 Asthma'\n'+2 COPD'",
        "'+1.' Asthma: wheeze\n'+2.' COPD: smoker",
        "'+1'. Asthma: wheeze\n'+2': COPD: smoker",
        '"+1" Asthma: wheeze\n"+2" COPD: smoker',
        "‘+1’ **Asthma**: wheeze\n‘+2’ **COPD**: smoker",
        "`1` Asthma\n`2` COPD",
        "+1 Asthma\nwheeze\n+2 COPD\nsmoker",
        "+1\nAsthma: wheeze\n+2\nCOPD: smoker",
        "'+1' Asthma: wheeze. '+2' COPD: smoker",
        "+1 Asthma: a\n+2 COPD: b\n\nSo asthma (+1), with its wheeze, is the likeliest.",
        "+1 Asthma: a\n+2 COPD: b\n\nOf these '+1' appears to be the likeliest.",
        "1.Asthma\n2.COPD",
        "1. Asthma\n\n2. COPD",
        "**+1** Asthma: wheeze\n**+2** COPD: smoker",
        "'**+1** Asthma'\n'**+2** COPD'",
        "#1 Asthma\n#2 COPD",
        "1\tAsthma\n2\tCOPD",
        "1 . Asthma\n2 ) COPD",
        "\ufeff1.\u00a0Asthma\n\u200b2.\u00a0COPD",
        "+1 Asthma: wheeze. +2 COPD: smoker",
        "1、Asthma\n2、COPD",
        "１．Asthma\n２．COPD",
        "（1）Asthma\n（2）COPD",
        "1．Asthma：wheeze，cough。\n2．COPD：smoker",
    ],
)
def test_ways_of_writing_a_list(text):
    assert read(text) == ["Asthma", "COPD"]


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ("Ataxia-telangiectasia: tos", "Ataxia-telangiectasia"),
        ("Charcot-Marie-Tooth disease - foot drop", "Charcot-Marie-Tooth disease"),
        ("3-methylglutaconic aciduria: urine", "3-methylglutaconic aciduria"),
        ("Tyrosinemia Type 1: liver", "Tyrosinemia Type 1"),
        ("Trisomy 21. The facies fits.", "Trisomy 21"),
        ("E. coli sepsis: fever", "E. coli sepsis"),
        ("22q11.2 deletion syndrome: palate", "22q11.2 deletion syndrome"),
        ("Homocystinuria (OMIM: 236200): habitus", "Homocystinuria (OMIM: 236200)"),
        ("Metabolic Disorder - Hurler Syndrome: coarse", "Metabolic Disorder - Hurler Syndrome"),
        (
            "Inborn Errors of Metabolism: Propionic Acidemia: acidosis",
            "Inborn Errors of Metabolism: Propionic Acidemia",
        ),
        ("Asthma - Symptoms in common: wheeze", "Asthma"),
        ("Asthma: Symptoms in common: wheeze", "Asthma"),
        ("Sotos Syndrome (Obesity, Abnormal foot): growth", "Sotos Syndrome"),
        (
            "Infections (e.g., Measles, Mumps): fever",
            "Infections (e.g., Measles, Mumps)",
        ),
        ("Rett syndrome (if the patient is female): hands", "Rett syndrome"),
        ("Contact dermatitis: rash", "Contact dermatitis"),
        ("Cáncer de colon: pérdida de peso", "Cáncer de colon"),
        ("马凡综合征（Marfan syndrome）：身材高大", "马凡综合征 (Marfan syndrome)"),
        (
            "多系统萎缩（Multiple system atrophy，MSA）",
            "多系统萎缩 (Multiple system atrophy, MSA)",
        ),
        ("肝豆状核变性/Wilson disease。震颤", "肝豆状核变性/Wilson disease"),
        (
            "Prader-Willi 综合征/Prader-Willi syndrome; PWS/Prader-Willi syndrome",
            "Prader-Willi 综合征/Prader-Willi syndrome; PWS/Prader-Willi syndrome",
        ),
        ("Gout; Gout/Gout, Gout", "Gout; Gout/Gout, Gout"),
        ("Болезнь Вильсона (Wilson disease, WD): тремор", "Болезнь Вильсона (Wilson disease, WD)"),
        ("α-Mannosidosis: coarse facies", "α-Mannosidosis"),
        ("Thalassaemia (β-θαλασσαιμία): pale", "Thalassaemia (β-θαλασσαιμία)"),
    ],
)
def test_where_a_name_ends(item, name):
    assert read(f"1. {item}\n2. Measles: rash") == [name, "Measles"]


def test_findings_and_risk_are_read_in_english_and_spanish():
    parsed = parse_differential(
        "+1. Asma: crónica. Symptoms in common: Fever; cough. Symptoms not in common: Rash\n"
        "+2. Gripe: aguda\n- Síntomas a favor: fiebre\n- Síntomas en contra: ninguno\n"
        "- Señales de alarma: disnea\n"
        "+3. Measles: viral.\n"
        "Symptoms the patient has in common with Measles:\n\n* Rash\n* Fever\n\n"
        "Symptoms the patient does not have in common with Measles:\n\n* Cough\n\nGood luck!",
        "numbered_list",
    )
    first, second, third = parsed.diagnoses
    assert (first.in_favour, first.against) == ("Fever; cough.", "Rash")
    assert (second.in_favour, second.against, second.risk) == ("fiebre", "ninguno", "disnea")
    assert third.in_favour == "Rash Fever"
    assert third.against == "Cough"


def test_what_is_left_says_why_and_leaves_its_rank_empty():
    parsed = parse_differential(
        "1. Asthma: a\n2. ASTHMA: again\n3. **  **\n4. COPD: b\n5. Symptoms: many\n"
        "6. Consult a doctor: soon\n7. The patient needs rest and care\n8. Gau",
        "numbered_list",
    )
    assert [(item.rank, item.diagnosis) for item in parsed.diagnoses] == [
        (1, "Asthma"),
        (2, "ASTHMA"),  # merged where every origin meets: int_experiments__ranked_diagnoses
        (4, "COPD"),
        (8, "Gau"),  # item 7 has no text behind its name either: nothing shows that this is cut off
    ]
    assert [(issue.rank, issue.rule) for issue in parsed.issues] == [
        (3, "no_name"),
        (5, "heading"),
        (6, "advice"),
        (7, "sentence"),
    ]
    assert parsed.n_items == 8
    cut = parse_differential("1. Asthma: a\n2. COPD: b\n3. Gau", "numbered_list")
    assert [(issue.rank, issue.rule) for issue in cut.issues] == [(3, "cut_off")]
    many = "\n".join(f"{n}. D{n}a" for n in range(1, 24))
    assert len(parse_differential(many, "json").diagnoses) == 23


@pytest.mark.parametrize("mark", ["1. ", "1) ", "1 ", "1, ", "1/ ", "+1 ", "(1) "])
@pytest.mark.parametrize("between", ["\n", "\n\n", "; "])
def test_a_list_of_nothing_but_names_is_read_to_its_end(mark, between):
    if between == "; " and mark in ("1 ", "1, ", "1/ "):
        return
    names = ["Asthma", "COPD", "Wilson disease", "Gout"]
    text = between.join(mark.replace("1", str(n)) + name for n, name in enumerate(names, 1))
    assert read(text) == names


def test_a_mention_of_an_item_is_none():
    parsed = parse_differential(
        "+1 Asthma: wheeze\n+2 COPD: smoker\n\nThe likeliest is COPD (+2), as it fits.\n+3",
        "numbered_list",
    )
    assert [item.rank for item in parsed.diagnoses] == [1, 2]
    parsed = parse_differential("+11. Asthma: wheeze\n+12. COPD: smoker\n+1", "numbered_list")
    assert [item.rank for item in parsed.diagnoses] == [11, 12]
    assert [(issue.place, issue.rank, issue.rule) for issue in parsed.issues] == [
        (3, None, "cut_off")
    ]


def test_a_tag_around_all_diagnoses_is_none_of_them():
    names = ("Malaria", "Dengue")
    for inside in (
        "".join(f'<diagnosis rank="{n}">{name}</diagnosis>' for n, name in enumerate(names, 1)),
        "\n".join(f"\n<diagnosis><name>{name}</name></diagnosis>" for name in names),
    ):
        parsed = parse_differential(f"<diagnoses>{inside}</diagnoses>", "numbered_list")
        assert tuple(item.diagnosis for item in parsed.diagnoses) == names
        assert parsed.n_items == 2
    each_so = "".join(f"<diagnoses><name>{name}</name></diagnoses>" for name in names)
    parsed = parse_differential(each_so, "xml")
    assert tuple(item.diagnosis for item in parsed.diagnoses) == names


@pytest.mark.parametrize(
    ("numbers", "ranks"),
    [
        ((1, 2, 3, 5), (1, 2, 3, 5)),
        ((5, 6, 7), (5, 6, 7)),
        ((2, 12, 22), (2, 12, 22)),
        ((1, 1, 1), (1, 2, 3)),
        ((1, 2, 2, 3), (1, 2, 3, 4)),
        ((3, 2, 1), (3, 2, 1)),  # counted down to the likeliest
        ((3, 1, 2), (1, 2, 3)),
        ((0, 1, 2), (1, 2, 3)),
        ((1, 23, 45), (1, 2, 3)),
    ],
)
def test_a_rank_is_the_number_written_while_the_numbers_ascend(numbers, ranks):
    names = [f"Disease {letter}" for letter in "ABCDE"[: len(numbers)]]
    listed = list(zip(numbers, names, strict=True))
    answers = {
        "numbered_list": "\n".join(f"{number}. {name}: x" for number, name in listed),
        "json": json.dumps([{"rank": number, "diagnosis": name} for number, name in listed]),
        "xml": "".join(
            f'<diagnosis rank="{n}"><name>{name}</name></diagnosis>' for n, name in listed
        ),
    }
    if min(numbers) < 1 or sorted(numbers) != list(numbers):
        # objects and elements that carry ranks are put in their order
        del answers["json"], answers["xml"]
    for output_format, text in answers.items():
        parsed = parse_differential(text, output_format)
        assert tuple(item.rank for item in parsed.diagnoses) == ranks, output_format
        assert [item.diagnosis for item in parsed.diagnoses] == names
        rules = [issue.rule for issue in parsed.issues]
        assert rules == ([] if ranks == numbers else ["renumbered"])


@pytest.mark.parametrize(
    ("item", "name"),
    [
        (
            "A disorder of the urea cycle, one that explains the hyperammonaemia and the coma " * 3,
            "A disorder of the urea cycle",
        ),
        ("Gout " + "(with its tophi) " * 12, "Gout"),
        ("Gout with " + "tophi and uric acid " * 10, "Gout"),
        ("Wilson disease; " + "copper and copper " * 12, "Wilson disease"),
        ("Synonym " * 30, ("Synonym " * 20).strip()),
        ("gaucher disease. the spleen is large", "gaucher disease"),
    ],
)
def test_an_overlong_item_is_cut_and_later_ranks_stay(item, name):
    for text in (f"1. Flu\n2. {item.strip()}\n3. Measles", json.dumps(["Flu", item, "Measles"])):
        parsed = parse_differential(text, "numbered_list" if text[0] == "1" else "json")
        assert [(read.rank, read.diagnosis) for read in parsed.diagnoses] == [
            (1, "Flu"),
            (2, name),
            (3, "Measles"),
        ]
        assert [(issue.place, issue.rank, issue.rule) for issue in parsed.issues] == [(2, 2, "cut")]
        assert letters(item) == letters(name + (parsed.diagnoses[1].reasoning or ""))


def test_a_list_recorded_rank_by_rank_gets_the_same_treatment():
    rows = [
        {
            "rank": rank,
            "diagnosis": name,
            **dict.fromkeys(("reasoning", "in_favour", "against", "risk")),
        }
        for rank, name in [
            (7, "Wilson's disease"),
            (2, "**Gout** (70%)"),
            (3, "Symptoms"),
            (2, "Flu"),
            (5, "Wilson disease, which " + "is an old name " * 12),
            (6, None),
        ]
    ]
    parsed = parse_differentials(
        pa.table(
            {
                "answer_key": ["a"],
                "answer_text": pa.array([None], pa.string()),
                "output_format": ["numbered_list"],
                "diagnoses": [rows],
            }
        ),
        NO_PATTERNS,
    ).to_pylist()[0]
    assert (parsed["parse_status"], parsed["read_as"], parsed["n_items"]) == ("ok", "ranks", 6)
    assert [(item["rank"], item["diagnosis"]) for item in parsed["diagnoses"]] == [
        (2, "Gout"),
        (5, "Wilson disease"),
        (7, "Wilson's disease"),
    ]
    assert [(issue["rank"], issue["rule"]) for issue in parsed["issues"]] == [
        (2, "rank_twice"),
        (3, "heading"),
        (5, "cut"),
        (6, "no_name"),
    ]


def test_a_name_is_what_is_seen_of_it():
    hidden = "1. Gout\n2. G\u200bo\u00adut\n3. \u202eFlu\u202c <!-- Gout -->\n4. Ma\u2060rfan<!--x"
    parsed = parse_differential(hidden, "numbered_list")
    assert [item.diagnosis for item in parsed.diagnoses] == ["Gout", "Gout", "Flu", "Marfan"]
    assert not parsed.issues
    assert read('{"diagnoses": ["Gout", "Go\u200cut", "Flu <!-- x -->"]}', "json") == [
        "Gout",
        "Gout",
        "Flu",
    ]


def test_xml_is_read_with_its_parts_and_its_cut_off_element():
    parsed = parse_differential(XML, "xml")
    assert parsed.read_as == "xml"
    first, second = parsed.diagnoses
    assert (first.diagnosis, first.reasoning) == ("Marfan syndrome", "tall & thin")
    assert (first.in_favour, first.against) == ("ectopia lentis", "none")
    assert (second.diagnosis, second.in_favour) == ("Enfermedad de Wilson", "temblor")
    cut = parse_differential(XML[: XML.index("de Wilson")], "xml")
    assert [item.diagnosis for item in cut.diagnoses] == ["Marfan syndrome"]
    assert [issue.rule for issue in cut.issues] == ["cut_off"]
    assert read('<diagnosis name="Gout"/>1<diagnosis name="Gout">x</diagnosis>', "xml") == [
        "Gout",
        "Gout",
    ]
    assert read("<diagnosis>Gout: toe</diagnosis><diagnosis>Flu</diagnosis>", "xml") == [
        "Gout",
        "Flu",
    ]
    assert read("<top5>\n1. Gout\n2. Flu\n</top5>", "xml") == ["Gout", "Flu"]


def test_json_as_asked_is_checked_and_read_whole():
    parsed = parse_differential(JSON, "json_schema")
    assert parsed.read_as == "json_schema"
    first = parsed.diagnoses[0]
    assert (first.diagnosis, first.in_favour, first.against) == (
        "Marfan syndrome",
        "tall; thin",
        None,
    )
    assert first.risk == (
        "level: high; red flags: chest pain; dangerous alternatives: Aortic dissection; "
        "when to escalate: at once"
    )


@pytest.mark.parametrize(
    "text",
    [
        f"Sure!\n```json\n{JSON}\n```\nGood luck",
        f"<think>{{maybe}}</think>{JSON}",
        f'Draft: {{"diagnoses": [{{"diagnosis": "Gout"}}]}}\nFinal: {JSON}',
        f'{{"answer": {JSON}}}',
        JSON.replace('"at once"', '"at once",'),
        json.dumps(ASKED["diagnoses"], ensure_ascii=False),
        json.dumps([item["diagnosis"] for item in ASKED["diagnoses"]]),
        json.dumps({"1": {"name": "Marfan syndrome"}, "2": "Síndrome de Ehlers-Danlos"}),
        json.dumps({"Diagnósticos": [{"Nombre": "Marfan syndrome"}, "Síndrome de Ehlers-Danlos"]}),
        str(ASKED),
        "\n".join(json.dumps(item) for item in ASKED["diagnoses"]),
        json.dumps({"diagnoses": ASKED["diagnoses"][::-1]}),
        "1. Marfan syndrome: {tall}\n2. Síndrome de Ehlers-Danlos: {lax}",
    ],
)
def test_json_as_models_write_it(text):
    assert read(text, "json") == ["Marfan syndrome", "Síndrome de Ehlers-Danlos"]
    assert read(text, "json_schema") == ["Marfan syndrome", "Síndrome de Ehlers-Danlos"]


def test_cut_off_json_gives_its_whole_diagnoses():
    parsed = parse_differential(JSON[: JSON.rindex('"fits"')], "json")
    assert [item.diagnosis for item in parsed.diagnoses] == ["Marfan syndrome"]
    assert [issue.rule for issue in parsed.issues] == ["cut_off"]
    drafts = '{"diagnoses": ["Flu", "Cold"]} better: {"diagnoses": ["Gout", 3, {"x": 1}]}'
    parsed = parse_differential(drafts, "json")
    assert [(item.place, item.rank, item.diagnosis) for item in parsed.diagnoses] == [
        (3, 1, "Gout")
    ]
    assert [(issue.rank, issue.rule) for issue in parsed.issues] == [
        (None, "other_list"),
        (None, "other_list"),
        (2, "no_name"),
        (3, "no_name"),
    ]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (None, "empty"),
        (" \n", "empty"),
        ("The patient needs rest.", "no_list"),
        ("12 years old", "no_list"),
        ("1.", "no_diagnosis"),
        ("The diagnosis is Marfan syndrome.\n- tall stature\n- lens dislocation", "no_list"),
        ("I'm sorry, but I cannot help with that.", "no_list"),
        ("503: Service Unavailable", "no_list"),
        ("I can't diagnose.\n1. Consult a doctor\n2. Seek the advice you need", "no_diagnosis"),
        ("<think>1. Asthma\n2. COPD", "only_thinking"),
        ('{"diagnoses": []}', "no_list"),
    ],
)
def test_every_other_answer_has_a_named_status(text, status):
    parsed = parse_differential(text, "numbered_list")
    assert (parsed.status, parsed.diagnoses) == (status, [])


def test_every_status_is_in_the_seed():
    with (paths.project_root() / "seeds/experiments/parse_outcomes.csv").open() as handle:
        known = {row["parse_status"] for row in csv.DictReader(handle)}
    code = "".join(
        file.read_text() for file in (paths.project_root() / "python_llm/parsing").glob("*.py")
    )
    used = set(re.findall(r'status="(\w+)"|"(ok|no_list|empty|no_diagnosis)"', code))
    assert {name for pair in used for name in pair if name} == known


PIECES = st.sampled_from(
    [STANDARD, XML, JSON, JSON[:300], STANDARD[200:], "+1. Asthma: x +2. COPD: y"]
)
NOISE = st.text(alphabet='1234.)(*_#+-:;,%|\n abcÁñ<>/{}[]"\\&', max_size=40)


def letters(text):
    return re.sub(r"[\W_]+|\\[nrtu]", "", text).casefold()


@settings(
    max_examples=2500, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(PIECES, PIECES, NOISE, NOISE, st.tuples(st.integers(0), st.integers(0), st.integers(0)))
def test_nothing_breaks_a_parser_and_nothing_is_invented(one, other, noise, more, cuts):
    """2,500 mutated answers for each of the four parsers."""
    first, second, third = (cut % (len(one) + 1) for cut in cuts)
    text = one[:first] + noise + one[first:second] + other[: third * 2] + more + one[third:]
    readable = letters(text.replace("\\n", "\n")) + letters(html.unescape(text))
    for parse in PARSERS.values():
        parsed = parse(text)
        assert (parsed.status == "ok") == bool(parsed.diagnoses)
        ranks = [item.rank for item in parsed.diagnoses]
        assert ranks == sorted(set(ranks))
        assert all(rank >= 1 for rank in ranks)
        left = [issue for issue in parsed.issues if issue.rule not in ("cut", "renumbered")]
        assert parsed.n_items == len(parsed.diagnoses) + len(left)
        places = [each.place for each in (*parsed.diagnoses, *left)]
        assert sorted(places) == list(range(1, parsed.n_items + 1))
        for item in parsed.diagnoses:
            assert letters(item.diagnosis) in readable, item.diagnosis
            assert any(character.isalpha() for character in item.diagnosis)


@pytest.mark.parametrize("text", ["{" * 5000, "[" * 5000, '{"a":' * 3000, "<diagnosis>" * 3000])
@pytest.mark.parametrize("output_format", list(PARSERS))
def test_noise_takes_no_time(text, output_format):
    started = time.process_time()
    assert not parse_differential(text, output_format).diagnoses
    assert time.process_time() - started < 2


def test_the_table_keeps_rows_and_types_without_a_diagnosis():
    answers = pa.table(
        {
            "answer_key": ["a", "b"],
            "answer_text": ["1. Asthma", "no"],
            "output_format": ["numbered_list"] * 2,
        }
    )
    parsed = parse_differentials(answers, NO_PATTERNS)
    assert parsed.column("parse_status").to_pylist() == ["ok", "no_list"]
    odd = pa.table({**answers.to_pydict(), "output_format": ["runes"] * 2})
    with pytest.raises(ValueError, match="No parser for output_format 'runes'"):
        parse_differentials(odd, NO_PATTERNS)


JUDGED = {"judgements": [{"rank": 1, "label": "Exact Synonym", "reason": "same"}]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(JUDGED),
        f"```json\n{json.dumps(JUDGED, indent=2)}\n```",
        f"Let me think {{hard}}. Draft: {{}}\nFinal: {json.dumps(JUDGED)} Done.",
        json.dumps({"judgements": []}) + json.dumps(JUDGED),
        json.dumps({"judgements": [{"rank": 1, "label": "a draft"}]}) + json.dumps(JUDGED),
        json.dumps({"answer": JUDGED}),
    ],
)
def test_the_last_judgement_in_the_text_counts(text):
    (label,) = parse_judgement(text)
    assert (label.rank, label.label, label.reason) == (1, "Exact Synonym", "same")


@pytest.mark.parametrize(
    "text",
    [None, "", "no", '{"judgements": [{"rank": "first"}]}', json.dumps(JUDGED)[:-2], "{" * 5000],
)
def test_an_unreadable_judgement_is_none(text):
    assert parse_judgement(text) is None


def test_labels_come_back_as_written():
    text = json.dumps({"judgements": [{"rank": 1, "label": "sinónimo"}]})
    row = parse_judgements(pa.table({"request_key": ["k"], "answer_text": [text]})).to_pylist()[0]
    assert row["labels"] == [{"rank": 1, "label": "sinónimo", "reason": None}]


@pytest.mark.parametrize(("n", "n_cut"), [(160, 0), (161, 1)])
def test_a_name_has_at_most_160_characters(n, n_cut):
    name = ("Spastic paraplegia " * 20)[: n - 1] + "x"
    parsed = parse_differential(f"1. {name}", "numbered_list")
    assert len(parsed.issues) == n_cut
    assert len(parsed.diagnoses[0].diagnosis) <= 160


@pytest.mark.parametrize(
    ("output_format", "answer"),
    [
        ("json", '{"primary_diagnosis": "Gout", "differential": ["Septic arthritis", "Lupus"]}'),
        (
            "json",
            '{"most_likely_diagnosis": {"name": "Gout", "confidence": 0.8}, '
            '"differential_diagnoses": [{"name": "Septic arthritis"}, {"name": "Lupus"}]}',
        ),
        ("xml", '<dx rank="2">Septic arthritis</dx><dx rank="1">Gout</dx><dx rank="3">Lupus</dx>'),
        (
            "numbered_list",
            "Most likely diagnosis: Gout\n\nDifferential diagnosis:\n1. Septic arthritis\n2. Lupus",
        ),
        (
            "numbered_list",
            "Diagnosis: Gout - a swollen toe\nDifferential:\n1. Septic arthritis\n2. Lupus",
        ),
        (
            "numbered_list",
            "**Most likely:** Gout [1]\n\n**Differential**\n- Septic arthritis [2,3]\n- Lupus\n\n"
            "### References\n1. Doe J. Gout and its mimics. 2020\n2. Roe R. Joints. 2019",
        ),
        *(
            ("numbered_list", f"{lead}\n\n{heading}\n{items}")
            for lead, heading in [
                ("### Primary Diagnosis\nGout", "### Differential Diagnoses"),
                ("## Most likely diagnosis\n**Gout**", "## Differential"),
                ("**Primary diagnosis**\n\nGout", "**Differential diagnoses**"),
                ("Final diagnosis\nGout", "Other possibilities"),
                ("Suspected diagnosis: Gout", "Alternatives:"),
                ("Provisional diagnosis: Gout", "Differential diagnoses:"),
                ("Answer: Gout", "Differential:"),
                ("**Verdachtsdiagnose:** Gout", "**Differentialdiagnosen:**"),
                ("Wahrscheinlichste Diagnose: Gout", "Differentialdiagnosen:"),
                ("Diagnostic le plus probable : Gout", "Diagnostics différentiels :"),
                ("Hypothèse principale : Gout", "Autres hypothèses :"),
                ("Diagnosi più probabile: Gout", "Diagnosi differenziali:"),
                ("Juicio clínico: Gout", "Diagnóstico diferencial:"),
                ("Impresión diagnóstica: Gout", "Diagnóstico diferencial:"),
                ("The diagnosis is Gout.", "Differential diagnosis:"),
                ("I believe the most likely diagnosis is Gout.", "Other possibilities:"),
                ("El diagnóstico más probable es Gout.", "Diagnóstico diferencial:"),
                ("Diagnosis\n=========\nGout", "Differential diagnosis\n============"),
            ]
            for items in ("1. Septic arthritis\n2. Lupus", "- Septic arthritis\n- Lupus")
        ),
        (
            "numbered_list",
            "1. Gout [1]\n2. Septic arthritis\n3. Lupus\n\nBibliografía:\n1. Doe J. Gota. 2020",
        ),
    ],
)
def test_what_stands_apart_or_out_of_order(output_format, answer):
    parsed = parse_differential(answer, output_format)
    assert [(item.rank, item.diagnosis) for item in parsed.diagnoses] == [
        (1, "Gout"),
        (2, "Septic arthritis"),
        (3, "Lupus"),
    ]


@pytest.mark.parametrize(
    ("output_format", "answer"),
    [
        ("json", '{"final_diagnosis": "Gout", "differential": ["Lupus", "Acute gout"]}'),
        ("numbered_list", "Final diagnosis: gout\n1. Lupus\n2. Acute gout"),
        ("numbered_list", "Diagnosis: see below\n1. Lupus\n2. Acute gout"),
        ("numbered_list", "### Primary Diagnosis\nGout\n\n### List\n1. Lupus\n2. Acute gout"),
        ("numbered_list", "The diagnosis is unclear.\nDifferential:\n1. Lupus\n2. Acute gout"),
        ("numbered_list", "Impression: 45 year old\nDifferential:\n1. Lupus\n2. Acute gout"),
        ("numbered_list", "Most likely diagnosis: the following\n1. Lupus\n2. Acute gout"),
    ],
)
def test_a_listed_diagnosis_stays_where_it_is(output_format, answer):
    parsed = parse_differential(answer, output_format)
    assert [item.diagnosis for item in parsed.diagnoses] == ["Lupus", "Acute gout"]


@pytest.mark.parametrize(
    "text",
    [
        "1. M10.9 – Gout\n2. L03.9 – Lupus",
        "1. M10.9: Gout\n2. L03: Lupus",
        "1. [M10.9] Gout\n2. (L03) Lupus",
        "1. **M10.9** Gout\n2. ICD-10: L03.9 Lupus",
        "1. ORPHA:558 – Gout\n2. OMIM:152700: Lupus",
        "| Rank | ICD | Diagnosis |\n|---|---|---|\n| 1 | M10.9 | Gout |\n| 2 | L03.9 | Lupus |",
        '[{"diagnosis": "M10.9 – Gout"}, {"diagnosis": "[L03.9] Lupus"}]',
        "1. Dx: Gout\n2. Dx: Lupus",
        '[{"label": "Gout", "score": 0.6}, {"label": "Lupus", "score": 0.3}]',
        '{"labels": ["Lupus", "Gout"], "scores": [0.3, 0.6]}',
        "[['Lupus', 0.3], ['Gout', 0.6]]",
        "- Gout\n- Lupus\n\n**Management:**\n- Colchicine\n- Rest",
        "- Gout\n- Lupus\n\n### Key Supporting Evidence\n- Fever\n- Pain",
    ],
)
def test_a_name_is_read_beside_codes_labels_and_plans(text):
    parsed = parse_differential("Differential diagnosis:\n" * text.startswith("- ") + text, "json")
    assert [item.diagnosis for item in parsed.diagnoses] == ["Gout", "Lupus"]


def test_the_code_before_a_name_is_kept_beside_it():
    (gout, _) = parse_differential("1. M10.9 – Gout: a toe\n2. Flu", "numbered_list").diagnoses
    assert gout.reasoning == "M10.9 a toe"


@pytest.mark.parametrize("name", ["B12 deficiency", "T12: fracture", "G6PD deficiency"])
def test_a_name_may_begin_as_a_code_does(name):
    (first, _) = parse_differential(f"1. {name}\n2. Flu", "numbered_list").diagnoses
    assert first.diagnosis == name.split(":")[0]


@pytest.mark.parametrize("sign", [" ({})", ": {}", " – {}", " (~{})", ": **{}**"])
def test_bullets_with_a_percentage_are_ranked_by_it(sign):
    names = [("Flu", "20%"), ("Lupus", "30 %"), ("Gout", "60%")]
    text = "\n".join("- " + name + sign.format(chance) for name, chance in names)
    for first in ("", "Differential diagnosis:\n"):
        parsed = parse_differential(first + text, "numbered_list")
        ranks = {item.diagnosis: item.rank for item in parsed.diagnoses}
        assert ranks == {"Gout": 1, "Lupus": 2, "Flu": 3}
    assert "by_score" in [issue.rule for issue in parsed.issues]


def test_a_percentage_of_something_else_ranks_nothing():
    text = "- Gout: 3% of adults have it\n- Flu: 20% of children have it"
    parsed = parse_differential(text, "numbered_list")
    assert [(item.rank, item.diagnosis) for item in parsed.diagnoses] == [(1, "Gout"), (2, "Flu")]


@pytest.mark.parametrize("gap", [" ", "\t", "\n", "\n "])
@pytest.mark.parametrize(
    "before", ["The most likely diagnosis is Gout.\n", "[", "1. Gout (", "diagnoses:\n  - "]
)
def test_a_gap_takes_no_time(before, gap):
    text = f"{before}{gap * 20_000}x"
    answers = pa.table({"answer_key": ["a"], "answer_text": [text], "output_format": ["json"]})
    nothing = pa.table({"status": pa.array([], pa.string())})
    started = time.process_time()
    parse_differentials(answers, nothing)
    assert time.process_time() - started < 2


def test_what_stands_behind_a_gap_is_read():
    parsed = parse_differential(
        f"1. Gout{' ' * 5_000}\n{chr(10) * 5_000}2. Measles", "numbered_list"
    )
    assert [item.diagnosis for item in parsed.diagnoses] == ["Gout", "Measles"]
