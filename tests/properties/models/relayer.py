"""A plain relayer of the test's own: it says beforehand what must become of every request, block and amount.

Its readings of what the spec leaves open: intervals of blocks count from the start of the world; a block is confirmed or
final by number once so many lie on top of it; the last of `n` polls moves a request; things due at one moment happen in
the order in which they were planned, or the other way round.
"""

from __future__ import annotations

from functools import partial

from tests.properties.models.event_queue import Agenda
from tests.properties.models.request_records import CREDITED, LEAVING, Ask, Key, Money, Other, Sealed
from tests.properties.models.request_setup import BALANCES_WEI, DAI, ETH, FEES_WEI, KINDS, LRC, Setup, Stage
from tests.support.worlds import START_MS


class Model:
    """The state of the plain relayer."""

    def __init__(self, setup: Setup, keys: dict[int, Key], nonces: dict[int, int]) -> None:
        self.setup = setup
        self.now_ms = START_MS
        self.money = Money()
        for account, wei in BALANCES_WEI.items():
            for token, amount in ((ETH, wei), (LRC, wei), (DAI, 50_000)):
                self.money.deposit(account, token, amount)
        self.agenda = Agenda(latest_first=setup.latest_first)
        self.asks: list[Ask] = []
        self.pending: list[Ask | Other] = []
        self.blocks = [Sealed(0, START_MS, [], "finalized")]
        self.waiting: list[tuple[int, Ask, str]] = []
        """(block, request, status): moves when the block is sealed, if it still has the status."""
        self.next_nonce = dict(nonces)
        self.shown_nonce = dict(nonces)
        self.storage_ids: set[tuple[int, int | None, int]] = set()
        self.fees = {kind: dict(FEES_WEI) for kind in KINDS}
        self.keys: dict[int, list[Key | Ask]] = {account: [key] for account, key in keys.items()}
        """What has set an account's key, in the order of taking effect: the scenario or a hand, or an update."""
        self.deployed: set[str] = set()
        """Contracts, whoever deployed them."""
        self.nfts: dict[tuple[int, str], tuple[int, str]] = {}
        """(minter, nftId) -> (token id, nftData), as the first mint was answered."""

    def option(self, choice: str) -> str:
        """The option that holds."""
        return self.setup.choices[choice]

    def run_due_events(self, now_ms: int) -> None:
        """Everything happens that is due."""
        self.agenda.run(now_ms)
        self.now_ms = now_ms

    # Requests

    def stage(self, ask: Ask) -> Stage:
        """The state that it is in."""
        return self.setup.lifecycles[ask.kind][ask.status]

    def take(self, ask: Ask) -> None:
        """A request that is accepted; its status is that of the answer."""
        self.asks.append(ask)
        self.enqueue(ask)
        if ask.funded:
            self.money.send(ask)
        if ask.nonce is not None:
            self.next_nonce[ask.account] = ask.nonce + 1
            if self.option("account.nonce_moves") == "at_once":
                self.show_nonce(ask)
        if ask.storage is not None:
            self.storage_ids.add(self.storage_key(ask.account, self.storage_token(ask), ask.storage))
        if ask.key is not None and self.option("account.key_active") == "at_once":
            self.keys[ask.account].append(ask)
        ask.status = next(iter(self.setup.lifecycles[ask.kind]))
        self.begin(ask, self.now_ms)

    @staticmethod
    def storage_token(ask: Ask) -> int:
        """The token that its storage id counts for."""
        return ask.fee_token if ask.kind in ("nft_mint", "nft_deploy") else ask.token

    def storage_key(self, account: int, token: int, storage: int) -> tuple[int, int | None, int]:
        """What is unique."""
        return account, token if self.option("storage_id.scope") == "per_token" else None, storage

    def begin(self, ask: Ask, at_ms: int) -> None:
        """Its state begins."""
        stay = self.stage(ask).stay
        if stay.unit == "time":
            self.agenda.plan(at_ms + stay.amount, partial(self.time_over, ask, ask.status))
        elif stay.unit == "blocks":
            self.waiting.append((self.blocks[-1].block_id + stay.amount, ask, ask.status))

    def time_over(self, ask: Ask, status: str, at_ms: int) -> None:
        """It moves if it is still in that state."""
        if ask.status == status:
            self.move(ask, at_ms)

    def move(self, ask: Ask, at_ms: int) -> None:
        """Its state is over."""
        # A block that has it as invalid has spoken, whatever a hand has done since.
        is_lost = ask.doomed or self.is_void(ask)
        if self.stage(ask).fails or (is_lost and ask.status == "processing"):
            self.fail(ask)
        elif ask.status == "received":
            self.take_up(ask, at_ms)
        else:
            self.finish(ask)

    @staticmethod
    def is_void(ask: Ask) -> bool:
        """Whether a block has it as invalid."""
        return ask.block is not None and not ask.valid

    def take_up(self, ask: Ask, at_ms: int) -> None:
        """From received to processing."""
        ask.status, ask.polls = "processing", 0
        self.begin(ask, at_ms)

    def poll(self, ask: Ask) -> None:
        """The client asks after an open request."""
        ask.polls += 1
        stay = self.stage(ask).stay
        if stay.unit == "polls" and ask.polls >= stay.amount:
            self.move(ask, self.now_ms)

    def finish(self, ask: Ask) -> None:
        """It is processed."""
        ask.status = "processed"
        self.money.take_fee(ask)
        if ask.kind in LEAVING:
            self.money.leave(ask)
        elif ask.kind == "nft_deploy":
            self.deployed.add(ask.contract)
        elif ask.kind in CREDITED and (self.option("transfer.credit") == "processed" or ask.block is not None):
            self.credit(ask)

    def credit(self, ask: Ask) -> None:
        """The receiver has it."""
        self.money.credit(ask)
        ask.credited = True

    def fail(self, ask: Ask) -> None:
        """It has failed: all but nonce and storage id is as before."""
        ask.status = "failed"
        if ask.funded:
            self.money.give_back(ask)
        if ask.block is None:
            self.pending.remove(ask)
        self.show_nonce(ask)

    def show_nonce(self, ask: Ask) -> None:
        """Whoever reads the nonce sees that it is used."""
        if ask.nonce is not None:
            self.shown_nonce[ask.account] = max(self.shown_nonce[ask.account], ask.nonce + 1)

    def key(self, account: int) -> Key:
        """The active key: the last one set that has not been taken back by a failure."""
        standing = [one for one in self.keys[account] if isinstance(one, Key) or one.status != "failed"]
        last = standing[-1]
        key = last if isinstance(last, Key) else last.key
        assert key is not None
        return key

    def will_fail(self, ask: Ask) -> bool:
        """Whether it has failed or cannot but fail."""
        if not ask.is_open:
            return ask.status == "failed"
        stages = self.setup.lifecycles[ask.kind]
        ahead = list(stages.values())[list(stages).index(ask.status) :]
        return ask.doomed or any(stage.fails for stage in ahead)

    # Blocks

    def enqueue(self, tx: Ask | Other) -> None:
        """It waits for the next block."""
        every_ms, size, _, _ = self.setup.blocks
        self.pending.append(tx)
        if every_ms is not None and len(self.pending) == 1:
            passed = (self.now_ms - START_MS) // every_ms
            self.agenda.plan(START_MS + (passed + 1) * every_ms, partial(self.seal_while, 1))
        if size is not None and len(self.pending) >= size:
            self.agenda.plan(self.now_ms, partial(self.seal_while, size))

    def seal_while(self, least: int, at_ms: int) -> None:
        """Seal as long as so many wait."""
        while len(self.pending) >= least:
            self.seal(at_ms)

    def seal(self, at_ms: int) -> int:
        """One block; its id."""
        _, size, confirm, _ = self.setup.blocks
        taken = self.pending[: size or len(self.pending)]
        del self.pending[: len(taken)]
        block = Sealed(len(self.blocks), at_ms, [])
        for tx in taken:
            block.txs.append((tx, self.put_into(tx, block.block_id) if isinstance(tx, Ask) else True))
        self.blocks.append(block)
        for block_id, ask, status in list(self.waiting):
            if block_id == block.block_id:
                self.time_over(ask, status, at_ms)
        if confirm.unit == "time":
            self.agenda.plan(at_ms + confirm.amount, partial(self.confirm, block))
        self.ripen(at_ms)
        return block.block_id

    def put_into(self, ask: Ask, block_id: int) -> bool:
        """Its transaction is sealed; whether as a valid one."""
        ask.block, ask.valid = block_id, not self.will_fail(ask)
        self.show_nonce(ask)
        if ask.key is not None and ask.valid and self.option("account.key_active") == "on_block":
            self.keys[ask.account].append(ask)
        if ask.status == "processed" and ask.kind in CREDITED and not ask.credited:
            self.credit(ask)
        return ask.valid

    def confirm(self, block: Sealed, at_ms: int) -> None:
        """The block is confirmed."""
        if block.status == "pending":
            block.status = "confirmed"
            finalize = self.setup.blocks.finalize
            if finalize.unit == "time":
                self.agenda.plan(at_ms + finalize.amount, partial(self.finalize, block))
            self.ripen(at_ms)

    def finalize(self, block: Sealed, at_ms: int) -> None:
        """The block is final."""
        block.status = "finalized"

    def finalize_by_hand(self, up_to: int) -> None:
        """All blocks up to this one are."""
        for block in self.blocks[: up_to + 1]:
            self.confirm(block, self.now_ms)
            self.finalize(block, self.now_ms)

    def ripen(self, at_ms: int) -> None:
        """What the blocks on top of it make of a block."""
        _, _, confirm, finalize = self.setup.blocks
        for block in self.blocks:
            on_top = self.blocks[-1].block_id - block.block_id
            if confirm.unit == "blocks" and on_top >= confirm.amount:
                self.confirm(block, at_ms)
            if finalize.unit == "blocks" and on_top >= finalize.amount and block.status == "confirmed":
                self.finalize(block, at_ms)
