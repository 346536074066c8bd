"""Intervals and tests against the libraries' own answers and values that can be checked by hand."""

from functools import partial

import duckdb
import jinja2
import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import bootstrap, wilcoxon
from scipy.stats import t as student
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

from python_llm import paths
from python_llm.statistics.blocks import resample_counts
from python_llm.statistics.detectable import (
    detectable_share_difference,
    detectable_standardised_difference,
    interval_quantiles,
)
from python_llm.statistics.intervals import metric_intervals
from python_llm.statistics.metrics import AGGREGATES, COMPARED, MEANS, RANKED, SHARES
from python_llm.statistics.paired import compared_configurations, paired_tests


def metrics(values, metric, judge="j"):
    """case_metrics of configurations c0, c1, … from a list of lists; every metric is `values`."""
    rows = [
        {
            "configuration_id": f"c{number}",
            "case_id": f"{case:04}",
            "judge_id": judge,
            "test_set": "t",
            **dict.fromkeys((*SHARES, *MEANS)),
            metric: value,
        }
        for number, one in enumerate(values)
        for case, value in enumerate(map(float, one))
    ]
    floats = [(name, pa.float64()) for name in (*SHARES, *MEANS)]
    names = ("configuration_id", "case_id", "judge_id", "test_set")
    return pa.Table.from_pylist(rows, pa.schema([*((n, pa.string()) for n in names), *floats]))


def weights(values, weight):
    """case_weights at one setting; semantic only."""
    table = metrics(values, "mrr_strict")
    columns = {
        "setting": ["medium"] * table.num_rows,
        "semantic_rescaled": np.ravel(values),
        "semantic_weight": np.ravel(weight),
        "severity_rescaled": pa.nulls(table.num_rows, pa.float64()),
        "severity_weight": pa.nulls(table.num_rows, pa.float64()),
    }
    for name, column in columns.items():
        table = table.append_column(name, pa.array(column))
    return table


AXES = {"block": ("judge_id", "test_set"), "unit": "case_id"}
NO_WEIGHTS = weights([[0.0]], [[1.0]]).slice(0, 0)


def rows_of(table, metric):
    return [row for row in table.to_pylist() if row["metric"] == metric]


def intervals(values, metric="mrr_strict", replicates=2000, seed=29):
    table = metric_intervals(
        metrics(values, metric).to_reader, NO_WEIGHTS.to_reader, replicates=replicates, seed=seed
    )
    return [(row["estimate_low"], row["estimate_high"]) for row in rows_of(table, metric)]


def test_weighted_percentile_bootstrap_agrees_with_scipy():
    generator = np.random.default_rng(1)
    weight = generator.uniform(0.1, 1, 150)
    values = generator.normal(size=150)
    table = metric_intervals(
        metrics([[0.0]], "mrr_strict").slice(0, 0).to_reader,
        weights([values], [weight]).to_reader,
        replicates=20_000,
        seed=29,
    )
    (row,) = rows_of(table, "semantic_aggregate")
    theirs = bootstrap(
        (weight * values, weight),
        lambda a, b, axis: a.sum(axis) / b.sum(axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        rng=3,
    ).confidence_interval
    assert (row["estimate_low"], row["estimate_high"]) == pytest.approx(tuple(theirs), abs=0.01)
    (severity,) = rows_of(table, "severity_aggregate")
    assert severity["estimate_low"] is None
    assert severity["rank_low"] is None


def test_an_interval_depends_on_its_seed():
    values = np.random.default_rng(5).normal(10, 1, 40)
    first, again, other = (intervals([values], seed=seed) for seed in (29, 29, 30))
    assert first == again != other


def test_one_case_has_no_bootstrap_interval():
    assert intervals([[0.5]]) == [(None, None)]


def test_few_cases_have_no_bootstrap_interval():
    """Two cases would resample to their own values, and two alike to one: wider for less spread."""
    assert intervals([[0.2, 1 / 3]]) == [(None, None)]
    assert intervals([[0.5, 0.5]]) == [(0.5, 0.5)]  # SQL widens it: all the same
    nine = [0, 1, 0.5, 0.2, 0.25, 1, 0, 1, 0.5]
    assert intervals([nine]) == [(None, None)]
    ((low, high),) = intervals([[*nine, 1]])
    assert 0.2 < low < 0.545 < high < 0.9


def test_few_cases_with_a_value_have_no_interval():
    """Nine of forty have one; whoever has ten keeps the ranks and the interval of before."""
    values = np.random.default_rng(3).uniform(0, 16, (2, 40))
    values[0, 9:] = np.nan
    ends = intervals(values, "mean_severity_score")
    assert ends[0] == (None, None)
    assert ends[1] == intervals(values[1:], "mean_severity_score")[0]


def test_few_cases_have_no_interval_of_a_rank():
    table = metric_intervals(
        metrics([[0.1] * 9, [0.2] * 9], "mrr_strict").to_reader,
        NO_WEIGHTS.to_reader,
        replicates=200,
        seed=29,
    )
    assert {(row["rank_low"], row["rank_high"]) for row in rows_of(table, "mrr_strict")} == {
        (None, None)
    }


def test_a_case_without_a_value_takes_no_part():
    with_gaps = intervals([[1, 2, np.nan, 4, np.nan, 6] * 5], "mean_severity_score")
    assert 2 < with_gaps[0][0] < 3.25 < with_gaps[0][1] < 5


def test_no_rows_are_no_rows():
    empty = metrics([[1]], "mrr_strict").slice(0, 0)
    assert (
        metric_intervals(empty.to_reader, NO_WEIGHTS.to_reader, replicates=9, seed=1).num_rows == 0
    )
    assert paired_tests(empty.to_reader, **AXES, maximum_configurations=9).num_rows == 0


def test_every_replicate_draws_as_many_cases_as_there_are():
    counts = resample_counts(7, 50, 29)
    assert counts.shape == (50, 7)
    assert (counts.sum(axis=1) == 7).all()


def test_ranks_are_as_certain_as_the_data_and_ties_share_one():
    # the first is best on every case; the other two are the same configuration twice
    generator = np.random.default_rng(2)
    worse = generator.uniform(0, 0.4, 60)
    table = metric_intervals(
        metrics([worse + 0.5, worse, worse], "mrr_strict").to_reader,
        NO_WEIGHTS.to_reader,
        replicates=500,
        seed=29,
    )
    ranks = [(row["rank_low"], row["rank_high"]) for row in rows_of(table, "mrr_strict")]
    assert ranks == [(1, 1), (2, 2), (2, 2)]
    # two that each win half of the cases may stand in either order
    swap = [[1, 0] * 20, [0, 1] * 20]
    table = metric_intervals(
        metrics(swap, "mrr_strict").to_reader, NO_WEIGHTS.to_reader, replicates=500, seed=29
    )
    assert [(row["rank_low"], row["rank_high"]) for row in rows_of(table, "mrr_strict")] == [
        (1, 2)
    ] * 2


def compare(values, metric, maximum_configurations=1000):
    table = metrics(values, metric).to_pandas()
    table[list({*COMPARED} - {metric})] = np.nan
    return paired_tests(
        pa.Table.from_pandas(table, preserve_index=False).to_reader,
        **AXES,
        maximum_configurations=maximum_configurations,
    ).to_pylist()


def test_mcnemar_is_the_exact_binomial_on_discordant_cases():
    # 9 against 1 of 10 discordant: p = 2 * (C(10,0) + C(10,1)) / 2^10 = 22 / 1024
    first = [1] * 9 + [0] + [1] * 90
    second = [0] * 9 + [1] + [1] * 90
    (row,) = compare([first, second], "top1_strict")
    assert row["method"] == "McNemar exact"
    assert row["p_value"] == pytest.approx(22 / 1024)
    assert (row["n_a_better"], row["n_b_better"], row["n_units"]) == (9, 1, 100)
    assert row["difference"] == pytest.approx(0.08)
    # Bonett and Price: p = 10/102, q = 2/102, half = 1.96 sqrt((p + q - (p - q)^2) / 102)
    half = 1.959964 * np.sqrt((12 / 102 - (8 / 102) ** 2) / 102)
    assert row["difference_low"] == pytest.approx(8 / 102 - half, abs=1e-6)
    assert row["difference_high"] == pytest.approx(8 / 102 + half, abs=1e-6)


def test_no_discordant_case_is_no_difference_but_some_doubt():
    (row,) = compare([[1] * 30, [1] * 30], "top1_strict")
    assert row["p_value"] == 1.0
    assert row["difference_low"] < 0 < row["difference_high"]


def compare_aggregates(rescaled, weight):
    table = compared_configurations(
        metrics([[1]], "mrr_strict").slice(0, 0).to_reader,
        weights(rescaled, weight).to_reader,
        **AXES,
        maximum_configurations=1000,
        replicates=2000,
        seed=29,
    )
    return rows_of(table, "semantic_aggregate")


@pytest.mark.parametrize("apart", [1, 1e-5])
def test_aggregates_are_compared_by_the_same_draws(apart):
    """The specification's formula, with numpy alone: nothing is rounded before p is."""
    n = 40
    draw = np.random.default_rng(8)
    rescaled = draw.integers(-15, 16, size=(2, n)) / 15
    rescaled[1] = rescaled[0] + apart * (rescaled[1] - rescaled[0])
    weight = 1 / (1 + np.exp(2 * rescaled))
    (row,) = compare_aggregates(rescaled, weight)
    counts = np.random.default_rng([29, n]).multinomial(n, [1 / n] * n, size=2000)
    first, second = (
        (counts * w * s).sum(axis=1) / (counts * w).sum(axis=1)
        for w, s in zip(weight, rescaled, strict=True)
    )
    difference = np.subtract(
        *((w * s).sum() / w.sum() for w, s in zip(weight, rescaled, strict=True))
    )
    error = (first - second).std(ddof=1)
    assert row["method"] == "paired bootstrap"
    assert row["difference"] == pytest.approx(difference, abs=1e-9)
    assert row["p_value"] == pytest.approx(2 * student.sf(abs(difference) / error, n - 1), abs=1e-9)
    assert row["p_value"] == float(f"{row['p_value']:.9e}")
    half = student.ppf(0.975, n - 1) * error
    assert row["difference_low"] == pytest.approx(difference - half, abs=1e-8)
    assert row["difference_high"] == pytest.approx(difference + half, abs=1e-8)
    assert (row["n_units"], row["n_a_better"] + row["n_b_better"]) == (
        n,
        int((rescaled[0] != rescaled[1]).sum()),
    )


def test_a_paired_bootstrap_uses_the_pairs():
    """Two aggregates that rise and fall together differ surely; apart they would not."""
    draw = np.random.default_rng(3)
    hard = draw.uniform(-0.9, 0.9, 60)
    ones = np.ones((2, 60))
    (together,) = compare_aggregates([hard, hard + draw.uniform(0, 0.1, 60)], ones)
    (apart,) = compare_aggregates([hard, draw.permutation(hard) + 0.05], ones)
    assert together["p_value"] < 1e-6 < 0.05 < apart["p_value"]


def test_aggregates_without_spread_have_the_sign_tests_p():
    ones = np.ones((2, 8))
    (row,) = compare_aggregates([[0.5] * 8, [0.25] * 8], ones)
    assert row["p_value"] == pytest.approx(2 / 2**8)
    assert (row["n_a_better"], row["n_b_better"]) == (8, 0)
    (equal,) = compare_aggregates([[0.5] * 8, [0.5] * 8], ones)
    assert equal["p_value"] == 1


def test_aggregates_are_compared_on_common_cases():
    without = [np.nan] * 6 + [0.5, -0.5] * 3
    (row,) = compare_aggregates([without, [0.9] * 6 + [0.0] * 6], np.ones((2, 12)))
    assert (row["n_units"], row["estimate_b"]) == (6, 0)


def test_a_configuration_without_a_metric_is_not_compared_by_it():
    without = [np.nan] * 30
    rows = compare([without, [1, 0] * 15, [0, 0] * 15, without, [1, 1] * 15], "top1_strict")
    pairs = [(row["configuration_a"], row["configuration_b"]) for row in rows]
    assert pairs == [("c1", "c2"), ("c1", "c4"), ("c2", "c4")]
    assert [row["difference"] for row in rows] == [0.5, -0.5, -1.0]
    assert {row["n_comparisons"] for row in rows} == {3}
    assert compare([without, without], "top1_strict") == []


def test_other_metrics_are_compared_as_what_they_are_said_to_be():
    table = metrics([[1] * 9 + [0], [0] * 9 + [1]], "mrr_strict")
    choices = {**AXES, "maximum_configurations": 9, "compared": ("mrr_strict",)}
    (as_share,) = paired_tests(table.to_reader, **choices, shares=("mrr_strict",)).to_pylist()
    (as_score,) = paired_tests(table.to_reader, **choices).to_pylist()
    assert as_share["p_value"] == pytest.approx(22 / 1024)
    assert (as_share["method"], as_score["method"]) == ("McNemar exact", "Wilcoxon signed-rank")


@pytest.mark.parametrize(
    ("n_cases", "step"), [(200, 0.25), (200, 0.01), (60, 0.5), (40, 1e-3), (12, 1e-3)]
)
def test_wilcoxon_agrees_with_scipy(n_cases, step):
    generator = np.random.default_rng(n_cases)
    values = np.round(generator.uniform(0, 16, (6, n_cases)) / step) * step
    for row in compare(values, "mean_semantic_score"):
        a, b = (int(row[f"configuration_{side}"][1:]) for side in "ab")
        difference = np.round(values[a] - values[b], 6)
        assert row["p_value"] == pytest.approx(wilcoxon(difference).pvalue, rel=1e-9)
        assert row["difference"] == pytest.approx(difference.mean())
        assert row["difference_low"] < row["difference"] < row["difference_high"]


def test_wilcoxon_ties_equal_scores_of_lists_of_any_length():
    # lists of two, four and five: multiples of 1/9, 1/14 and 1/15, whose differences of one size
    # are not one size any more once each score is rounded
    generator = np.random.default_rng(8)
    scores = generator.integers(0, 16 * 9, (3, 150)) / 9
    scores[1] = generator.integers(0, 16 * 14, 150) / 14
    scores[2, ::2] = generator.integers(0, 16 * 15, 75) / 15
    for row in compare(scores.round(12), "mean_semantic_score"):
        a, b = (int(row[f"configuration_{side}"][1:]) for side in "ab")
        difference = np.rint((scores[a] - scores[b]) * 1260)
        assert row["p_value"] == pytest.approx(wilcoxon(difference).pvalue, rel=1e-12)
        assert row["n_a_better"] == (difference > 0).sum()


def test_wilcoxon_ties_scores_of_lists_with_gaps():
    # a disease named twice leaves a gap: ranks 1, 2 and 4 weigh 11/5; ten ranks weigh up to 55/10
    generator = np.random.default_rng(9)
    for denominators, unit in (([9, 11, 15], 495), ([27, 49, 55], 27 * 49 * 55)):
        scores = [generator.integers(0, 16 * each, 60) / each for each in denominators]
        scores += [scores[0] + generator.integers(-2, 3, 60) / denominators[1]]
        for row in compare(np.array(scores).round(12), "mean_semantic_score"):
            a, b = (int(row[f"configuration_{side}"][1:]) for side in "ab")
            difference = np.rint((scores[a] - scores[b]) * unit)
            assert row["p_value"] == pytest.approx(wilcoxon(difference).pvalue, rel=1e-12)


def test_wilcoxon_by_hand_few_ties_and_no_difference_at_all():
    # five differences of one sign: p = 2 / 2^5; with ties the null distribution is as exact
    zeros = [0.0] * 6
    rows = compare([zeros, [1, 2, 3, 4, 5, 0], [1, 1, 1, 1, 1, 0], zeros], "mean_semantic_score")
    p_values = {(row["configuration_a"], row["configuration_b"]): row["p_value"] for row in rows}
    assert p_values["c0", "c1"] == 2 / 32
    assert p_values["c0", "c2"] == 2 / 32
    assert p_values["c0", "c3"] == 1.0


def test_p_values_are_corrected_within_the_family():
    values = np.random.default_rng(3).uniform(0, 16, (5, 80)) + np.arange(5)[:, None]
    rows = compare(values, "mean_semantic_score")
    p_values = [row["p_value"] for row in rows]
    for column, method in (("p_value_adjusted", "holm"), ("p_value_fdr", "fdr_bh")):
        expected = multipletests(p_values, method=method)[1]
        assert [row[column] for row in rows] == pytest.approx(list(expected))
    assert {row["n_comparisons"] for row in rows} == {10}


def test_many_configurations_are_compared_with_the_best():
    values = np.random.default_rng(4).uniform(0, 1, (30, 50)) + np.arange(30)[:, None] / 10
    rows = compare(values, "mean_semantic_score", maximum_configurations=20)
    # the two best, c28 and c29, with each of the other 28 and with each other
    assert len(rows) == 28 * 2 + 1
    assert {row["n_comparisons"] for row in rows} == {435}
    full = {
        (row["configuration_a"], row["configuration_b"]): row
        for row in compare(values, "mean_semantic_score", maximum_configurations=30)
    }
    assert len(full) == 435
    for row in rows:
        whole = full[row["configuration_a"], row["configuration_b"]]
        assert row["p_value"] == whole["p_value"]
        assert row["p_value_adjusted"] >= whole["p_value_adjusted"] - 1e-12


def test_a_sample_is_compared_on_the_cases_it_has():
    """c0 has every case, c1 and c2 the first four, c3 the last one: c3 shares none with the two."""
    values = [[1, 0, 1, 1, 0], [0, 0, 0, 1], [1, 1, 1, 1], [1]]
    table = metrics(values, "top1_strict").to_pandas()
    table.loc[table.configuration_id == "c3", "case_id"] = "0004"
    rows = paired_tests(
        pa.Table.from_pandas(table, preserve_index=False).to_reader,
        **AXES,
        maximum_configurations=9,
        compared=["top1_strict"],
    ).to_pylist()
    found = {
        (row["configuration_a"], row["configuration_b"]): (
            *(row["n_units"], row["estimate_a"], row["estimate_b"]),
            *(row["n_a_better"], row["n_b_better"]),
        )
        for row in rows
    }
    assert found == {
        ("c0", "c1"): (4, 0.75, 0.25, 2, 0),
        ("c0", "c2"): (4, 0.75, 1.0, 0, 1),
        ("c1", "c2"): (4, 0.25, 1.0, 0, 3),
        ("c0", "c3"): (1, 0.0, 1.0, 0, 1),
    }
    assert {row["n_comparisons"] for row in rows} == {4}


def test_a_sample_is_ranked_among_those_with_its_cases():
    generator = np.random.default_rng(5)
    full = generator.uniform(0, 1, (2, 30))
    values = [full[0], full[0][:9], full[1], full[1][:9]]
    choices = {"replicates": 400, "seed": 29}
    mixed = metric_intervals(
        metrics(values, "mrr_strict").to_reader, NO_WEIGHTS.to_reader, **choices
    )
    names = ["configuration_id", "estimate_low", "estimate_high", "rank_low", "rank_high"]

    def found(table, *configurations):
        rows = [
            row for row in rows_of(table, "mrr_strict") if row["configuration_id"] in configurations
        ]
        return [
            [row[name] for name in names[1:]] for row in sorted(rows, key=lambda r: r[names[0]])
        ]

    for cut, pair in ((30, ("c0", "c2")), (9, ("c1", "c3"))):
        alone = metric_intervals(
            metrics(full[:, :cut], "mrr_strict").to_reader, NO_WEIGHTS.to_reader, **choices
        )
        assert found(mixed, *pair) == found(alone, "c0", "c1")


def test_an_interval_does_not_depend_on_other_runs():
    values = np.random.default_rng(7).uniform(0, 1, 30)
    choices = {"replicates": 400, "seed": 29}
    table = metrics([values[20:], values], "mrr_strict").to_pandas()
    is_sample = table.configuration_id == "c0"  # the last ten cases, and read before the others
    table.loc[is_sample, "case_id"] = [f"{case:04}" for case in range(20, 30)]

    def interval(rows):
        found = metric_intervals(
            pa.Table.from_pandas(rows, preserve_index=False).to_reader,
            NO_WEIGHTS.to_reader,
            **choices,
        )
        (row,) = (row for row in rows_of(found, "mrr_strict") if row["configuration_id"] == "c1")
        return row["estimate_low"], row["estimate_high"]

    assert interval(table) == interval(table[~is_sample])


def test_a_block_may_come_in_several_batches():
    rows = pa.concat_tables(
        [metrics([[1, 0, 1], [0, 0, 1]], "mrr_strict", judge) for judge in "jk"]
    )
    whole, cut = (
        paired_tests(
            partial(rows.to_reader, size), **AXES, maximum_configurations=9, compared=["mrr_strict"]
        )
        for size in (100, 4)
    )
    assert whole.column("judge_id").to_pylist() == ["j", "k"]
    assert cut.to_pylist() == whole.to_pylist()


def test_quantiles_are_students():
    # t with 9 degrees of freedom: 2.262 in every table; none for one case
    found = dict(zip(*interval_quantiles([10, 1]).to_pydict().values(), strict=True))
    assert found[10] == pytest.approx(2.262157, abs=1e-6)
    assert found[1] is None


def test_seventy_five_cases_show_fourteen_points():
    delta = detectable_share_difference(75, discordant=0.2, power=0.8)
    assert delta == pytest.approx(0.142, abs=5e-4)
    # Connor's formula, forwards
    reach = 1.959964 * np.sqrt(0.2) + 0.841621 * np.sqrt(0.2 - delta**2)
    assert (reach / delta) ** 2 == pytest.approx(75, abs=1e-3)
    assert detectable_share_difference(5, discordant=0.2, power=0.8) is None


def test_sql_and_python_name_the_same_metrics():
    text = (paths.project_root() / "macros" / "experiments" / "metrics.sql").read_text()
    for macro, names in (("share", SHARES), ("mean", MEANS), ("aggregate", AGGREGATES)):
        body = text.split(f"macro {macro}_metrics() -%}}")[1].split("{%- endmacro")[0]
        assert tuple(body.split()) == names
    assert {*RANKED, *COMPARED} <= {*SHARES, *MEANS, *AGGREGATES}


@pytest.mark.parametrize("n_cases", [2, 3, 20, 200, 6255])
def test_a_detectable_difference_has_the_power_of_statsmodels(n_cases):
    found = detectable_standardised_difference(n_cases, power=0.8)
    assert TTestPower().power(found, n_cases, 0.05) == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize("formula", ["plain_mean('value')", "ratio('value', 'one')"])
def test_no_mean_depends_on_the_order_of_the_rows(formula):
    """Half of all means of eight values with twelve decimals lie between two values of twelve."""
    text = (paths.project_root() / "macros" / "experiments" / "metrics.sql").read_text()
    sql = jinja2.Environment().from_string(f"{text}{{{{ {formula} }}}}").render().strip()
    draw = np.random.default_rng(29)
    values = draw.integers(0, 16 * 10**12, size=(200, 8)) / 1e12
    for row in values:
        means = {
            duckdb.execute(
                f"select {sql} from (select unnest($1::double[]) as value, 1 as one)", [order]
            ).fetchone()
            for order in (row.tolist(), row[::-1].tolist(), sorted(row.tolist()))
        }
        assert len(means) == 1, means
