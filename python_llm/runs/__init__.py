"""Answers that exist already: read from any table, kept as Parquet outside the warehouse."""
