"""Phenotypes from a clinical note or a typed list of findings, and the work-up they lead to."""
