"""Every number of the score marts again, from the judged rows, without SQL and without its macros.

The formulas are written out a second time here on purpose: a mistake in a macro is not repeated.
"""

import math
from collections import Counter, defaultdict
from statistics import correlation

import pytest

RELATIONS = {
    "Exact Synonym": 1,
    "Broad Synonym": 2,
    "Exact Disease Group": 3,
    "Broad Disease Group": 4,
    "Not Related": 5,
}
LEVELS = {"mild": 1, "moderate": 2, "severe": 3, "critical": 4, "rare": 5}
SETTINGS = {"easy": (1, 0.3), "medium": (2, 0.0), "hard": (3, 0.0)}
SHARES = (
    *("failure_rate", "top1_strict", "top3_strict", "top5_strict", "top10_strict"),
    *("top1_broad", "top3_broad", "top5_broad", "top10_broad"),
)
MEANS = (
    *("mrr_strict", "mrr_broad", "mean_semantic_score", "mean_severity_score"),
    *("mean_semantic_score_full_list", "mean_acuity_score", "mean_rarity_score"),
    "dangerous_omission",
)
BALANCED = (
    *("top1_strict", "top5_strict", "top1_broad", "top5_broad", "mean_semantic_score"),
    *("mean_severity_score", "dangerous_omission"),
)
LABEL = ("diagnosis_rank", "diagnosis", "semantic_relation", "severity", "acuity", "is_rare")
GOLD = ("gold_severity", "gold_acuity", "is_gold_rare")
CLOSE = {"rel": 1e-9, "abs": 1e-9}


def mean(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def list_score(distances, full=False):
    """Of the distances by rank, whose ranks may have gaps, of the first five; 0 for no list."""
    distances = {rank: distance for rank, distance in distances.items() if rank <= 5}
    weights = {rank: (6 - rank) / 5 for rank in distances}
    total = sum(weights[rank] * (5 - distance) ** 2 for rank, distance in distances.items())
    return total / (3.0 if full else sum(weights.values())) if distances else 0.0


def aggregate(scores, setting):
    """sum(W s) / sum(W) over the rescaled scores that are there; setting: its name, or k and x0."""
    steepness, midpoint = SETTINGS.get(setting, setting)
    pairs = [
        (1 / (1 + math.exp(steepness * (s - midpoint))), s)
        for s in (score / 8 - 1 for score in scores if score is not None)
    ]
    return sum(w * s for w, s in pairs) / sum(w for w, _ in pairs) if pairs else None


def rank_of(relations, wanted):
    return min((rank for rank, name in relations.items() if name in wanted), default=None)


class Cell:
    """One configuration, case and judge, from the labels of its list."""

    def __init__(self, case, outcome_class, labels, golds, by_rules, gives_severities):
        self.case, self.outcome_class, self.by_rules = case, outcome_class, by_rules
        self.failed, self.asked = outcome_class != "answered", outcome_class != "not_asked"
        gold_severity, gold_acuity, is_gold_rare = golds
        relations = {rank: relation for rank, _, relation, *_ in labels}
        near = {rank: RELATIONS.get(relation, 5) for rank, relation in relations.items()}
        self.semantic, self.semantic_full = list_score(near), list_score(near, full=True)
        self.gold_severity = gold_severity
        gold = LEVELS.get(gold_severity)
        self.gaps = {
            rank: LEVELS[severity] - gold if gold and severity in LEVELS else None
            for rank, _, _, severity, *_ in labels
        }
        self.severity = None
        if gold and gives_severities:
            self.severity = list_score(
                {rank: 5 if gap is None else 1 + abs(gap) for rank, gap in self.gaps.items()}
            )
        self.strict = rank_of(relations, {"Exact Synonym"})
        self.broad = rank_of(relations, {"Exact Synonym", "Broad Synonym"})
        self.first = labels[0][1] if labels else None
        acuities = {rank: LEVELS.get(acuity) for rank, *_, acuity, _ in labels}
        self.acuity = self.rarity = self.omission = None
        if gold_acuity and gives_severities:
            level = LEVELS[gold_acuity]
            self.acuity = list_score(
                {rank: 1 + abs(one - level) if one else 5 for rank, one in acuities.items()}
            )
            self.omission = self.danger(level, acuities) if level >= 3 else None
        if is_gold_rare is not None and gives_severities:
            self.rarity = list_score(
                {rank: 1 if is_rare == is_gold_rare else 5 for rank, *_, is_rare in labels}
            )

    def danger(self, level, acuities):
        """Half for severe and one for critical, times the weighted share of milder answers."""
        if self.broad and self.broad <= 5:
            return 0.0
        weights = {rank: (6 - rank) / 5 for rank in acuities if rank <= 5}
        milder = sum(w for rank, w in weights.items() if (acuities[rank] or 0) < level)
        return (level - 2) / 2 * (milder / sum(weights.values()) if weights else 1)

    def metrics(self):
        found = {"failure_rate": float(self.failed)}
        found["mrr_strict"] = 1 / self.strict if self.strict else 0.0
        found["mrr_broad"] = 1 / self.broad if self.broad else 0.0
        for k in (1, 3, 5, 10):
            found[f"top{k}_strict"] = float(bool(self.strict and self.strict <= k))
            found[f"top{k}_broad"] = float(bool(self.broad and self.broad <= k))
        found["mean_semantic_score"], found["mean_severity_score"] = self.semantic, self.severity
        found["mean_semantic_score_full_list"] = self.semantic_full
        found["mean_acuity_score"], found["mean_rarity_score"] = self.acuity, self.rarity
        found["dangerous_omission"] = self.omission
        return found

    def strata(self):
        case = self.case
        rarity = "unknown"
        severity, _, is_rare = self.by_rules
        if severity:
            rarity = "rare" if is_rare else "common"
        elif any(code.startswith("ORPHA:") for code in case["gold_codes"] or ()):
            rarity = "rare"
        one = {
            "test_set": case["test_set"],
            "language": case["language"] or "unknown",
            "icd10_chapter": case["icd10_chapter_code"] or "no code",
            "organ_system": case["organ_system"] or "unknown",
            "icd10_block": case["icd10_block_code"] or "no code",
            "icd10_category": case["icd10_category_code"] or "no code",
            "gold_severity": severity or "unknown",
            "rarity": rarity,
            "age_band": case["age_band"] or "unknown",
            "pediatric": {True: "pediatric", False: "adult", None: "unknown"}[case["is_pediatric"]],
            "sex": case["sex"] or "unknown",
            "holdout": "held out" if case["is_holdout"] else "open",
        }
        return one | {
            "age_band by sex": f"{one['age_band']} / {one['sex']}",
            "icd10_chapter by gold_severity": f"{one['icd10_chapter']} / {one['gold_severity']}",
        }

    def quadrant(self):
        if self.severity is None:
            return "no gold severity"
        # exactly half is not good; nine decimals: half may be a sum that misses its last bit
        semantic, severity = (
            "good" if round(score, 9) > 8 else "bad" for score in (self.semantic, self.severity)
        )
        return f"{semantic} semantics, {severity} severity"


def records(scratch, query, served):
    import duckdb

    with duckdb.connect(str(served), read_only=True) as connection:
        cursor = connection.execute(query)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


@pytest.fixture(scope="module")
def marts(built):
    scratch, _ = built
    served = scratch.folder / "serve" / "kernel29.duckdb"
    return lambda query: records(scratch, query, served)


@pytest.fixture(scope="module")
def cells(marts):
    """(configuration, judge) -> its cells; a judge has every cell of what it has a score for."""
    cases = {case["case_id"]: case for case in marts("from dim_case")}
    labels = defaultdict(list)
    gives_severities = defaultdict(bool)
    for row in marts("from fct_judged_diagnosis order by diagnosis_rank"):
        judge = row["judge_id"]
        label = [row[name] for name in LABEL]
        labels[row["configuration_id"], row["case_id"], judge].append(label)
        gives_severities[judge] |= row["severity"] in LEVELS
    # where nobody gave a severity a judge may grade the gold diagnosis, once for all configurations
    graded = {}
    for row in marts(f"select distinct case_id, judge_id, {', '.join(GOLD)} from fct_case_score"):
        assert (row["case_id"], row["judge_id"]) not in graded
        graded[row["case_id"], row["judge_id"]] = [row[name] for name in GOLD]
        given = cases[row["case_id"]]["gold_severity"]
        assert given in (None, row["gold_severity"])
    outcomes = defaultdict(list)
    for row in marts("from fct_answer"):
        outcomes[row["configuration_id"]].append((row["case_id"], row["outcome_class"]))
    found = {}
    for row in marts("select distinct configuration_id, judge_id from fct_configuration_score"):
        configuration, judge = row["configuration_id"], row["judge_id"]
        found[configuration, judge] = [
            Cell(
                cases[case],
                outcome,
                labels[configuration, case, judge],
                graded[case, judge],
                graded[case, "terminology"],
                gives_severities[judge],
            )
            for case, outcome in outcomes[configuration]
        ]
    assert len(found) > 10
    return found


def expected(cells, setting):
    """The metrics of some cells; nothing if nobody was asked for any."""
    values = [cell.metrics() for cell in cells]
    found = {name: mean([one[name] for one in values]) for name in (*SHARES, *MEANS)}
    found["semantic_aggregate"] = aggregate([cell.semantic for cell in cells], setting)
    found["severity_aggregate"] = aggregate([cell.severity for cell in cells], setting)
    return found


def balanced(cells):
    """The means over organ systems of their means."""
    systems = defaultdict(list)
    for cell in cells:
        if cell.case["organ_system"]:
            systems[cell.case["organ_system"]].append(cell.metrics())
    return {
        f"balanced_{name}": mean([mean([one[name] for one in part]) for part in systems.values()])
        for name in BALANCED
    }


def counts(cells):
    """How many cases severity, acuity and omission rest on."""
    return tuple(
        sum(value is not None for value in values)
        for values in zip(*((one.severity, one.acuity, one.omission) for one in cells), strict=True)
    )


def counts_of(row):
    return row["n_with_severity"], row["n_with_acuity"], row["n_with_danger"]


def assert_same(row, numbers):
    for name, number in numbers.items():
        if number is None:
            assert row[name] is None, (name, row)
        else:
            assert row[name] == pytest.approx(number, **CLOSE), (name, row)


def has_interval(cells, name):
    """False if so few cases have a value that a bootstrap replicate may have drawn none of them."""
    return len([1 for one in cells if one.metrics().get(name, 0) is not None]) > 10


def test_case_scores(marts, cells):
    scored = {
        (row["configuration_id"], row["judge_id"], row["case_id"]): row
        for row in marts("from fct_case_score")
    }
    assert len(scored) == sum(map(len, cells.values()))
    for (configuration, judge), of_one in cells.items():
        for cell in of_one:
            row = scored[configuration, judge, cell.case["case_id"]]
            scores = {
                "semantic_score": cell.semantic,
                "severity_score": cell.severity,
                "semantic_score_full_list": cell.semantic_full,
                "acuity_score": cell.acuity,
                "rarity_score": cell.rarity,
                "dangerous_omission": cell.omission,
            }
            assert_same(row, scores if row["is_scored"] else dict.fromkeys(scores))
            assert (row["strict_rank"], row["broad_rank"]) == (cell.strict, cell.broad)
            assert row["is_scored"] == any(one.asked for one in of_one)


def test_configuration_scores_and_ranks(marts, cells):
    rows = marts("from fct_configuration_score")
    assert len(rows) == len(cells) * len(SETTINGS)
    for row in rows:
        of_one = cells[row["configuration_id"], row["judge_id"]]
        assert row["n_cases"] == len(of_one)
        assert row["n_failures"] == sum(cell.failed for cell in of_one)
        if any(cell.asked for cell in of_one):
            assert_same(row, expected(of_one, row["setting"]) | balanced(of_one))
            assert counts_of(row) == counts(of_one)
            placed = {cell.case["organ_system"] for cell in of_one} - {None}
            assert row["n_organ_systems"] == len(placed)
            assert row["n_without_organ_system"] == sum(
                cell.case["organ_system"] is None for cell in of_one
            )
            for name in (*MEANS, "semantic_aggregate"):
                if row[name] is not None and has_interval(of_one, name):
                    assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]
                    assert row[f"{name}_low"] < row[f"{name}_high"]
        else:
            assert row["top1_strict"] is row["semantic_aggregate"] is None
    for row in marts("from fct_configuration_rank where metric = 'semantic_aggregate'"):
        others = [
            aggregate([cell.semantic for cell in other], row["setting"])
            for (configuration, judge), other in cells.items()
            if judge == row["judge_id"]
            and any(cell.asked for cell in other)
            and configuration.split("/")[-1] == row["test_set"]
        ]
        better = [one for one in others if one > row["estimate"] + 1e-8]
        assert row["score_rank"] == 1 + len(better)
        assert row["n_ranked"] == len(others)


def rank_value(cells, reference, ranked_by):
    """What configurations are ranked by: larger is better."""
    scores = [
        cell.semantic if reference == "semantic_aggregate" else cell.severity for cell in cells
    ]
    if ranked_by.startswith("k "):
        k, x0 = ranked_by.removeprefix("k ").split(", x0 ")
        return aggregate(scores, (float(k), float(x0)))
    value = (expected(cells, "medium") | balanced(cells)).get(ranked_by)
    if ranked_by == "mean_severity_score_full_list":
        return None  # not counted a second time here
    return value if value is None or ranked_by != "dangerous_omission" else -value


def test_what_changes_places(marts, cells):
    """Pairs of configurations by the usual ranking and by another."""
    rows = marts(
        "from rpt_rank_sensitivity where ranked_by not in ('all', 'mean_severity_score_full_list')"
    )
    assert {row["ranked_by"] for row in rows} >= {"k 0.5, x0 -0.3", "mean_acuity_score"}
    assert any(row["judge_id"] != row["other_judge_id"] for row in rows)
    for row in rows:
        values = []
        for (configuration, judge), usual in cells.items():
            other = cells.get((configuration, row["other_judge_id"]))
            if judge != row["judge_id"] or not other or not usual[0].asked:
                continue
            if configuration.split("/")[-1] != row["test_set"]:
                continue
            pair = (
                rank_value(usual, row["reference"], row["reference"]),
                rank_value(other, row["reference"], row["ranked_by"]),
            )
            if None not in pair:
                values.append(pair)
        signs = [
            round(math.copysign(a != 0, a) * math.copysign(b != 0, b))
            for i, one in enumerate(values)
            for another in values[i + 1 :]
            for a, b in [[round(x - y, 10) for x, y in zip(one, another, strict=True)]]
        ]
        assert row["n_pairs"] == len(signs), row
        assert row["n_swapped"] == signs.count(-1) == len(row["swapped_pairs"] or []), row
        assert row["n_kept"] == signs.count(1) == len(row["kept_pairs"] or []), row
        assert row["kendall_tau"] == pytest.approx(sum(signs) / len(signs), **CLOSE)


def test_what_survives_every_choice(marts):
    """No pair that some row turns round or ties is among those that are kept."""
    rows = marts("from rpt_rank_sensitivity")
    together = [row for row in rows if row["ranked_by"] == "all"]
    assert {(row["test_set"], row["reference"]) for row in rows} == {
        (row["test_set"], row["reference"]) for row in together
    }
    for row in together:
        parts = [
            part
            for part in rows
            if part["ranked_by"] != "all"
            and (part["test_set"], part["reference"]) == (row["test_set"], row["reference"])
        ]
        turned = {
            frozenset(pair.split(" > ")) for part in parts for pair in part["swapped_pairs"] or []
        }
        assert turned == {frozenset(pair.split(" > ")) for pair in row["swapped_pairs"] or []}
        kept = {frozenset(pair.split(" > ")) for pair in row["kept_pairs"] or []}
        assert not kept & turned
        apart = {frozenset(pair.split(" > ")) for pair in row["incomparable_pairs"] or []}
        assert not apart & (kept | turned)
        assert len(apart) == row["n_incomparable"]
        assert len(kept) == row["n_kept"] <= min(part["n_kept"] for part in parts) or any(
            part["n_pairs"] < row["n_pairs"] for part in parts
        )


def test_how_hard_a_case_is(marts):
    """Who finds it, and whether those who do find the others as well."""
    answers = defaultdict(dict)
    for row in marts(
        "from fct_case_score where is_scored and is_asked and outcome_class != 'not_asked' "
        "and is_top5_strict is not null"
    ):
        answers[row["configuration_id"], row["judge_id"]][row["test_set"], row["case_id"]] = int(
            row["is_top5_strict"]
        )
    rows = marts("from fct_case_difficulty")
    assert {row["complexity_level"] for row in rows} >= {"extreme", "not known"}
    for row in rows:
        key = (row["test_set"], row["case_id"])
        pairs = [
            (by_case[key], (sum(by_case.values()) - by_case[key]) / (len(by_case) - 1))
            for (_, judge), by_case in answers.items()
            if judge == row["judge_id"] and key in by_case
        ]
        share = mean(hit for hit, _ in pairs)
        assert (row["n_configurations"], row["n_found"]) == (
            len(pairs),
            sum(hit for hit, _ in pairs),
        )
        level = "low" if share > 0.66 else "moderate" if share > 0.33 else "high"
        level = level if share else "extreme"
        assert row["complexity_level"] == (level if len(pairs) >= 4 else "not known")
        if len({hit for hit, _ in pairs}) > 1 and len({rest for _, rest in pairs}) > 1:
            assert row["discrimination"] == pytest.approx(
                correlation(*zip(*pairs, strict=True)), **CLOSE
            )
        else:
            assert row["discrimination"] is None


def test_every_stratum(marts, cells):
    grouped = defaultdict(list)
    for key, of_one in cells.items():
        if any(cell.asked for cell in of_one):
            for cell in of_one:
                for kind, stratum in cell.strata().items():
                    grouped[*key, kind, stratum].append(cell)
    rows = marts("from fct_stratified_score")
    assert {row["stratum_kind"] for row in rows} == {kind for *_, kind, _ in grouped}
    assert len(rows) == len(grouped) * len(SETTINGS)
    for row in rows:
        of_one = grouped[
            row["configuration_id"], row["judge_id"], row["stratum_kind"], row["stratum"]
        ]
        assert row["n_cases"] == len(of_one)
        assert row["is_small"] == (len(of_one) < 20)
        assert row["terminology_release"]
        assert row["prompt_version"]
        assert counts_of(row) == counts(of_one)
        assert row["n_graded_severity"] == sum(
            bool(not cell.case["gold_severity"] and cell.by_rules[0]) for cell in of_one
        )
        assert_same(row, expected(of_one, row["setting"]))
        for name in (*MEANS, *(f"{kind}_aggregate" for kind in ("semantic", "severity"))):
            low, high = row[f"{name}_low"], row[f"{name}_high"]
            assert low is high is None or low < high


def test_every_group_of_configurations(marts, cells):
    configurations = {row["configuration_id"]: row for row in marts("from dim_configuration")}
    grouped = defaultdict(list)
    for (configuration, judge), of_one in cells.items():
        if not any(cell.asked for cell in of_one):
            continue
        about = configurations[configuration]
        model, prompt = about["model_alias"], about["prompt_alias"]
        for cell in of_one:
            for kind, name in (
                ("model", model),
                ("provider", about["provider"]),
                ("prompt", prompt),
                ("test_set", about["test_set"]),
                ("model by prompt", f"{model} / {prompt}"),
                ("model by icd10_chapter", f"{model} / {cell.strata()['icd10_chapter']}"),
            ):
                grouped[judge, kind, name].append(cell)
    rows = marts("from fct_pooled_score")
    assert len(rows) == len(grouped) * len(SETTINGS)
    for row in rows:
        of_one = grouped[row["judge_id"], row["group_kind"], row["group_name"]]
        assert row["n_answers"] == len(of_one)
        assert_same(row, expected(of_one, row["setting"]))


def test_errors_case_by_case(marts, cells):
    worst = defaultdict(list)
    for row in marts("from fct_case_error"):
        (cell,) = (
            cell
            for cell in cells[row["configuration_id"], row["judge_id"]]
            if cell.case["case_id"] == row["case_id"]
        )
        if not row["is_asked"]:
            assert row["quadrant"] is row["worst_position"] is row["semantic_rescaled"] is None
            continue
        assert row["quadrant"] == cell.quadrant()
        assert row["first_severity_gap"] == cell.gaps.get(1)
        if cell.failed:
            assert row["semantic_error"] == cell.outcome_class
        elif cell.strict == 1:
            assert row["semantic_error"] == "gold diagnosis first"
        elif cell.strict:
            assert row["semantic_error"] == "gold diagnosis lower in the list"
        score = cell.semantic + (cell.severity or 0) - 8 * (cell.severity is not None)
        worst[row["configuration_id"], row["judge_id"]].append((row["worst_position"], score))
    for of_one in worst.values():
        scores = [score for _, score in sorted(of_one)]
        assert scores == pytest.approx(sorted(scores), abs=1e-9)


def test_missed_diagnoses_and_severity_bias(marts, cells):
    asked, missed, gaps = Counter(), Counter(), defaultdict(list)
    for (configuration, judge), of_one in cells.items():
        for cell in of_one:
            if not cell.asked:
                continue
            key = (cell.case["gold_name"], configuration.split("/")[-1], judge)
            asked[key] += 1
            missed[key] += cell.strict is None
            if cell.gold_severity:
                gap = cell.gaps.get(1)
                for chapter in ("all", cell.case["icd10_chapter_code"] or "no code"):
                    gaps[configuration, judge, chapter].append(gap)
    instead = defaultdict(Counter)
    for row in marts("from fct_case_error where is_asked and first_diagnosis is not null"):
        if not row["semantic_error"].startswith("gold diagnosis"):
            instead[row["gold_name"], row["test_set"], row["judge_id"]][row["first_diagnosis"]] += 1
    rows = marts("from rpt_missed_diagnosis")
    assert len(rows) == len(asked)
    for row in rows:
        key = (row["gold_name"], row["test_set"], row["judge_id"])
        assert (row["n_answers"], row["n_missed"]) == (asked[key], missed[key])
        most = max(instead[key].values(), default=0)
        usual = [name for name, number in instead[key].items() if number == most]
        assert row["usual_first_diagnosis"] == (usual[0] if len(usual) == 1 else None)
    rows = marts("from rpt_severity_bias")
    assert len(rows) == len(gaps)
    for row in rows:
        of_one = gaps[row["configuration_id"], row["judge_id"], row["icd10_chapter"]]
        known = [gap for gap in of_one if gap is not None]
        assert row["n_cases"] == len(of_one)
        assert row["n_underestimated"] == sum(gap < 0 for gap in known)
        assert row["n_right"] == sum(gap == 0 for gap in known)
        assert row["n_overestimated"] == sum(gap > 0 for gap in known)
