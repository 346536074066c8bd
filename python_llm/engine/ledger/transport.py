"""How what goes to the team's database is protected on its way there.

What leaves this machine is encrypted, and the server has to prove its name, unless the address asks
for less. Nothing in the environment can ask for less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import sqlalchemy as sa

from python_llm.engine.errors import EngineError
from python_llm.providers.hosts import site_of

ENCRYPTED = ("verify-full", "verify-ca", "require")
# libpq looks for the server's authority here unless it is told where.
OWN_AUTHORITY = Path(".postgresql", "root.crt")


def protection(address: sa.URL, environment: Mapping[str, str], home: Path) -> dict[str, str]:
    """Options of libpq that an address needs besides its own; none where it stays on this machine.
    Errors: EngineError for an address that would send in the clear."""
    if all(map(_is_here, _hosts(address, environment))):
        return {}
    asked = address.query.get("sslmode", ENCRYPTED[0])
    if asked not in ENCRYPTED:
        raise EngineError(
            f"The team's ledger is on another machine, and sslmode={asked} would send patients' "
            "words in the clear: use sslmode=verify-full, or leave it out, which is the same."
        )
    options = {"sslmode": str(asked), "gssencmode": "disable"}
    has_authority = "sslrootcert" in address.query or environment.get("PGSSLROOTCERT")
    if asked == ENCRYPTED[0] and not has_authority and not (home / OWN_AUTHORITY).exists():
        options["sslrootcert"] = "system"
    return options


def _hosts(address: sa.URL, environment: Mapping[str, str]) -> Iterator[str]:
    """Every host that a connection may go to; '' for the socket of this machine."""
    hosts = address.host or _text(address, "host") or environment.get("PGHOST", "")
    # an address in numbers is where it goes, whatever the name
    numbers = _text(address, "hostaddr") or environment.get("PGHOSTADDR", "")
    is_service = _text(address, "service") or environment.get("PGSERVICE")
    named = f"{hosts},{_text(address, 'host')},{numbers}" + (",a service" if is_service else "")
    for host in filter(None, named.split(",")):
        yield host.partition(":")[0] if host.count(":") == 1 else host


def _text(address: sa.URL, name: str) -> str:
    value = address.query.get(name, "")
    return value if isinstance(value, str) else ",".join(value)


def _is_here(host: str) -> bool:
    if host.startswith(("/", "@")):  # a socket
        return True
    site = site_of(f"tcp://[{host}]" if ":" in host else f"tcp://{host}")
    return site is not None and site.is_loopback
