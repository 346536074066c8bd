"""The pictures of which table is made of which."""

import re
import xml.etree.ElementTree as ET

import project
import pytest

from python_llm import paths
from python_llm.console import build
from python_llm.report import lineage


def node(key, path, *parents):
    kind, _, name = key.split(".")
    return {
        "resource_type": kind,
        "name": name,
        "original_file_path": path,
        "depends_on": {"nodes": list(parents)},
    }


A, B, C, S = "model.k.stg_a", "model.k.int_b", "model.k.fct_c", "seed.k.s"
MANIFEST = {
    "nodes": {
        S: node(S, "seeds/calls/s.csv"),
        A: node(A, "models/staging/calls/stg_a.sql", S),
        B: node(B, "models/intermediate/calls/int_b.sql", A, S),
        C: node(C, "models/marts/scores/fct_c.sql", B, A),
        "test.k.t": node("test.k.t", "tests/t.sql", C),
    },
    "sources": {},
}


def test_arrows_lead_to_the_right_and_what_is_read_is_shown():
    drawn = lineage.Lineage(MANIFEST)
    assert drawn.pictures() == {"calls": [A, B], "scores": [C]}
    boxes = drawn.boxes([A, B])
    assert {key: (box.column, box.kind) for key, box in boxes.items()} == {
        S: (0, "seed"),
        A: (1, "staging"),
        B: (2, "intermediate"),
    }
    scores = drawn.boxes([C])
    assert {key: box.kind for key, box in scores.items()} == {
        A: "elsewhere",
        B: "elsewhere",
        C: "marts",
    }
    svg = ET.fromstring(drawn.svg("calls", [A, B]))
    assert len(svg.findall("{*}path")) == 2 * 3  # a line and a head for each of three
    assert len(svg.findall("{*}a")) == 3


def test_a_large_domain_has_a_picture_per_folder(monkeypatch):
    monkeypatch.setattr(lineage, "LARGE", 1)
    nodes = {
        key: {**one, "original_file_path": one["original_file_path"].replace("/int_", "/deep/int_")}
        for key, one in MANIFEST["nodes"].items()
    }
    drawn = lineage.Lineage({**MANIFEST, "nodes": nodes})
    assert drawn.pictures() == {"calls": [A], "calls/deep": [B], "scores": [C]}


@pytest.mark.slow
def test_every_model_is_in_one_picture_in_a_place_of_its_own():
    manifest = project.manifest()
    drawn = lineage.Lineage(manifest)
    pictures = drawn.pictures()
    models = [key for key, one in manifest["nodes"].items() if one["resource_type"] == "model"]
    assert sorted(key for keys in pictures.values() for key in keys) == sorted(models)
    for keys in pictures.values():
        boxes = drawn.boxes(keys)
        assert len({(box.column, box.row) for box in boxes.values()}) == len(boxes)
        for key in keys:
            for parent in drawn.parents[key]:
                assert boxes[parent].column < boxes[key].column
    page = lineage.page(manifest)
    assert 'name="viewport"' in page
    assert set(re.findall(r'<a href="#([^"]+)"', page)) == pictures.keys()


def test_the_overview_links_every_table_it_names():
    """The first thing a reader sees: a name leads to its columns."""
    text = (paths.project_root() / "models" / "overview.md").read_text(encoding="utf-8")
    linked = re.findall(r"\[(\w+)\]\(#!/model/model\.kernel29\.(\w+)\)", text)
    assert linked
    assert all(name == target for name, target in linked)
    named = re.findall(r"`((?:dim|bridge|fct|rpt)_\w+)`", text)
    assert named == []


def test_the_menu_leaves_a_phone_its_screen():
    assert re.search(r"@media \(max-width: \d+px\)", build.ON_A_PHONE)
    assert ".app { min-width: 0 !important; }" in build.ON_A_PHONE  # dbt's page asks for 960 px
    assert build.ON_A_PHONE.endswith("</head>")


def test_a_long_name_is_whole_and_stays_in_its_box():
    name = "int_recommendations__generation_responses"
    box = lineage.Box(f"model.k.{name}", name, "intermediate", 0, 0)
    drawn = ET.fromstring(f'<svg xmlns="s">{lineage._box(box)}</svg>')
    text = drawn.find(".//{s}text")
    assert text.text == name
    assert int(text.get("x")) + int(text.get("textLength")) <= box.x + lineage.WIDTH
