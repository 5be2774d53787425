"""The JSON forms of the world's objects in the control API. They include secrets, which a test may read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import account_view
from mockrelay.core.blocks.queries import tx_view
from mockrelay.core.commands.orders import order_state_view
from mockrelay.core.fault_json import format_effect
from mockrelay.core.faults import Fault
from mockrelay.core.models import Account, Request
from mockrelay.core.world import digest, digest_all

if TYPE_CHECKING:
    from mockrelay.core.context import Context


DERIVED = "derived"
"""Shown in place of a private key that is derived from the seed."""


def world_view(ctx: Context) -> dict[str, Any]:
    """The whole world, for `GET state`."""
    world = ctx.world
    exchange = world.config.exchange
    return {
        "scenario": world.config.name,
        "profile": world.config.profile.name,
        "seed": world.config.seed,
        "now_ms": ctx.now_ms,
        "digest": digest(world),
        "digest_all": digest_all(world),
        "limits": "spec" if world.limits_on else "off",
        "choices": dict(world.choices),
        "exchange": {
            "chainId": exchange.chain_id,
            "exchangeId": exchange.exchange_id,
            "exchangeAddress": exchange.exchange_address,
            "nftFactory": exchange.nft_factory,
            "broker": exchange.broker,
        },
        "tokens": world.config.tokens_view.payload,
        "markets": list(world.config.markets),
        "accounts": [account_state(ctx, account) for account in world.accounts.values()],
        "house": {"balances": _balances(ctx, 0)},
        "fees": _by_symbol(ctx, world.ledger.fees_wei),
        "putIn": _by_symbol(ctx, world.ledger.deposited_wei),
        "orders": [order_state_view(ctx, order) for order in world.orders.by_hash.values()],
        "pending": [tx_view(ctx, tx, valid=True) for tx in world.pending.values()],
        "requests": [request_state_view(request) for request in world.requests.values()],
        "blocks": [
            {"blockId": block.block_id, "status": block.status, "blockSize": len(block.transactions)}
            for block in world.blocks
        ],
        "nfts": [
            {"nftData": nft.nft_data, "nftTokenId": nft.nft_token_id, "minterId": nft.minter_id, "nftId": nft.nft_id}
            for nft in world.nfts.values()
        ],
        "layer1": {
            "state": world.layer1.state,
            "gasPrice": str(world.layer1.gas_price_wei),
            "balances": {owner: str(wei) for owner, wei in world.layer1.native_wei.items()},
            "code": dict(world.layer1.code),
        },
        "faults": [fault_view(fault) for fault in world.faults],
        "findings": [finding._asdict() for finding in world.findings],
    }


def request_state_view(request: Request) -> dict[str, Any]:
    """A submitted request with its status."""
    return {
        "hash": request.hash,
        "kind": request.kind,
        "accountId": request.account_id,
        "status": request.status,
        "storageId": request.storage_id,
        "nonce": request.nonce,
        "fee": str(request.fee_wei),
        "blockId": request.block_id,
    }


def fault_view(fault: Fault) -> dict[str, Any]:
    """A fault with the number of times that it has fired."""
    match, effect = fault.match, fault.effect
    return {
        "id": fault.id,
        "name": fault.name,
        "on": match.on,
        "when": dict(match.when),
        "nth": match.nth,
        "times": match.times,
        "fired": fault.fired,
        "listed": fault.is_listed,
        **dict.fromkeys(effect.row.beside),
        **format_effect(effect),
        **({} if fault.at is None else {"at": fault.at}),
    }


def account_state(ctx: Context, account: Account) -> dict[str, Any]:
    """An account with its keys and its layer-2 balances."""
    return {
        "name": account.name,
        "owner": account.owner,
        "apiKey": account.api_key,
        **account_view(account),
        "keySeed": account.key_seed,
        "eddsaKey": account.eddsa_key or DERIVED,
        "layer1Key": account.layer1_key or DERIVED,
        "balances": _balances(ctx, account.account_id),
    }


def _balances(ctx: Context, account_id: int) -> dict[str, dict[str, str]]:
    return {
        _name(ctx, token_id): {
            "free": str(balance.free_wei),
            "frozen": str(balance.frozen_wei),
            "inFlight": str(balance.in_flight_wei),
        }
        for token_id, balance in ctx.world.ledger.balances_of(account_id)
    }


def _by_symbol(ctx: Context, amounts_wei: dict[int, int]) -> dict[str, str]:
    return {_name(ctx, token_id): str(wei) for token_id, wei in sorted(amounts_wei.items())}


def _name(ctx: Context, token_id: int) -> str:
    """A token's symbol; for an NFT, which has none, its id."""
    token = ctx.world.config.tokens.get(token_id)
    return str(token_id) if token is None else token.symbol
