"""Names, mappings and translations from official files to Parquet, in small files of our own."""

import gzip
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from python_llm.audit import trail
from python_llm.console.cli import main
from python_llm.terminology import imports
from python_llm.terminology.errors import TerminologyError
from python_llm.terminology.imports import import_file, imported_table


def mapping(source: str, reference: str, kind: str, validated: bool = True) -> dict[str, Any]:
    status = "Validated" if validated else "Not yet validated"
    return {
        "id": "1",
        "Source": source,
        "Reference": reference,
        "DisorderMappingRelation": [{"Name": [{"lang": "en", "label": f"{kind} (in words)"}]}]
        if kind
        else "",
        "DisorderMappingICDRelation": "",
        "DisorderMappingValidationStatus": [{"Name": [{"lang": "en", "label": status}]}],
    }


def disorder(
    code: str, name: str, synonyms: list[str], flags: list[str], mappings: list[dict], lang: str
) -> dict[str, Any]:
    """As Orphadata writes it: a list of none is a count of 0 and nothing else."""

    def counted(item: str, values: list) -> list[dict]:
        return [{"count": str(len(values)), **({item: values} if values else {})}]

    return {
        "OrphaCode": code,
        "Name": [{"lang": lang, "label": name}],
        "DisorderFlagList": counted(
            "DisorderFlag", [{"id": "1", "Value": "1", "Label": flag} for flag in flags]
        ),
        "SynonymList": counted("Synonym", [{"lang": lang, "label": text} for text in synonyms]),
        "ExternalReferenceList": counted("ExternalReference", mappings),
    }


def orphadata(lang: str = "en") -> dict[str, Any]:
    marfan = [mapping("OMIM", "154700", "E"), mapping("ICD-10", "Q87.4", "NTBT", validated=False)]
    disorders = [
        disorder("558", "Marfan  syndrome", ["MFS"], [""], marfan, lang),
        disorder("9", "Old thing", [], ["", "Obsolete entity"], [mapping("OMIM", "1", "")], lang),
    ]
    return {
        "JDBOR": [
            {
                "date": "2030-12-03 07:03:37",
                "DisorderList": [{"count": "2", "Disorder": disorders}],
            }
        ]
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "imported"


def rows(table: str, folder: Path, *columns: str) -> list[tuple]:
    found = imported_table(table, folder).select(columns).to_pylist()
    return [tuple(row.values()) for row in found]


def stored(folder: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_without_an_import_every_table_is_there_and_empty(folder: Path) -> None:
    for table in (*imports.SCHEMAS, "imported_file"):
        assert imported_table(table, folder).num_rows == 0


def test_orphadata(tmp_path: Path, folder: Path) -> None:
    import_file(write(tmp_path / "en_product1.json", orphadata()), "orphadata", folder)
    assert rows("disease_name", folder, "disease_id", "name", "kind", "language", "is_active") == [
        ("ORPHA:558", "MFS", "synonym", "en", True),
        ("ORPHA:558", "Marfan syndrome", "name", "en", True),
        ("ORPHA:9", "Old thing", "name", "en", False),
    ]
    assert rows(
        "disease_mapping", folder, "subject_id", "object_id", "relation", "is_validated"
    ) == [
        ("ORPHA:558", "ICD-10:Q87.4", "broader", False),
        ("ORPHA:558", "OMIM:154700", "exact", True),
        ("ORPHA:9", "OMIM:1", "undecided", True),
    ]
    declared = imported_table("imported_file", folder).to_pylist()
    assert [(row["table_name"], row["release"], row["n_rows"]) for row in declared] == [
        ("disease_mapping", "2030-12-03", 3),
        ("disease_name", "2030-12-03", 3),
    ]
    assert all(row["n_declared_rows"] == row["n_rows"] for row in declared)
    assert all("CC BY" in row["licence"] for row in declared)


def test_an_archive_and_a_second_language(tmp_path: Path, folder: Path) -> None:
    write(tmp_path / "es_product1.json", orphadata("es"))
    archive = tmp_path / "es_product1.json.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(tmp_path / "es_product1.json", "es_product1.json")
    import_file(write(tmp_path / "en_product1.json", orphadata()), "orphadata", folder)
    import_file(archive, "orphadata", folder)
    assert {row[0] for row in rows("disease_name", folder, "language")} == {"en", "es"}
    assert len(rows("disease_name", folder, "name")) == 6


def test_only_a_newer_file_replaces_what_was_imported(tmp_path: Path, folder: Path) -> None:
    path = write(tmp_path / "product1.json", orphadata())
    import_file(path, "orphadata", folder)
    before = stored(folder)
    import_file(path, "orphadata", folder)
    assert stored(folder) == before
    newer = orphadata()
    newer["JDBOR"][0]["DisorderList"][0]["Disorder"].pop()
    newer["JDBOR"][0]["date"] = "2031-06-01"
    import_file(write(tmp_path / "en_product1_2031.json", newer), "orphadata", folder)
    assert len(rows("disease_name", folder, "name")) == 2
    assert {row[0] for row in rows("disease_name", folder, "release")} == {"2031-06-01"}


def test_orpha2omim(tmp_path: Path, folder: Path) -> None:
    content = {
        "ORPHA:100": [["OMIM:208900", "E"], ["OMIM:208910", "BTNT"]],
        "ORPHA:101": [["OMIM:605714", "NTBT"], ["OMIM:2", "W"], ["OMIM:3", None]],
        "ORPHA:102": [],
    }
    import_file(write(tmp_path / "orpha2omim.json", content), "orpha2omim", folder)
    assert rows("disease_mapping", folder, "subject_id", "object_id", "relation") == [
        ("ORPHA:100", "OMIM:208900", "exact"),
        ("ORPHA:100", "OMIM:208910", "narrower"),
        ("ORPHA:101", "OMIM:2", "different"),
        ("ORPHA:101", "OMIM:3", "undecided"),
        ("ORPHA:101", "OMIM:605714", "broader"),
    ]


SSSOM = '''# mapping_set_version: "2030-01-07"
# license: https://creativecommons.org/licenses/by/4.0/
subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id
MONDO:0007947\t"Marfan, a ""name"""\tskos:exactMatch\t\tOMIM:154700
MONDO:0007947\tMarfan syndrome\tskos:exactMatch\t\tOrphanet:558
MONDO:1\ta\tskos:broadMatch\t\tOrphanet:2
MONDO:1\ta\tskos:exactMatch\tNot\tOMIM:5
'''


def test_sssom(tmp_path: Path, folder: Path) -> None:
    path = tmp_path / "mondo.sssom.tsv.gz"
    path.write_bytes(gzip.compress(SSSOM.encode()))
    import_file(path, "sssom", folder)
    assert rows("disease_mapping", folder, "subject_id", "object_id", "relation", "release") == [
        ("MONDO:0007947", "OMIM:154700", "exact", "2030-01-07"),
        ("MONDO:0007947", "ORPHA:558", "exact", "2030-01-07"),
        ("MONDO:1", "OMIM:5", "different", "2030-01-07"),
        ("MONDO:1", "ORPHA:2", "broader", "2030-01-07"),
    ]
    licence = imported_table("imported_file", folder).column("licence").to_pylist()
    assert licence == ["https://creativecommons.org/licenses/by/4.0/"]


BABELON = """source_language\ttranslation_language\tsubject_id\tsource_value\tpredicate_id\t\
translation_value\ttranslation_status
en\tES\tHP:0001250\tSeizure\trdfs:label\tCrisis  epiléptica\tOFFICIAL
en\tES\tHP:0001250\tA long text.\tIAO:0000115\tUn texto largo.\tOFFICIAL
en\tES\tHP:0000118\tPhenotypic abnormality\trdfs:label\t\tNOT_TRANSLATED
en\tES\tHP:0000057\tThing\trdfs:label\tCosa\tCANDIDATE
"""


def test_babelon_keeps_labels_and_their_status(tmp_path: Path, folder: Path) -> None:
    import_file(write(tmp_path / "hp-es.babelon.tsv", BABELON), "babelon", folder)
    columns = ("hpo_id", "language", "source_name", "translated_name", "status")
    assert rows("term_translation", folder, *columns) == [
        ("HP:0000057", "es", "Thing", "Cosa", "candidate"),
        ("HP:0001250", "es", "Seizure", "Crisis epiléptica", "official"),
    ]


@pytest.mark.parametrize(
    ("name", "file_format", "content", "message"),
    [
        ("a.json", "orphadata", '{"JDBOR": [{"date"', r"a\.json, line 1: it is not a whole JSON"),
        ("a.json", "orphadata", {"other": 1}, r"a\.json: it is not Orphadata product 1"),
        ("a.json", "orpha2omim", ["x"], "it is not a JSON object of ORPHA ids"),
        ("a.json", "orpha2omim", {"ORPHA:1": [["OMIM:1", "Q"]]}, "unknown kind of match 'Q'"),
        ("a.json", "orpha2omim", {"ORPHA:1": ["OMIM:1"]}, "ORPHA:1 has no list of"),
        ("a.json", "orpha2omim", {}, "nothing in it can be used"),
        ("a.tsv", "sssom", SSSOM[:-9], r"a\.tsv, line 7: 5 fields expected, 4 found"),
        ("a.tsv", "sssom", SSSOM.replace("broadMatch", "sortOf"), "line 6: the predicate"),
        ("a.tsv", "sssom", "# only: metadata\n", "line 2: the column subject_id is missing"),
        ("a.tsv", "sssom", SSSOM.replace("OMIM:5", "a word"), "line 7: 'a word' is not an id"),
        ("a.tsv", "babelon", BABELON.replace("HP:0001250", "HP:125"), "line 2: 'HP:125' is not an"),
        ("a.tsv", "babelon", BABELON.replace("subject_id", "id"), "line 1: the column subject_id"),
        ("a.tsv", "obo", BABELON, "'obo' is not a format to import"),
    ],
)
def test_bad_files_say_where_and_change_nothing(
    tmp_path: Path, folder: Path, name: str, file_format: str, content: object, message: str
) -> None:
    import_file(write(tmp_path / "product1.json", orphadata()), "orphadata", folder)
    before = stored(folder)
    with pytest.raises(TerminologyError, match=message):
        import_file(write(tmp_path / name, content), file_format, folder)
    assert stored(folder) == before


def test_a_cut_off_archive_and_latin_1(tmp_path: Path, folder: Path) -> None:
    whole = gzip.compress(json.dumps(orphadata()).encode())
    cut = tmp_path / "product1.json.gz"
    cut.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TerminologyError, match="cut off; download it again"):
        import_file(cut, "orphadata", folder)
    latin = tmp_path / "hp-es.babelon.tsv"
    latin.write_bytes(BABELON.encode("latin-1"))
    with pytest.raises(TerminologyError, match="it is not UTF-8 text"):
        import_file(latin, "babelon", folder)
    with pytest.raises(TerminologyError, match="does not exist"):
        import_file(tmp_path / "nowhere.json", "orphadata", folder)


def test_a_full_disk_keeps_what_was_there(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "product1.json", orphadata())
    import_file(path, "orphadata", folder)
    before = stored(folder)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(imports.pq, "write_table", full)
    with pytest.raises(TerminologyError, match="No space left on device"):
        import_file(path, "orphadata", folder)
    assert stored(folder) == before


def test_a_damaged_import_is_named(tmp_path: Path, folder: Path) -> None:
    import_file(write(tmp_path / "product1.json", orphadata()), "orphadata", folder)
    file = folder / "disease_name" / "orphadata_en.parquet"
    file.write_bytes(file.read_bytes()[:100])
    for table in ("disease_name", "imported_file"):
        with pytest.raises(TerminologyError, match=r"orphadata_en\.parquet cannot be read; delete"):
            imported_table(table, folder)


def test_xml_is_told_to_come_as_json(tmp_path: Path, folder: Path) -> None:
    file = tmp_path / "product1.xml"
    file.write_text('<?xml version="1.0"?>\n<JDBOR></JDBOR>\n')
    with pytest.raises(TerminologyError, match=r"XML or HTML, and JSON is read; download the JSON"):
        import_file(file, "orphadata", folder)


def test_what_was_imported_is_listed_and_deleted(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("KERNEL29_TERMINOLOGY_DIR", str(tmp_path / "imported"))
    for lang in ("en", "es"):
        import_file(write(tmp_path / f"{lang}.json", orphadata(lang)), "orphadata")
    listed = CliRunner().invoke(main, ["terminology", "list"]).output
    assert "orphadata_es" in listed
    assert "en.json" in listed

    def forget() -> Result:
        return CliRunner().invoke(main, ["terminology", "forget", "orphadata_es"])

    assert forget().output == "orphadata_es is deleted; the next build leaves it out.\n"
    left = {row["source"] for row in imported_table("imported_file").to_pylist()}
    assert left == {"orphadata_en"}
    assert [event["event"] for event in trail.read().events][-1] == "forget"
    again = forget()
    assert again.exit_code == 1
    monkeypatch.setenv("KERNEL29_TERMINOLOGY_DIR", str(tmp_path / "nothing"))
    assert CliRunner().invoke(main, ["terminology", "list"]).output == "no rows\n"
    assert "Nothing was imported from 'orphadata_es'" in again.output
