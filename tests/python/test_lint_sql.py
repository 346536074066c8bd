"""What passed the linter once is linted again when its verdict may differ, and only then."""

from lint_sql import fingerprint, macros

MACROS = {
    "outer": "{% macro outer() %}{{ inner() }}{% endmacro %}",
    "inner": "{% macro inner() %}1{% endmacro %}",
    "other": "{% macro other() %}2{% endmacro %}",
}
TEXT = "select {{ outer() }}"


def test_a_fingerprint_is_that_of_all_a_verdict_depends_on():
    before = fingerprint(TEXT, MACROS, "rules")
    assert fingerprint(TEXT, {**MACROS, "other": "3"}, "rules") == before
    for name in ("outer", "inner"):
        assert fingerprint(TEXT, {**MACROS, name: MACROS[name] + " "}, "rules") != before
    assert fingerprint(TEXT + " ", MACROS, "rules") != before
    assert fingerprint(TEXT, MACROS, "other rules") != before


def test_every_macro_of_a_file_is_known(tmp_path):
    (tmp_path / "all.sql").write_text(
        "\n".join(MACROS.values()) + "{%- test own(a) -%}x{%- endtest -%}"
    )
    known = macros(tmp_path)
    assert {name: known[name] for name in MACROS} == MACROS
    assert set(known) == {*MACROS, "own"}
