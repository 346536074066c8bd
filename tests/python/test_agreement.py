"""Agreement between judges: against published examples, the library's own kappa, and by hand."""

import duckdb
import jinja2
import numpy as np
import pyarrow as pa
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from python_llm import paths
from python_llm.statistics.agreement import (
    COEFFICIENTS,
    agreement_statistics,
    coefficients,
    one_against_rest,
    score_shifts,
)

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), example C: four observers, twelve
# units, five values, some missing. Published: nominal .743, ordinal .815.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def coincidences(observers):
    """The coincidence table of (observers, units), built as the publication does by hand."""
    table = np.zeros((5, 5))
    for unit in zip(*observers, strict=True):
        values = [value for value in unit if value is not None]
        for i, one in enumerate(values):
            for j, other in enumerate(values):
                if i != j:
                    table[one - 1, other - 1] += 1 / (len(values) - 1)
    return table


def test_alpha_is_the_published_one():
    found = coefficients(coincidences(OBSERVERS), is_group=True)
    assert found["alpha_nominal"] == pytest.approx(0.743, abs=5e-4)
    assert found["alpha_ordinal"] == pytest.approx(0.815, abs=5e-4)


def test_two_judges_have_the_alpha_of_their_coincidences():
    # example A of the same publication: two observers, ten binary units, alpha .095
    a = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    b = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    table = np.zeros((2, 2))
    np.add.at(table, (a, b), 1)
    assert coefficients(table)["alpha_nominal"] == pytest.approx(0.095, abs=5e-4)


def test_kappa_agrees_with_statsmodels():
    table = np.random.default_rng(2).integers(0, 30, (5, 5)).astype(float)
    found = coefficients(table)
    assert found["kappa"] == pytest.approx(cohens_kappa(table).kappa)
    assert found["kappa_linear"] == pytest.approx(cohens_kappa(table, wt="linear").kappa)
    assert found["kappa_quadratic"] == pytest.approx(cohens_kappa(table, wt="quadratic").kappa)
    assert found["agreement"] == pytest.approx(np.trace(table) / table.sum())


def test_one_label_against_the_rest_by_hand():
    table = np.array([[20.0, 5.0, 0.0], [10.0, 15.0, 2.0], [0.0, 3.0, 45.0]])
    two = one_against_rest(table, 0)
    assert two.tolist() == [[20, 5], [10, 65]]
    # both 20, either 25 + 30: 40 / 55; p_o .85, p_e .25 * .3 + .75 * .7 = .6
    found = coefficients(two)
    assert found["specific_agreement"] == pytest.approx(40 / 55)
    assert found["kappa"] == pytest.approx((0.85 - 0.6) / 0.4)


@pytest.mark.parametrize(
    "table",
    [
        [[0, 0, 7], [0, 0, 9], [0, 0, 4]],  # the second judge always says the third label
        [[0, 0, 0], [0, 12, 0], [0, 0, 0]],  # both always say the second
    ],
)
def test_a_constant_judge_is_no_better_than_chance(table):
    found = coefficients(np.array(table, float))
    for name in ("kappa", "kappa_linear", "kappa_quadratic"):
        assert found[name] == 0
    assert -1 < found["alpha_nominal"] <= 0
    assert np.isfinite(found["alpha_ordinal"])


def test_a_judge_that_answers_at_random_has_no_kappa():
    generator = np.random.default_rng(7)
    truth, nonsense = generator.integers(0, 5, 4000), generator.integers(0, 5, 4000)
    table = np.zeros((5, 5))
    np.add.at(table, (truth, nonsense), 1)
    found = coefficients(table)
    for name in ("kappa", "kappa_quadratic", "alpha_nominal", "alpha_ordinal"):
        assert abs(found[name]) < 0.05


def counts(cases, comparison="pair", a="x", b="y"):
    """A table of counts from one list of (position_a, position_b) per case."""
    rows = [
        {
            "comparison": comparison,
            "judge_a": a,
            "judge_b": b,
            "test_set": "t",
            "configuration_id": "all",
            "scale": "semantic",
            "case_id": f"{number:04}",
            "position_a": one,
            "position_b": other,
            "n": 1.0,
        }
        for number, pairs in enumerate(cases)
        for one, other in pairs
    ]
    texts = ("comparison", "judge_a", "judge_b", "test_set", "configuration_id", "scale", "case_id")
    schema = pa.schema(
        [
            *((name, pa.string()) for name in texts),
            *((name, pa.int32()) for name in ("position_a", "position_b")),
            ("n", pa.float64()),
        ]
    )
    return pa.Table.from_pylist(rows, schema)


def statistics(table, replicates=500, seed=29):
    return agreement_statistics(table.to_reader, replicates=replicates, seed=seed).to_pylist()


def test_every_comparison_has_the_whole_scale_and_its_labels():
    rows = statistics(counts([[(1, 1), (3, 5)], [(1, 3)], [(5, 5)]] * 5))
    assert [row["label_position"] for row in rows] == [0, 1, 3, 5]
    whole, first, *_ = rows
    assert (whole["n_units"], whole["n_cases"]) == (20, 15)
    assert whole["agreement"] == 0.5
    assert whole["specific_agreement"] is None
    assert first["specific_agreement"] == pytest.approx(2 * 5 / (10 + 5))
    assert first["kappa_quadratic"] is None
    for row in rows:
        assert row["kappa_low"] <= row["kappa"] <= row["kappa_high"]
    # a panel is one row, a group has alphas only
    assert len(statistics(counts([[(1, 2)], [(2, 2)]], "panel"))) == 1
    (group,) = statistics(counts([[(1, 2), (2, 1)], [(2, 2)]], "group"))
    assert group["kappa"] is None
    assert group["alpha_nominal"] is not None


def test_cases_are_what_is_drawn():
    """The same twenty ranks, all independent or ten of each of two cases: the doubt is larger."""
    ranks = [(1, 1), (1, 2)] * 10
    single = statistics(counts([[one] for one in ranks]))[0]
    clustered = statistics(counts([[(1, 1)] * 10, [(1, 2)] * 10]))[0]
    assert single["agreement"] == clustered["agreement"] == 0.5
    assert single["agreement_high"] - single["agreement_low"] < 0.6
    assert (clustered["agreement_low"], clustered["agreement_high"]) == (0, 1)
    (alone, *_) = statistics(counts([ranks]))
    assert alone["agreement_low"] is None


def test_the_same_seed_gives_the_same_intervals():
    table = counts([[(1, 1)], [(1, 2)], [(2, 2)], [(3, 1)]] * 6)
    assert statistics(table) == statistics(table)
    assert statistics(table) != statistics(table, seed=30)
    assert statistics(table.slice(0, 0)) == []


def test_shifts_are_means_over_lists_with_cases_drawn():
    def shifts(values):
        return pa.table(
            {
                "judge_id": ["j"] * len(values),
                "probe": ["reversed"] * len(values),
                "scale": ["semantic"] * len(values),
                "case_id": [f"{number:04}" for number in range(len(values))],
                "n_lists": pa.array([n for n, _ in values], pa.int32()),
                "shift": pa.array([shift for _, shift in values], pa.float64()),
            }
        )

    def result(values):
        return score_shifts(shifts(values).to_reader, replicates=1000, seed=29).to_pylist()

    (row,) = result([(2, 4.0), (1, 1.0), (1, -1.0)] * 10)
    assert row["shift"] == 1.0  # forty lists, 40 in all
    assert (row["n_lists"], row["n_cases"]) == (40, 30)
    assert row["shift_low"] < 1 < row["shift_high"]
    (none,) = result([(1, 0.0)] * 9)
    assert (none["shift"], none["shift_low"], none["shift_high"]) == (0, 0, 0)
    (alone,) = result([(1, 2.0)])
    assert alone["shift_low"] is None


def test_sql_and_python_name_the_same_coefficients():
    text = (paths.project_root() / "macros" / "experiments" / "agreement.sql").read_text()
    body = text.split("macro agreement_coefficients() -%}")[1].split("{%- endmacro")[0]
    assert tuple(body.split()) == COEFFICIENTS


def test_complete_agreement_is_not_certain():
    """All resamples of twenty cases that agree are equal: up to 1 - 0.05^(1/20) of all may not."""
    folder = paths.project_root() / "macros" / "experiments"
    macros = "".join((folder / f"{name}.sql").read_text() for name in ("metrics", "agreement"))
    columns = [
        f"coefficient_end('counted', '{name}', '{sign}')"
        for name in ("agreement", "kappa")
        for sign in "-+"
    ]
    text = macros + ", ".join(f"{{{{ {column} }}}}" for column in columns)
    sql = jinja2.Environment(extensions=["jinja2.ext.do"]).from_string(text).render().strip()
    ends = "{low}::double as {name}_low, {high}::double as {name}_high, {value}::double as {name}"

    def counted(low, high, value):
        named = [
            ends.format(name=n, low=low, high=high, value=value) for n in ("agreement", "kappa")
        ]
        return duckdb.sql(
            f"select {sql} from (select {', '.join(named)}, 20 as n_cases) as counted"
        )

    assert counted(1, 1, 1).fetchone() == (pytest.approx(0.05 ** (1 / 20), abs=1e-9), 1, None, None)
    assert counted(0.5, 0.9, 0.8).fetchone() == (0.5, 0.9, 0.5, 0.9)
