"""Names of metrics and rankings as a reader of a paper knows them, and the works it cites."""

import re

METRICS = {
    "mean_semantic_score": "mean semantic score",
    "mean_severity_score": "mean severity score",
    "mean_semantic_score_full_list": "mean semantic score of full lists",
    "mean_severity_score_full_list": "mean severity score of full lists",
    "balanced_mean_semantic_score": "mean semantic score over organ systems",
    "balanced_mean_severity_score": "mean severity score over organ systems",
    "mean_acuity_score": "mean acuity score",
    "mean_rarity_score": "mean rarity score",
    "dangerous_omission": "omission of dangerous diagnoses",
    "semantic_aggregate": "semantic aggregate",
    "severity_aggregate": "severity aggregate",
}
SCALES = {
    "semantic": "relation of each rank",
    "severity": "severity of each rank",
    "rank": "rank of the gold diagnosis",
    "rank_strict": "rank of the gold diagnosis, strict",
    "rank_broad": "rank of the gold diagnosis, broad",
}
SIGMOID = re.compile(r"^k (\S+), x0 (\S+?)$")
SHARE = re.compile(r"^(top|mrr)(\d*)(?:_(strict|broad))?$")
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
REFERENCES = (
    "Benjamini Y, Hochberg Y. Controlling the false discovery rate: a practical and powerful "
    "approach to multiple testing. J R Stat Soc B 1995;57:289–300.",
    "Bonett DG, Price RM. Adjusted Wald confidence interval for a difference of binomial "
    "proportions based on paired data. J Educ Behav Stat 2012;37:479–488.",
    "Cochran WG. Sampling techniques. 3rd ed. Wiley 1977.",
    "Cohen J. A coefficient of agreement for nominal scales. Educ Psychol Meas 1960;20:37–46.",
    "Cohen J. Weighted kappa: nominal scale agreement with provision for scaled disagreement or "
    "partial credit. Psychol Bull 1968;70:213–220.",
    "Connor RJ. Sample size for testing differences in proportions for the paired-sample design. "
    "Biometrics 1987;43:207–211.",
    "Efron B, Tibshirani RJ. An introduction to the bootstrap. Chapman & Hall 1993.",
    "Hanley JA, Lippman-Hand A. If nothing goes wrong, is everything all right? JAMA "
    "1983;249:1743–1745.",
    "Holm S. A simple sequentially rejective multiple test procedure. Scand J Stat 1979;6:65–70.",
    "Kerry SM, Bland JM. Unequal cluster sizes for trials in English and Welsh general practice: "
    "implications for sample size calculations. Stat Med 2001;20:377–390.",
    "Kish L. Survey sampling. Wiley 1965.",
    "McNemar Q. Note on the sampling error of the difference between correlated proportions or "
    "percentages. Psychometrika 1947;12:153–157.",
    "Ridout MS, Demétrio CGB, Firth D. Estimating intraclass correlation for binary data. "
    "Biometrics 1999;55:137–148.",
    "Wilcoxon F. Individual comparisons by ranking methods. Biometrics Bull 1945;1:80–83.",
    "Wilson EB. Probable inference, the law of succession, and statistical inference. J Am Stat "
    "Assoc 1927;22:209–212.",
)


def is_cited(work: str, text: str) -> bool:
    """Whether a text names the first author of a work and, soon after, its year."""
    author, year = work.split()[0], YEAR.findall(work)[0]
    return re.search(rf"{author}[^.;]{{0,40}}{year}", text) is not None


def metric(name: str) -> str:
    """A column of scores in words, such as `top-5 strict`."""
    if share := SHARE.match(name):
        kind = f"top-{share[2]}" if share[1] == "top" else "MRR"
        return f"{kind} {share[3]}" if share[3] else kind
    return METRICS.get(name, name.replace("_", " "))


def ranking(name: str) -> str:
    """A way to rank in words: `k 0.5, x0 -0.3 (terminology)` is `k = 0.5, x₀ = −0.3 (terminology)`;
    without a judge in brackets the same."""
    bare, bracket, judge = name.partition(" (")
    if sigmoid := SIGMOID.match(bare):
        bare = f"k = {sigmoid[1]}, x₀ = {sigmoid[2]}".replace("-", "−")
    else:
        bare = metric(bare)
    return f"{bare}{bracket}{judge}"


def scale(name: str) -> str:
    """A question on which judges are compared, in words."""
    return SCALES.get(name) or metric(name)


def number(count: int, noun: str) -> str:
    """A count with its noun: `1 case`, `2,000 cases`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listing(items: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
