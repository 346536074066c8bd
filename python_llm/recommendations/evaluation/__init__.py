"""Recommenders, what they are tried on, and how a run compares with its baseline."""
