"""Readers of clinical vocabularies (HPO, ICD-10-CM, Mondo, OMIM, ORPHA), and their seeds."""
