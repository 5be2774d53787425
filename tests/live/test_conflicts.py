"""Where live relayers and the specification answer otherwise: what each profile makes of the same call (C1 to C26)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.web import Serving
from mockrelay.web.cors import ANY
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.server import bind
from tests.live.conflicts import CONFLICTS
from tests.live.test_recorded import FOLDER
from tests.live.test_rows import NOBODY, PRESENCE, nft_withdrawal, order_v3, transfer_v3
from tests.support.bodies import E18, ECDSA_SIGNATURE, bodies_of
from tests.support.client import advance, done, get, post, send
from tests.support.connection import connected
from tests.support.worlds import relay_from

LRC_ETH = {"market": "LRC-ETH"}
FORM = {"content-type": "application/x-www-form-urlencoded"}


def public_key(relay: Relay) -> Any:
    """Whether the account of the second generation has its key in decimal digits."""
    return get(relay, "/api/v2/account", owner=relay.world.accounts[10001].owner).data["publicKeyX"].isdigit()


def candles(relay: Relay) -> Any:
    """The starts of three minutes after a trade, in minutes before the latest."""
    post(relay, "/api/v3/order", bodies_of(relay).order(1))
    post(relay, "/api/v3/order", bodies_of(relay).bid(1), key="bob")
    start_ms = relay.now_ms()
    advance(relay, "2m")
    rows = get(relay, "/api/v2/candlestick", **LRC_ETH, interval="1min", start=start_ms, end=relay.now_ms()).data
    return [(int(rows[0][0]) - int(row[0])) // 60_000 for row in rows]


def withdraw(relay: Relay, storage_id: int = 1) -> Any:
    """A withdrawal's answer."""
    body = bodies_of(relay).withdrawal(storage_id)
    return post(relay, "/api/v3/user/withdrawals", body, signature=ECDSA_SIGNATURE)


def withdraw_beside_an_order(relay: Relay) -> Any:
    """The code of a withdrawal with the id of an order."""
    assert post(relay, "/api/v3/order", bodies_of(relay).order(3)).code == 0
    return withdraw(relay, 3).code


def transfer(relay: Relay) -> Any:
    """The code of a transfer of LRC that pays in ETH."""
    body = bodies_of(relay).transfer(0, tokenF=0, amountF=str(10**13))
    return post(relay, "/api/v2/transfer", body, signature=ECDSA_SIGNATURE).code


def nonce_after_a_transfer(relay: Relay) -> Any:
    """The nonce after a transfer of the second generation, and in the profile that has it of the third."""
    post(relay, "/api/v2/transfer", bodies_of(relay).transfer(0), signature=ECDSA_SIGNATURE)
    post(relay, "/api/v3/transfer", transfer_v3(relay, 1), signature=ECDSA_SIGNATURE)
    return get(relay, "/api/v2/account", owner=relay.world.accounts[10001].owner).data["accountNonce"]


def send_form(relay: Relay) -> Any:
    """The code of a transaction that is sent in a form."""
    return send(relay, "POST", "/api/v2/sendEthTx", body=b"data=0xf8aa", headers=FORM).code


def findings(relay: Relay) -> Any:
    """The rules against which a surplus field, a repeated parameter and an order valid for a day are."""
    now_s = relay.now_ms() // 1000
    post(relay, "/api/v3/order", bodies_of(relay).order(1, hash="0", validUntil=now_s + 86_400))
    twice = [("market", "LRC-ETH"), ("level", "0"), ("level", "0")]
    send(relay, "GET", "/api/v2/depth", query=twice)
    return sorted({finding["rule"] for finding in done(relay, "GET", "findings")})


def order_without_validity(relay: Relay) -> Any:
    """The codes of orders without validSince, of the second and of the third generation."""
    old = {name: value for name, value in bodies_of(relay).order(1).items() if name != "validSince"}
    return [post(relay, "/api/v3/order", body).code for body in (old, order_v3(relay, 2))]


CASES: list[tuple[str, Callable[[Relay], Any], Any, Any]] = [
    ("C3 F5 a public key in decimal digits", public_key, False, True),
    ("C4 F20 the gas price", lambda relay: get(relay, "/api/v2/recommendedGasPrice").data, "20", "20000000000"),
    ("C5 F6 an order id", lambda relay: get(relay, "/api/v2/orderId", accountId=10001, tokenSId=1).data, "0", 0),
    ("C6 F22 candles", candles, [0], [0, 1, 2]),
    ("C12 no key", lambda relay: get(relay, "/api/v2/exchange/tokens", key=None).code, 104001, 0),
    ("C13 S8 a submission", lambda relay: withdraw(relay).json["status"], "received", "processing"),
    ("C14 S2 an id of both", withdraw_beside_an_order, 0, 102021),
    ("C15 S3 the nonce", nonce_after_a_transfer, 1, 1),
    ("C16 F24 another fee token", transfer, 102025, 0),
    ("C17 a path", lambda relay: get(relay, "/api/v3/timestamp", key=None).status, 404, 200),
    ("C19 F23 a level", lambda relay: get(relay, "/api/v2/depth", **LRC_ETH, level=1000).code, 108001, 0),
    ("C20 without validSince", order_without_validity, [102120, 102120], [102120, 0]),
    ("C22 L5 F21 a form", send_form, 100000, 0),
    ("C23 L1 slashes", lambda relay: get(relay, "//api/v2/exchange/tokens").status, 404, 200),
    ("C24 E31 a block", lambda relay: get(relay, "/api/v3/block/getBlock", id="7").code, 100000, 103011),
    (
        "C25 findings",
        findings,
        ["repeated-parameter", "unknown-field", "validity-under-a-month"],
        [],
    ),
]


def test_the_guides_table_has_all_conflicts() -> None:
    assert [row.id for row in CONFLICTS] == [f"C{number}" for number in range(1, 27)]


@pytest.mark.parametrize("profile", ["spec", "live"])
@pytest.mark.parametrize(("ask", "spec", "live"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_call_in_both_profiles(ask: Callable[[Relay], Any], spec: Any, live: Any, profile: str) -> None:
    relay = relay_from("default" if profile == "spec" else "live_v3", choices={"signature.scheme": "presence"})
    assert ask(relay) == (spec if profile == "spec" else live)


@pytest.mark.parametrize("scheme", ["off", "presence", "protocol"])
def test_an_account_shows_the_key_that_its_private_keys_make_c21(scheme: str) -> None:
    """Whatever is verified: it is the one that a client derives from the owner's key and the seed."""
    relay = Relay.from_scenario(FOLDER / "world_v3.yaml", choices={"signature.scheme": scheme})
    (account,) = (one for one in relay.world.accounts.values() if one.account_id == 20001)
    assert account.public_key_x == "0x0b4c4bbe400fbd5bcaaf5cf33a806e7779ee5cb25729d5991c3d4491a6c59f19"
    assert account.public_key_y == "0x01bbe06cea9f217b329a02938e8f025894e6b60ef6ac71c6015aaf29228ab8d7"


def test_the_fee_asked_for_is_the_fee_charged_c26() -> None:
    """0.05 LRC for a transfer, of an offer of 1 LRC."""
    relay = relay_from("live_v3", choices=PRESENCE)
    quoted = get(relay, "/api/v3/user/offchainFee", accountId=10001, requestType=3).json["fees"][1]["fee"]
    before = sum(relay.world.ledger.balance(10001, 1))
    body = transfer_v3(relay, 1, maxFee={"tokenId": 1, "volume": str(E18)})
    assert post(relay, "/api/v3/transfer", body, signature=ECDSA_SIGNATURE).status == 200
    assert get(relay, "/api/v3/user/transfers", accountId=10001).json["transactions"][0]["feeAmount"] == quoted
    assert sum(relay.world.ledger.balance(10001, 1)) == before - E18 - int(quoted)
    assert quoted == str(E18 // 20)


@pytest.mark.parametrize("extra", ["", None, "0x", "ab12", "0xab12"])
def test_extra_data_may_be_empty_absent_or_hex_l14(extra: str | None) -> None:
    """Each signed for what it is: the relayer finds the signature right."""
    relay = relay_from("live_v3")
    body = bodies_of(relay).withdrawal(1)
    if extra is not None:
        body["extraData"] = extra
    signed = done(relay, "POST", "sign", {"account": "alice", "endpoint": "submit_withdrawal", "body": body})
    answer = post(relay, signed["path"], signed["body"], signature=signed["headers"]["X-API-SIG"])
    assert answer.status == 200, answer.body


@pytest.mark.parametrize("endpoint", ["submit_withdrawal", "withdraw_nft"])
def test_extra_data_with_and_without_0x_is_signed_alike_l14(endpoint: str) -> None:
    """The message that is signed has the bytes, however they are written; other bytes have another."""
    relay = relay_from("live_v3")
    nft = {"tokenId": 32768, "nftData": "0x" + "1" * 64, "amount": "1"}
    body = bodies_of(relay).withdrawal(1) if endpoint == "submit_withdrawal" else nft_withdrawal(relay, nft, 1)

    def signed(extra: str) -> tuple[str, str]:
        made = done(
            relay,
            "POST",
            "sign",
            {"account": "alice", "endpoint": endpoint, "body": {**body, "extraData": extra}},
        )
        return made["body"]["eddsaSignature"], made["headers"]["X-API-SIG"]

    assert signed("0xab12") == signed("ab12") == signed("AB12")
    assert not set(signed("0xab12")) & set(signed("0xab13"))
    assert signed("") == signed("0x")


def test_names_prices_and_nonces_are_a_scenarios_data_s9() -> None:
    """Of the packaged scenario; a token without a price costs "0", an owner without a nonce has 0."""
    relay = relay_from("live_v3")
    assert (
        get(relay, "/api/wallet/v3/resolveEns", key=None, fullName="alice.eth").data
        == relay.world.accounts[10001].owner.lower()
    )
    prices = get(relay, "/api/v3/price", key=None, legal="USD").json["prices"]
    assert {row["symbol"]: row["price"] for row in prices} == {"ETH": "1800", "LRC": "0.3", "USDT": "1", "DAI": "1"}
    assert {row["price"] for row in get(relay, "/api/v3/price", key=None, legal="JPY").json["prices"]} == {"0"}
    assert get(relay, "/api/v3/eth/nonce", key=None, owner=NOBODY[1]).json == {"nonce": 0}


def test_calls_of_the_specification_that_work_as_they_are_e20_e35_e41() -> None:
    """The fee rates of an order, the contract's address with an empty base URI, its code, the broker of deployments."""
    relay = relay_from("live_v3", choices=PRESENCE)
    fee = get(relay, "/api/v3/user/orderFee", accountId=10001, **LRC_ETH, tokenB=0, amountB=str(E18)).json
    assert fee["feeRate"] == {"symbol": "LRC-ETH", "makerRate": 10, "takerRate": 20}
    exchange = relay.world.config.exchange
    query = {"nftFactory": exchange.nft_factory, "nftOwner": relay.world.accounts[10001].owner, "nftBaseUri": ""}
    contract = get(relay, "/api/v3/nft/info/computeTokenAddress", **query).json["tokenAddress"]
    code = post(relay, "/api/v3/delegator/getCode", {"address": contract}).json
    assert code == {"id": 1, "jsonrpc": "2.0", "result": "0x"}
    assert get(relay, "/api/v3/getAvailableBroker", type=0).json == {"broker": exchange.broker}
    deployment = json.dumps(bodies_of(relay).deployment("0x" + "1" * 64, contract)).encode()
    unsigned = send(relay, "POST", "/api/v3/nft/deployTokenAddress", body=deployment)
    assert unsigned.refusal_code == 104004


def test_a_page_of_any_site_may_call_it_l16() -> None:
    """Where the server lets pages in: before the call and after it."""
    origin = "Origin: http://app.test:3000"
    hosted = Dispatcher(relay_from("live_v3"), None, cors=ANY)
    with Serving(hosted, bind("127.0.0.1", 0)) as server, connected(server.url) as wire:
        asks = wire.ask("OPTIONS", "/api/v3/order", origin, "Access-Control-Request-Method: DELETE")
        assert (asks.status // 100, asks.headers["access-control-allow-origin"]) == (2, "*")
        assert "DELETE" in asks.headers["access-control-allow-methods"]
        answer = wire.ask("GET", "/api/v3/timestamp", origin)
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, "*")


@pytest.mark.parametrize(
    ("hosts", "signed", "status"),
    [
        (None, "https://api3.loopring.io", 200),
        (["https://relay.example:8443"], "https://relay.example:8443", 200),
        (["https://relay.example:8443"], "https://api3.loopring.io", 400),
        ([], "https://api3.loopring.io", 400),
    ],
    ids=["built in", "of the scenario", "not of the scenario", "none"],
)
def test_clients_may_sign_the_addresses_of_a_list(
    hosts: list[str] | None, signed: str, status: int, tmp_path: Path
) -> None:
    """What stands in place of the address that was called; a scenario may set the list."""
    live = "" if hosts is None else f"live: {{signed_hosts: {json.dumps(hosts)}}}\n"
    scenario = tmp_path / "own.yaml"
    scenario.write_text(f"format: 1\nextends: live_v3\n{live}")
    relay = relay_from(scenario)
    ask = {"account": "alice", "endpoint": "get_api_key_v3", "body": {"accountId": 10001}, "url": signed}
    header = done(relay, "POST", "sign", ask)["headers"]["X-API-SIG"]
    answer = send(relay, "GET", "/api/v3/apiKey", query=[("accountId", "10001")], key=None, signature=header)
    assert answer.status == status
