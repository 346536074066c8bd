"""Who did what with patients' data: a trail to which is only added."""
