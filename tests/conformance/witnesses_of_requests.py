"""The witnesses of the choices about transfers, withdrawals, account updates, blocks and NFTs."""

from __future__ import annotations

from mockrelay.relay import Relay
from tests.conformance.causes_of_requests import TRANSFER, UPDATE, WITHDRAWAL, inside, taken
from tests.conformance.witnesses import Witness, seen
from tests.support.bodies import E18
from tests.support.calls import Request, accepted, bid, call, minted, order, ready, valid_request
from tests.support.client import advance

_PENDING = Request("get_pending_requests", {})
_ALL = str(10_000 * E18)


def _calls(*requests: Request) -> Witness:
    """All but the last must be accepted under every option; the last one's answer differs."""

    def calls(relay: Relay) -> bytes:
        for request in requests[:-1]:
            taken(relay, request)
        return seen(call(relay, requests[-1]))

    return Witness(calls)


def _repeat_when_done(relay: Relay) -> bytes:
    taken(relay, WITHDRAWAL)
    advance(relay, "10s")
    return seen(call(relay, WITHDRAWAL))


def _id_of_an_order(relay: Relay) -> bytes:
    """Order 7 sells LRC, then LRC are withdrawn under storage id 7."""
    accepted(relay, order(7))
    return seen(call(relay, WITHDRAWAL))


def _credit(relay: Relay) -> bytes:
    """Bob sells one LRC more than he had; alice has just sent him one."""
    taken(relay, TRANSFER)
    all_and_one = {"tokenSId": 1, "tokenBId": 0, "amountS": str(10_001 * E18), "amountB": str(E18), "buy": "false"}
    return seen(call(relay, bid(1).but(**all_and_one)))


def _confirmed_block(relay: Relay) -> bytes:
    taken(relay, TRANSFER)
    advance(relay, "40s")
    return seen(call(relay, Request("get_block", {"id": "1"})))


def _mint_is_looked_up(relay: Relay) -> bytes:
    return seen(call(minted(relay), valid_request("get_nft_data")))


def _deployed_twice(relay: Relay) -> bytes:
    deploy = valid_request("deploy_nft_contract")
    taken(ready(relay, deploy.name), deploy)
    return seen(call(relay, deploy))


WITNESSES: dict[str, Witness] = {
    "account.key_active": _calls(UPDATE, valid_request("get_account")),
    "account.nonce_moves": _calls(UPDATE, valid_request("get_account")),
    "request.repeat": Witness(_repeat_when_done),
    "request.insufficient_funds": _calls(inside(WITHDRAWAL, "token", volume=_ALL)),
    "storage_id.scope": _calls(WITHDRAWAL, inside(WITHDRAWAL, "token", tokenId=0)),
    "storage_id.space": Witness(_id_of_an_order),
    "transfer.fee_token": _calls(TRANSFER.but(tokenF=0, amountF=str(10**16))),
    "withdrawal.fee_token": _calls(inside(WITHDRAWAL, "maxFee", tokenId=0)),
    "transfer.credit": Witness(_credit),
    "fee.charged": _calls(inside(WITHDRAWAL, "maxFee", volume=str(E18)), _PENDING),
    "block.status_words": Witness(_confirmed_block),
    "block.unknown_id": _calls(Request("get_block", {"id": "7"})),
    "nft.visible": Witness(_mint_is_looked_up),
    "nft.repeat_deploy": Witness(_deployed_twice),
    "nft.optional_fields": _calls(valid_request("mint_nft").without("forceToMint")),
}
