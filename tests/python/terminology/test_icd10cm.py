"""ICD-10-CM out of the tabular XML and out of the order file."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from python_llm.terminology import icd10cm
from python_llm.terminology.errors import TerminologyError


def by_code(classification: icd10cm.Classification) -> dict[str, icd10cm.Code]:
    return {code.code: code for code in classification.codes}


def test_tabular_gives_every_level(official: dict[str, Path]) -> None:
    classification = icd10cm.read_tabular(official["icd10cm"], official["icd10cm_codes"])
    codes = by_code(classification)
    assert classification.release == "2030-04-01"
    assert codes["II"] == icd10cm.Code("II", None, "Neoplasms", "chapter", "C00-D49", False)
    assert codes["C7A-C7A"].parent_code == "C00-C96"
    assert codes["C50-C50"].parent_code == "C00-C75"
    assert codes["C00-C75"].parent_code == "C00-C96"
    assert codes["C50"].parent_code == "C50-C50"
    assert codes["C50"].is_billable
    assert codes["C7A.0"].kind == "subcategory"
    assert {code for code in codes if codes[code].is_billable} == {
        "C50",
        "C7A.0",
        "S00.0XXA",
        "S00.11X7",
        "T07.XXXA",
    }


def test_seventh_characters_follow_the_nearest_rule(
    official: dict[str, Path],
) -> None:
    codes = by_code(icd10cm.read_tabular(official["icd10cm"], official["icd10cm_codes"]))
    extensions = {code.code: code.title for code in codes.values() if code.kind == "extension"}
    assert extensions == {
        "S00.0XXA": "Superficial injury of scalp, initial encounter",
        "S00.11X7": "Contusion of right eyelid, special",
        "T07.XXXA": "Unspecified multiple injuries, initial encounter",
    }


def test_inclusion_terms_are_names_not_sentences(official: dict[str, Path]) -> None:
    terms = icd10cm.read_tabular(official["icd10cm"], official["icd10cm_codes"]).inclusion_terms
    assert [(t.code, t.term, t.kind) for t in terms] == [
        ("C50", "Paget's disease of breast", "includes"),
        ("S00.0", "Graze of scalp", "inclusion_term"),
    ]


@pytest.mark.parametrize(
    ("number", "numeral"), [(1, "I"), (4, "IV"), (9, "IX"), (14, "XIV"), (19, "XIX"), (22, "XXII")]
)
def test_roman(number: int, numeral: str) -> None:
    assert icd10cm.roman(number) == numeral


@pytest.mark.parametrize(
    ("name", "header", "release"),
    [
        ("icd10c-tabular-April-1-2026.xml", "2026", "2026-04-01"),
        ("icd10cm-tabular-2026.xml", "2026", "2026"),
        ("icd10cm-order-April-2025.txt", None, "2025-04"),
        ("icd10cm_order_2027.txt", None, "2027"),
        ("tabular.xml", "2026", "2026"),
    ],
)
def test_release(name: str, header: str | None, release: str) -> None:
    assert icd10cm.release_of(Path(name), header) == release


def test_release_must_be_stated_once() -> None:
    with pytest.raises(TerminologyError, match=r"codes\.txt: it states no release"):
        icd10cm.release_of(Path("codes.txt"), None)
    with pytest.raises(TerminologyError, match="header says release 2026 and its name 2025"):
        icd10cm.release_of(Path("icd10cm-tabular-2025.xml"), "2026")


def test_a_list_of_another_release_is_refused(official: dict[str, Path]) -> None:
    codes = official["icd10cm_codes"]
    whole = codes.read_text()
    codes.write_text(whole + "Z999\n")
    with pytest.raises(TerminologyError, match=r"tabular.*lacks 1, the first of them Z999"):
        icd10cm.read_tabular(official["icd10cm"], codes)
    codes.write_text(whole.replace("C7A0\n", ""))
    with pytest.raises(TerminologyError, match=r"codes-April.*lacks 1, the first of them C7A0"):
        icd10cm.read_tabular(official["icd10cm"], codes)


def test_broken_xml_names_file_and_line(official: dict[str, Path]) -> None:
    path = official["icd10cm"]
    path.write_text(path.read_text().replace("</diag>", "", 1))
    with pytest.raises(TerminologyError, match=r"2030\.xml, line \d+: it is not well-formed XML"):
        icd10cm.read_tabular(path, official["icd10cm_codes"])


def test_order_file_hangs_below_the_standard_ranges(order_file: Path) -> None:
    classification = icd10cm.read_order(order_file)
    codes = by_code(classification)
    assert classification.release == "2029-04"
    assert classification.inclusion_terms == []
    assert codes["C50"].title == "Breast, by the order file"
    # C7A stands behind C75 in the file and belongs to its own block, not to C73-C75
    assert codes["C75"].parent_code == "C73-C75"
    assert codes["C7A"].parent_code == "C7A-C7A"
    assert codes["T07.XXXA"].parent_code == "T07"
    assert codes["S00.0XXA"].parent_code == "S00.0"
    assert codes["S00.0XXA"].kind == "extension"
    assert codes["XIX"] == icd10cm.Code(
        "XIX",
        None,
        "Injury, poisoning and certain other consequences of external causes",
        "chapter",
        "S00-T88",
        False,
    )


def test_a_new_category_hangs_below_the_range_it_stands_in(
    order_file: Path, as_order_line: Callable[[int, str, int, str], str]
) -> None:
    # no block of chapter II reaches D4B, which follows D49 in the file
    lines = order_file.read_text()
    extra = [as_order_line(98, "D49", 1, "Unspecified"), as_order_line(99, "D4B", 1, "A new tumor")]
    order_file.write_text(lines + "\n".join(extra) + "\n")
    with pytest.raises(TerminologyError, match="category D4B is in no chapter"):
        icd10cm.read_order(order_file)
    inside = [as_order_line(99, "D38", 1, "A tumor between two blocks")]
    order_file.write_text(lines + "\n".join([*inside, *extra[:1]]) + "\n")
    assert by_code(icd10cm.read_order(order_file))["D38"].parent_code == "D37-D48"


def test_the_standard_ranges_are_whole() -> None:
    ranges = icd10cm.standard_ranges()
    kinds = [node.kind for node in ranges]
    assert (kinds.count("chapter"), kinds.count("block")) == (22, 297)
    seen: set[str | None] = {None}
    for node in ranges:
        assert node.parent_code in seen, node.code
        seen.add(node.code)


def test_the_two_forms_agree_where_both_have_a_code(
    official: dict[str, Path], order_file: Path
) -> None:
    tabular = by_code(icd10cm.read_tabular(official["icd10cm"], official["icd10cm_codes"]))
    from_order = by_code(icd10cm.read_order(order_file))
    for code in ("C7A.0", "S00", "S00.0XXA", "T07", "T07.XXXA"):
        assert from_order[code] == tabular[code]


def test_a_compressed_order_file_is_the_same(order_file: Path, tmp_path: Path) -> None:
    compressed = tmp_path / f"{order_file.name}.gz"
    compressed.write_bytes(gzip.compress(order_file.read_bytes()))
    assert icd10cm.read_order(compressed) == icd10cm.read_order(order_file)
    compressed.write_bytes(compressed.read_bytes()[:-12])
    with pytest.raises(TerminologyError, match=r"txt\.gz: it cannot be read"):
        icd10cm.read_order(compressed)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("00010 C76", "not a line of the fixed-width order file"),
        ("C76;1;Title;Title", "not a line of the fixed-width order file"),
    ],
)
def test_a_torn_order_file_names_the_line(order_file: Path, line: str, problem: str) -> None:
    order_file.write_text(order_file.read_text() + line + "\n")
    with pytest.raises(TerminologyError, match=rf"order-April-2029\.txt, line 10: .*{problem}"):
        icd10cm.read_order(order_file)


def test_an_order_file_without_a_category_is_refused(order_file: Path) -> None:
    lines = [line for line in order_file.read_text().splitlines() if " T07  " not in line]
    order_file.write_text("\n".join(lines) + "\n")
    with pytest.raises(TerminologyError, match=r"T07\.XXXA has no category"):
        icd10cm.read_order(order_file)
