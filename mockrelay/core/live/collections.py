"""Collections of NFTs: listed, and created by clients (E42)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call
from mockrelay.core.hashing import seeded_hex
from mockrelay.core.live.lists import page_of
from mockrelay.core.models import Collection, Nft
from mockrelay.core.requests.nft_queries import check_factory, contract_of, is_visible
from mockrelay.core.signatures import format as signature_format

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def get_collections(ctx: Context, call: Call) -> dict[str, Any]:
    """The collections of an owner, each with the number of NFTs minted in it (E42)."""
    args, world = call.args, ctx.world
    account_id = world.account_of_owner.get(args["owner"].lower())
    contract, is_mintable = args.get("tokenAddress"), args.get("isMintable")
    rows = [
        collection
        for collection in world.collections.values()
        if collection.account_id == account_id
        if contract is None or collection.contract == contract.lower()
        if is_mintable in (None, collection.is_mintable)
    ]
    return _page(ctx, call, rows, lambda nft: is_visible(ctx, nft))


def get_collection_details(ctx: Context, call: Call) -> dict[str, Any]:
    """The account's own collections, and those of whose NFTs it holds some, each with the number of NFTs that it holds (E42)."""
    account = callers_account(ctx, call)
    held = {token_id for token_id, balance in ctx.world.ledger.balances_of(account.account_id) if sum(balance)}
    contracts = {nft.token_address.lower() for nft in ctx.world.nfts.values() if nft.nft_token_id in held}
    rows = [
        collection
        for collection in ctx.world.collections.values()
        if collection.account_id == account.account_id or collection.contract in contracts
    ]
    return _page(ctx, call, rows, lambda nft: nft.nft_token_id in held)


def create_collection(ctx: Context, call: Call) -> dict[str, str]:
    """Create a collection of the caller's, with a contract of its own under a new base URI (E42)."""
    args, world = call.args, ctx.world
    owner = callers_account(ctx, call)
    signature_format.check(ctx, owner, call)
    check_factory(ctx, call, args["nftFactory"], "nftFactory")
    number = len(world.collections) + 1
    base_uri = f"ipfs://{seeded_hex(world.config.seed, 'collection', f'{owner.account_id} {number}', 32)}"
    contract = contract_of(ctx, owner.owner, base_uri).lower()
    world.collections[contract] = Collection(
        contract=contract,
        collection_id=number,
        account_id=owner.account_id,
        base_uri=base_uri,
        name=args["name"],
        description=args.get("description", ""),
        avatar=args.get("avatar", ""),
        banner=args.get("banner", ""),
        tile_uri=args.get("tileUri", ""),
    )
    return {"contractAddress": contract}


def _page(ctx: Context, call: Call, rows: list[Collection], counts: Callable[[Nft], bool]) -> dict[str, Any]:
    """The page that a call asks for; `counts`: which NFTs of a collection are counted."""
    nfts = [nft.token_address.lower() for nft in ctx.world.nfts.values() if counts(nft)]
    return page_of(ctx, call, "collections", rows, lambda one: _view(ctx, one, nfts.count(one.contract)))


def _view(ctx: Context, collection: Collection, count: int) -> dict[str, Any]:
    return {
        "collection": {
            "id": collection.collection_id,
            "name": collection.name,
            "owner": ctx.world.accounts[collection.account_id].owner.lower(),
            "contractAddress": collection.contract,
            "nftFactory": ctx.world.config.exchange.nft_factory,
            "baseUri": collection.base_uri,
            "tileUri": collection.tile_uri,
            "description": collection.description,
            "avatar": collection.avatar,
            "banner": collection.banner,
            "thumbnail": collection.thumbnail,
            "collectionTitle": collection.title or collection.name,
        },
        "count": count,
        "isMintable": collection.is_mintable,
    }
