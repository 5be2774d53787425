"""The acts by hand that the recorder mixes between the calls: every verb of the control API, right and wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.net.calls import NOBODY
from tests.net.player import WRONG_VALUES, Player
from tests.net.traffic import CONTROL, Step

ENDPOINTS = (
    *(
        "get_tokens",
        "get_depth",
        "get_orders",
        "get_order_id",
        "get_ticker",
        "get_account",
        "get_gas_price",
        "get_code",
    ),
    *("submit_order", "submit_order", "submit_order", "submit_transfer", "submit_withdrawal", "update_account"),
    *("mint_nft", "transfer_nft", "withdraw_nft", "deploy_nft_contract", "send_eth_tx", "get_token_balances"),
)
OPTIONS = {
    "http.error_status": ("split", "400", "200"),
    "http.numbers": ("strict", "lenient"),
    "http.unknown_fields": ("report", "refuse"),
    "auth.key_on_silent": ("ignore", "refuse"),
    "rate.scope": ("api_key", "address", "global"),
    "rate.window": ("second", "sliding", "bucket"),
    "account.key_active": ("at_once", "on_block"),
    "account.nonce_moves": ("at_once", "on_block"),
    "order.rejected_answer": ("code", "code_and_data", "data"),
    "order.valid_since_future": ("wait", "activate", "refuse"),
    "order.self_trade": ("cancel_newest", "allow"),
    "order.dust": ("finish", "keep"),
    "order_id.get": ("peek", "reserve"),
    "request.repeat": ("while_open", "always_idempotent"),
    "request.insufficient_funds": ("refuse", "fail"),
    "storage_id.scope": ("per_token", "per_account"),
    "transfer.credit": ("processed", "on_block"),
    "fee.charged": ("quote", "max_fee"),
    "block.status_words": ("pending confirmed finalized", "pending submitted completed"),
    "candles.empty": ("skip", "flat"),
    "ticker.no_value": ("0", "empty"),
    "nft.visible": ("at_once", "on_block"),
    "nft.error_code": ("100001", "100000"),
    "signature.scheme": ("presence", "protocol", "off"),
    "hash.scheme": ("fast", "protocol"),
}


def _send(p: Player, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    """A control call, now and then with something wrong about it."""
    if body is not None and p.one_in(6):
        body = dict(body)
        p.spoil(body, ("extra", "advance", "on"))
    return p.control(method, path, body)


def clock(p: Player) -> None:
    """Time goes on: a moment, a block, a day."""
    if p.one_in(8):
        ahead_ms = p.now_ms + p.pick(0, 1000, 60_000, -1000)
        day, rest = divmod(ahead_ms // 1000 - 1_767_225_600, 86_400)
        moment = (
            f"2026-01-{1 + day:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}Z"
            if day < 31
            else "2027-01-01T00:00:00Z"
        )
        _send(p, "POST", "clock", {"set": moment})
    else:
        times = ("500ms", "1s", "1s", "2s", "5s", "10s", "10s", "15s", "30s", "1m", "2m", "10m", "1h", "1d")
        _send(p, "POST", "clock", {"advance": p.rng.choice(times)})
    told = p.control("GET", "clock")
    p.state["now_ms"] = told["now_ms"]
    for number in p.held:
        if p.one_in(2) and not p.session.client.is_held(number):
            p.take(Step("", "", {}, "", read=number))
            p.held.remove(number)
            break


def fault(p: Player) -> None:
    """Arm a fault of any kind."""
    on = p.rng.choice(ENDPOINTS)
    effect: dict[str, Any] = p.pick(
        {"code": p.pick(102_014, 100_000, 104_005, 999)},
        {"code": 102_027, "message": "come again"},
        {"status": p.pick(503, 500, 429, 404)},
        {"status": 503, "at": p.pick("instead", "after", "before")},
        {"body": p.pick("malformed", "truncated", "html", "empty")},
        {"delay": p.pick("1s", "5s", "30s")},
        {"drop": True},
        {"drop": True, "at": p.pick("before", "after", "instead")},
        {"hold": p.pick("UNKNOWN", "WAIT_FREEZE_BALANCE")},
        {"outcome": "failed"},
        {"layer1": p.pick("down", "error")},
    )
    if "hold" in effect:
        on = "submit_order"
    if "outcome" in effect:
        on = p.pick("submit_withdrawal", "submit_transfer", "mint_nft", "deploy_nft_contract", "update_account")
    if "layer1" in effect:
        on = p.pick("get_gas_price", "send_eth_tx", "get_token_balances")
    body = {"on": on, **effect}
    if p.one_in(3):
        body["nth"] = p.pick(1, 2)
    if p.one_in(3):
        body["times"] = p.pick(2, 3)
    if p.one_in(4):
        field = {"submit_transfer": "sender", "submit_order": "accountId", "get_orders": "accountId"}.get(
            on, "accountId"
        )
        body["when"] = {field: p.account()["accountId"]}
    if p.one_in(4):
        body["name"] = p.pick("one", "two")
    _send(p, "POST", "faults", body)
    if "delay" in effect:
        p.has_delays = True
    match p.rng.randrange(6):
        case 0:
            p.control("GET", "faults")
        case 1:
            p.control("GET", f"faults/{p.pick('f1', 'f2', 'f3', 'x')}")
        case 2:
            p.control("DELETE", f"faults/{p.pick('f1', 'f2', 'f3', 'x')}")
        case 3:
            p.control("DELETE", "faults")
            p.has_delays = False


def orders(p: Player) -> None:
    """Cancel, fill, release or show an order."""
    name = p.rng.choice(p.orders[-20:]) if p.orders else "0x" + "7" * 64
    if p.one_in(12):
        name = p.pick(name.upper(), "0x12", "0x" + "7" * 64)
    match p.rng.randrange(5):
        case 0:
            _send(p, "GET", f"orders/{name}")
        case 1:
            _send(p, "POST", f"orders/{name}/cancel")
        case 2 | 3:
            size = p.pick("1000000000000000000", "100000000000000000", "5", "99999999999999999999999")
            _send(
                p,
                "POST",
                f"orders/{name}/fill",
                {"size": size} | ({"price": p.pick("0.0005", "1", "x")} if p.one_in(3) else {}),
            )
        case _:
            _send(p, "POST", f"orders/{name}/release", {"as": p.pick("active", "failed")})


def accounts(p: Player) -> None:
    """Money for an account, its keys, its freezing."""
    account = p.account()
    who = (
        p.pick(account["accountId"], account["name"], account["owner"]) if not p.one_in(15) else p.pick("nobody", 0, 77)
    )
    token = p.pick("LRC", "ETH", "USDT", 1, 0, 3, NOBODY)
    match p.rng.randrange(6):
        case 0 | 1:
            amount = p.pick("1", "1000000000000000000", "0", "1" * 78)
            _send(p, "POST", f"accounts/{who}/deposit", {"token": token, "amount": amount})
        case 2:
            _send(p, "POST", f"accounts/{who}/freeze", {"frozen": p.pick(True, False, False)})
        case 3 if not p.signed or p.one_in(4):
            keys: dict[str, Any] = p.pick(
                {"apiKey": p.pick("another key", "k" * 64, "")},
                {"accountNonce": p.pick(0, 5, 2**40)},
                {"keySeed": "a seed"},
                {"publicKeyX": "0x0a", "publicKeyY": "0x0b"},
            )
            _send(p, "POST", f"accounts/{who}/keys", keys)
            p.look()
        case _:
            p.control("GET", f"accounts/{who}")


def blocks(p: Player) -> None:
    """Blocks, requests, deployments and fees."""
    name = p.rng.choice(p.requests[-12:]) if p.requests else "0x" + "7" * 64
    match p.rng.randrange(8):
        case 0:
            _send(p, "POST", "blocks/seal", {"count": p.pick(1, 2)} if p.one_in(2) else None)
        case 1:
            _send(p, "POST", "blocks/finalize", {"upTo": p.pick(0, 1, 3, 99)} if p.one_in(2) else None)
        case 2:
            _send(p, "GET", f"submissions/{name}")
        case 3 | 4:
            _send(p, "POST", f"submissions/{name}/advance", {"to": p.pick("processing", "processed", "failed")})
        case 5:
            address = p.rng.choice(p.contracts or [NOBODY])
            _send(p, "POST", f"nft/{address}/deploy", {"outcome": p.pick("deployed", "failed")})
        case _:
            body = {"requestType": p.pick(9, "9", 10, 13, "transfer", "withdrawal", "account_update", 12)}
            body |= {"token": p.pick("LRC", "ETH", 1, 5)}
            body |= (
                {"fee": p.pick("1", "50000000000000001")} if p.one_in(2) else {"factor": p.pick(1.3, "1.3", 0.5, 2, -1)}
            )
            _send(p, "POST", "fees", body)


def layer1(p: Player) -> None:
    """What layer 1 says."""
    account = p.account()
    who = p.pick(account["owner"], account["name"], NOBODY)
    body: dict[str, Any] = p.pick(
        {"state": p.pick("up", "up", "down", "error")},
        {"gasPrice": p.pick("1", "33000000000")},
        {"balances": {who: {p.pick("LRC", "ETH"): "7"}}},
        {"allowances": {who: {p.pick("LRC", "DAI"): "8"}}},
        {"approvedHashes": {who: ["0x" + "a" * 64]}},
    )
    _send(p, "POST", "layer1", body)


def choices(p: Player) -> None:
    """Other readings of the spec."""
    names = [name for name in OPTIONS if p.signed or name != "signature.scheme"]
    changed = {name: p.rng.choice(OPTIONS[name]) for name in p.rng.sample(names, p.pick(1, 1, 2))}
    _send(p, "PUT", "choices", changed)


def journal(p: Player) -> None:
    """What was called, and why it was answered so."""
    match p.rng.randrange(8):
        case 0 | 1 | 2:
            p.control("GET", f"why/{p.rng.choice(p.request_ids[-30:]) if p.request_ids else 'r1'}")
        case 3:
            p.control("GET", "requests", last=p.pick(1, 3, 0))
        case 4:
            p.control("GET", "requests", endpoint=p.pick("submit_order", "get_depth", "nothing"), last=2)
        case 5 | 6:
            verify(p)
        case _:
            p.control("GET", p.pick("findings", "problems", "clock", "choices", "health", "snapshots"))


def verify(p: Player) -> None:
    """Whether calls were made; each of these would be answered alike by whoever compares values of the right form."""
    endpoint = p.pick("submit_order", "get_orders", "submit_withdrawal", "get_depth")
    body: dict[str, Any] = {"endpoint": endpoint}
    if p.one_in(2):
        body |= p.pick({"times": 1}, {"times": 2}, {"atLeast": 2}, {"atMost": 3}, {"atLeast": 1, "atMost": 2})
    if p.one_in(3):
        body["code"] = p.pick(0, 102_014, 102_012)
    if p.one_in(3) and endpoint != "get_depth":
        body["query" if endpoint == "get_orders" else "body"] = {"accountId": p.account()["accountId"]}
    if p.one_in(5):
        body = {"sequence": p.pick(["submit_order", "get_orders"], ["get_order_id", "submit_order"], [], ["nothing"])}
    p.control("POST", "verify", body)


def snapshots(p: Player) -> None:
    """Keep, restore, forget."""
    name = p.pick("a", "b", "c")
    match p.rng.randrange(5):
        case 0 | 1:
            _send(p, "POST", "snapshots", {"name": name})
        case 2 | 3:
            p.control("POST", f"snapshots/{name}/restore")
            p.look()
        case _:
            p.control(*p.pick(("GET", "snapshots"), ("DELETE", f"snapshots/{name}"), ("DELETE", "snapshots")))


def records(p: Player) -> None:
    """Dump, and later load what was dumped: a dump of this run in either relayer of the case."""
    if not p.dumps or p.one_in(3):
        p.dumps.append(p.offset + len(p.steps))
        p.control("GET", "dump")
    elif p.one_in(6):
        p.control("POST", "load", p.pick("no record\n", '{"kind":"control"}\n', "[]\n"))
    else:
        p.take(Step("POST", f"{p.base}{CONTROL}load", {}, "", load=p.rng.choice(p.dumps)))
        p.look()
        p.control("GET", "findings")


def wrong(p: Player) -> None:
    """A command with a value of another form in each field that it has."""
    path, field = p.pick(
        ("clock", "advance"), ("clock", "set"), ("clock", "rate"), ("reset", "scenario"), ("reset", "limits"),
        ("reset", "clock"), ("reset", "choices"), ("blocks/seal", "count"), ("blocks/finalize", "upTo"),
        ("layer1", "state"), ("layer1", "balances"), ("layer1", "gasPrice"), ("faults", "on"), ("sign", "account"),
        ("sign", "endpoint"), ("snapshots", "name"), ("verify", "endpoint"), ("verify", "sequence"),
    )  # fmt: skip
    value = p.rng.choice(WRONG_VALUES)
    if (path, field) == ("clock", "rate"):
        value = p.pick("fast", "", [1], True)
    if path == "reset":
        # Whatever leads to a start without a moment of its own would start today.
        value = p.pick("fast", "", [1], {"start": 5}, {"speed": 1}, 17 if field != "clock" else True)
    if (path, field) == ("clock", "advance"):
        value = p.pick("15", 15, "1 s", "1.5s", "", None)
    p.control("POST", path, json.dumps({field: value}))


ACTS: tuple[tuple[int, Callable[[Player], None]], ...] = (
    (14, clock),
    (7, fault),
    (8, orders),
    (6, accounts),
    (7, blocks),
    (2, layer1),
    (3, choices),
    (8, journal),
    (4, snapshots),
    (4, records),
    (3, wrong),
)
"""How often each is done, beside the others."""
