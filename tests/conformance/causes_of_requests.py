"""For every (endpoint, code) pair of transfers, withdrawals, account updates and NFT look-ups: how a client meets it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mockrelay.relay import Relay
from tests.conformance.causes import CAUSES, Cause, just
from tests.support.bodies import E18
from tests.support.calls import FIELD, OWNER_B, SOME_ADDRESS, Request, call, minted, valid_request
from tests.support.client import advance
from tests.support.worlds import START_S

ZERO_ADDRESS = "0x" + "0" * 40
TRANSFER, WITHDRAWAL, UPDATE = (
    valid_request(name) for name in ("submit_transfer", "submit_withdrawal", "update_account")
)
NFT_DATA = valid_request("get_nft_data")
_ALL_LRC = 10_000 * E18
_NO_PART = "0x" + f"{FIELD:064x}" + "1" * 128


def inside(request: Request, field: str, **changes: Any) -> Request:
    """The same with changes inside an object."""
    inner: Mapping[str, Any] = request.fields[field]
    return request.but(**{field: {**inner, **changes}})


def taken(relay: Relay, request: Request) -> Any:
    """A request that must be accepted; its parsed answer."""
    answer = call(relay, request)
    assert answer.status == 200, answer.body
    assert answer.code == 0, answer.body
    return answer.json


def _after(first: Request, then: Request, *waits: str) -> Callable[[Relay], Request]:
    def arrange(relay: Relay) -> Request:
        taken(relay, first)
        for wait in waits:
            advance(relay, wait)
        call(relay, valid_request("get_pending_requests"))
        return then

    return arrange


def _minted(then: Request) -> Callable[[Relay], Request]:
    def arrange(relay: Relay) -> Request:
        minted(relay)
        return then

    return arrange


def _causes(base: Request, code: int, named: str, cases: Mapping[str, Request]) -> tuple[Cause, ...]:
    return tuple(Cause(base.name, code, how, just(request), (named,)) for how, request in cases.items())


_OF_TRANSFERS: tuple[Cause, ...] = (
    *_causes(TRANSFER, 102001, "exchangeId", {"another exchange": TRANSFER.but(exchangeId=3)}),
    *_causes(
        *(TRANSFER, 102022, "sender"),
        {"sender unknown": TRANSFER.but(sender=99999), "another's account": TRANSFER._replace(key="bob")},
    ),
    *_causes(TRANSFER, 102023, "receiver", {"receiver unknown": TRANSFER.but(receiver=99999)}),
    *_causes(TRANSFER, 102024, "tokenF", {"fee token unknown": TRANSFER.but(tokenF=77)}),
    *_causes(TRANSFER, 102025, "token", {"fee in another token": TRANSFER.but(tokenF=0, amountF=str(10**16))}),
    *_causes(
        *(TRANSFER, 102021, "nonce"),
        {"nonce ahead": TRANSFER.but(nonce=1), "nonce negative": TRANSFER.but(nonce=-1)},
    ),
    Cause("submit_transfer", 102021, "again", _after(TRANSFER, TRANSFER), ("nonce",)),
    *_causes(TRANSFER, 100000, "amount", {"zero": TRANSFER.but(amount="0")}),
    *_causes(TRANSFER, 100000, "amountF", {"fee too low": TRANSFER.but(amountF="1")}),
    *_causes(
        *(TRANSFER, 100000, "amount"),
        {"one wei more than there is": TRANSFER.but(amount=str(_ALL_LRC - 5 * 10**16 + 1), amountF=str(5 * 10**16))},
    ),
)

_OF_WITHDRAWALS: tuple[Cause, ...] = (
    *_causes(
        *(WITHDRAWAL, 102001, "exchange"),
        {"another exchange": WITHDRAWAL.but(exchange=SOME_ADDRESS), "no address": WITHDRAWAL.but(exchange="2")},
    ),
    *_causes(
        *(WITHDRAWAL, 102022, "accountId"),
        {"account unknown": WITHDRAWAL.but(accountId=99999), "another's account": WITHDRAWAL._replace(key="bob")},
    ),
    *_causes(WITHDRAWAL, 102022, "owner", {"another owner": WITHDRAWAL.but(owner=OWNER_B)}),
    *_causes(WITHDRAWAL, 102023, "to", {"to nobody": WITHDRAWAL.but(to=ZERO_ADDRESS)}),
    *_causes(WITHDRAWAL, 102024, "maxFee", {"fee token unknown": inside(WITHDRAWAL, "maxFee", tokenId=77)}),
    Cause(
        *("submit_withdrawal", 102025, "fee in another token, by choice"),
        just(inside(WITHDRAWAL, "maxFee", tokenId=0)),
        choices=(("withdrawal.fee_token", "same"),),
    ),
    Cause(
        *("submit_withdrawal", 102021, "storage id used"),
        _after(WITHDRAWAL, inside(WITHDRAWAL, "token", volume="1")),
        ("storageId",),
    ),
    Cause("submit_withdrawal", 102021, "again when done", _after(WITHDRAWAL, WITHDRAWAL, "10s", "1s"), ("storageId",)),
    *_causes(
        *(WITHDRAWAL, 100001, "validUntil"),
        {"now": WITHDRAWAL.but(validUntil=START_S), "past": WITHDRAWAL.but(validUntil=START_S - 1)},
    ),
    *_causes(
        *(WITHDRAWAL, 100001, "token"),
        {
            "token unknown": inside(WITHDRAWAL, "token", tokenId=77),
            "zero": inside(WITHDRAWAL, "token", volume="0"),
            "one wei more than there is": inside(WITHDRAWAL, "token", volume=str(_ALL_LRC - E18 // 10 + 1)),
        },
    ),
    *_causes(WITHDRAWAL, 100001, "maxFee", {"fee too low": inside(WITHDRAWAL, "maxFee", volume="1")}),
    *_causes(WITHDRAWAL, 100001, "minGas", {"shape": WITHDRAWAL.but(minGas="x")}),
)

_OF_UPDATES: tuple[Cause, ...] = (
    *_causes(
        *(UPDATE, 102001, "exchange"),
        {"another exchange": UPDATE.but(exchange=SOME_ADDRESS), "no address": UPDATE.but(exchange="2")},
    ),
    *_causes(UPDATE, 102022, "accountId", {"account unknown": UPDATE.but(accountId=99999)}),
    *_causes(UPDATE, 102022, "owner", {"another owner": UPDATE.but(owner=OWNER_B)}),
    *_causes(UPDATE, 102024, "maxFee", {"fee token unknown": inside(UPDATE, "maxFee", tokenId=77)}),
    *_causes(UPDATE, 102021, "nonce", {"nonce ahead": UPDATE.but(nonce=1), "nonce negative": UPDATE.but(nonce=-1)}),
    Cause("update_account", 102021, "again when done", _after(UPDATE, UPDATE, "10s", "1s"), ("nonce",)),
    Cause(
        *("update_account", 102021, "nonce used by a transfer"),
        _after(TRANSFER, UPDATE),
        ("nonce",),
    ),
    *_causes(UPDATE, 100001, "validUntil", {"now": UPDATE.but(validUntil=START_S)}),
    *_causes(UPDATE, 100001, "maxFee", {"fee too low": inside(UPDATE, "maxFee", volume="1")}),
    *_causes(UPDATE, 100001, "publicKey", {"no key": UPDATE.without("publicKey")}),
    Cause(
        *("update_account", 100001, "no money for the fee"),
        _after(TRANSFER.but(amount=str(_ALL_LRC - E18 // 10)), UPDATE.but(nonce=1)),
        ("maxFee",),
    ),
)

_OF_NFTS: tuple[Cause, ...] = (
    Cause("get_nft_data", 104001, "no key", _minted(NFT_DATA._replace(key=None))),
    Cause("get_nft_data", 104001, "empty key", _minted(NFT_DATA._replace(key=""))),
    Cause("get_nft_data", 104002, "nobody's key", _minted(NFT_DATA._replace(key="nobody"))),
    Cause("get_nft_data", 104003, "minter unknown", _minted(NFT_DATA.but(minter="99999")), ("minter",)),
)

_SIGNATURES: tuple[tuple[Request, str], ...] = ((WITHDRAWAL, "eddsaSignature"), (UPDATE, "eddsaSignature"))
OURS: tuple[Cause, ...] = (
    *(
        cause
        for part in ("signatureRx", "signatureRy", "signatureS")
        for cause in (
            *_causes(TRANSFER, 104004, part, {f"{part} blank": TRANSFER.but(**{part: "0"})}),
            *_causes(TRANSFER, 104005, part, {f"{part} beyond the field": TRANSFER.but(**{part: str(FIELD)})}),
        )
    ),
    *(
        cause
        for request, field in _SIGNATURES
        for cause in (
            *_causes(request, 104005, field, {f"{field} no number": request.but(**{field: "0xzz"})}),
            *_causes(request, 104005, field, {f"{field} beyond the field": request.but(**{field: _NO_PART})}),
        )
    ),
    *(
        Cause(request.name, 104004, "no signature header", just(request._replace(signature=None)), ("X-API-SIG",))
        for request in (TRANSFER, WITHDRAWAL, UPDATE)
    ),
    *(
        Cause(request.name, 104005, f"header {header[:8]} of {len(header)}", just(request._replace(signature=header)))
        for request in (TRANSFER, WITHDRAWAL, UPDATE)
        for header in ("x", "0x12", "0x" + "g" * 130, "0x" + "1" * 129, "0x" + "1" * 133)
    ),
    *(Cause(request.name, 104001, "no key", just(request._replace(key=None))) for request in (TRANSFER, WITHDRAWAL)),
    *(
        Cause(request.name, 104002, "nobody's key", just(request._replace(key="nobody")))
        for request in (TRANSFER, WITHDRAWAL, UPDATE)
        if request.key
    ),
)
"""Codes that the spec lists for orders only, and that the design gives to these calls too."""

ALL_CAUSES: tuple[Cause, ...] = (*CAUSES, *_OF_TRANSFERS, *_OF_WITHDRAWALS, *_OF_UPDATES, *_OF_NFTS, *OURS)
