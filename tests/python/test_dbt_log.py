"""Lines of dbt's log: those that nobody sees are not made, and those that somebody sees are."""

import pytest
from dbt_common.events.base_types import EventLevel
from dbt_common.events.event_manager import EventManager
from dbt_common.events.logger import LoggerConfig
from dbt_common.events.types import Note, PrintEvent

from python_llm.job import dbt_plugin

LEVELS = {
    EventLevel.DEBUG: ["statement", "model built", "stopped", "answer"],
    EventLevel.INFO: ["model built", "stopped", "answer"],
    EventLevel.ERROR: ["stopped", "answer"],
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("is_kept", [True, False])
def test_only_a_line_that_is_seen_is_made(level, is_kept, tmp_path, monkeypatch):
    lines: list[str] = []

    def scrub(line: str) -> str:
        lines.append(line)
        return line

    manager = EventManager()
    file = tmp_path / "dbt.log"
    manager.add_logger(
        LoggerConfig(
            name=f"{level}-{is_kept}",
            level=level,
            scrubber=scrub,
            filter=lambda _: is_kept,
            output_file_name=str(file),
        )
    )
    monkeypatch.setattr(dbt_plugin, "get_event_manager", lambda: manager)
    dbt_plugin._make_no_line_in_vain()
    for severity, message in (
        *((EventLevel.DEBUG, "statement"), (EventLevel.INFO, "model built")),
        (EventLevel.ERROR, "stopped"),
    ):
        manager.fire_event(Note(msg=message), level=severity)
    manager.fire_event(PrintEvent(msg="answer"))  # of a level below the error's
    manager.flush()
    assert lines == (LEVELS[level] if is_kept else [])
    assert [line.split("  ")[-1] for line in file.read_text().splitlines()] == lines
