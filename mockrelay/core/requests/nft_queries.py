"""Queries of NFTs, contract addresses and fees (spec §21, §22, §24, §25).

The choice `nft.error_code` gives the code of all refusals of NFT calls except those of keys and signatures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call, Refused
from mockrelay.core.config import Exchange
from mockrelay.core.layer1_queries import gas_price_text
from mockrelay.core.models import Nft
from mockrelay.core.requests.counterfactual import token_address
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import FeeKind
from mockrelay.spec.vocab import RequestStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context

_FEE_KINDS = {kind.request_type: kind for kind in FeeKind if kind.request_type is not None}


def get_nft_data(ctx: Context, call: Call) -> dict[str, Any]:
    """An NFT by its minter's account, its contract and its id (spec §21)."""
    args, world = call.args, ctx.world
    minter_id = int(args["minter"])
    if minter_id not in world.accounts:
        raise Refused(C.AUTH_ACCOUNT_ID_INVALID, f"minter: there is no account {minter_id}")
    for nft_data in world.nfts_of.get((minter_id, args["tokenAddress"].lower(), args["nftId"].lower()), ()):
        if is_visible(ctx, world.nfts[nft_data]):
            return _nft_view(ctx, world.nfts[nft_data])
    raise Refused(ctx.shape_code(call.endpoint), f"nftId: account {minter_id} has minted no such NFT")


def compute_token_address(ctx: Context, call: Call) -> dict[str, str]:
    """The address of the owner's NFT contract, deployed or not (spec §22)."""
    check_factory(ctx, call, call.args["nftFactory"], "nftFactory")
    return {"tokenAddress": contract_of(ctx, call.args["nftOwner"], call.args.get("nftBaseUri", ""))}


def get_nft_fee(ctx: Context, call: Call) -> dict[str, Any]:
    """The current fee of an NFT request, in each token that it can be paid in (spec §24)."""
    kind = _FEE_KINDS[call.args["requestType"]]
    account_id = call.args.get("accountId")
    if account_id is not None and account_id not in ctx.world.accounts:
        raise Refused(ctx.shape_code(call.endpoint), f"accountId: there is no account {account_id}")
    tokens = ctx.world.config.tokens
    fees = [
        {"token": tokens[token_id].symbol, "fee": str(wei), "discount": 1}
        for token_id, wei in ctx.world.fees[kind].items()
    ]
    return {"gasPrice": gas_price_text(ctx), "fees": fees}


def get_broker(ctx: Context, call: Call) -> dict[str, str]:
    """The payee of a deployment's fee (spec §25)."""
    return {"broker": ctx.world.config.exchange.broker}


def check_factory(ctx: Context, call: Call, address: str, field: str) -> None:
    """Refused unless the address is the official factory's."""
    official = ctx.world.config.exchange.nft_factory
    if address.lower() != official.lower():
        raise Refused(ctx.shape_code(call.endpoint), f"{field}: only the official factory is supported, {official}")


def contract_of(ctx: Context, owner: str, base_uri: str = "") -> str:
    """The checksummed address of the owner's NFT contract with a base URI."""
    return contract_at(ctx.world.config.exchange, owner, base_uri)


def contract_at(exchange: Exchange, owner: str, base_uri: str = "") -> str:
    """The same at an exchange."""
    return token_address(exchange.nft_factory.lower(), exchange.nft_implementation.lower(), owner.lower(), base_uri)


def base_uri_of(ctx: Context, contract: str) -> str:
    """The base URI of the collection under a contract; empty where it has none, or there is no collection."""
    collection = ctx.world.collections.get(contract.lower())
    return "" if collection is None else collection.base_uri


def is_visible(ctx: Context, nft: Nft) -> bool:
    """Whether a mint of it is visible (choice `nft.visible`)."""
    mints = [ctx.world.requests[hash_] for hash_ in nft.mints]
    live_mints = [mint for mint in mints if mint.status is not RequestStatus.FAILED]
    if not live_mints or ctx.decide("nft.visible") == "at_once":
        return bool(live_mints)
    return any(mint.block_id is not None and mint.sealed_valid for mint in live_mints)


def _nft_view(ctx: Context, nft: Nft) -> dict[str, Any]:
    return {
        "nftData": nft.nft_data,
        "minter": nft.minter,
        "nftType": "ERC1155",
        "tokenAddress": nft.token_address,
        "nftId": nft.nft_id,
        "creatorFeeBips": nft.creator_fee_bips,
        "status": True,
        "nftFactory": ctx.world.config.exchange.nft_factory,
        "nftOwner": nft.minter,
        "nftBaseUri": "",
        "royaltyAddress": nft.minter,
        "originalMinter": nft.minter,
    }
