"""What the trail of audit has of a run: which requests may go to which address."""

from __future__ import annotations

from hashlib import sha256

from python_llm.audit import trail
from python_llm.engine.errors import EngineError
from python_llm.engine.requests import Requests
from python_llm.providers.hosts import site_of


def note_sending(
    run_id: str,
    alias: str,
    address: str,
    requests: Requests,
    rows: list[int],
    *,
    without_patients: bool = False,
    is_batch: bool = False,
) -> None:
    """Note that a run may send these rows to a model at an address, of which the trail has scheme,
    host and port. Which of them were sent, the ledger has under the same run and alias.
    without_patients: those with patients' data stay here. Errors: EngineError; nothing is sent
    then."""
    asks = requests.take(rows, ["request_key", "contains_phi"]).to_pylist()
    if without_patients:
        asks = [ask for ask in asks if not ask["contains_phi"]]
    if not asks:
        return
    site = site_of(address)
    keys = sorted(ask["request_key"] for ask in asks)
    try:
        trail.note(
            "send",
            alias,
            run_id=run_id,
            address=f"{site.scheme}://{site.host}:{site.port}" if site else None,
            n_requests=len(keys),
            n_with_patients=sum(bool(ask["contains_phi"]) for ask in asks),
            requests=sha256("\n".join(keys).encode()).hexdigest()[:16],
            is_batch=is_batch,
        )
    except trail.AuditError as error:
        raise EngineError(str(error)) from error
