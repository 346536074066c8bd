"""Of dbt's events and the lines of its log, those that nobody wants are not made."""

import pytest
from dbt.events.logging import track_behavior_change_warn
from dbt.events.types import NodeFinished
from dbt_common.events.base_types import BaseEvent, EventLevel
from dbt_common.events.event_manager import EventManager
from dbt_common.events.logger import LoggerConfig
from dbt_common.events.types import Note, PrintEvent

from python_llm.job.build import Progress
from python_llm.job.dbt import dbt_events

LEVELS = {
    EventLevel.DEBUG: ["statement", "model built", "stopped", "answer"],
    EventLevel.INFO: ["model built", "stopped", "answer"],
    EventLevel.ERROR: ["stopped", "answer"],
}


@pytest.fixture
def manager(monkeypatch) -> EventManager:
    """That of dbt in this process, for the time of a test."""
    manager = EventManager()
    monkeypatch.setattr(dbt_events, "get_event_manager", lambda: manager)
    # what is put in the place of these stays otherwise
    monkeypatch.setattr(BaseEvent, "__init__", BaseEvent.__init__)
    monkeypatch.setattr(EventManager, "fire_event", EventManager.fire_event)
    dbt_events._leave_out_unheard.cache_clear()
    yield manager
    dbt_events._leave_out_unheard.cache_clear()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("is_kept", [True, False])
def test_only_a_line_that_is_seen_is_made(manager, level, is_kept, tmp_path):
    lines: list[str] = []

    def scrub(line: str) -> str:
        lines.append(line)
        return line

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
    dbt_events.make_none_in_vain()
    for severity, message in (
        *((EventLevel.DEBUG, "statement"), (EventLevel.INFO, "model built")),
        (EventLevel.ERROR, "stopped"),
    ):
        manager.fire_event(Note(msg=message), level=severity)
    manager.fire_event(PrintEvent(msg="answer"))  # of a level below the error's
    manager.flush()
    assert lines == (LEVELS[level] if is_kept else [])
    assert [line.split("  ")[-1] for line in file.read_text().splitlines()] == lines


def listener(*events: str):
    """Who listens to dbt, and what it has heard; to these events alone, if there are any."""
    heard: list[str] = []

    def listen(message) -> None:
        heard.append(f"{message.info.name} {message.data.node_info.node_name}")

    if events:
        listen.events = events
    return listen, heard


def test_an_event_is_made_for_whoever_wants_it(manager):
    dbt_events.make_none_in_vain()

    def finished() -> NodeFinished:
        event = NodeFinished(node_info={"node_name": "dim_case"})
        manager.fire_event(event)
        return event

    manager.callbacks = [track_behavior_change_warn]
    assert finished().node_info.node_name == ""
    of_others, _ = listener("NodeStart")
    of_progress, own = listener(*Progress.events)
    of_all, everything = listener()
    manager.callbacks += [of_others]
    assert finished().node_info.node_name == ""
    for listen in (of_progress, of_all):
        manager.callbacks = [track_behavior_change_warn, of_others, listen]
        assert finished().node_info.node_name == "dim_case"
    assert (own, everything) == (["NodeFinished dim_case"], ["NodeFinished dim_case"])
