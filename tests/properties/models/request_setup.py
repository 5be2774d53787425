"""The situations that the request machine starts in: lifecycles, block rules and choices, drawn and written as a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hypothesis import strategies as st

TWO_STATES = ("transfer", "withdrawal", "account_update")
ONE_STATE = ("nft_mint", "nft_transfer", "nft_withdrawal", "nft_deploy")
KINDS = TWO_STATES + ONE_STATE
STATES = ("received", "processing")
ACCOUNTS: Mapping[str, int] = {"alice": 10001, "bob": 10002, "carol": 10003}
NAMES = {account_id: name for name, account_id in ACCOUNTS.items()}
ETH, LRC, USDT, DAI = 0, 1, 3, 5
SYMBOLS = {ETH: "ETH", LRC: "LRC", USDT: "USDT", DAI: "DAI"}
FEES_WEI = {ETH: 7, LRC: 11}
"""What everything costs at the start, whichever of the two pays."""
RICH_WEI, POOR_WEI = 300_000, 20_000
BALANCES_WEI = {10001: RICH_WEI, 10002: RICH_WEI, 10003: POOR_WEI}
"""Of each of the two tokens that fees are paid in."""

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "account.key_active": ("at_once", "on_block"),
    "account.nonce_moves": ("at_once", "on_block"),
    "request.repeat": ("while_open", "always_idempotent"),
    "request.insufficient_funds": ("refuse", "fail"),
    "storage_id.scope": ("per_token", "per_account"),
    "transfer.fee_token": ("same", "any"),
    "withdrawal.fee_token": ("any", "same"),
    "transfer.credit": ("processed", "on_block"),
    "nft.visible": ("at_once", "on_block"),
    "fee.charged": ("quote", "max_fee"),
    "nft.error_code": ("100001", "100000"),
    "nft.repeat_deploy": ("idempotent", "refuse"),
}
"""The choices that concern requests, their defaults first."""


class Duration(NamedTuple):
    """How long a state lasts: `time` in ms, `blocks` sealed, `polls` of the client, or `hand`."""

    unit: str
    amount: int = 0

    @property
    def text(self) -> str:
        """As `after` of a scenario."""
        if self.unit == "time":
            return f"{self.amount}ms"
        return "hand" if self.unit == "hand" else f"{{{self.unit}: {self.amount}}}"


class Stage(NamedTuple):
    """One state of a lifecycle, and whether the request fails at its end."""

    duration: Duration
    fails: bool

    @property
    def blocks(self) -> int:
        """How many blocks it waits for."""
        return self.duration.amount if self.duration.unit == "blocks" else 0

    @property
    def text(self) -> str:
        """As a scenario has it."""
        return f"{{after: {self.duration.text}{', then: failed' if self.fails else ''}}}"


class BlockRules(NamedTuple):
    """When blocks are sealed, confirmed and finalized."""

    every_ms: int | None
    size: int | None
    confirm: Duration
    finalize: Duration

    @property
    def text(self) -> str:
        """As a scenario has it."""
        every = "none" if self.every_ms is None else f"{self.every_ms}ms"
        seal = f"{{every: {every}, size: {'none' if self.size is None else self.size}}}"
        if (self.every_ms, self.size) == (None, None):
            seal = "hand"
        return f"{{seal: {seal}, confirm: {{after: {self.confirm.text}}}, finalize: {{after: {self.finalize.text}}}}}"


class Setup(NamedTuple):
    """All that is drawn once."""

    lifecycles: Mapping[str, Mapping[str, Stage]]
    blocks: BlockRules
    choices: Mapping[str, str]
    latest_first: bool
    """Of several things due at one moment, whether the one that was planned last comes first."""

    @property
    def scenario(self) -> str:
        """The scenario's text."""
        fees = "{ETH: '7', LRC: '11', USDT: none, DAI: none}"
        listed = "[{token: ETH, fee: '7'}, {token: LRC, fee: '11'}]"
        kinds = ("account_update", "NFT_MINT", "NFT_TRANSFER", "NFT_WITHDRAWAL", "NFT_DEPLOY")
        token = "minOrderAmount: '1', maxOrderAmount: '1000000000', dustOrderAmount: '0'"
        lines = [
            "format: 1",
            "name: requests",
            "extends: default",
            "limits: off",
            f"exchange: {{transferFees: {listed}, withdrawalFees: {listed}}}",
            "fees:",
            *(f"  {kind}: {fees}" for kind in kinds),
            "tokens:",
            *(f"  - {{symbol: {symbol}, {token}}}" for symbol in ("ETH", "LRC")),
            "  - {symbol: DAI, enabled: false}",
            "accounts:",
            *(
                f"  - {{name: {NAMES[account_id]}, balances: {{ETH: '{wei}', LRC: '{wei}', USDT: '0', DAI: '50000'}}}}"
                for account_id, wei in BALANCES_WEI.items()
            ),
            "lifecycles:",
            *(
                f"  {kind}: {{{', '.join(f'{state}: {stage.text}' for state, stage in stages.items())}}}"
                for kind, stages in self.lifecycles.items()
            ),
            f"blocks: {self.blocks.text}",
        ]
        return "\n".join(lines) + "\n"


def _lawful(drawn: Mapping[str, Stage]) -> dict[str, Stage]:
    """In the order of life. A failure comes with the block that holds the request, or before: no other is scripted."""
    stages: dict[str, Stage] = {}
    blocks = 0
    for state in sorted(drawn, key=STATES.index):
        stage = drawn[state]
        before, blocks = blocks, blocks + stage.blocks
        stages[state] = stage._replace(fails=stage.fails and not before and blocks < 2)
    return stages


_TIMES = st.sampled_from([0, 0, 1000, 5000, 15_000, 180_000]).map(lambda ms: Duration("time", ms))
_BLOCKS = st.sampled_from([1, 1, 2]).map(lambda count: Duration("blocks", count))
_POLLS = st.sampled_from([1, 2]).map(lambda count: Duration("polls", count))
_HAND = st.just(Duration("hand"))
_RIPENS = st.one_of(_TIMES, _BLOCKS)


def _stages(kind: str) -> st.SearchStrategy[dict[str, Stage]]:
    by_itself = (_TIMES, _TIMES, _BLOCKS, _BLOCKS)
    duration = st.one_of(*by_itself, _HAND) if kind == "transfer" else st.one_of(*by_itself, _POLLS, _HAND)
    stage = st.builds(Stage, duration, st.sampled_from([False, False, False, False, False, True]))
    states = STATES if kind in TWO_STATES else STATES[1:]
    return st.fixed_dictionaries(dict.fromkeys(states, stage)).map(_lawful)


SETUPS = st.builds(
    Setup,
    st.fixed_dictionaries({kind: _stages(kind) for kind in KINDS}),
    st.builds(
        BlockRules,
        st.sampled_from([10_000, 3000, 60_000, None]),
        st.sampled_from([100, None, 1, 2, 4]),
        _RIPENS,
        _RIPENS,
    ),
    st.fixed_dictionaries({key: st.sampled_from(options) for key, options in OPTIONS.items()}),
    st.booleans(),
)
