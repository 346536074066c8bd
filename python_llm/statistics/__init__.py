"""The statistical methods: bootstrap, ranks, paired tests, detectable differences.

SQL computes the scores and the counts. The tables that arrive here have one row per configuration,
case and judge; they become a matrix per judge and test set, with one row per configuration and one
column per case. Every method works on a whole matrix, because 450 configurations make 101,025
pairs. See docs/specification.md#uncertainty.

    quantity                               method
    interval of a mean or aggregate        percentile bootstrap over cases, seeded
    interval of a rank                     the same replicates, ranked
    interval of a share                    Wilson (SQL, macros/experiments/metrics.sql)
    interval within a stratum              Student's t on the linearised ratio (SQL; quantiles here)
    difference of two shares               McNemar's exact test; interval after Bonett and Price
    difference of two scores               Wilcoxon's signed-rank test; interval of Student's t
    difference of two aggregates           standard error of the same replicates, Student's t
    many comparisons                       Holm (any error) and Benjamini-Hochberg (share of errors)
    what a test set can show               Connor's formula (shares), power of the paired t (scores)
"""
