"""A folder for a paper: tables, figures and the paragraph of methods, from the served tables."""
