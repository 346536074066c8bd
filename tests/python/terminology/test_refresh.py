"""From official files to seeds: what is written, and what stops it."""

import csv
import hashlib
from pathlib import Path

import pytest

from python_llm.terminology import refresh as refreshing
from python_llm.terminology.errors import TerminologyError
from python_llm.terminology.refresh import refresh

pytestmark = pytest.mark.slow


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_every_seed_and_a_true_manifest(official: dict[str, Path], tmp_path: Path) -> None:
    destination = tmp_path / "seeds"
    manifest = refresh(destination, **official)
    written = {row["seed"]: row for row in rows(destination / "terminology_manifest.csv")}
    assert set(snapshot(destination)) == {f"{s}.csv" for s in [*written, "terminology_manifest"]}
    assert [row.seed for row in manifest] == sorted(written)
    for seed, row in written.items():
        path = destination / f"{seed}.csv"
        assert row["seed_sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert int(row["n_rows"]) == len(rows(path))
        assert row["licence"]
    source = hashlib.sha256(official["hp_obo"].read_bytes()).hexdigest()
    assert written["hpo_term"]["source_sha256"] == source
    assert written["hpo_term"]["release"] == written["disease"]["release"] == "2030-02-03"
    assert written["icd10cm_code"]["release"] == "2030-04-01"
    assert written["mondo_name"]["release"] == written["mondo_is_a"]["release"] == "2030-05-06"


def test_contents(official: dict[str, Path], tmp_path: Path) -> None:
    refresh(tmp_path, **official)
    assert rows(tmp_path / "hpo_synonym.csv")[0] == {
        "id": "HP:0001250",
        "synonym": 'Epileptic "fit"',
        "scope": "exact",
        "type": "layperson",
    }
    assert rows(tmp_path / "hpo_alt_id.csv") == [{"alt_id": "HP:0001275", "id": "HP:0001250"}]
    obsolete = rows(tmp_path / "hpo_term.csv")[1]
    assert obsolete["is_obsolete"] == "true"
    assert obsolete["replaced_by"] == "HP:0001250"
    diseases = rows(tmp_path / "disease.csv")
    assert [(d["disease_id"], d["name"], d["n_annotations"]) for d in diseases] == [
        ("DECIPHER:3", "Deletion", "1"),
        ("OMIM:1", "Disease, first", "2"),
        ("OMIM:1", "Disease, renamed", "1"),
        ("ORPHA:2", 'Name with "quotes", commas', "1"),
    ]
    assert diseases[1]["last_curated_on"] == "2024-05-06"
    omim = rows(tmp_path / "disease_phenotype_omim.csv")
    assert [row["frequency"] for row in omim] == ["1/2", "HP:0040281"]
    assert rows(tmp_path / "disease_phenotype_orpha.csv")[0]["is_negated"] == "true"
    assert len(rows(tmp_path / "disease_gene.csv")) == 2
    assert [tuple(row.values()) for row in rows(tmp_path / "mondo_name.csv")] == [
        ("MONDO:0000001", "disease", "preferred"),
        ("MONDO:0000002", "Heart disease", "preferred"),
        ("MONDO:0000002", "cardiac disease", "exact"),
        ("MONDO:0000003", "myocarditis", "preferred"),
    ]
    assert [tuple(row.values()) for row in rows(tmp_path / "mondo_is_a.csv")] == [
        ("MONDO:0000002", "MONDO:0000001"),
        ("MONDO:0000003", "MONDO:0000002"),
    ]
    prose = b"".join(snapshot(tmp_path).values())
    assert b"Prose" not in prose
    assert b"sentence" not in prose


def test_newer_diseases_are_added_to_older_annotations(
    official: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = tmp_path / "newer.csv"
    lines = ["disease_id,name,hpo_ids,release"]
    lines += [f"OMIM:9,New one,HP:0001250;HP:9999999,{day}" for day in ("2031-01-01", "2029-01-01")]
    lines += ["OMIM:1,Known,HP:0001250,2031-01-01", "ORPHA:9,No term,HP:9999999,2031-01-01"]
    newer.write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(refreshing, "NEWER", newer)
    refresh(tmp_path / "seeds", **official)
    diseases = rows(tmp_path / "seeds" / "disease.csv")
    added = [row for row in diseases if row["release"] != "2030-02-03"]
    assert [(row["disease_id"], row["name"], row["release"]) for row in added] == [
        ("OMIM:9", "New one", "2031-01-01")
    ]
    phenotypes = rows(tmp_path / "seeds" / "disease_phenotype_omim.csv")
    assert [row for row in phenotypes if row["disease_id"] == "OMIM:9"] == [
        {
            **dict.fromkeys(phenotypes[0], ""),
            "disease_id": "OMIM:9",
            "hpo_id": "HP:0001250",
            "is_negated": "false",
            "aspect": "P",
            "evidence": "unknown",
            "source": "HPO 2031-01-01",
        }
    ]


def test_same_bytes_whatever_the_order_of_the_source(
    official: dict[str, Path], tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    refresh(first, **official)
    lines = official["hpoa"].read_text().splitlines()
    official["hpoa"].write_text("\n".join([*lines[:3], *reversed(lines[3:])]) + "\n")
    header, *genes = official["genes"].read_text().splitlines()
    official["genes"].write_text("\n".join([header, *reversed(genes)]) + "\n")
    refresh(second, **official)
    manifest = "terminology_manifest.csv"
    one, two = snapshot(first), snapshot(second)
    assert {k: v for k, v in one.items() if k != manifest} == {
        k: v for k, v in two.items() if k != manifest
    }
    refresh(second, **official)
    assert snapshot(second) == two
    assert b"\r" not in b"".join(two.values())


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("hpoa", "\t1/2\t", "\t1 in 2\t", r"hpoa, line 4: frequency '1 in 2' is not an HPO"),
        ("hpoa", "\t1/2\t", "\t1/0\t", r"hpoa, line 4: frequency '1/0' is not"),
        ("hpoa", "OMIM:1\tDisease, first", "MIM:1\tx", r"hpoa, line 4: database_id 'MIM:1'"),
        ("hpoa", "\tP\tHPO:x[2020", "\tP", r"hpoa, line 4: 12 fields expected, 11 found"),
        ("hpoa", "database_id", "#DatabaseID", r"hpoa, line 4: its columns are not"),
        ("hpoa", "HP:0001250", "HP:9999999", r"phenotype.hpoa uses 1 terms that hp.obo does not"),
        ("hp_obo", "id: HP:0000118", "id: HP:118", r"hp\.obo, line \d+: 'HP:118' is not an HPO"),
        ("hp_obo", "is_a: HP:0000001", "is_a: HP:0000002", r"is_a HP:0000002, which is not a term"),
        ("hp_obo", "data-version:", "version:", r"hp\.obo: its header has no data-version"),
        ("hp_obo", "name: Seizure\n", "", r"hp\.obo, line 15: a term does not have exactly one id"),
        ("genes", "\tOMIM:1\n", "\n", r"genes_to_phenotype\.txt, line 2: 6 fields expected, 5"),
        ("genes", "ncbi_gene_id", "entrez", r"genes_to_phenotype\.txt, line 1: its columns"),
        ("mondo", '"label": "myocarditis", ', "", r"05-06\.json: MONDO:0000003 lacks label"),
        ("mondo", '"cardiac  disease"', "7", r"05-06\.json: MONDO:0000002 lacks .* a synonym is"),
        ("mondo", '"MONDO:0000002": 1', '"MONDO:0000004": 1', r"0003 is_a MONDO:0000004, which is"),
        ("mondo", "{", "[", r"MONDO-ontology-v2030-05-06\.json: it is not JSON; use the published"),
        ("icd10cm_codes", "C50", "??", r"codes-April-1-2030\.txt, line 3: '\?\?' is not an ICD"),
    ],
)
def test_a_malformed_file_changes_nothing(
    official: dict[str, Path], tmp_path: Path, name: str, old: str, new: str, message: str
) -> None:
    destination = tmp_path / "seeds"
    refresh(destination, **official)
    before = snapshot(destination)
    text = official[name].read_text(encoding="utf-8")
    assert old in text
    if new == "\tP":
        line = text.splitlines()[3]
        text = text.replace(line, line.rpartition("\t")[0], 1)
    else:
        text = text.replace(old, new, 1)
    official[name].write_text(text, encoding="utf-8")
    with pytest.raises(TerminologyError, match=message) as caught:
        refresh(destination, **official)
    assert "\n" not in str(caught.value)
    assert snapshot(destination) == before


def test_a_missing_file_and_a_missing_package_name_the_remedy(
    official: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TerminologyError, match=r"absent\.obo given for hp_obo does not exist"):
        refresh(tmp_path / "seeds", **{**official, "hp_obo": tmp_path / "absent.obo"})
    without = {key: path for key, path in official.items() if key != "hp_obo"}
    monkeypatch.setattr(refreshing.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(TerminologyError, match=r"pip install 'kernel29\[terminology\]'"):
        refresh(tmp_path / "seeds", **without)
    assert not (tmp_path / "seeds").exists()


def test_mondo_under_another_name_or_broken(official: dict[str, Path], tmp_path: Path) -> None:
    renamed = official["mondo"].rename(tmp_path / "mondo.json")
    with pytest.raises(
        TerminologyError, match=r"mondo\.json: its name is not MONDO-ontology-vYYYY"
    ):
        refresh(tmp_path / "seeds", **{**official, "mondo": renamed})
    for content, problem in [
        (b"\x28\xb5\x2f\xfd" + b"\xff" * 99, "it cannot be decompressed"),
        (b"\x28\xb5\x2f\xfd", "it is cut off"),
        (b"[]", "it is not an object of terms by id"),
    ]:
        official["mondo"].write_bytes(content)
        with pytest.raises(TerminologyError, match=problem):
            refresh(tmp_path / "seeds", **official)
    assert not (tmp_path / "seeds").exists()


def test_a_tabular_needs_its_list_of_codes(official: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(TerminologyError, match="seventh-character codes"):
        refresh(tmp_path / "seeds", **{**official, "icd10cm_codes": None})
    with pytest.raises(TerminologyError, match="without the tabular XML"):
        refresh(tmp_path / "seeds", **{**official, "icd10cm": None})


def test_a_full_disk_halfway_puts_everything_back(
    official: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    destination = tmp_path / "seeds"
    refresh(destination, **official)
    (destination / "hpo_is_a.csv").unlink()
    (destination / "by_hand.csv").write_text("a\n1\n")
    before = snapshot(destination)
    hpoa = official["hpoa"]
    hpoa.write_text(hpoa.read_text().replace("1/2", "1/3"))

    replace, calls = refreshing.os.replace, []

    def fails_late(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) == 9:
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(refreshing.os, "replace", fails_late)
    with pytest.raises(TerminologyError, match=r"\(No space left on device\); they are as"):
        refresh(destination, **official)
    assert len(calls) > 9
    assert snapshot(destination) == before
    assert not list(destination.glob(".refresh-*"))


def test_what_a_killed_run_left_is_cleared_and_is_no_seed(
    official: dict[str, Path], tmp_path: Path
) -> None:
    left_over = tmp_path / ".refresh-killed"
    left_over.mkdir()
    (left_over / "hpo_term.csv.new").write_text("torn")
    refresh(tmp_path, **official)
    assert not left_over.exists()


SEEDS = Path(__file__).parents[3] / "seeds" / "terminology"


def test_the_shipped_seeds_are_what_their_manifest_says() -> None:
    manifest = rows(SEEDS / "terminology_manifest.csv")
    by_hand = {"hpo_range_term", "disease_class_correction"}
    by_hand |= {"disease_prevalence", "organ_system", "terminology_manifest"}
    by_hand |= {path.stem for path in SEEDS.glob("clinical_*.csv")}
    assert {path.stem for path in SEEDS.glob("*.csv")} - by_hand == {
        row["seed"] for row in manifest
    }
    for row in manifest:
        path = SEEDS / f"{row['seed']}.csv"
        assert hashlib.sha256(path.read_bytes()).hexdigest() == row["seed_sha256"], path.name
        assert path.stat().st_size < 10_000_000


def test_the_packages_give_the_shipped_seeds(tmp_path: Path) -> None:
    refresh(tmp_path)
    for path in tmp_path.glob("*.csv"):
        assert path.read_bytes() == (SEEDS / path.name).read_bytes(), path.name


def test_the_order_file_gives_the_same_seeds(
    official: dict[str, Path], order_file: Path, tmp_path: Path
) -> None:
    given = {key: path for key, path in official.items() if not key.startswith("icd10cm")}
    refresh(tmp_path, icd10cm=order_file, **given)
    written = {row["seed"]: row for row in rows(tmp_path / "terminology_manifest.csv")}
    assert written["icd10cm_code"]["release"] == "2029-04"
    assert written["icd10cm_inclusion_term"]["release"] == "2029-04"
    assert rows(tmp_path / "icd10cm_inclusion_term.csv") == []
    assert [row["code"] for row in rows(tmp_path / "icd10cm_extension_code.csv")] == [
        "S00.0XXA",
        "T07.XXXA",
    ]
