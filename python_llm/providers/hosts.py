"""Which hosts a model may be asked at.

A provider has hosts of its own; the registry and the files of experiments name further ones. What
an environment variable says is an address and never an approval: it can choose among these hosts,
and loopback, and no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

# What a star in the name of a host stands for: (part of) one label.
_STAR = r"[a-z0-9-]+"
_NAME = re.compile(r"[a-z0-9*][a-z0-9.*:-]*")


@dataclass(frozen=True, slots=True)
class Site:
    """Where an address leads. host: in lower case, without a port."""

    scheme: str
    host: str
    port: int | None

    @property
    def is_loopback(self) -> bool:
        if self.host in ("localhost", "localhost."):
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def site_of(address: str) -> Site | None:
    """Where an address leads; None for one that has no host, or is no address."""
    parts = _split(address)
    if parts is None or not parts.hostname:
        return None
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return Site(parts.scheme, parts.hostname, port)


def has_login(address: str) -> bool:
    """Whether an address has a user or a password in it, or something that may be read as one."""
    parts = _split(address)
    return parts is None or "@" in parts.netloc or "\\" in address


def fault_of(address: str) -> str | None:
    """What is wrong with an address as the base of requests, without a word of it; None if
    nothing is."""
    site = site_of(address)
    is_written = address.isprintable() and " " not in address
    if site is None or site.scheme not in ("http", "https") or not is_written:
        return "is not a URL that starts with http:// or https://: set it again."
    if has_login(address):
        return (
            "has a user or a password in it, which errors and logs would repeat: take it out, and "
            "put a key into the variable that `api_key_env` names."
        )
    if "?" in address or "#" in address:
        return "has a query, which no request would keep: give it up to the end of its path."
    return None


def _split(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        _ = parts.port  # raises where it is no number
    except ValueError:
        return None
    return parts


def listed(text: str | None) -> tuple[str, ...]:
    """The hosts of a column of the registry, which are separated by semicolons."""
    return tuple(name for part in (text or "").split(";") if (name := part.strip().lower()))


def wrong_names(hosts: Iterable[str]) -> list[str]:
    """Those that are no name of a host, such as an address."""
    return [name for name in hosts if not _NAME.fullmatch(name) or name.strip("*.") == ""]


def may_be_asked(site: Site, hosts: Iterable[str]) -> bool:
    """Whether a model with these hosts may be asked there."""
    return site.is_loopback or any(_matches(site.host, name) for name in hosts)


def may_see_patients(site: Site, hosts: Iterable[str]) -> bool:
    """Whether a model that is approved for patients' data is approved for it there: at a host that
    is named in full, and over https; loopback needs neither."""
    return site.is_loopback or (site.scheme == "https" and site.host in set(hosts))


def _matches(host: str, name: str) -> bool:
    return re.fullmatch(_STAR.join(map(re.escape, name.split("*"))), host) is not None
