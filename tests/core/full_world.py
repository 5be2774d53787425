"""`full_bench`: a world in which something of everything has happened, for tests of what holds whole worlds."""

from __future__ import annotations

from typing import Any

from mockrelay.core.commands.accounts import DepositMoney
from mockrelay.core.commands.blocks import SealBlocks
from mockrelay.core.commands.layer1 import ChangeLayer1
from mockrelay.core.commands.orders import FillOrder
from mockrelay.core.config import Stage
from mockrelay.core.fault_json import parse_fault
from mockrelay.core.models import Block, Collection, PastTx, PendingTx, SealedTx
from mockrelay.core.requests.nft_queries import contract_of
from mockrelay.spec.lint_rules import SHAPE
from mockrelay.spec.request_kinds import RequestKind, TxType
from mockrelay.spec.vocab import BlockStatus, RequestStatus
from tests.core.bench import ALICE, BOB, NOW_MS, UNIT, Bench
from tests.core.request_bench import SOON, TWO_BLOCKS, TWO_POLLS
from tests.support.bodies import ETH, LRC

HUGE = 2**200
_FAULTS: tuple[dict[str, Any], ...] = (
    {"on": "submit_order", "hold": "UNKNOWN"},
    {"on": "submit_transfer", "outcome": "failed", "nth": 3, "when": {"amount": HUGE, "x": [1.5, None, {"int": "1"}]}},
    {"name": "slow", "on": "get_depth", "delay": "90m", "at": "before", "times": 4},
    {"on": "get_depth", "code": 102014, "message": "not now"},
    {"on": "get_depth", "code": 7, "message": ""},
    {"on": "get_gas_price", "layer1": "down"},
    {"on": "get_orders", "body": "html"},
    {"on": "get_orders", "status": 503, "at": "instead"},
    {"on": "get_block", "drop": True},
)
_PAST_TRADE = {
    "txType": TxType.SPOT_TRADE,
    "valid": True,
    "orderA": {"fillS": 5, "amountS": "7"},
    "accountId": HUGE,
    "extra": ["\ud800", {}],
}


def full_bench() -> Bench:
    """Orders of all kinds, requests, NFTs, blocks, faults, limits and findings."""
    bench = Bench(
        choices={
            "signature.scheme": "off",
            "order_id.get": "reserve",
            "transfer.credit": "on_block",
            "rate.escalate": "60s",
        },
        lifecycles={
            RequestKind.TRANSFER: {RequestStatus.PROCESSING: Stage(SOON)},
            RequestKind.WITHDRAWAL: {
                RequestStatus.RECEIVED: Stage(TWO_BLOCKS),
                RequestStatus.PROCESSING: Stage(TWO_POLLS),
            },
        },
    )
    _add_history(bench)
    for number, base_uri in enumerate(("", "ipfs://\ud800"), start=1):
        contract = contract_of(bench.context(), bench.world.accounts[BOB].owner, base_uri).lower()
        bench.world.collections[contract] = Collection(contract, number, BOB, base_uri, "name", is_mintable=number == 1)
    for account_id in (ALICE, BOB):
        bench.fund(account_id, LRC=10**6 * UNIT, ETH=10**4 * UNIT, USDT=HUGE)
    for fault in _FAULTS:
        bench.world.faults.add(parse_fault(fault))
    _trade(bench)
    _submit_requests(bench)
    bench.run_due_events(1500)
    SealBlocks().apply(bench.context())
    bench.run_due_events(4000)
    _submit_requests(bench, 1)
    DepositMoney(account=BOB, token="LRC", amount_wei=3).apply(bench.context())
    ChangeLayer1(
        gas_price_wei=HUGE,
        balances_wei={bench.world.accounts[BOB].owner: {"ETH": HUGE, "LRC": 1}},
        allowances_wei={bench.world.accounts[BOB].owner: {"LRC": 2}},
        nonces={bench.world.accounts[BOB].owner: 3},
        approved_hashes={bench.world.accounts[BOB].owner: ("0x" + "a" * 64,)},
    ).apply(bench.context())
    bench.call("send_eth_tx", {"data": "0x01"})
    bench.world.limits_on = True
    for window in ("second", "sliding", "bucket"):
        bench.world.choices["rate.window"] = window
        bench.call("get_order_id", {"accountId": ALICE, "tokenSId": LRC})
    for _ in range(6):
        bench.refusal("submit_transfer", {"exchangeId": 0})
    bench.context().add_finding(SHAPE, "a detail with half a pair: \ud800")
    return bench


def _add_history(bench: Bench) -> None:
    world = bench.world
    past = PendingTx(world.next_tx_id, TxType.SPOT_TRADE, PastTx(_PAST_TRADE))
    world.next_tx_id += 1
    world.blocks.append(Block(1, "0x" + "1" * 64, BlockStatus.FINALIZED, world.start_ms, (SealedTx(past, True),)))


def _trade(bench: Bench) -> None:
    """Held, resting, partly filled by another and by hand, filled, waiting, about to expire."""
    bench.sell(ALICE, 5 * UNIT, UNIT, clientOrderId="\ud800held")
    rests = bench.sell(ALICE, 100 * UNIT, UNIT, clientOrderId="rests")
    bench.buy(BOB, 30 * UNIT, UNIT)
    FillOrder(hash=rests, size_base_wei=7 * UNIT).apply(bench.context())
    bench.buy(BOB, 10 * UNIT, UNIT // 1000, validUntil=NOW_MS // 1000 + 2, validSince=NOW_MS // 1000 - 1)
    bench.buy(BOB, 20 * UNIT, UNIT // 1000, validSince=NOW_MS // 1000 + 5000)
    bench.buy(BOB, 20 * UNIT, UNIT, orderType="TAKER_ONLY")


def _submit_requests(bench: Bench, turn: int = 0) -> None:
    """One request of each kind, and NFTs, by alice."""
    bodies = bench.bodies
    fee = {"tokenId": LRC, "volume": "20", "amount": "20"}
    storage_ids = iter(range(100 * turn, 100 * turn + 100))
    nonce = bench.world.next_nonce.get(ALICE, bench.world.accounts[ALICE].account_nonce)
    bench.call("submit_transfer", bodies.transfer(nonce, amount="50", amountF="20"))
    money = {"tokenId": ETH, "volume": "9"}
    withdrawal = bodies.withdrawal(next(storage_ids), token=money, to="0x" + "d" * 40, maxFee=fee)
    bench.call("submit_withdrawal", withdrawal)
    bench.call("update_account", bodies.update(nonce + 1, hex(HUGE + turn), "0x5", maxFee=fee, keySeed="s"))
    contract = contract_of(bench.context(), bodies.owners[ALICE])
    mint = bodies.mint(contract, f"0x{turn:064x}", next(storage_ids), amount="5", maxFee=fee)
    minted = bench.call("mint_nft", mint)
    bench.run_due_events(1)
    SealBlocks().apply(bench.context())
    token = {"nftData": minted["raw_data"]["nftData"], "amount": "2"}
    bench.call("transfer_nft", bodies.nft_move(token, next(storage_ids), maxFee=fee))
    money = {"tokenId": LRC, "volume": "20"}
    deployment = bodies.deployment(token["nftData"], contract, next(storage_ids), token=money, maxFee=fee)
    bench.call("deploy_nft_contract", deployment)
    bench.run_due_events(1)
    bench.call("withdraw_nft", bodies.nft_move(token | {"amount": "1"}, next(storage_ids), maxFee=fee))
