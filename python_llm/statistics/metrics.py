"""Which metrics have intervals, are ranked or compared, and to how many digits."""

from scipy.stats import norm

CONFIDENCE = (0.025, 0.975)  # the ends of a 95 % interval
Z = norm.ppf(CONFIDENCE[1])
DECIMALS = 9  # equal between two builds, whatever the order of a sum
DIGITS = 10  # of a p value from a bootstrap, for the same reason: it may be as small as it likes
NOISE = 1e-9  # a smaller difference or standard error of aggregates is none
SHARES = (
    *("failure_rate", "top1_strict", "top3_strict", "top5_strict", "top10_strict"),
    *("top1_broad", "top3_broad", "top5_broad", "top10_broad"),
)
MEANS = (
    *("mrr_strict", "mrr_broad", "mean_semantic_score", "mean_severity_score"),
    *("mean_semantic_score_full_list", "mean_severity_score_full_list"),
    *("mean_acuity_score", "mean_rarity_score", "dangerous_omission"),
)
AGGREGATES = ("semantic_aggregate", "severity_aggregate")
# higher is better in all of them
RANKED = ("top1_strict", "top5_strict", "top10_strict", "mrr_strict", *AGGREGATES)
COMPARED = (
    *(metric for metric in SHARES if metric != "failure_rate"),
    *("mrr_strict", "mrr_broad", "mean_semantic_score", "mean_severity_score"),
)
