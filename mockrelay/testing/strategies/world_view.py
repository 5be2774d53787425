"""A read-only view of a world, with what is needed to draw calls that the world accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from mockrelay.client.call import BASE
from mockrelay.client.facts import Facts, Party, TokenFacts
from mockrelay.client.wrong_calls import Codes
from mockrelay.core.config import Market, Token
from mockrelay.core.context import Context
from mockrelay.core.models import Account, Nft, Order
from mockrelay.core.orders.book import BookSide
from mockrelay.core.requests.counterfactual import token_address
from mockrelay.relay import Relay
from mockrelay.replay import resume
from mockrelay.spec.endpoint import Endpoint
from mockrelay.spec.request_kinds import FeeKind
from mockrelay.spec.vocab import RequestStatus
from mockrelay.testing.calling import base_of, relay_of
from mockrelay.testing.relayer import RelayerHandle
from mockrelay.wire.schemas import Option, choices_of

_ANY_TOKEN = -1


class Payment(NamedTuple):
    """A fee that an account can pay: the quote, and the most that it can offer."""

    token_id: int
    quote_wei: int
    most_wei: int


class WorldView:
    """A world after the events that are due; read only."""

    def __init__(self, ctx: Context, base: Callable[[], str] = lambda: BASE) -> None:
        self.ctx = ctx
        self.world = ctx.world
        self.now_ms = ctx.now_ms
        self.config = ctx.world.config
        self.base = base
        """Returns the address that clients use for the relayer; called only for calls whose signature covers it."""

    @property
    def now_s(self) -> int:
        """The time in whole seconds."""
        return self.now_ms // 1000

    def option(self, key: str) -> str:
        """The current option of a choice."""
        return self.world.choices[key]

    @property
    def verifies(self) -> bool:
        """Whether signatures are verified."""
        return self.option("signature.scheme") == "protocol"

    def code_of(self, codes: Codes) -> int:
        """The code of a refusal in this world, where it depends on a choice."""
        if isinstance(codes, int):
            return int(codes)
        return next(code for code, option in codes.items() if option is None or self.option(option[0]) == option[1])

    def facts_of(self, caller: Account | None) -> Facts:
        """The facts that wrong calls are made of: the caller, who stands for alice, tokens, markets and time."""
        alice = Party(None, None, None)
        if caller is not None:
            alice = Party(caller.account_id, caller.owner, caller.api_key)
        facts = Facts(alice, None, None, lambda: self.now_ms)
        facts.markets = list(self.config.markets)
        facts.tokens = [
            TokenFacts(
                token.token_id, token.symbol, token.address, token.decimals, token.min_order_wei, token.max_order_wei
            )
            for token in self.config.tokens.values()
        ]
        return facts

    def options(self, endpoint: str) -> tuple[Option, ...]:
        """The options that change the shape of an endpoint's request."""
        return tuple((key, self.option(key)) for key in sorted(choices_of(f"mockrelay:requests/{endpoint}.json")))

    @property
    def accounts(self) -> list[Account]:
        """The accounts with an API key."""
        keys = self.world.account_of_key
        return [one for one in self.world.accounts.values() if one.api_key and keys.get(one.api_key) == one.account_id]

    def free_wei(self, account: Account, token_id: int) -> int:
        """An account's free balance of a token."""
        return self.world.ledger.balance(account.account_id, token_id).free_wei

    def payments(self, account: Account, kind: FeeKind) -> list[Payment]:
        """The ways in which an account can pay a fee."""
        quotes = self.world.fees[kind].items()
        found = (Payment(token_id, wei, self.free_wei(account, token_id)) for token_id, wei in quotes)
        return [payment for payment in found if payment.quote_wei <= payment.most_wei]

    def nonce(self, account: Account) -> int:
        """The nonce that an account's next request must have."""
        return self.world.next_nonce.get(account.account_id, account.account_nonce)

    def takes_order_id(self, account: Account, token_id: int, order_id: int) -> bool:
        """Whether an order of the account that sells the token may have this id."""
        if self.world.orders.is_used(account.account_id, token_id, order_id):
            return False
        key = self._storage_key(account, token_id, order_id)
        return self.option("storage_id.space") == "apart" or key not in self.world.storage_ids

    def takes_storage_id(self, account: Account, token_id: int, storage_id: int) -> bool:
        """Whether a request of the account that sells the token may have this storage id."""
        if self._storage_key(account, token_id, storage_id) in self.world.storage_ids:
            return False
        if self.option("storage_id.space") == "apart":
            return True
        sold = (token_id,) if self.option("storage_id.scope") == "per_token" else tuple(self.config.tokens)
        return not any(self.world.orders.is_used(account.account_id, each, storage_id) for each in sold)

    def _storage_key(self, account: Account, token_id: int, storage_id: int) -> tuple[int, int, int]:
        per_token = self.option("storage_id.scope") == "per_token"
        return account.account_id, token_id if per_token else _ANY_TOKEN, storage_id

    def contract_of(self, owner: str) -> str:
        """The NFT contract of an owner."""
        exchange = self.config.exchange
        return _contract(exchange.nft_factory.lower(), exchange.nft_implementation.lower(), owner.lower())

    def mintable_contracts(self, minter: Account) -> list[tuple[str, str]]:
        """(contract, base URI) of each contract that an account can mint under."""
        collections = {one.contract: one for one in self.world.collections.values()}
        own = self.contract_of(minter.owner)
        is_open = own.lower() not in collections or collections[own.lower()].is_mintable
        mine = [one for one in collections.values() if one.account_id == minter.account_id and one.is_mintable]
        return [*([(own, "")] if is_open else []), *((one.contract, one.base_uri) for one in mine if one.base_uri)]

    def holdings(self) -> Iterator[tuple[Account, Nft, int]]:
        """(account, NFT, amount) for each NFT that an account can move."""
        for nft in self.world.nfts.values():
            for account in self.accounts:
                free = self.free_wei(account, nft.nft_token_id)
                if free:
                    yield account, nft, free

    def is_deployed(self, contract: str) -> bool:
        """Whether a contract is on layer 1."""
        return contract.lower() in self.world.layer1.code

    def is_deployable(self, contract: str) -> bool:
        """Whether a contract is neither deployed nor about to be."""
        hashes = self.world.deployments.get(contract.lower(), ())
        is_asked_for = any(self.world.requests[hash_].status is not RequestStatus.FAILED for hash_ in hashes)
        return not is_asked_for and not self.is_deployed(contract)

    def nfts_under(self, contract: str) -> list[str]:
        """The data of the NFTs under a contract."""
        nfts = self.world.nfts.values()
        return [nft.nft_data for nft in nfts if nft.token_address.lower() == contract.lower()]

    def is_visible(self, nft: Nft) -> bool:
        """Whether an NFT can be looked up."""
        mints = [self.world.requests[hash_] for hash_ in nft.mints]
        good = [mint for mint in mints if mint.status is not RequestStatus.FAILED]
        if self.option("nft.visible") == "at_once":
            return bool(good)
        return any(mint.block_id is not None and mint.sealed_valid for mint in good)

    def would_take(self, market: Market, *, sells_base: bool, sold_wei: int, bought_wei: int) -> bool:
        """Whether an order would trade at once."""
        other = self._against(market, sells_base=sells_base)
        base_wei, quote_wei = (sold_wei, bought_wei) if sells_base else (bought_wei, sold_wei)
        crosses: bool = other is not None and other.crossed_by(base_wei, quote_wei)
        return crosses

    def best_against(self, market: Market, *, sells_base: bool) -> Order | None:
        """The order that an order would trade with first; None: the other side of the book is empty."""
        other = self._against(market, sells_base=sells_base)
        return None if other is None else other.best()

    def _against(self, market: Market, *, sells_base: bool) -> BookSide | None:
        """The side of the book that an order trades with."""
        book = self.world.books.get(market.name)
        return None if book is None else book.bids if sells_base else book.asks

    def pairs(self) -> list[tuple[Token, Token, Market, bool]]:
        """(sold token, bought token, market, whether the base token is sold) for each possible trade."""
        tokens = self.config.tokens
        return [
            (tokens[sold], tokens[bought], market, sells_base)
            for (sold, bought), (market, sells_base) in self.config.market_of_pair.items()
        ]


def view_world(relayer: Relay | RelayerHandle, base: str | None = None) -> WorldView:
    """A view of a relayer's world now; one of another process is dumped and loaded. `base` is the address that clients use,
    by default the relayer's own.
    """
    relay = relay_of(relayer)
    if relay is None:
        assert isinstance(relayer, RelayerHandle)
        relay = resume(relayer.dump().encode())[0]
    with relay.locked_context() as ctx:
        return WorldView(ctx, (lambda: base_of(relayer)) if base is None else lambda: base)


@cache
def _contract(factory: str, implementation: str, owner: str) -> str:
    return token_address(factory, implementation, owner)


def shape_code(view: WorldView, endpoint: Endpoint) -> int:
    """The code of a violation that has none of its own."""
    return int(endpoint.shape) if endpoint.shape is not None else int(view.option("nft.error_code"))
