"""What a run knows of the relayer that it asks: accounts, tokens, markets, contracts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from mockrelay.check.steering import Steering, Unreachable
from mockrelay.suggest import nearest

T = TypeVar("T")

UNKNOWN_ID = 2**31 + 7_777
"""An id that nothing has."""
SOME_ADDRESS = "0x" + "0d" * 20
"""An address that nobody has."""
SOME_HASH = "0x" + "0d" * 32
NOBODYS_KEY = "nobodys-key"
NO_MARKET = "NO-SUCH"
NO_BLOCK = "9007199254740990"
"""The number of a block that no relayer has reached."""


class Missing(Exception):
    """Something is not known that a part of the run needs; the text says how to give it."""


class Person(NamedTuple):
    """An account in whose name calls are made. What is None was not given."""

    account_id: int | None
    owner: str | None
    api_key: str | None


class Token(NamedTuple):
    """A token, as far as calls are made of it."""

    token_id: int
    symbol: str
    address: str
    decimals: int
    least_wei: int
    most_wei: int


class Facts:
    """What is known; more is learnt as the run goes on."""

    def __init__(self, alice: Person, bob: Person | None = None, carol: Person | None = None) -> None:
        self.alice = alice
        """Who calls unless something else is said."""
        self.bob = bob
        self.carol = carol
        """The one who mints."""
        self.tokens: list[Token] = []
        self.markets: list[str] = []
        self.exchange: dict[str, Any] = {}
        """chainId, exchangeId, exchangeAddress; on a mockrelay nftFactory and broker too."""
        self.native_wei: dict[str, str] = {}
        """What the world says of the owners' native coins on layer 1, on a mockrelay."""
        self.told: Mapping[str, Any] = {}
        """The world as the control API told it at the start, on a mockrelay."""
        self.verifies = False
        """Whether signatures are verified, so that right ones are needed."""
        self.nonce = 0
        """The nonce of alice's next request, as far as it is known."""
        self._last_id = 1000

    def next_id(self) -> int:
        """An order id or a storage id that was not used before."""
        self._last_id += 1
        return self._last_id

    def key(self) -> str:
        """The API key. Raises Missing."""
        return _given(self.alice.api_key, "--api-key")

    def owner(self) -> str:
        """The owner's address. Raises Missing."""
        return _given(self.alice.owner, "--owner")

    def account_id(self) -> int:
        """The account's id. Raises Missing."""
        return int(_given(self.alice.account_id, "--account-id"))

    def token(self, symbol: str) -> Token:
        """A token by its symbol. Raises Missing."""
        return _given(next((token for token in self.tokens if token.symbol == symbol), None), f"the token {symbol}")

    def about(self, name: str) -> Any:
        """A fact about the exchange. Raises Missing."""
        return _given(self.exchange.get(name), f"an answer that tells {name}")

    def some_token(self) -> Token:
        """A token that has a contract of its own. Raises Missing."""
        found = [token for token in self.tokens if int(token.address, 16)] or self.tokens
        return _given(found[0] if found else None, "an answer of get_tokens")

    def market(self) -> str:
        """The market that is looked at. Raises Missing."""
        return _given(self.markets[0] if self.markets else None, "--market")

    def look_at(self, market: str) -> None:
        """Look at one of the markets that are known. Raises Unreachable where it is none of them."""
        if market not in self.markets:
            raise Unreachable(f"--market {market}: there is no such market; meant: {nearest(market, self.markets)}")
        self.markets = [market, *(name for name in self.markets if name != market)]

    def pair(self) -> tuple[Token, Token]:
        """The tokens of the market, base and quote. Raises Missing."""
        base, _, quote = self.market().partition("-")
        return self.token(base), self.token(quote)

    def learn_tokens(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take the tokens from their list, which is right in form."""
        self.tokens = [
            Token(
                row["tokenId"],
                row["symbol"],
                row["address"],
                row["decimals"],
                int(row["minOrderAmount"]),
                int(row["maxOrderAmount"]),
            )
            for row in rows
        ]


def facts_of(steering: Steering) -> Facts:
    """What the control API tells of a fresh world. Raises Unreachable where it has not the accounts that are needed."""
    told = steering.do("GET", "state")
    # Whoever is frozen comes last: the first two trade.
    accounts = sorted(told["accounts"], key=lambda account: account["frozen"])
    people = [Person(one["accountId"], one["owner"], one["apiKey"]) for one in accounts if one["apiKey"]]
    if len(people) < 3:
        raise Unreachable(f"{steering.base}: its scenario has not the three accounts with API keys that are needed")
    facts = Facts(*people[:3])
    facts.told = told
    facts.learn_tokens(told["tokens"])
    facts.markets = list(told["markets"])
    facts.exchange = dict(told["exchange"])
    facts.native_wei = dict(told["layer1"]["balances"])
    facts.verifies = told["choices"]["signature.scheme"] == "protocol"
    return facts


def _given(value: T | None, how: str) -> T:
    if value is None:
        raise Missing(f"not known: {how} is needed")
    return value
