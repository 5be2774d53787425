"""Calls of the API to a relayer under test: without a socket where it runs in this process, else over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.client.call import BASE, NO_ANSWER, ApiAnswer, ApiCall, parse_answer
from mockrelay.client.http import CLOSED, send_once
from mockrelay.spec.endpoint import SignatureHeader
from mockrelay.spec.endpoints import BY_ID
from mockrelay.testing.relayer import RelayerHandle
from mockrelay.wire.http import Response

if TYPE_CHECKING:
    from mockrelay.relay import Relay

_TIMEOUT_MS = 30_000


def send(relayer: Relay | RelayerHandle, call: ApiCall, *, base: str | None = None) -> ApiAnswer:
    """Make a call: without a socket where the relayer runs in this process, else over HTTP. `base` is the address under
    which the caller calls it; None: its own.
    """
    relay = relay_of(relayer)
    if relay is None:
        assert isinstance(relayer, RelayerHandle)
        return send_over_http(relayer.url, call)
    # Asking for the address opens a port, and only some signatures cover it.
    signs_address = BY_ID[call.endpoint].signature is SignatureHeader.EDDSA
    raw = call.raw_request(base or (base_of(relayer) if signs_address else BASE))
    return answer_of(relay.handle(raw, relay.now_ms()))


def base_of(relayer: Relay | RelayerHandle) -> str:
    """The address that calls of a relayer are made to."""
    return (relayer.address if isinstance(relayer, RelayerHandle) else "") or BASE


def relay_of(relayer: Relay | RelayerHandle) -> Relay | None:
    """The relay of a handle, where it runs in this process; a relay is its own."""
    if not isinstance(relayer, RelayerHandle):
        return relayer
    try:
        return relayer.relay
    except RuntimeError:
        return None


def send_over_http(url: str, call: ApiCall) -> ApiAnswer:
    """Make a call to the server at an address. Raises ConnectionError where it cannot be reached or does not answer."""
    response = send_once(url, call.request, _TIMEOUT_MS)
    if response.problem == CLOSED:
        return NO_ANSWER
    if response.problem is not None:
        raise ConnectionError(f"{call.method} {url}{call.target}: {response.problem}")
    return parse_answer(response.status, response.body)


def answer_of(response: Response) -> ApiAnswer:
    """The response of a relay in this process, taken apart."""
    return NO_ANSWER if response.drop else parse_answer(response.status, response.body)
