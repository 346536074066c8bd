"""Readers of clinical vocabularies: HPO, ICD-10-CM, OMIM and ORPHA, Mondo; releases into seeds."""
