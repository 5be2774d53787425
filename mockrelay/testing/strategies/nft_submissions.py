"""Draws NFT submissions that a world accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.core.models import Account, Nft
from mockrelay.spec.request_kinds import KINDS, SUBMISSIONS, Effect, FeeKind
from mockrelay.testing.strategies.call_parts import (
    ABSENT,
    any_case,
    assemble_call,
    extra_data,
    later_s,
    offer,
    one_of,
    optional_signatures,
    payment,
    receiver_of,
    signer,
    storage_id,
    takes_address,
)
from mockrelay.testing.strategies.reads import DrawCall
from mockrelay.testing.strategies.signing import can_sign
from mockrelay.testing.strategies.world_view import WorldView

_NFTS_MAX = 10**6


def mint_nft(draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str = "mint_nft") -> ApiCall:
    """A mint under the minter's own contract, or in a collection of the minter's."""
    minter = signer(draw, view, endpoint, account_id, lambda one: view.payments(one, FeeKind.NFT_MINT) != [])
    chosen = payment(draw, view, minter, FeeKind.NFT_MINT)
    is_found = takes_address(endpoint)
    to_id, to_address = receiver_of(draw, view, by_address=is_found)
    factory = any_case(draw, view.config.exchange.nft_factory)
    contract, base_uri = one_of(draw, view.mintable_contracts(minter))
    values = {
        "exchange": any_case(draw, view.config.exchange.exchange_address),
        "minterId": minter.account_id,
        "minterAddress": any_case(draw, minter.owner),
        "toAccountId": to_id,
        "toAddress": to_address,
        "tokenAddress": any_case(draw, contract),
        "amount": str(draw(st.integers(1, _NFTS_MAX))),
        "validUntil": later_s(draw, view),
        "storageId": storage_id(draw, view, minter, chosen.token_id),
        "maxFee": {"tokenId": chosen.token_id, "amount": str(offer(draw, chosen))},
        "counterFactualNftInfo": {
            "nftFactory": factory,
            "nftOwner": any_case(draw, minter.owner),
            "nftBaseUri": base_uri,
        },
        **(optional_signatures(draw, view, minter) if is_found else {}),
    }
    return assemble_call(draw, view, endpoint, values, minter, sent=("toAddress",) if is_found else ())


def transfer_nft(
    draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str = "transfer_nft"
) -> ApiCall:
    """A transfer of an NFT by its holder."""
    return moved(draw, view, endpoint, movable(view, account_id, endpoint))


def withdraw_nft(
    draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str = "withdraw_nft"
) -> ApiCall:
    """A withdrawal of an NFT of a deployed contract by its holder."""
    return moved(draw, view, endpoint, leaving(view, account_id, endpoint, is_deployed=True))


def withdraw_too_early(draw: st.DrawFn, view: WorldView, endpoint: str) -> ApiCall:
    """A withdrawal of an NFT whose contract is not deployed yet, which is all that is wrong with it."""
    return moved(draw, view, endpoint, leaving(view, None, endpoint, is_deployed=False))


def can_leave_too_early(view: WorldView, endpoint: str) -> bool:
    """Whether an account holds an NFT of a contract that is not deployed yet."""
    return leaving(view, None, endpoint, is_deployed=False) != []


_Holding = tuple[Account, Nft, int]


def movable(view: WorldView, account_id: int | None, endpoint: str) -> list[_Holding]:
    """What accounts hold of NFTs, where they can pay and sign the call that moves it."""
    return [
        holding
        for holding in view.holdings()
        if account_id in (None, holding[0].account_id)
        and view.payments(holding[0], _fee(endpoint))
        and can_sign(view, holding[0], endpoint)
    ]


def leaving(view: WorldView, account_id: int | None, endpoint: str, *, is_deployed: bool) -> list[_Holding]:
    """The same of NFTs whose contract is deployed, or is not."""
    found = movable(view, account_id, endpoint)
    return [holding for holding in found if view.is_deployed(holding[1].token_address) is is_deployed]


def _fee(endpoint: str) -> FeeKind:
    return KINDS[SUBMISSIONS[endpoint][0]].fee


def moved(draw: st.DrawFn, view: WorldView, endpoint: str, holdings: list[_Holding]) -> ApiCall:
    """A transfer or a withdrawal of one of the holdings."""
    sender, nft, free = one_of(draw, holdings)
    chosen = payment(draw, view, sender, _fee(endpoint))
    kind, submission = SUBMISSIONS[endpoint]
    body, is_loose = submission.body, takes_address(endpoint)
    assert body.owner is not None
    assert body.receiver is not None
    is_found = is_loose and KINDS[kind].effect is Effect.PAY
    to_id, to_address = receiver_of(draw, view, by_address=is_found)
    values: dict[str, Any] = {
        "exchange": any_case(draw, view.config.exchange.exchange_address),
        body.account: sender.account_id,
        body.owner: any_case(draw, sender.owner),
        body.receiver_owner or body.receiver: to_address,
        "toAccountId": to_id,
        "token": {
            "tokenId": nft.nft_token_id,
            "nftData": str(int(nft.nft_data, 16)) if is_loose and draw(st.booleans()) else any_case(draw, nft.nft_data),
            "amount": str(draw(st.integers(1, free))),
        },
        "maxFee": {"tokenId": chosen.token_id, "amount": str(offer(draw, chosen))},
        "storageId": storage_id(draw, view, sender, nft.nft_token_id),
        "validUntil": later_s(draw, view),
        **(extra_data(draw, view) | optional_signatures(draw, view, sender) if is_loose else {}),
    }
    return assemble_call(draw, view, endpoint, values, sender, sent=("toAddress",) if is_found else ())


def deployable(view: WorldView) -> list[str]:
    """The contracts whose deployment can be requested. Where all fields are required an NFT must be named, so the contract must
    have one.
    """
    contracts = (view.contract_of(one.owner) for one in view.world.accounts.values())
    names_nft = view.option("nft.optional_fields") == "strict"
    return [one for one in contracts if view.is_deployable(one) and (view.nfts_under(one) or not names_nft)]


def deploy_nft_contract(draw: st.DrawFn, view: WorldView, account_id: int | None) -> ApiCall:
    """A deployment of a contract, paid by an account."""
    payer = signer(
        draw, view, "deploy_nft_contract", account_id, lambda one: view.payments(one, FeeKind.NFT_DEPLOY) != []
    )
    contract = one_of(draw, deployable(view))
    nfts = view.nfts_under(contract)
    chosen = payment(draw, view, payer, FeeKind.NFT_DEPLOY)
    transfer = {
        "payeeAddr": any_case(draw, view.config.exchange.broker),
        "payerId": payer.account_id,
        "payerAddr": any_case(draw, payer.owner),
        "payeeId": 0,
        "memo": "",
        "maxFee": {"tokenId": chosen.token_id, "volume": "0"},
        "token": {"tokenId": chosen.token_id, "volume": str(offer(draw, chosen))},
        "validUntil": later_s(draw, view),
        "exchange": any_case(draw, view.config.exchange.exchange_address),
        "storageId": storage_id(draw, view, payer, chosen.token_id),
        "ecdsaHash": "",
        "eddsaHash": "",
        **{name: text for name, text in optional_signatures(draw, view, payer).items() if name != "hashApproved"},
    }
    nft_data = draw(st.sampled_from(nfts)) if nfts else ABSENT
    values = {"tokenAddress": any_case(draw, contract), "transfer": transfer, "nftData": nft_data}
    return assemble_call(draw, view, "deploy_nft_contract", values, payer)


NFT_SUBMISSIONS: Mapping[str, DrawCall] = {
    "mint_nft": mint_nft,
    "transfer_nft": transfer_nft,
    "withdraw_nft": withdraw_nft,
    "deploy_nft_contract": deploy_nft_contract,
}
"""By endpoint."""
