"""What dbt is shown of the macros of a project for one node: what it may call, and little else."""

from types import SimpleNamespace

import pytest

from python_llm.job.dbt.callable_macros import Macros

MACROS = {
    "macro.dbt.materialization_table_default": "{% do statement('main') %}",
    "macro.dbt.materialization_snapshot_default": "{{ context['snap' ~ 'shot'] }}",
    "macro.dbt.statement": "{{ adapter.dispatch('run_it')() }}",
    "macro.dbt.default__run_it": "",
    "macro.dbt_duckdb.duckdb__run_it": "{{ deepest() }}",
    "macro.dbt.deepest": "",
    "macro.dbt.py_script_postfix": "",
    "macro.dbt.get_where_subquery": "",
    "macro.own.score": "{{ weight(1) }}",
    "macro.own.weight": "",
    "macro.own.of_a_hook": "",
    "macro.own.of_a_test": "",
    "macro.own.nobody_calls": "",
    "macro.other.first": "",
    "macro.other.second": "",
}


class Manifest:
    """As much of dbt's manifest as is looked at, with something else in it."""

    def __init__(self):
        self.nodes = {"model.own.a": "a node"}
        self.macros = {}
        for unique_id, text in MACROS.items():
            _, package, name = unique_id.split(".")
            self.macros[unique_id] = SimpleNamespace(
                unique_id=unique_id, package_name=package, name=name, macro_sql=text
            )
        self._macros_by_package = {}
        for macro in self.macros.values():
            self._macros_by_package.setdefault(macro.package_name, {})[macro.name] = macro

        self._ref_lookup = None
        self.doc_lookup = self.source_lookup = self.disabled_lookup = {}

    @property
    def ref_lookup(self):
        self._ref_lookup = self._ref_lookup or object()
        return self._ref_lookup

    def get_macros_by_package(self):
        return self._macros_by_package


class Node:
    def __init__(self, code="", config="", test="", kind="table"):
        self.raw_code, self.config, self.test_metadata = code, config, test
        self.get_materialization = lambda: kind


def shown(node):
    packages = Macros(Manifest()).narrowed(node).get_macros_by_package()
    return {name for macros in packages.values() for name in macros}


ALWAYS = {"materialization_table_default", "statement", "default__run_it", "duckdb__run_it"}
ALWAYS |= {"deepest", "py_script_postfix", "get_where_subquery", "first"}


@pytest.mark.parametrize(
    ("node", "more"),
    [
        (Node("select {{ score() }}"), {"score", "weight"}),
        (Node(config="pre_hook=['{{ of_a_hook() }}']"), {"of_a_hook"}),
        (Node(test="kwargs={'where': '{{ of_a_test() }}'}"), {"of_a_test"}),
        (Node("select 1"), set()),
    ],
)
def test_a_node_has_what_it_names_directly_or_not(node, more):
    assert more | ALWAYS <= shown(node)
    assert not {"nobody_calls", "second", "materialization_snapshot_default"} & shown(node)


def test_a_node_has_all_where_names_may_be_put_together():
    assert shown(Node(kind="snapshot")) == {name.split(".")[2] for name in MACROS}


def test_no_package_goes_and_the_whole_manifest_stays():
    manifest = Manifest()
    narrowed = Macros(manifest).narrowed(Node("select 1"))
    assert narrowed.get_macros_by_package().keys() == manifest.get_macros_by_package().keys()
    assert narrowed.nodes is manifest.nodes
    assert narrowed.macros is manifest.macros
    assert len(manifest.get_macros_by_package()["own"]) == 5


def test_what_the_manifest_looks_up_is_made_once_for_all_nodes():
    macros = Macros(Manifest())
    first, second = (macros.narrowed(Node(code)) for code in ("select 1", "select 2"))
    assert first.ref_lookup is second.ref_lookup
