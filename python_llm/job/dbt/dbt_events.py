"""Of dbt's events only those that somebody hears are made, and of its lines those that are read.

dbt makes several messages of each statement and each node, for its log, the terminal and whoever
listens, and finds out at the end that nobody wanted them: a seventh of what an empty node takes.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from dbt.events.logging import track_behavior_change_warn
from dbt_common.events.base_types import BaseEvent, DebugLevel, EventLevel, EventMsg
from dbt_common.events.event_manager import EventManager
from dbt_common.events.functions import get_event_manager
from dbt_common.events.logger import PRINT_EVENT_NAMES

# from the least
LEVELS = list(EventLevel)


def make_none_in_vain() -> None:
    """From now on; the loggers are those of the command that runs."""
    for logger in get_event_manager().loggers:
        logger.filter = partial(_is_written, logger.filter, LEVELS.index(logger.level))
    _leave_out_unheard()


def _is_written(is_wanted: Callable[[EventMsg], bool], least: int, event: EventMsg) -> bool:
    # what a command prints is written at every level
    is_seen = LEVELS.index(event.info.level) >= least or event.info.name in PRINT_EVENT_NAMES
    return is_seen and is_wanted(event)


def _is_heard(event: type[BaseEvent], manager: EventManager) -> bool:
    """Whether a log is as detailed as such an event, or whoever listens wants it: one who wants
    some says which in its `events`, as Progress does (job/build.py)."""
    if not issubclass(event, DebugLevel):
        return True
    return any(logger.level == EventLevel.DEBUG for logger in manager.loggers) or any(
        event.__name__ in getattr(listener, "events", (event.__name__,))
        for listener in manager.callbacks
        if listener is not track_behavior_change_warn  # of dbt: it wants warnings
    )


@cache  # once in a process
def _leave_out_unheard() -> None:
    fill, fire = BaseEvent.__init__, EventManager.fire_event

    def made(event: BaseEvent, *arguments: Any, **values: Any) -> None:
        if _is_heard(type(event), get_event_manager()):
            fill(event, *arguments, **values)
        else:
            event.pb_msg = getattr(event.PROTO_TYPES_MODULE, type(event).__name__)()

    def fired(manager: EventManager, event: BaseEvent, *arguments: Any, **options: Any) -> None:
        if _is_heard(type(event), manager):
            fire(manager, event, *arguments, **options)

    BaseEvent.__init__ = made
    EventManager.fire_event = fired
