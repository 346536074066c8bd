"""Small official-looking files, in the official formats, made for the tests."""

from collections.abc import Callable
from pathlib import Path

import pytest

TABULAR = """<?xml version="1.0" encoding="utf-8"?>
<ICD10CM.tabular>
  <version>2030</version>
  <introduction/>
  <chapter>
    <name>2</name>
    <desc>Neoplasms (C00-D49)</desc>
    <section id="C00-C96"><desc>Malignant neoplasms (C00-C96)</desc></section>
    <section id="C00-C75"><desc>Malignant neoplasms, primary (C00-C75)</desc></section>
    <section id="C50"><desc>Breast (C50)</desc>
      <diag><name>C50</name><desc>Malignant neoplasm of breast</desc>
        <includes><note>Paget's disease of breast</note></includes>
        <includes><note>{sentence}</note></includes>
      </diag>
    </section>
    <section id="C7A"><desc>Neuroendocrine tumors (C7A)</desc>
      <diag><name>C7A</name><desc>Malignant neuroendocrine tumors</desc>
        <diag><name>C7A.0</name><desc>Malignant carcinoid tumors</desc></diag>
      </diag>
    </section>
  </chapter>
  <chapter>
    <name>19</name>
    <desc>Injury (S00-T88)</desc>
    <section id="S00-S09"><desc>Injuries to the head (S00-S09)</desc>
      <diag><name>S00</name><desc>Superficial injury of head</desc>
        <sevenChrDef>
          <extension char="A">initial encounter</extension>
          <extension char="D">subsequent  encounter</extension>
        </sevenChrDef>
        <diag><name>S00.0</name><desc>Superficial injury of scalp</desc>
          <inclusionTerm><note>Graze of scalp</note></inclusionTerm>
        </diag>
        <diag><name>S00.1</name><desc>Contusion of eyelid</desc>
          <sevenChrDef><extension char="7">special</extension></sevenChrDef>
          <diag><name>S00.11</name><desc>Contusion of right eyelid</desc></diag>
        </diag>
      </diag>
    </section>
    <section id="T07"><desc>Multiple injuries (T07)</desc>
      <diag><name>T07</name><desc>Unspecified multiple injuries</desc>
        <sevenChrDef><extension char="A">initial encounter</extension></sevenChrDef>
      </diag>
    </section>
  </chapter>
</ICD10CM.tabular>
""".format(sentence="a sentence " * 12)

# S00.0XXD is not listed: the rule would make it, the exception is written nowhere but here.
CODE_LIST = """2
C00-C96
C50
C7A
C7A0
19
S00
S000
S00.0XXA  Superficial injury of scalp, initial encounter
S001
S0011
S0011X7
T07
T07XXXA
"""


def order_line(number: int, code: str, billable: int, title: str) -> str:
    return f"{number:05d} {code:<7} {billable} {title[:60]:<60} {title}"


ORDER_ROWS = [
    ("C50", 1, "Breast, by the order file"),
    ("C75", 1, "Other endocrine glands"),
    ("C7A", 0, "Malignant neuroendocrine tumors"),
    ("C7A0", 1, "Malignant carcinoid tumors"),
    ("S00", 0, "Superficial injury of head"),
    ("S000", 0, "Superficial injury of scalp"),
    ("S000XXA", 1, "Superficial injury of scalp, initial encounter"),
    ("T07", 0, "Unspecified multiple injuries"),
    ("T07XXXA", 1, "Unspecified multiple injuries, initial encounter"),
]

OBO = r"""format-version: 1.2
data-version: hp/releases/2030-02-03
ontology: hp.obo

[Term]
id: HP:0000001
name: All

[Term]
id: HP:0000118
name: Phenotypic abnormality
def: "Prose that stays out." [HPO:x]
is_a: HP:0000001 ! All

[Term]
id: HP:0001250
name: Seizure
alt_id: HP:0001275
synonym: "Epileptic \"fit\"" EXACT layperson [ORCID:0]
synonym: "Sz" EXACT abbreviation []
synonym: "Spell" BROAD [HPO:x]
is_a: HP:0000118 ! Phenotypic abnormality

[Term]
id: HP:0000057
name: obsolete Thing
is_obsolete: true
replaced_by: HP:0001250

[Typedef]
id: part_of
name: part of
"""

HPOA_HEADER = (
    "database_id\tdisease_name\tqualifier\thpo_id\treference\tevidence\tonset\tfrequency\tsex\t"
    "modifier\taspect\tbiocuration"
)


def annotation(
    disease_id: str = "OMIM:1",
    name: str = "Disease, first",
    qualifier: str = "",
    hpo_id: str = "HP:0001250",
    frequency: str = "",
    curated: str = "HPO:x[2020-01-01]",
) -> str:
    return "\t".join(
        [disease_id, name, qualifier, hpo_id, "PMID:1", "PCS", "", frequency, "", "", "P", curated]
    )


HPOA = "\n".join(
    [
        '#description: "annotations"',
        "#version: 2030-02-03",
        HPOA_HEADER,
        annotation(frequency="1/2"),
        annotation(frequency="1/2", curated="HPO:y[2024-05-06]"),
        annotation(name="Disease, renamed", frequency="HP:0040281"),
        annotation(disease_id="ORPHA:2", name='Name with "quotes", commas', qualifier="NOT"),
        annotation(
            disease_id="DECIPHER:3", name="Deletion", hpo_id="HP:0001275", frequency="12.5%"
        ),
        "",
    ]
)

GENES = """ncbi_gene_id\tgene_symbol\thpo_id\thpo_name\tfrequency\tdisease_id
10\tNAT2\tHP:0001250\tSeizure\t-\tOMIM:1
10\tNAT2\tHP:0000118\tPhenotypic abnormality\t1/2\tOMIM:1
9\tNAT1\tHP:0001250\tSeizure\t-\tORPHA:2
"""


MONDO = """{
 "MONDO:0000001": {"label": "disease", "deprecated": false, "ancestors": {}, "comments": ["Prose"]},
 "MONDO:0000002": {"label": "Heart disease", "deprecated": false, "ancestors": {"MONDO:0000001": 1},
  "synonyms": ["cardiac  disease", "Heart disease"]},
 "MONDO:0000003": {"label": "myocarditis", "deprecated": false,
  "ancestors": {"MONDO:0000002": 1, "MONDO:0000001": 2}, "synonyms": []},
 "MONDO:0000004": {"label": "obsolete carditis", "deprecated": true, "ancestors": {}},
 "MONDO:0005583": {"label": "non-human animal disease", "deprecated": false,
  "ancestors": {"MONDO:0000001": 1}},
 "MONDO:0000005": {"label": "myocarditis, dog", "deprecated": false,
  "ancestors": {"MONDO:0005583": 1, "MONDO:0000001": 2}},
 "MONDO:0021125": {"label": "disease characteristic", "deprecated": false, "ancestors": {}},
 "HP:0000001": {"label": "All", "deprecated": false, "ancestors": {}}
}
"""


@pytest.fixture
def official(tmp_path: Path) -> dict[str, Path]:
    """Paths of one release of all six files, by the names refresh() knows them under."""
    folder = tmp_path / "official"
    folder.mkdir()
    files = {
        "icd10cm": ("icd10cm-tabular-April-1-2030.xml", TABULAR),
        "icd10cm_codes": ("icd10cm-codes-April-1-2030.txt", CODE_LIST),
        "hp_obo": ("hp.obo", OBO),
        "hpoa": ("phenotype.hpoa", HPOA),
        "genes": ("genes_to_phenotype.txt", GENES),
        "mondo": ("MONDO-ontology-v2030-05-06.json", MONDO),
    }
    for name, text in files.values():
        (folder / name).write_text(text, encoding="utf-8")
    return {key: folder / name for key, (name, _) in files.items()}


@pytest.fixture
def order_file(tmp_path: Path) -> Path:
    path = tmp_path / "icd10cm-order-April-2029.txt"
    lines = [order_line(n, *row) for n, row in enumerate(ORDER_ROWS, start=1)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def as_order_line() -> Callable[[int, str, int, str], str]:
    """Writes a line of the order file: number, code, billable flag, title."""
    return order_line
