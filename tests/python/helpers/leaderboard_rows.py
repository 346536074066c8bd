"""A row of the leaderboard as the terminal reads it."""

from python_llm.console.leaderboard import SCORES


def row(**columns):
    scores = {
        name + end: value
        for _, metric, *_ in SCORES
        for name in {metric, metric.replace("_strict", "_broad")}
        for end, value in (("", 0.5), ("_low", 0.25), ("_high", 1.0))
    }
    counts = dict.fromkeys(
        (
            "n_failures",
            "n_model_failures",
            "n_delivery_failures",
            "n_not_asked",
            "n_unlabelled",
            "n_without_gold_severity",
        ),
        0,
    )
    names = {"judge_id": "terminology", "judge_kind": "terminology", "generation_usd": 1.234}
    names |= {"configuration_id": "m/p/t", "test_set": "t", "measured_on_lists": None}
    names |= {"n_unknown_gold": 0, "n_without_icd10": 0, "n_own_family": 0, "judge_family": None}
    return {
        **names,
        **counts,
        **scores,
        "n_cases": 200,
        "n_test_set_cases": 200,
        "state": "asked",
        "is_asked": True,
        "is_calibrated": None,
        "is_judge_constant": None,
        **columns,
    }
