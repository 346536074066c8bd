"""The client that carries every request of an SDK built on httpx: to one site, without following a
redirect, and with an answer of bounded size.

The answer is read as a stream and counted after it was unpacked, so that neither a body without an
end nor one of a megabyte that unpacks to a gigabyte is ever in memory.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from functools import cache
from typing import Any

import httpx2

from python_llm.providers.hosts import Site, site_of

# The longest answers that models are billed for have some hundred thousand tokens.
MOST_BYTES = 8 * 2**20
# Of an error, more than this is not worth keeping.
MOST_ERROR_BYTES = 64 * 2**10
# The results of a batch, which come as one file.
MOST_BATCH_BYTES = 512 * 2**20
# All that is asked for, and all that is unpacked.
ENCODING = "gzip"


class Refused(httpx2.TransportError):
    """A request that is not sent, or an answer that is not read. kind: of the outcome."""

    kind = "refused_here"
    may_be_billed = True


class ElsewhereError(Refused):
    """It would have gone to another host than the model's."""

    kind = "foreign_host"
    may_be_billed = False


class TooLargeError(Refused):
    """The answer has more bytes than an answer can have."""

    kind = "answer_too_large"


class UnreadableError(Refused):
    """The answer is packed in a way that was not asked for, or badly."""

    kind = "malformed_response"


class _Guarded(httpx2.AsyncClient):
    """What `guarded` adds to a client. site: the only one it sends to; None before it is known."""

    site: Site | None = None

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Errors: those of httpx2; `Refused` is one of them."""
        if (to := site_of(str(request.url))) is None or to != self.site:
            raise ElsewhereError(f"not sent to {to.host if to else 'an address without a host'}")
        options |= {"stream": True, "follow_redirects": False}
        response = await super().send(request, **options)
        try:
            content = await _read(request, response)
        finally:
            await response.aclose()
        headers = [
            (name, value)
            for name, value in response.headers.raw
            if name.lower() not in (b"content-encoding", b"content-length", b"transfer-encoding")
        ]
        whole = httpx2.Response(
            response.status_code,
            headers=headers,
            content=content,
            request=request,
            extensions=response.extensions,
        )
        whole.elapsed = response.elapsed
        return whole


@cache
def guarded(client: type[httpx2.AsyncClient]) -> type[_Guarded]:
    """A kind of client, guarded."""
    return type("Guarded", (_Guarded, client), {})


def client_options(address: str | None, most: int) -> dict[str, Any]:
    """What a guarded client is made with. address: where it will send to, if that is known; what is
    on this machine is never asked through a proxy. most: connections."""
    site = site_of(address) if address else None
    own = f"[{site.host}]" if site and ":" in site.host else site and site.host
    return {
        "limits": httpx2.Limits(max_connections=most, max_keepalive_connections=most),
        "headers": {"accept-encoding": ENCODING},
        "follow_redirects": False,
        "mounts": {f"all://{own}": None} if site and site.is_loopback else None,
    }


async def _read(request: httpx2.Request, response: httpx2.Response) -> bytes:
    """The body, unpacked. Errors: Refused where it is too large, except for an error's, which is
    cut off."""
    is_error = not response.is_success
    most = MOST_ERROR_BYTES if is_error else MOST_BYTES
    if not is_error and request.method == "GET":  # only batches are
        most = MOST_BATCH_BYTES
    pieces, size = [], 0
    async with aclosing(_unpacked(response, most)) as unpacked:
        async for piece in unpacked:
            pieces.append(piece)
            size += len(piece)
            if size > most and is_error:
                return b"".join(pieces)[:most]
            if size > most:
                raise TooLargeError(f"the answer has more than {most:,} bytes: it was cut off")
    return b"".join(pieces)


async def _unpacked(response: httpx2.Response, most: int) -> AsyncGenerator[bytes]:
    """The body in pieces of at most so many bytes and one more."""
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding in ("identity", ""):
        async for chunk in response.aiter_raw():
            yield chunk
        return
    if encoding not in (ENCODING, f"x-{ENCODING}"):
        raise UnreadableError(f"the answer is packed, and not as {ENCODING}")
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    async for chunk in response.aiter_raw():
        for piece in _pieces(unpacking, chunk, most):
            yield piece


def _pieces(unpacking: Any, chunk: bytes, most: int) -> Iterator[bytes]:
    while chunk:
        try:
            yield unpacking.decompress(chunk, most + 1)
        except zlib.error as error:
            raise UnreadableError(f"the answer is not {ENCODING}") from error
        chunk = unpacking.unconsumed_tail
