"""Texts that are no answers, but say why there is none or decline to give one."""

import re

import pyarrow as pa

HEAD, TAIL = 1000, 1000  # characters: an exception begins a text or ends a traceback
DECLINES_WITHIN = 600  # characters; further down 'I cannot' is said of something else

FAILURE_SCHEMA = pa.schema(
    [("answer_key", pa.string()), ("status", pa.string()), ("text", pa.string())]
)


def failures(unread: pa.Table, patterns: pa.Table) -> pa.Table:
    """The status of every text in which a pattern is found, as FAILURE_SCHEMA.

    `unread` has answer_key, is_recorded and answer_text of answers without a list; `patterns`
    pattern_order, status, pattern and outcome_class. The first pattern that is found counts. What a
    provider delivered did not fail on the way: there only what the model did is looked for.
    """
    known = [
        (row["status"], row["outcome_class"], re.compile(row["pattern"], re.I | re.S))
        for row in sorted(patterns.to_pylist(), key=lambda row: row["pattern_order"])
    ]
    rows = []
    for answer in unread.to_pylist():
        text = answer["answer_text"] or ""
        text = (text[:HEAD] + text[HEAD:][-TAIL:]).strip()
        for status, outcome_class, pattern in known:
            if not answer["is_recorded"] and outcome_class != "model_failure":
                continue
            if text and pattern.search(text[:DECLINES_WITHIN] if status == "refused" else text):
                key = answer["answer_key"]
                rows.append({"answer_key": key, "status": status, "text": text[:200]})
                break
    return pa.Table.from_pylist(rows, schema=FAILURE_SCHEMA)
