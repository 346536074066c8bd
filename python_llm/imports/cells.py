"""Values of cells as text, and as lists of texts."""

import ast
import json
import math
import string
from datetime import date, datetime
from typing import Any

# how people and programs write that there is no value
MISSING = {"", "null", "nan", "none", "n/a", "na", "#n/a", "nil", "-", "--", "–", "—"}
_MARKS = "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"


def as_written(value: Any) -> str:
    """A cell as text: whole numbers without a point, ISO dates, lists and objects as JSON, blanks
    and NaN as ''."""
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def without_marks(written: str) -> str:
    """A cell without the marks at its ends that only say which way to write, and are seen by
    nobody: two ids that look the same are the same."""
    bare = written.strip()
    is_marked = bool(bare) and (bare[0] in _MARKS or bare[-1] in _MARKS)
    return written.strip(_MARKS + string.whitespace + "\xa0") if is_marked else written


def text(value: Any) -> str | None:
    """A cell as text, as `as_written`; what people and programs write for nothing is nothing."""
    written = without_marks(as_written(value)).strip()
    return None if written.lower() in ("", "nan", "null", "none", "#n/a") else written


def texts(value: Any, separator: str | None) -> list[str] | None:
    """A list of texts, whether it comes as a list, as one written as in JSON or Python, or as one
    text with separators."""
    if isinstance(value, (list, tuple)):
        parts = [text(item) for item in value]
    else:
        whole = text(value)
        if whole is None:
            return None
        if whole.startswith("["):
            for read_list in (json.loads, ast.literal_eval):
                try:
                    return texts(read_list(whole), separator)
                except (ValueError, SyntaxError, MemoryError, RecursionError):
                    continue
            if "]" not in whole[1:-1]:  # '[G43.9] Migraine' is no list
                whole = whole.strip("[]")
        parts = [text(part) for part in (whole.split(separator) if separator else [whole])]
    kept = [part for part in parts if part]
    return kept or None
