"""Requests that other implementations have built and signed, as the relayer takes them, and the world that they fit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from mockrelay.relay import Relay
from tests.support.answer import Answer
from tests.support.client import done, post
from tests.support.signer import PROTOCOL
from tests.support.worlds import relay_from

_FOLDER = Path(__file__).parents[2] / "vectors"
EXCHANGE = "0x9f1d2c3b4a5968778695a4b3c2d1e0f1a2b3c4d5"
OWNER = "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"
PAYEE = "0x1563915e194D8CfBA1943570603F7606A3115508"

SCENARIO = f"""
format: 1
name: vectors
extends: default
choices: {{request.insufficient_funds: fail, fee.charged: max_fee, transfer.fee_token: any, nft.error_code: "100001"}}
exchange: {{exchangeId: 2, chainId: 1337, exchangeAddress: "{EXCHANGE}"}}
nft: {{factory: "FACTORY", implementation: "0xb25f6d711aebf954fb0265a3b29f7b9beba7e55d", broker: "{PAYEE}"}}
fees: FEES
tokens:
  - {{symbol: ETH, tokenId: 0, minOrderAmount: "1"}}
  - {{symbol: VCT, tokenId: 2, decimals: 18, minOrderAmount: "1", maxOrderAmount: "1000000000000000000000000"}}
markets:
  - {{market: VCT-ETH, pricePrecision: 8, levels: [0]}}
accounts:
  - name: alice
    accountId: 10001
    accountNonce: NONCE
    owner: "{OWNER}"
    eddsaKey: "0x016929b8601c45d888a5288b66577d0c3cc6b4d820b5ba8593c51a8e77b4d1ca"
    layer1Key: "0x{"11" * 32}"
    balances: {{ETH: "20000000000000000000", VCT: "50000000000000000000000"}}
  - {{name: bob, accountId: 10002, owner: "{PAYEE}"}}
"""


class Case(NamedTuple):
    """A request as it is sent, and what it must be answered as its hash."""

    name: str
    path: str
    body: Mapping[str, Any]
    header: str | None
    hash: str
    nonce: int = 0
    prepare: Callable[[Relay], None] | None = None
    """What must be so before it."""


def read(name: str) -> Any:
    """The content of a file of vectors."""
    return json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))


def world(case: Case, choices: Mapping[str, str] = PROTOCOL) -> Relay:
    """A relay with the vectors' chain, exchange, accounts and keys, where all is so that the case needs."""
    addresses = read("nft")["addresses"]
    factory = next(one["nftFactory"] for one in addresses if one["chainId"] == 1)
    kinds = ("account_update", "NFT_MINT", "NFT_WITHDRAWAL", "NFT_TRANSFER", "NFT_DEPLOY")
    fees = {kind: {"ETH": "1", "LRC": "1", "VCT": "1"} for kind in kinds}
    text = SCENARIO.replace("FACTORY", factory).replace("FEES", json.dumps(fees)).replace("NONCE", str(case.nonce))
    relay = relay_from()
    done(relay, "POST", "reset", {"scenarioText": text, "choices": dict(choices), "limits": "off"})
    for kind in ("transfer", "withdrawal"):
        for token in ("ETH", "LRC", "VCT"):
            done(relay, "POST", "fees", {"requestType": kind, "token": token, "fee": "1"})
    if case.prepare is not None:
        case.prepare(relay)
    return relay


def sent(relay: Relay, case: Case) -> Answer:
    """The answer to it."""
    body = json.dumps(case.body, separators=(",", ":")).encode()
    return post(relay, case.path, body, key="alice", signature=case.header)


@cache
def cases() -> tuple[Case, ...]:
    """Every published request that can be sent as a whole."""
    return (*_gen_2(), *_gen_3(), *_nfts())


def _gen_2() -> Iterator[Case]:
    parts = ("signatureRx", "signatureRy", "signatureS")
    paths = {"v2order": "/api/v3/order", "v2transfer": "/api/v2/transfer"}
    for number, vector in enumerate(read("requests_v2")["vectors"]):
        for signed in filter(None, (vector, vector.get("altSignature"))):
            header = vector["xApiSig"]["signature"] if "xApiSig" in vector else None
            body = {**vector["request"], **{part: signed[part] for part in parts}}
            nonce = vector["request"].get("nonce", 0)
            name = f"{vector['kind']} {number} {signed.get('by', 'python')[:8]}"
            yield Case(name, paths[vector["kind"]], body, header, vector["hash"], nonce)


def _gen_3() -> Iterator[Case]:
    paths = {"withdrawal": "/api/v3/user/withdrawals", "accountUpdate": "/api/v3/account"}
    for vector in read("requests_v3")["vectors"]:
        if (path := paths.get(vector["kind"])) is None:
            continue  # orders and transfers of this generation have no endpoint
        ecdsa = vector["ecdsa"]
        direct, personal = ecdsa["sig_eip712_02"], ecdsa["sig_personal_03"]
        body = {**vector["request"], "eddsaSignature": vector["eddsaSignature"]}
        # With its suffix, without one, and with the one that is not its.
        headers = (("02", direct), ("03", personal), ("none", direct[:-2]), ("02 as 03", direct[:-2] + "03"))
        for way, header in headers:
            yield Case(f"{vector['kind']} {way}", path, body, header, vector["hash"], vector["request"].get("nonce", 0))


def _nfts() -> Iterator[Case]:
    found = {vector["kind"]: vector for vector in read("nft")["requests"]}
    vector = found["nftMint"]
    signed = {**vector["request"], "eddsaSignature": vector["eddsaSignature"]}
    mint = Case("nftMint", "/api/v3/nft/mint", signed, None, vector["hash"])
    yield mint

    def minted_and_deployed(relay: Relay) -> None:
        assert sent(relay, mint).code == 0
        done(relay, "POST", f"nft/{mint.body['tokenAddress']}/deploy", {})

    vector = found["nftWithdrawal"]
    # The vector has the field names of an ordinary withdrawal, the endpoint those of a transfer.
    names = {"accountId": "fromAccountId", "owner": "fromAddress", "to": "toAddress"}
    body = {names.get(name, name): value for name, value in vector["request"].items()}
    signed = {**body, "eddsaSignature": vector["eddsaSignature"]}
    yield Case("nftWithdrawal", "/api/v3/nft/withdrawal", signed, None, vector["hash"], 0, minted_and_deployed)
