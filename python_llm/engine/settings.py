"""What a run may do."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from pathlib import Path

from python_llm import paths
from python_llm.engine.errors import EngineError

# The domain and task of a request that nobody said anything about.
UNKNOWN = "unknown"


class Mode(StrEnum):
    """off: nothing is sent, what the ledger has is shown. replay: the same, and what the ledger
    lacks is marked as missing, for runs that must be reproducible from it. live: what the ledger
    lacks is asked."""

    OFF = "off"
    REPLAY = "replay"
    LIVE = "live"


class Execution(StrEnum):
    """direct: every request by itself, now. batch: through the provider's batch API where the model
    has one: cheaper, answered within a day, collected by a later run."""

    DIRECT = "direct"
    BATCH = "batch"


@dataclass(frozen=True)
class Settings:
    """mode: see `Mode`. execution: see `Execution`. max_usd: what all calls under one run_id may
    spend together, US dollars. ledger_dir: made when first written to; a relative one is the
    project's. run_id: the name under which attempts are recorded and spending is summed; give every
    call of one build the same.
    max_attempts: per request and run; 20 refusals of one request while others are answered are one
    chance in a million at a share of a half. progress: whether lines are printed.
    domain, task: who asks what for, kept with each request and no part of it; a table of requests
    with a column `task` says it for each.

    Errors: EngineError for an unknown mode, a cap that is not a number of dollars, no attempts.
    """

    mode: str = Mode.OFF
    max_usd: Decimal = Decimal(1)  # given as a float or text too
    ledger_dir: Path | str = Path("ledger")
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    max_attempts: int = 20
    progress: bool = True
    execution: str = Execution.DIRECT
    domain: str = UNKNOWN
    task: str = UNKNOWN

    def __post_init__(self) -> None:
        if self.mode not in list(Mode):
            raise EngineError(f"Unknown mode {self.mode!r}: use one of {', '.join(Mode)}.")
        if self.execution not in list(Execution):
            raise EngineError(
                f"Unknown execution {self.execution!r}: use one of {', '.join(Execution)}."
            )
        try:
            cap = Decimal(str(self.max_usd))
        except InvalidOperation:
            cap = Decimal("nan")
        if not (cap.is_finite() and cap >= 0):
            raise EngineError(f"max_usd is {self.max_usd!r}: give a number of dollars, such as 1.")
        if self.max_attempts < 1:
            raise EngineError(f"max_attempts is {self.max_attempts}: give 1 or more.")
        if not self.run_id:
            raise EngineError("run_id is empty: give the run a name, or leave it out.")
        object.__setattr__(self, "mode", Mode(self.mode))
        object.__setattr__(self, "execution", Execution(self.execution))
        object.__setattr__(self, "max_usd", cap)
        object.__setattr__(self, "ledger_dir", paths.resolve(self.ledger_dir))
