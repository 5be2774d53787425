"""One right call to each row of a profile, signed where it can be, with its answer in the profile's scenario.

Each is sent to a relay of its own with a clock frozen at a fixed time, so that call and answer are the same every time.
The calls that must come before it (a mint before a transfer of the NFT) are sent first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.client.bodies import right_fields
from mockrelay.client.call import BASE, ApiCall, parse_answer
from mockrelay.client.facts import Facts
from mockrelay.client.live_bodies import LIVE_FIELDS
from mockrelay.control.signable import SIGNABLE
from mockrelay.core.units import moment_text
from mockrelay.openapi.players import STEP_MS
from mockrelay.openapi.playing import Control, Json, facts_of, fresh_relay, key_of, prepare, value_of
from mockrelay.relay import Relay
from mockrelay.spec.endpoint import SPEC, Endpoint, KeyHeader
from mockrelay.spec.profiles import PROFILES, Profile

VALID_UNTIL_S = 4_102_444_800
"""2100-01-01, so that the calls stay valid."""

Step = str | int | Control
"""The id of a row to call, or of the one that it stands for in the profile; seconds to wait; or a control call, where `*` in the
path stands for the last order's hash.
"""

_FILL = Control("POST", "orders/*/fill", {"size": "40000000000000000000"})
_DEPOSIT = Control("POST", "accounts/alice/deposit", {"token": "LRC", "amount": "5000000000000000000"})
_GEN3, _TRADE_GEN3 = ("submit_order_gen3",), ("submit_order_gen3", _FILL)
_GEN2, _TRADE_GEN2 = ("submit_order_v2",), ("submit_order_v2", _FILL)
_MINT, _DEPLOYED = ("mint_nft",), ("mint_nft", "deploy_nft_contract", 15)
_BEFORE: Mapping[str, tuple[Step, ...]] = MappingProxyType(
    {
        "get_depth": ("submit_order",),
        "get_candlestick": ("submit_order", _FILL),
        "get_ticker": ("submit_order", _FILL),
        "get_orders": ("submit_order",),
        "get_block": ("submit_withdrawal", 10),
        "get_pending_requests": ("submit_withdrawal",),
        **dict.fromkeys(("get_nft_data", "transfer_nft", "deploy_nft_contract"), _MINT),
        **dict.fromkeys(("get_code", "withdraw_nft"), _DEPLOYED),
        **dict.fromkeys(("get_depth_v3", "get_mix_depth", "get_order_v3", "get_orders_v3", "cancel_order_v3"), _GEN3),
        **dict.fromkeys(("cancel_orders_v3_by_hash", "cancel_orders_v3_by_client_id"), _GEN3),
        **dict.fromkeys(("get_ticker_v3", "get_mix_ticker", "get_candlestick_v3", "get_mix_candlestick"), _TRADE_GEN3),
        **dict.fromkeys(("get_trades_v3", "get_user_trades_v3"), _TRADE_GEN3),
        **dict.fromkeys(("get_order_v2", "get_orders_live", "cancel_orders_v2"), _GEN2),
        **dict.fromkeys(("cancel_orders_v2_by_hash", "cancel_orders_v2_by_client_id"), _GEN2),
        **dict.fromkeys(("get_trades_v2", "get_user_trades_v2"), _TRADE_GEN2),
        **dict.fromkeys(("get_transfers_v3", "get_transactions_v3"), ("submit_transfer_v3",)),
        "get_transfers_v2": ("submit_transfer",),
        **dict.fromkeys(("get_withdrawals_v3", "get_withdrawals_v2"), ("submit_withdrawal",)),
        **dict.fromkeys(("get_deposits_v3", "get_deposits_v2"), (_DEPOSIT,)),
        "get_update_info": ("update_account",),
        **dict.fromkeys(("get_nft_balances", "get_nfts", "get_nft_holders", "get_nft_mints"), _MINT),
        **dict.fromkeys(("get_collections", "get_collection_details"), ("create_collection",)),
        "get_nft_transfers": ("mint_nft", "transfer_nft"),
        "get_nft_withdrawals": (*_DEPLOYED, "withdraw_nft"),
    }
)
"""The steps before a call, by the id of its row, of the one that it is like, or else by its endpoint; the others need none."""
_OF_CAROL = frozenset(
    {
        *("mint_nft", "transfer_nft", "withdraw_nft", "deploy_nft_contract", "get_nft_data"),
        *("get_nft_balances", "get_nft_mints", "get_nft_transfers", "get_nft_withdrawals", "get_nft_deposits"),
    }
)
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

    row: Endpoint
    profile: str
    account: str
    """The name of the account that calls."""
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


def rows_of(profile: Profile) -> Mapping[str, Endpoint]:
    """The rows of a profile by their ids, and by the name of their endpoint those that take its requests; without those that open
    a WebSocket, whose answers are none of HTTP.
    """
    routes = [row for row in profile.routes.values() if not row.upgrades]
    rows = (*routes, *(form for forms in profile.forms.values() for form in forms))
    return {row.id: row for row in rows} | {row.name: row for row in routes}


def right_call(row_id: str, base: str = BASE, *, profile: str = SPEC) -> RightCall:
    """The call to a row of a profile, or to the row of an endpoint, at the URL `base`, which some signatures cover."""
    script = _Script(base, profile)
    row = script.row(row_id)
    before = next((_BEFORE[name] for name in (row.id, row.like, row.name) if name in _BEFORE), ())
    for step in before:
        script.play(step)
    call, status, answer = script.send(row)
    texts = tuple(map(script.in_words, before))
    return RightCall(row, profile, _caller(row), texts, script.relay.now_ms(), base + call.target, call, status, answer)


class _Script:
    """Runs the steps of one example on a relay of its own."""

    def __init__(self, base: str, profile: str) -> None:
        self.relay: Relay = fresh_relay(profile)
        self.facts: Facts = facts_of(self.relay)
        self._base = base
        self._profile = PROFILES[profile]
        self.facts.add_fees(self.send(self.row("get_exchange_info"))[2]["data"])
        self.facts.contract_address = self.send(self.row("compute_token_address"))[2]["tokenAddress"]

    def row(self, row_id: str) -> Endpoint:
        """The row with an id, or the one that takes the requests of an endpoint in the profile."""
        return rows_of(self._profile)[row_id]

    def in_words(self, step: Step) -> str:
        """A step as text."""
        if isinstance(step, Control):
            return f"{step.method} __mockrelay/{step.path}"
        return f"{step} s pass" if isinstance(step, int) else step

    def play(self, step: Step) -> None:
        """Make a step before the example."""
        if isinstance(step, Control):
            hash_text = self.facts.order_hash or "0"
            in_hex = f"0x{int(hash_text, 0):064x}"  # an order of the second generation is answered in decimal digits
            prepare(self.relay, step._replace(path=step.path.replace("*", in_hex)))
        elif isinstance(step, int):
            self.relay.advance(step * 1000)
        else:
            row = self.row(step)
            answer = self.send(row)[2]
            if row.name == "mint_nft":
                self.facts.nft = answer["raw_data"]
            elif row.id in _HASH_OF_ORDER:
                self.facts.order_hash = _HASH_OF_ORDER[row.id](answer)

    def send(self, row: Endpoint) -> tuple[ApiCall, int, Json]:
        """Send the right call to a row: call, status, answer. A refusal is a bug of the script."""
        self.relay.advance(STEP_MS)
        call = self._call(row)
        response = self.relay.handle(call.raw_request(self._base), self.relay.now_ms())
        answer = value_of(response)
        assert parse_answer(response.status, response.body).is_accepted, (call, answer)
        return call, response.status, answer

    def _call(self, row: Endpoint) -> ApiCall:
        account = _caller(row)
        fields = _lasting(self._fields(row))
        key = None if row.key is KeyHeader.NOT_LISTED else key_of(self.relay, account)
        if row.id == "submit_orders_v2":
            orders = [self._signed("submit_order_v2", order, account)["body"] for order in fields["orders"]]
            return ApiCall(row.id, {"orders": orders}, key)
        if row.name not in SIGNABLE:
            return ApiCall(row.id, fields, key)
        signed = self._signed(row.name, fields, account)
        return ApiCall(row.id, signed["body"] or fields, key, signed["headers"].get("X-API-SIG"))

    def _fields(self, row: Endpoint) -> Mapping[str, Any]:
        if row.profile != SPEC:
            return LIVE_FIELDS[row.id](self.facts)
        return _OTHER_FIELDS[row.id](self.facts) if row.id in _OTHER_FIELDS else right_fields(self.facts, row.id)

    def _signed(self, endpoint: str, fields: Mapping[str, Any], account: str) -> Mapping[str, Any]:
        request = {"account": account, "endpoint": endpoint, "body": fields, "url": self._base}
        signed: Mapping[str, Any] = prepare(self.relay, Control("POST", "sign", request))
        return signed


def _caller(row: Endpoint) -> str:
    """The name of the account that calls."""
    return "carol" if row.name in _OF_CAROL else "alice"


_HASH_OF_ORDER: Mapping[str, Callable[[Json], str]] = MappingProxyType(
    {
        "submit_order": lambda answer: answer["data"]["orderHash"],
        "submit_order_gen3": lambda answer: answer["hash"],
        "submit_order_v2": lambda answer: answer["data"],
    }
)
"""The hash of an order in the answer to it, by the id of the row."""


def _lasting(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with each `validUntil`, inner ones included, set to VALID_UNTIL_S."""
    return {name: _lasting_value(name, value) for name, value in fields.items()}


def _lasting_value(name: str, value: Any) -> Any:
    if name == "validUntil":
        return VALID_UNTIL_S
    if isinstance(value, list):
        return [_lasting_value("", inner) for inner in value]
    return _lasting(value) if isinstance(value, Mapping) else value
