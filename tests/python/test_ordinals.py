"""Lists whose items begin with an ordinal or a grade: a marker is never a diagnosis."""

import pyarrow as pa
import pytest

from python_llm.parsing.differential import parse_differentials

PATTERNS = pa.Table.from_pylist([], schema=pa.schema([("pattern", pa.string())]))


def _names(text: str) -> list[tuple[int, str]]:
    answers = {"answer_key": ["k"], "answer_text": [text], "output_format": ["numbered_list"]}
    [answer] = parse_differentials(pa.table(answers), PATTERNS).to_pylist()
    return [(one["rank"], one["diagnosis"]) for one in answer["diagnoses"]]


@pytest.mark.parametrize(
    "text",
    [
        "First, Scurvy. Second, Pellagra. Third, Lead poisoning.",
        "Firstly, Scurvy: the gums bleed. Secondly, Pellagra. Lastly, Lead poisoning.",
        "First, consider Scurvy; second, Pellagra; and third, Lead poisoning",
        "My differential diagnosis.\nFirst, Scurvy\nSecond, Pellagra\nThird, Lead poisoning",
        "**First choice:** Scurvy. **Second choice:** Pellagra. **Third choice:** Lead poisoning.",
        "My first diagnosis is Scurvy. The second is Pellagra. The third is Lead poisoning.",
        "In first place, Scurvy; in second place, Pellagra; in third place, Lead poisoning",
        "1st, Scurvy; 2nd, Pellagra; 3rd, Lead poisoning",
        "1st Scurvy\n2nd Pellagra\n3rd Lead poisoning",
        "#1 Scurvy, #2 Pellagra, #3 Lead poisoning",
        "#1: Scurvy #2: Pellagra #3: Lead poisoning",
        "1 - Scurvy | 2 - Pellagra | 3 - Lead poisoning",
        "1) Scurvy / 2) Pellagra / 3) Lead poisoning",
        "(i) Scurvy\n(ii) Pellagra\n(iii) Lead poisoning",
        "(i) Scurvy (ii) Pellagra (iii) Lead poisoning",
        "1. Scurvy, 2. Pellagra and 3. Lead poisoning",
        "Most likely, Scurvy. Possible, Pellagra. Less likely, Lead poisoning.",
        "Likely: Scurvy. Possible: Pellagra and Lead poisoning. Unlikely: Leprosy.",
        "**Scurvy** is most likely, followed by **Pellagra** and **Lead poisoning**.",
        "The most likely diagnosis is Scurvy, followed by Pellagra, then Lead poisoning.",
        "First Scurvy, second Pellagra, third Lead poisoning.",
        "The most likely diagnosis is Scurvy. The second is Pellagra. Third, I would consider "
        "Lead poisoning.",
    ],
)
def test_a_marker_is_no_diagnosis(text):
    assert _names(text) == [(1, "Scurvy"), (2, "Pellagra"), (3, "Lead poisoning")]


@pytest.mark.parametrize(
    "text",
    [
        "Primero, escorbuto. Segundo, pelagra. Tercero, tos ferina.",
        "En primer lugar, escorbuto. En segundo lugar, pelagra. Por último, tos ferina.",
        "1.º, escorbuto; 2.º, pelagra; 3.º, tos ferina.",
        "La primera opción es escorbuto. La segunda es pelagra. La tercera es tos ferina.",
        "La primera opción es escorbuto, la segunda pelagra y la tercera tos ferina.",
        "Lo más probable, escorbuto. Posible, pelagra. Menos probable, tos ferina.",
        "El escorbuto es lo más probable, seguido de pelagra y tos ferina.",
        "Primero escorbuto, segundo pelagra y tercero tos ferina.",
        "El diagnóstico más probable es escorbuto. El segundo más probable es pelagra. El tercero "
        "es tos ferina.",
    ],
)
def test_a_marker_in_spanish_is_no_diagnosis(text):
    assert _names(text) == [(1, "escorbuto"), (2, "pelagra"), (3, "tos ferina")]


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("1.o Escorbuto\n2.o Pelagra", "Escorbuto", "Pelagra"),
        ("Erstens, Skorbut. Zweitens, Pellagra.", "Skorbut", "Pellagra"),
        ("An erster Stelle: Skorbut. An zweiter Stelle: Pellagra.", "Skorbut", "Pellagra"),
        ("Premièrement, scorbut. Deuxièmement, pellagre.", "scorbut", "pellagre"),
        ("Première hypothèse : scorbut. Deuxième hypothèse : pellagre.", "scorbut", "pellagre"),
        ("A primeira opção é escorbuto. A segunda opção é pelagra.", "escorbuto", "pelagra"),
    ],
)
def test_a_marker_of_other_languages_is_no_diagnosis(text, first, second):
    assert _names(text) == [(1, first), (2, second)]


@pytest.mark.parametrize(
    "names",
    [
        ["First-degree heart block", "Third nerve palsy", "Second-degree burn"],
        ["Secondary hyperparathyroidism", "Primary biliary cholangitis", "Tertiary syphilis"],
        ["1q21.1 deletion syndrome", "22q11 deletion syndrome", "Sixth nerve palsy"],
        ["1st Branchial cleft cyst", "2nd Branchial cleft cyst", "3rd Branchial cleft cyst"],
    ],
)
def test_a_name_that_begins_with_an_ordinal_stays(names):
    ranked = list(enumerate(names, 1))
    assert _names("\n".join(names)) == ranked
    assert _names("\n".join(f"{rank}. {name}" for rank, name in ranked)) == ranked
    words = ("First", "Second", "Third")
    assert _names(" ".join(f"{w}, {n}." for w, n in zip(words, names, strict=True))) == ranked


@pytest.mark.parametrize(
    "text",
    [
        "First, order a blood count. Second, refer to neurology.",
        "To confirm the diagnosis: First, MRI of the brain. Second, lumbar puncture.",
        "Primero, pedir analítica. Segundo, tratar el dolor.",
        "The patient has two problems. First, hypertension. Second, diabetes.",
        "The first heart sound is loud. The second heart sound is split.",
        "The findings are (i) fever, (ii) cough, (iii) weight loss",
        "Scurvy is not the most likely, followed by Pellagra.",
        "Unlikely, Scurvy. Most likely, Pellagra.",
    ],
)
def test_what_counts_no_diagnoses_is_no_list(text):
    assert _names(text) == []


def test_a_rank_left_out_stays_free():
    assert _names("First, Scurvy. Third, Pellagra.") == [(1, "Scurvy"), (3, "Pellagra")]


def test_steps_behind_a_list_are_no_diagnoses():
    text = "First, Scurvy. Second, Pellagra. Finally, order a biopsy."
    assert _names(text) == [(1, "Scurvy"), (2, "Pellagra")]
    text = "1. Scurvy\n2. Pellagra\n\nFirst, give vitamin C. Second, refer."
    assert _names(text) == [(1, "Scurvy"), (2, "Pellagra")]


@pytest.mark.parametrize("name", ["Wilson", "Behçet", "Lyme"])
def test_a_disease_named_after_a_person_ends_a_list(name):
    text = f"1. Scurvy: the gums bleed\n2. Pellagra: maize\n3. {name}"
    assert _names(text) == [(1, "Scurvy"), (2, "Pellagra"), (3, name)]
    cut = f"1. Scurvy: the gums bleed\n2. Pellagra: maize\n3. {name[:-1]}"
    assert _names(cut) == [(1, "Scurvy"), (2, "Pellagra")]


@pytest.mark.parametrize(
    "text",
    [
        "First Trimester Bleeding, Second Trimester Loss",
        "First Branchial Cleft Cyst, Second Branchial Cleft Cyst",
        "The most likely diagnosis is Scurvy. Second degree burns were seen.",
        "The most likely diagnosis is Scurvy. Second, order a vitamin C level.",
    ],
)
def test_an_ordinal_of_a_name_or_deed_counts_nothing(text):
    assert len(_names(text)) < 2


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1. Scurvy 2. Pellagra", ["Scurvy", "Pellagra"]),
        ("1. Escorbuto 2. Tos ferina.", ["Escorbuto", "Tos ferina"]),
        ("1. escorbuto 2. tos ferina", ["escorbuto", "tos ferina"]),
        ("1) scurvy, 2) pellagra.", ["scurvy", "pellagra"]),
        ("Diagnósticos: 1. escorbuto 2. tos ferina", ["escorbuto", "tos ferina"]),
        ("1. diabetes mellitus tipo 2. mal controlada", None),
        ("1. Diabetes mellitus type 2. Poorly controlled", None),
        ("1. MEN 2. Pheochromocytoma", None),
        ("1. Diabetes tipo 2. Mal controlada", None),
    ],
)
def test_two_names_in_one_line_are_two(text, names):
    read = [name for _, name in _names(text)]
    assert read == names if names else len(read) < 2
