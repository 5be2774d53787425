"""NFT calls that change something, as a world accepts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.core.models import Account, Nft
from mockrelay.spec.request_kinds import FeeKind
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.parts import (
    ABSENT,
    assembled,
    later_s,
    offer,
    one_of,
    payment,
    signatures,
    signer,
    spelt,
    storage_id,
)
from mockrelay.testing.strategies.reads import Reading
from mockrelay.testing.strategies.signing import can_sign

_NFTS_MAX = 10**6


def mint_nft(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    """A mint under the minter's own contract."""
    minter = signer(draw, here, "mint_nft", account_id, lambda one: here.payments(one, FeeKind.NFT_MINT) != [])
    paid = payment(draw, here, minter, FeeKind.NFT_MINT)
    receiver = one_of(draw, list(here.world.accounts.values()))
    factory = spelt(draw, here.config.exchange.nft_factory)
    given = {
        "exchange": spelt(draw, here.config.exchange.exchange_address),
        "minterId": minter.account_id,
        "minterAddress": spelt(draw, minter.owner),
        "toAccountId": receiver.account_id,
        "toAddress": spelt(draw, receiver.owner),
        "tokenAddress": spelt(draw, here.contract_of(minter.owner)),
        "amount": str(draw(st.integers(1, _NFTS_MAX))),
        "validUntil": later_s(draw, here),
        "storageId": storage_id(draw, here, minter, paid.token_id),
        "maxFee": {"tokenId": paid.token_id, "amount": str(offer(draw, paid))},
        "counterFactualNftInfo": {"nftFactory": factory, "nftOwner": spelt(draw, minter.owner), "nftBaseUri": ""},
    }
    return assembled(draw, here, "mint_nft", given, minter)


def transfer_nft(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    """An NFT that its holder gives to an account."""
    return _moved(draw, here, "transfer_nft", _movable(here, account_id, "transfer_nft"))


def withdraw_nft(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    """An NFT of a deployed contract that its holder takes to layer 1."""
    return _moved(draw, here, "withdraw_nft", _leaving(here, account_id, is_deployed=True))


def withdraw_too_early(draw: st.DrawFn, here: Known) -> ApiCall:
    """The same of a contract that is not deployed yet, which is all that is wrong with it."""
    return _moved(draw, here, "withdraw_nft", _leaving(here, None, is_deployed=False))


def can_leave_too_early(here: Known) -> bool:
    """Whether anybody holds an NFT of a contract that is not deployed yet."""
    return _leaving(here, None, is_deployed=False) != []


_Holding = tuple[Account, Nft, int]
_MOVES = {"transfer_nft": FeeKind.NFT_TRANSFER, "withdraw_nft": FeeKind.NFT_WITHDRAWAL}


def _movable(here: Known, account_id: int | None, endpoint: str) -> list[_Holding]:
    return [
        holding
        for holding in here.holdings()
        if account_id in (None, holding[0].account_id)
        and here.payments(holding[0], _MOVES[endpoint])
        and can_sign(here, holding[0], endpoint)
    ]


def _leaving(here: Known, account_id: int | None, *, is_deployed: bool) -> list[_Holding]:
    found = _movable(here, account_id, "withdraw_nft")
    return [holding for holding in found if here.is_deployed(holding[1].token_address) is is_deployed]


def _moved(draw: st.DrawFn, here: Known, endpoint: str, holdings: list[_Holding]) -> ApiCall:
    sender, nft, free = one_of(draw, holdings)
    paid = payment(draw, here, sender, _MOVES[endpoint])
    receiver = one_of(draw, list(here.world.accounts.values()))
    given: dict[str, Any] = {
        "exchange": spelt(draw, here.config.exchange.exchange_address),
        "fromAccountId": sender.account_id,
        "fromAddress": spelt(draw, sender.owner),
        "toAccountId": receiver.account_id,
        "toAddress": spelt(draw, receiver.owner),
        "token": {
            "tokenId": nft.nft_token_id,
            "nftData": spelt(draw, nft.nft_data),
            "amount": str(draw(st.integers(1, free))),
        },
        "maxFee": {"tokenId": paid.token_id, "amount": str(offer(draw, paid))},
        "storageId": storage_id(draw, here, sender, nft.nft_token_id),
        "validUntil": later_s(draw, here),
    }
    return assembled(draw, here, endpoint, given, sender)


def deployable(here: Known) -> list[str]:
    """The contracts whose deployment can be asked for. Where all fields are needed an NFT must be named, so there must
    be one.
    """
    contracts = (here.contract_of(one.owner) for one in here.world.accounts.values())
    names_nft = here.option("nft.optional_fields") == "strict"
    return [one for one in contracts if here.is_deployable(one) and (here.nfts_under(one) or not names_nft)]


def deploy_nft_contract(draw: st.DrawFn, here: Known, account_id: int | None) -> ApiCall:
    """A contract that is not deployed yet, paid for by an account."""
    payer = signer(
        draw, here, "deploy_nft_contract", account_id, lambda one: here.payments(one, FeeKind.NFT_DEPLOY) != []
    )
    contract = one_of(draw, deployable(here))
    nfts = here.nfts_under(contract)
    paid = payment(draw, here, payer, FeeKind.NFT_DEPLOY)
    transfer = {
        "payeeAddr": spelt(draw, here.config.exchange.broker),
        "payerId": payer.account_id,
        "payerAddr": spelt(draw, payer.owner),
        "payeeId": 0,
        "memo": "",
        "maxFee": {"tokenId": paid.token_id, "volume": "0"},
        "token": {"tokenId": paid.token_id, "volume": str(offer(draw, paid))},
        "validUntil": later_s(draw, here),
        "exchange": spelt(draw, here.config.exchange.exchange_address),
        "storageId": storage_id(draw, here, payer, paid.token_id),
        "ecdsaHash": "",
        "eddsaHash": "",
        **{name: text for name, text in signatures(draw, here, payer).items() if name != "hashApproved"},
    }
    nft_data = draw(st.sampled_from(nfts)) if nfts else ABSENT
    given = {"tokenAddress": spelt(draw, contract), "transfer": transfer, "nftData": nft_data}
    return assembled(draw, here, "deploy_nft_contract", given, payer)


NFT_SUBMISSIONS: Mapping[str, Reading] = {
    "mint_nft": mint_nft,
    "transfer_nft": transfer_nft,
    "withdraw_nft": withdraw_nft,
    "deploy_nft_contract": deploy_nft_contract,
}
"""By endpoint."""
