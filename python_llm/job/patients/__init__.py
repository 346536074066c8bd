"""Lets a patient go: at once, or when the time is up."""
