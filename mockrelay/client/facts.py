"""What right and wrong calls are made of: accounts, tokens, markets, the exchange, the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Self, TypeVar

from mockrelay.spec.endpoint import SignatureHeader
from mockrelay.wire.schemas import Option

T = TypeVar("T")

DAY_S = 86_400
VALID_S = 60 * DAY_S
"""How long calls are valid."""
SIGNATURE_PARTS: dict[str, str] = {"signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
SIGNATURES: Mapping[SignatureHeader, str] = {
    SignatureHeader.ECDSA: "0x" + "1b" * 65,
    SignatureHeader.EDDSA: "0x" + "1b" * 96,
}
"""Signatures of the right form, for relayers that do not verify them (`signature.scheme: presence`)."""

UNKNOWN_ID = 2**31 + 7_777
"""An id that nothing has."""
NO_TOKEN = 32_767
"""A token that no relayer has; higher ids are slots of NFTs."""
SOME_ADDRESS = "0x" + "0d" * 20
"""An address without an account."""
ZERO_ADDRESS = "0x" + "0" * 40
SOME_HASH = "0x" + "0d" * 32
"""A hash that nothing has."""
NO_MARKET = "NO-SUCH"
NO_BLOCK = "9007199254740990"
"""The number of a block that no relayer has reached."""
NFT_CODES: Mapping[int, Option] = {100_001: ("nft.error_code", "100001"), 100_000: ("nft.error_code", "100000")}
"""The codes of refused NFT calls, which the spec does not show, each with the option that it shows."""


class Missing(Exception):
    """A fact that a call needs is not known."""

    def __init__(self, what: str) -> None:
        super().__init__(f"not known: {what} is needed")
        self.what = what
        """The fact, in words."""


class Party(NamedTuple):
    """An account in whose name calls are made. What is not known of it is None."""

    account_id: int | None
    owner: str | None
    api_key: str | None
    public_key: tuple[str, str] | None = None
    """The coordinates of its key of layer 2, as text."""


class TokenFacts(NamedTuple):
    """A token of the exchange."""

    token_id: int
    symbol: str
    address: str
    decimals: int
    min_order_wei: int
    max_order_wei: int

    @property
    def unit_wei(self) -> int:
        """One whole token."""
        return int(10**self.decimals)


class Facts:
    """What is known of a relayer. All methods that look for a fact raise Missing where it is not known."""

    def __init__(
        self, alice: Party, bob: Party | None, carol: Party | None, now_ms: Callable[[], int], *, last_id: int = 1000
    ) -> None:
        """`now_ms` gives the relayer's time; `last_id` is followed by the first order id or storage id to use."""
        self.alice = alice
        """The account that calls, unless a call says otherwise."""
        self._bob = bob
        self._carol = carol
        self.now_ms = now_ms
        self.nonce_of: Callable[[Party], int] = lambda who: 0
        """Gives the nonce of an account's next request; unless it is set, that of an account without requests."""
        self.tokens: list[TokenFacts] = []
        self.markets: list[str] = []
        self.exchange: dict[str, Any] = {}
        """chainId, exchangeId, exchangeAddress, nftFactory and broker, as far as they are known."""
        self.fees_wei: dict[str, dict[str, int]] = {}
        """`transferFees` and `withdrawalFees` of the exchange, each by the token's symbol."""
        self.contract_address: str | None = None
        """The address of carol's NFT contract."""
        self.nft: Mapping[str, Any] | None = None
        """An NFT that carol has minted: `raw_data` of the answer to the mint."""
        self.order_hash: str | None = None
        """The hash of an order that alice has submitted."""
        self._last_id = last_id

    @classmethod
    def of_state(cls, state: Mapping[str, Any], now_ms: Callable[[], int], *, last_id: int = 1000) -> Self:
        """The facts in the answer to the control call `GET state`, whose first three accounts that have an API key and
        are not frozen are alice, bob and carol. Raises Missing where there are fewer than three with a key.
        """
        accounts = sorted(state["accounts"], key=lambda account: account["frozen"])
        parties = [
            Party(one["accountId"], one["owner"], one["apiKey"], (one["publicKeyX"], one["publicKeyY"]))
            for one in accounts
            if one["apiKey"]
        ]
        if len(parties) < 3:
            raise Missing("a third account with an API key")
        facts = cls(parties[0], parties[1], parties[2], now_ms, last_id=last_id)
        facts.add_tokens(state["tokens"])
        facts.markets = list(state["markets"])
        facts.exchange = dict(state["exchange"])
        return facts

    def add_tokens(self, listed: Sequence[Mapping[str, Any]]) -> None:
        """Take the tokens from the answer of `get_tokens`."""
        self.tokens = [
            TokenFacts(
                one["tokenId"],
                one["symbol"],
                one["address"],
                one["decimals"],
                int(one["minOrderAmount"]),
                int(one["maxOrderAmount"]),
            )
            for one in listed
        ]

    def add_fees(self, info: Mapping[str, Any]) -> None:
        """Take the fees from the answer of `get_exchange_info`."""
        for name in ("transferFees", "withdrawalFees"):
            self.fees_wei[name] = {fee["token"]: int(fee["fee"]) for fee in info[name]}

    @property
    def now_s(self) -> int:
        """The relayer's time in seconds."""
        return self.now_ms() // 1000

    def next_id(self) -> int:
        """An order id or storage id that was not used before."""
        self._last_id += 1
        return self._last_id

    @property
    def bob(self) -> Party:
        """The other party of trades and transfers."""
        return _found(self._bob, "a second account")

    @property
    def carol(self) -> Party:
        """The account that mints NFTs."""
        return _found(self._carol, "a third account")

    @property
    def receiver(self) -> Party:
        """The account that transfers go to: bob's, or alice's own where there is no other."""
        return self._bob or self.alice

    @property
    def contract_owner(self) -> Party:
        """The owner of the NFT contract: carol, or alice where there is nobody else."""
        return self._carol or self.alice

    @property
    def owner(self) -> str:
        """The address of alice's owner."""
        return _found(self.alice.owner, "the owner")

    @property
    def account_id(self) -> int:
        """The id of alice's account."""
        return _found(self.alice.account_id, "the account's id")

    @property
    def public_key(self) -> tuple[str, str]:
        """The coordinates of the account's public key."""
        return _found(self.alice.public_key, "the account's public key")

    @property
    def market(self) -> str:
        """The market that is looked at."""
        return _found(self.markets[0] if self.markets else None, "a market")

    @property
    def pair(self) -> tuple[TokenFacts, TokenFacts]:
        """The tokens of that market: base and quote."""
        base, _, quote = self.market.partition("-")
        return self.token(base), self.token(quote)

    def token(self, symbol: str) -> TokenFacts:
        """A token by its symbol."""
        return _found(next((token for token in self.tokens if token.symbol == symbol), None), f"the token {symbol}")

    @property
    def erc20(self) -> TokenFacts:
        """A token with a contract of its own, or any if there is none."""
        candidates = [token for token in self.tokens if int(token.address, 16)] or self.tokens
        return _found(candidates[0] if candidates else None, "an answer of get_tokens")

    def of_exchange(self, name: str) -> Any:
        """A field of `exchange`."""
        return _found(self.exchange.get(name), f"an answer that tells {name}")

    @property
    def contract(self) -> str:
        """The address of carol's NFT contract."""
        return _found(self.contract_address, "an answer of compute_token_address")

    @property
    def minted(self) -> Mapping[str, Any]:
        """The NFT that carol has minted."""
        return _found(self.nft, "an answer of mint_nft")

    @property
    def submitted_order(self) -> str:
        """The hash of alice's order."""
        return _found(self.order_hash, "an answer of submit_order")

    def fee_wei(self, name: str, token: TokenFacts) -> int:
        """The fee of a list of `fees_wei` in a token; one whole token, which is above all fees, where it is not known."""
        return self.fees_wei.get(name, {}).get(token.symbol, token.unit_wei)


def _found(value: T | None, what: str) -> T:
    if value is None:
        raise Missing(what)
    return value
