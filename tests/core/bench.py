"""`Bench`: a small world without files, schemas or bytes, and short ways to act on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.core.call import Call, Refused
from mockrelay.core.config import BlockRules, Exchange, Lifecycle, Market, Stage, Token, make_config
from mockrelay.core.context import Context
from mockrelay.core.handle import handle_call, run_due_events
from mockrelay.core.models import Account, Balance, Order
from mockrelay.core.world import World
from mockrelay.spec.choices import DEFAULTS
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.request_kinds import AfterUnit, Duration, FeeKind, RequestKind
from mockrelay.spec.vocab import RequestStatus
from tests.support.bodies import ALICE_ID, BOB_ID, BROKER, ETH, FACTORY, LRC, USDT, Bodies

NOW_MS = 1_700_000_000_000
ALICE, BOB = ALICE_ID, BOB_ID
KEYS = {ALICE: "key-a", BOB: "key-b"}
UNIT = 10**18
"""One ETH or LRC in wei."""


_AT_ONCE = Stage(Duration(AfterUnit.TIME, 0))
LIFECYCLES: Mapping[RequestKind, Lifecycle] = {
    kind: {RequestStatus.PROCESSING: _AT_ONCE}
    if kind.startswith("nft")
    else {RequestStatus.RECEIVED: _AT_ONCE, RequestStatus.PROCESSING: Stage(Duration(AfterUnit.BLOCKS, 1))}
    for kind in RequestKind
}


def token(token_id: int, symbol: str, decimals: int, *, precision: int | None = None, dust_wei: int = 0) -> Token:
    """A token with wide order limits and no dust unless given."""
    kind = "ETH" if token_id == 0 else "ERC20"
    shown = decimals if precision is None else precision
    address = f"0x{token_id:040x}"
    return Token(kind, token_id, symbol, symbol, address, "wei", decimals, shown, 1, 10**40, dust_wei, True)


class Bench:
    """A world, the moment, and short ways to act on it."""

    def __init__(
        self,
        *,
        choices: Mapping[str, str] | None = None,
        tokens: tuple[Token, ...] | None = None,
        cancel: Duration | None = None,
        lifecycles: Mapping[RequestKind, Lifecycle] | None = None,
        blocks: BlockRules | None = None,
        limits_on: bool = False,
    ) -> None:
        tokens = tokens or (token(ETH, "ETH", 18), token(LRC, "LRC", 18), token(USDT, "USDT", 6))
        by_symbol = {own.symbol: own for own in tokens}
        pairs = (("LRC", "ETH"), ("LRC", "USDT"), ("ETH", "USDT"))
        markets = tuple(
            Market(f"{base}-{quote}", by_symbol[base], by_symbol[quote], 8, (0, 1, 2)) for base, quote in pairs
        )
        exchange = Exchange(
            chain_id=1,
            exchange_id=2,
            exchange_address="0x" + "0" * 39 + "e",
            nft_factory=FACTORY,
            broker=BROKER,
            onchain_fees=(),
            nft_implementation="0x" + "c" * 40,
        )
        setting = make_config(
            name="bench",
            seed="1",
            exchange=exchange,
            tokens=tokens,
            markets=markets,
            maker_bips=10,
            taker_bips=20,
            limits={},
            cancel=cancel or Duration(AfterUnit.TIME, 0),
            fees={kind: {ETH: 10, LRC: 20} for kind in FeeKind},
            lifecycles={**LIFECYCLES, **(lifecycles or {})},
            blocks=blocks
            or BlockRules(10_000, 100, Duration(AfterUnit.TIME, 30_000), Duration(AfterUnit.TIME, 120_000)),
        )
        self.world = World.new(
            setting, choices={**DEFAULTS, **(choices or {})}, start_ms=NOW_MS, limits_on=limits_on, gas_price_wei=10**9
        )
        self.now_ms = NOW_MS
        for account_id, name in ((ALICE, "alice"), (BOB, "bob")):
            owner = f"0x{account_id:040x}"
            account = Account(account_id, name, owner, KEYS[account_id], "0x1", "0x2", 0, 1, False, None, 10, 20)
            self.world.add_account(account)

    @property
    def bodies(self) -> Bodies:
        """Right bodies at this moment."""
        owners = {account_id: account.owner for account_id, account in self.world.accounts.items()}
        return Bodies(self.world.config.exchange.exchange_address, owners, self.now_ms // 1000)

    def context(self) -> Context:
        """The surroundings of a call at this moment."""
        return Context(self.world, self.now_ms, lambda key, _: self.world.choices.get(key, 0), None)

    def fund(self, account_id: int, **amounts: int) -> None:
        """Put money in, by token symbol, in the smallest unit."""
        for symbol, amount_wei in amounts.items():
            found = next(own for own in self.world.config.tokens.values() if own.symbol == symbol)
            self.world.ledger.deposit(account_id, found.token_id, amount_wei)

    def call(self, name: str, args: Mapping[str, Any], account_id: int = ALICE) -> Any:
        """The payload of an accepted call."""
        sent = Call(BY_NAME[name], args, (), KEYS[account_id], None, "192.0.2.1")
        ctx = self.context()
        run_due_events(ctx)
        return handle_call(ctx, sent)

    def refusal(self, name: str, args: Mapping[str, Any], account_id: int = ALICE) -> Code:
        """The code of a refused call."""
        try:
            self.call(name, args, account_id)
        except Refused as refused:
            return refused.code
        raise AssertionError(f"{name} was accepted")

    def sell(self, account_id: int, base_wei: int, quote_wei: int, **fields: Any) -> str:
        """Sell LRC for ETH; the order's hash."""
        return self._submit(account_id, LRC, ETH, base_wei, quote_wei, fields)

    def buy(self, account_id: int, base_wei: int, quote_wei: int, **fields: Any) -> str:
        """Buy LRC with ETH; the order's hash."""
        return self._submit(account_id, ETH, LRC, quote_wei, base_wei, {"buy": "true"} | fields)

    def order(self, hash_: str) -> Order:
        """An order as it is now."""
        return self.world.orders.by_hash[hash_]

    def balance(self, account_id: int, token_id: int) -> Balance:
        """What an account has."""
        return self.world.ledger.balance(account_id, token_id)

    def run_due_events(self, ms: int) -> None:
        """Let time go by, and happen what is due."""
        self.now_ms += ms
        run_due_events(self.context())

    def order_fields(
        self, account_id: int, sold: int, bought: int, sold_wei: int, bought_wei: int, **fields: Any
    ) -> dict[str, Any]:
        """The decoded body of an order that is right, with the account's next order id."""
        legs = {"tokenSId": sold, "tokenBId": bought, "amountS": str(sold_wei), "amountB": str(bought_wei)}
        order_id = self.world.orders.next_id(account_id, sold)
        return self.bodies.order(order_id, accountId=account_id, **legs, **fields)

    def _submit(
        self, account_id: int, sold: int, bought: int, sold_wei: int, bought_wei: int, fields: Mapping[str, Any]
    ) -> str:
        args = self.order_fields(account_id, sold, bought, sold_wei, bought_wei, **fields)
        order_hash: str = self.call("submit_order", args, account_id)["orderHash"]
        return order_hash
