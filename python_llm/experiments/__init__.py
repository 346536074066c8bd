"""Experiments: one file each that says which cases are put to which models with which prompts."""
