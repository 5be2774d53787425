"""One right call to each endpoint, signed where it can be, with its answer in the default scenario.

Each is sent to a relay of its own with a clock frozen at a fixed time, so that call and answer are the same every time.
The calls that must come before it (a mint before a transfer of the NFT) are sent first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.client.bodies import right_fields
from mockrelay.client.call import BASE, ApiCall
from mockrelay.client.facts import Facts
from mockrelay.control.signable import SIGNABLE
from mockrelay.core.units import moment_text
from mockrelay.openapi.players import STEP_MS
from mockrelay.openapi.playing import Control, Json, facts_of, fresh_relay, key_of, prepare, value_of
from mockrelay.relay import Relay
from mockrelay.spec.endpoint import KeyHeader
from mockrelay.spec.endpoints import BY_NAME

VALID_UNTIL_S = 4_102_444_800
"""2100-01-01, so that the calls stay valid."""

Step = str | int | Control
"""An endpoint to call, seconds to wait, or a control call, where `*` in the path stands for the last order's hash."""

_FILL = Control("POST", "orders/*/fill", {"size": "40000000000000000000"})
_BEFORE: Mapping[str, tuple[Step, ...]] = MappingProxyType(
    {
        "get_depth": ("submit_order",),
        "get_candlestick": ("submit_order", _FILL),
        "get_ticker": ("submit_order", _FILL),
        "get_orders": ("submit_order",),
        "get_block": ("submit_withdrawal", 10),
        "get_pending_requests": ("submit_withdrawal",),
        "get_nft_data": ("mint_nft",),
        "transfer_nft": ("mint_nft",),
        "deploy_nft_contract": ("mint_nft",),
        "get_code": ("mint_nft", "deploy_nft_contract", 15),
        "withdraw_nft": ("mint_nft", "deploy_nft_contract", 15),
    }
)
"""The steps before a call, by endpoint; the others need none."""
_OF_CAROL = frozenset({"mint_nft", "transfer_nft", "withdraw_nft", "deploy_nft_contract", "get_nft_data"})
"""The endpoints called by the account that mints; alice calls the others."""

_OTHER_FIELDS: Mapping[str, Callable[[Facts], dict[str, Any]]] = MappingProxyType(
    {
        "get_block": lambda facts: {"id": "1"},
        "get_code": lambda facts: {"address": facts.contract},
    }
)
"""The endpoints called with other than the usual fields, which would not show the effect of the steps before."""


class RightCall(NamedTuple):
    """A call that is accepted, with its answer."""

    before: tuple[str, ...]
    """The steps before it, as text."""
    now_ms: int
    """The relayer's time."""
    url: str
    call: ApiCall
    status: int
    answer: Json

    @property
    def now(self) -> str:
        """The relayer's time as text."""
        return moment_text(self.now_ms)


def right_call(endpoint: str, base: str = BASE) -> RightCall:
    """The call to an endpoint of a relayer at the URL `base`, which some signatures cover."""
    script = _Script(base)
    for step in _BEFORE.get(endpoint, ()):
        script.play(step)
    call, status, answer = script.send(endpoint)
    before = tuple(map(_in_words, _BEFORE.get(endpoint, ())))
    return RightCall(before, script.relay.now_ms(), base + call.target, call, status, answer)


def _in_words(step: Step) -> str:
    if isinstance(step, Control):
        return f"{step.method} __mockrelay/{step.path}"
    return f"{step} s pass" if isinstance(step, int) else step


class _Script:
    """Runs the steps of one example on a relay of its own."""

    def __init__(self, base: str) -> None:
        self.relay: Relay = fresh_relay()
        self.facts: Facts = facts_of(self.relay)
        self._base = base
        self._last_hash = ""
        self.facts.add_fees(self.send("get_exchange_info")[2]["data"])
        self.facts.contract_address = self.send("compute_token_address")[2]["tokenAddress"]

    def play(self, step: Step) -> None:
        """Make a step before the example."""
        if isinstance(step, Control):
            prepare(self.relay, step._replace(path=step.path.replace("*", self._last_hash)))
        elif isinstance(step, int):
            self.relay.advance(step * 1000)
        else:
            answer = self.send(step)[2]
            if step == "mint_nft":
                self.facts.nft = answer["raw_data"]
            elif step == "submit_order":
                self._last_hash = answer["data"]["orderHash"]

    def send(self, endpoint: str) -> tuple[ApiCall, int, Json]:
        """Send the right call to an endpoint: call, status, answer. A refusal is a bug of the script."""
        self.relay.advance(STEP_MS)
        call = self._call(endpoint)
        response = self.relay.handle(call.raw_request(self._base), self.relay.now_ms())
        answer = value_of(response)
        assert response.status == 200, (call, answer)
        return call, response.status, answer

    def _call(self, endpoint: str) -> ApiCall:
        account = "carol" if endpoint in _OF_CAROL else "alice"
        fields = _lasting(right_fields(self.facts, endpoint))
        if endpoint in _OTHER_FIELDS:
            fields = _OTHER_FIELDS[endpoint](self.facts)
        key = None if BY_NAME[endpoint].key is KeyHeader.NOT_LISTED else key_of(self.relay, account)
        if endpoint not in SIGNABLE:
            return ApiCall(endpoint, fields, key)
        request = {"account": account, "endpoint": endpoint, "body": fields, "url": self._base}
        signed = prepare(self.relay, Control("POST", "sign", request))
        return ApiCall(endpoint, signed["body"], key, signed["headers"].get("X-API-SIG"))


def _lasting(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with each `validUntil`, inner ones included, set to VALID_UNTIL_S."""
    return {
        name: VALID_UNTIL_S if name == "validUntil" else _lasting(value) if isinstance(value, Mapping) else value
        for name, value in fields.items()
    }
