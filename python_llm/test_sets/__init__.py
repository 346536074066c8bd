"""Readers of clinical cases: files of many formats in, one layout of records out."""
