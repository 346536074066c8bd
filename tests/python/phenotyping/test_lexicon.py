"""What is kept of names and signs reads as what it was made of; a damaged file is made anew."""

import json

import pyarrow as pa
import pytest

from python_llm.phenotyping import lexicon
from python_llm.phenotyping.dictionary import Dictionary
from python_llm.phenotyping.text import tokens_of

NAMES = [
    ("Long fingers", "HP:0001166", "preferred", "en", False),
    ("Arachnodactyly", "HP:0001166", "exact", "en", False),
    ("Absent speech", "HP:0001344", "preferred", "en", False),
    ("CP", "HP:0100021", "abbreviation", "en", False),
    ("Macular hypopigmentation", "HP:0032368", "preferred", "en", False),
    ("Hypopigmented macules", "HP:0020072", "preferred", "en", False),
    ("Ronca", "HP:0025267", "exact", "es", True),
    ("Ronchas", "HP:0001025", "exact", "es", True),
    ("Hepatoesplenomegalia", "HP:0001433", "exact", "es", False),
]
TEXTS = [
    "long and slender fingers, absence of speech",
    "CP since birth; arachnodactily",
    "hypopigmented macules, macular hypopigmentation",
    "ronca de noche y tiene ronchas, hepatosplenomegalia",
    "digits that are long",
]


def names():
    columns = ("name", "hpo_id", "scope", "language", "is_lay")
    rows = [dict(zip(columns, row, strict=True)) for row in NAMES]
    return [{**row, "name_normalised": row["name"].lower(), "claim": 0.95} for row in rows]


def tables():
    return {
        "names": pa.Table.from_pylist(names()),
        "same_words": pa.table({"word": ["digits"], "same_as": ["fingers"]}),
        "stop_words": pa.table({"word": ["fine"], "language": ["en"], "beside": [None]}),
        "signs": pa.table({"sign": ["cold"], "criterion": ["leg"], "words": ["cold (?:leg|foot)"]}),
    }


def read_by(knowledge):
    return [
        [*knowledge.names.find(tokens_of(text), text), *knowledge.signs.matches_in(text)]
        for text in TEXTS
    ]


@pytest.mark.parametrize("language", ["en", "es"])
def test_what_is_kept_reads_as_what_was_made(language, tmp_path, monkeypatch):
    made = lexicon.kept(tmp_path, language, **tables())
    assert any(map(bool, read_by(made)))
    monkeypatch.setattr(lexicon.Lexicon, "of", None)  # nothing is made a second time
    again = lexicon.kept(tmp_path, language, **tables())
    assert read_by(again) == read_by(made)
    assert again.preferred == made.preferred
    assert [name for name, _ in again.signs.matches_in("a cold foot")] == ["cold#leg"]
    assert json.dumps(again.packed()) == json.dumps(made.packed())


def test_a_lexicon_of_rows_is_kept_beside_that_of_tables(tmp_path, monkeypatch):
    whole = tables()
    rows = {name: whole[name].to_pylist() for name in ("names", "stop_words", "signs")}
    rows["same_words"] = {"digits": "fingers"}
    made = [
        lexicon.kept(tmp_path, "en", **whole),
        lexicon.kept_of_rows(tmp_path, "alarms", "en", rows),
    ]
    monkeypatch.setattr(lexicon.Lexicon, "of", None)  # neither is made a second time
    again = lexicon.kept_of_rows(tmp_path, "alarms", "en", rows)
    assert read_by(made[0]) == read_by(made[1]) == read_by(again)
    assert read_by(lexicon.kept(tmp_path, "en", **whole)) == read_by(again)


def test_other_names_make_another_lexicon(tmp_path):
    lexicon.kept(tmp_path, "en", **tables())
    added = pa.Table.from_pylist([*names(), {**names()[0], "name_normalised": "spider fingers"}])
    more = lexicon.kept(tmp_path, "en", **{**tables(), "names": added})
    assert more.names.find(tokens_of("spider fingers"), "spider fingers")
    assert len([*tmp_path.iterdir()]) == 1


def test_a_damaged_lexicon_is_made_anew(tmp_path):
    made = read_by(lexicon.kept(tmp_path, "en", **tables()))
    (file,) = tmp_path.iterdir()
    whole = file.read_bytes()
    for damaged in (b"", whole[:-9], whole.replace(b"HP:0001166", b"HP:0001167"), b"\xff\n{}"):
        file.write_bytes(damaged)
        assert read_by(lexicon.kept(tmp_path, "en", **tables())) == made
        assert file.read_bytes() == whole


def test_a_note_is_read_where_nothing_can_be_kept(tmp_path):
    (tmp_path / "lexicons").write_text("in the way")
    assert any(read_by(lexicon.kept(tmp_path / "lexicons", "en", **tables())))


def test_an_unpacked_dictionary_corrects_slips():
    dictionary = Dictionary(names())
    again = Dictionary.unpacked(dictionary.packed())
    for one in (dictionary, again):
        (mention,) = one.find(tokens_of("arachnodactily"), "arachnodactily")
        assert mention.hpo_id == "HP:0001166"
