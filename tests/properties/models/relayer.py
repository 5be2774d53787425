"""A second relayer for requests and blocks: it predicts every request, block and amount, and shares no code with the product.

What it takes where the spec is silent: intervals of blocks count from the start of the world; a block is confirmed or
final by number once so many lie on top of it; the last of `n` polls moves a request; things due at one moment handler in
the order in which they were planned, or the other way round.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from tests.properties.models.request_records import CREDITED, LEAVING, Block, Key, Money, OtherTx, Request
from tests.properties.models.request_setup import BALANCES_WEI, DAI, ETH, FEES_WEI, KINDS, LRC, Setup, Stage
from tests.support.worlds import START_MS


class Event(NamedTuple):
    """A planned event."""

    at_ms: int
    number: int
    handler: Callable[[int], None]


class EventQueue:
    """Planned events by moment; those of one moment in the order in which they were planned, or the other way round."""

    def __init__(self, *, latest_first: bool) -> None:
        self.latest_first = latest_first
        self.events: list[Event] = []
        self.planned = 0

    def plan(self, at_ms: int, handler: Callable[[int], None]) -> None:
        """Call the handler at that moment, or at the next call where the moment is now."""
        self.events.append(Event(at_ms, self.planned, handler))
        self.planned += 1

    def run(self, now_ms: int) -> None:
        """Run the events that are due."""
        while due := [event for event in self.events if event.at_ms <= now_ms]:
            first_ms = min(event.at_ms for event in due)
            together = sorted(event for event in due if event.at_ms == first_ms)
            self.events = [event for event in self.events if event.at_ms != first_ms]
            for event in reversed(together) if self.latest_first else together:
                event.handler(first_ms)


class RelayerModel:
    """The state of the second relayer."""

    def __init__(self, setup: Setup, keys: dict[int, Key], nonces: dict[int, int]) -> None:
        self.setup = setup
        self.now_ms = START_MS
        self.money = Money()
        for account, wei in BALANCES_WEI.items():
            for token, amount in ((ETH, wei), (LRC, wei), (DAI, 50_000)):
                self.money.deposit(account, token, amount)
        self.events = EventQueue(latest_first=setup.latest_first)
        self.requests: list[Request] = []
        self.pending: list[Request | OtherTx] = []
        self.blocks = [Block(0, START_MS, [], "finalized")]
        self.waiting: list[tuple[int, Request, str]] = []
        """(block, request, status): moves when the block is sealed, if it still has the status."""
        self.next_nonce = dict(nonces)
        self.shown_nonce = dict(nonces)
        self.storage_ids: set[tuple[int, int | None, int]] = set()
        self.fees = {kind: dict(FEES_WEI) for kind in KINDS}
        self.keys: dict[int, list[Key | Request]] = {account: [key] for account, key in keys.items()}
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
        self.events.run(now_ms)
        self.now_ms = now_ms

    # Requests

    def stage(self, request: Request) -> Stage:
        """The state that it is in."""
        return self.setup.lifecycles[request.kind][request.status]

    def accept(self, request: Request) -> None:
        """A request that is accepted; its status is that of the answer."""
        self.requests.append(request)
        self.enqueue(request)
        if request.funded:
            self.money.send(request)
        if request.nonce is not None:
            self.next_nonce[request.account] = request.nonce + 1
            if self.option("account.nonce_moves") == "at_once":
                self.show_nonce(request)
        if request.storage is not None:
            self.storage_ids.add(self.storage_key(request.account, self.storage_token(request), request.storage))
        if request.key is not None and self.option("account.key_active") == "at_once":
            self.keys[request.account].append(request)
        request.status = next(iter(self.setup.lifecycles[request.kind]))
        self.begin(request, self.now_ms)

    @staticmethod
    def storage_token(request: Request) -> int:
        """The token that its storage id counts for."""
        return request.fee_token if request.kind in ("nft_mint", "nft_deploy") else request.token

    def storage_key(self, account: int, token: int, storage: int) -> tuple[int, int | None, int]:
        """What is unique."""
        return account, token if self.option("storage_id.scope") == "per_token" else None, storage

    def begin(self, request: Request, at_ms: int) -> None:
        """Its state begins."""
        duration = self.stage(request).duration
        if duration.unit == "time":
            self.events.plan(at_ms + duration.amount, partial(self.leave_if_in, request, request.status))
        elif duration.unit == "blocks":
            self.waiting.append((self.blocks[-1].block_id + duration.amount, request, request.status))

    def leave_if_in(self, request: Request, status: str, at_ms: int) -> None:
        """It moves if it is still in that state."""
        if request.status == status:
            self.move(request, at_ms)

    def move(self, request: Request, at_ms: int) -> None:
        """Its state is over."""
        # A block that has it as invalid has spoken, whatever a hand has done since.
        is_lost = request.doomed or self.is_void(request)
        if self.stage(request).fails or (is_lost and request.status == "processing"):
            self.fail(request)
        elif request.status == "received":
            self.take_up(request, at_ms)
        else:
            self.finish(request)

    @staticmethod
    def is_void(request: Request) -> bool:
        """Whether a block has it as invalid."""
        return request.block is not None and not request.valid

    def take_up(self, request: Request, at_ms: int) -> None:
        """From received to processing."""
        request.status, request.polls = "processing", 0
        self.begin(request, at_ms)

    def poll(self, request: Request) -> None:
        """The client polls an open request."""
        request.polls += 1
        duration = self.stage(request).duration
        if duration.unit == "polls" and request.polls >= duration.amount:
            self.move(request, self.now_ms)

    def finish(self, request: Request) -> None:
        """It is processed."""
        request.status = "processed"
        self.money.take_fee(request)
        if request.kind in LEAVING:
            self.money.leave(request)
        elif request.kind == "nft_deploy":
            self.deployed.add(request.contract)
        elif request.kind in CREDITED and (self.option("transfer.credit") == "processed" or request.block is not None):
            self.credit(request)

    def credit(self, request: Request) -> None:
        """The receiver has it."""
        self.money.credit(request)
        request.credited = True

    def fail(self, request: Request) -> None:
        """It has failed: all but nonce and storage id is as before."""
        request.status = "failed"
        if request.funded:
            self.money.give_back(request)
        if request.block is None:
            self.pending.remove(request)
        self.show_nonce(request)

    def show_nonce(self, request: Request) -> None:
        """Whoever reads the nonce sees that it is used."""
        if request.nonce is not None:
            self.shown_nonce[request.account] = max(self.shown_nonce[request.account], request.nonce + 1)

    def key(self, account: int) -> Key:
        """The active key: the last one set that has not been taken back by a failure."""
        standing = [one for one in self.keys[account] if isinstance(one, Key) or one.status != "failed"]
        last = standing[-1]
        key = last if isinstance(last, Key) else last.key
        assert key is not None
        return key

    def will_fail(self, request: Request) -> bool:
        """Whether it has failed or cannot but fail."""
        if not request.is_open:
            return request.status == "failed"
        stages = self.setup.lifecycles[request.kind]
        ahead = list(stages.values())[list(stages).index(request.status) :]
        return request.doomed or any(stage.fails for stage in ahead)

    # Blocks

    def enqueue(self, tx: Request | OtherTx) -> None:
        """It waits for the next block."""
        every_ms, size, _, _ = self.setup.blocks
        self.pending.append(tx)
        if every_ms is not None and len(self.pending) == 1:
            passed = (self.now_ms - START_MS) // every_ms
            self.events.plan(START_MS + (passed + 1) * every_ms, partial(self.seal_while, 1))
        if size is not None and len(self.pending) >= size:
            self.events.plan(self.now_ms, partial(self.seal_while, size))

    def seal_while(self, least: int, at_ms: int) -> None:
        """Seal as long as so many wait."""
        while len(self.pending) >= least:
            self.seal(at_ms)

    def seal(self, at_ms: int) -> int:
        """One block; its id."""
        _, size, confirm, _ = self.setup.blocks
        taken = self.pending[: size or len(self.pending)]
        del self.pending[: len(taken)]
        block = Block(len(self.blocks), at_ms, [])
        for tx in taken:
            block.txs.append((tx, self.seal_request(tx, block.block_id) if isinstance(tx, Request) else True))
        self.blocks.append(block)
        for block_id, request, status in list(self.waiting):
            if block_id == block.block_id:
                self.leave_if_in(request, status, at_ms)
        if confirm.unit == "time":
            self.events.plan(at_ms + confirm.amount, partial(self.confirm, block))
        self.advance_finality(at_ms)
        return block.block_id

    def seal_request(self, request: Request, block_id: int) -> bool:
        """Its transaction is sealed; whether as a valid one."""
        request.block, request.valid = block_id, not self.will_fail(request)
        self.show_nonce(request)
        if request.key is not None and request.valid and self.option("account.key_active") == "on_block":
            self.keys[request.account].append(request)
        if request.status == "processed" and request.kind in CREDITED and not request.credited:
            self.credit(request)
        return request.valid

    def confirm(self, block: Block, at_ms: int) -> None:
        """The block is confirmed."""
        if block.status == "pending":
            block.status = "confirmed"
            finalize = self.setup.blocks.finalize
            if finalize.unit == "time":
                self.events.plan(at_ms + finalize.amount, partial(self.finalize, block))
            self.advance_finality(at_ms)

    def finalize(self, block: Block, at_ms: int) -> None:
        """The block is final."""
        block.status = "finalized"

    def finalize_up_to(self, up_to: int) -> None:
        """All blocks up to this one are."""
        for block in self.blocks[: up_to + 1]:
            self.confirm(block, self.now_ms)
            self.finalize(block, self.now_ms)

    def advance_finality(self, at_ms: int) -> None:
        """What the blocks on top of it make of a block."""
        _, _, confirm, finalize = self.setup.blocks
        for block in self.blocks:
            on_top = self.blocks[-1].block_id - block.block_id
            if confirm.unit == "blocks" and on_top >= confirm.amount:
                self.confirm(block, at_ms)
            if finalize.unit == "blocks" and on_top >= finalize.amount and block.status == "confirmed":
                self.finalize(block, at_ms)
