"""The trail of audit: one JSON line per event, each with the hash of the one before it.

`data/audit/trail.jsonl` is only added to. Whoever changes, removes or inserts a line breaks the
chain, which `read` notices. `head.json` beside it has the number and the hash of the last event, so
that a trail whose end was cut off is noticed too. Who may write the files can write all of them
anew; what was served or printed of the last hash before is what shows that.

No event has a text of a patient, a record's id, or the name of a file with patients in it.
"""

from __future__ import annotations

import json
import os
import pwd
import socket
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
from filelock import FileLock, Timeout

from python_llm import files, paths
from python_llm.errors import UserError

TRAIL, HEAD = "trail.jsonl", "head.json"
FIRST = "0" * 64  # what comes before the first event
LONGEST_WAIT = 30  # seconds
_TIME = pa.timestamp("us", tz="UTC")
EVENTS = pa.schema(
    [
        pa.field("event_number", pa.int64(), nullable=False),
        ("event", pa.string()),
        ("subject", pa.string()),
        ("details", pa.string()),
        ("user_name", pa.string()),
        ("host", pa.string()),
        ("previous_hash", pa.string()),
        ("event_hash", pa.string()),
        ("is_chained", pa.bool_()),
        ("occurred_at", _TIME),
    ]
)


class AuditError(UserError):
    """The trail cannot be written, so what it would record must not happen."""


class Read(NamedTuple):
    """events: dicts with the names of EVENTS. damage: a sentence for each place that is not what
    was written."""

    events: list[dict[str, Any]]
    damage: list[str]


def folder() -> Path:
    """Where the trail is: `data/audit`, or KERNEL29_AUDIT_DIR."""
    return paths.resolve(os.environ.get("KERNEL29_AUDIT_DIR", "data/audit"))


def note(event: str, subject: str, **details: Any) -> None:
    """Add an event, on the disk when this returns. Raises AuditError."""
    directory = folder()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with (
            FileLock(directory / ".lock", timeout=LONGEST_WAIT),
            (directory / TRAIL).open("a+b") as file,
        ):
            number, previous = _last(directory)
            line = {
                "number": number + 1,
                "at": datetime.now(UTC).isoformat(timespec="microseconds"),
                "event": event,
                "subject": subject,
                "details": details,
                "user": _user(),
                "host": socket.gethostname(),
                "previous": previous,
            }
            sealed = {**line, "hash": _hash(line)}
            # what a kill has left of a line stays a line of its own
            file.write((b"" if _ends_whole(file) else b"\n") + _json(sealed) + b"\n")
            file.flush()
            os.fsync(file.fileno())
            with files.replacing(directory / HEAD) as draft:
                draft.write_bytes(_json({"number": number + 1, "hash": sealed["hash"]}))
    except Timeout as error:
        raise AuditError(
            f"The trail of audit in {directory} has been written to by another process for "
            f"{LONGEST_WAIT} seconds: end it, and try again."
        ) from error
    except OSError as error:
        raise AuditError(
            f"The trail of audit in {directory} cannot be written ({error.strerror}), and nothing "
            "is done that would not be in it: mend the folder, or set KERNEL29_AUDIT_DIR."
        ) from error


def read(directory: Path | None = None) -> Read:
    """All events, and what is wrong with the trail. Raises nothing for what the files hold."""
    directory = directory or folder()
    events: list[dict[str, Any]] = []
    damage: list[str] = []
    number, expected = 0, FIRST
    for position, text in enumerate(_lines(directory), 1):
        line = _opened(text)
        where = f"line {position} of {directory / TRAIL}"
        if line is None:  # what a kill left; what was an event is missed by the one after it
            continue
        is_chained = line["previous"] == expected and line["number"] == number + 1
        if not is_chained:
            damage.append(f"{where}: an event before it was changed, removed or inserted.")
        elif line["hash"] != _hash({name: line[name] for name in line if name != "hash"}):
            is_chained = False
            damage.append(f"{where} was changed.")
        number, expected = line["number"], line["hash"]
        events.append(_row(line, len(events) + 1, is_chained))
    head = _head(directory)
    hashes = {event["event_hash"] for event in events}
    if head is None and events:
        damage.append(f"{directory / HEAD} is missing or no record of the last event.")
    elif head is not None and head["hash"] not in hashes:
        damage.append(
            f"{directory / TRAIL} ends before event {head['number']}: its end was cut off."
        )
    return Read(events, damage)


def has(digest: str, events: Iterable[Mapping[str, Any]]) -> bool:
    """Whether an event with this hash, or one that begins so, is in an unbroken trail."""
    return len(digest) >= 8 and any(
        str(event["event_hash"]).startswith(digest.lower()) for event in events
    )


def table(_name: str) -> pa.Table:
    """The events, as dbt reads them (EVENTS)."""
    return pa.Table.from_pylist(read().events, schema=EVENTS)


def latest(event: str, subject: str) -> Mapping[str, Any] | None:
    """The details of the last event of its kind about something."""
    for row in reversed(read().events):
        if (row["event"], row["subject"]) == (event, subject):
            return json.loads(row["details"])
    return None


def _last(directory: Path) -> tuple[int, str]:
    """Number and hash of the last event. A trail whose end was cut off goes on behind the event
    that its head names, so that what is missing stays noticed; a kill leaves a head that is older
    than the trail."""
    head, last = _head(directory), (0, FIRST)
    for text in reversed(_lines(directory)):
        if (line := _opened(text)) is not None:
            if last == (0, FIRST):
                last = (line["number"], line["hash"])
            if head is None or head["hash"] == line["hash"]:
                return last
    return (head["number"], head["hash"]) if head else last


def _lines(directory: Path) -> list[bytes]:
    try:
        return [text for text in (directory / TRAIL).read_bytes().split(b"\n") if text.strip()]
    except FileNotFoundError:
        return []


_KINDS = {"number": int, "details": dict}
_NAMES = ("number", "at", "event", "subject", "details", "user", "host", "previous", "hash")


def _opened(text: bytes) -> dict[str, Any] | None:
    """A line as an event; None for one that is none."""
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(line, dict) or set(line) != set(_NAMES):
        return None
    if any(not isinstance(line[name], _KINDS.get(name, str)) for name in _NAMES):
        return None
    return line


def _row(line: Mapping[str, Any], number: int, is_chained: bool) -> dict[str, Any]:
    try:
        at = datetime.fromisoformat(line["at"]).astimezone(UTC)
    except (ValueError, OverflowError):
        at = None
    texts = {
        "event": line["event"],
        "subject": line["subject"],
        "details": json.dumps(line["details"], ensure_ascii=False, sort_keys=True),
        "user_name": line["user"],
        "host": line["host"],
        "previous_hash": line["previous"],
        "event_hash": line["hash"],
    }
    return {
        **{name: text.encode("utf-8", "replace").decode() for name, text in texts.items()},
        "event_number": number,
        "is_chained": is_chained,
        "occurred_at": at,
    }


def _head(directory: Path) -> dict[str, Any] | None:
    try:
        head = json.loads((directory / HEAD).read_bytes())
        return {"number": int(head["number"]), "hash": str(head["hash"])}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _ends_whole(file: Any) -> bool:
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    return bool(file.read(1) == b"\n")


def _hash(line: Mapping[str, Any]) -> str:
    return sha256(_json(line)).hexdigest()


def _json(value: Mapping[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return text.encode("utf-8", "backslashreplace")


def _user() -> str:
    """Whose process this is, whatever the environment says."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"
