"""A user's project: laid out, and brought up to date."""
