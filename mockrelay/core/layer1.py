"""The layer-1 chain as the relayer sees it: a small ledger, a gas price, and whether its node answers (spec §3 to §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.core.call import Call, Refused
from mockrelay.core.faults import FaultKind
from mockrelay.core.units import decimal_text
from mockrelay.signing.hashes import keccak256
from mockrelay.spec.codes import Code as C
from mockrelay.spec.vocab import NodeState

if TYPE_CHECKING:
    from mockrelay.core.context import Context

GWEI_DECIMALS = 9


class Layer1:
    """Balances, allowances and sent transactions; addresses are keys in lower case, amounts in the smallest unit."""

    __slots__ = (
        "allowances_wei",
        "approved_hashes",
        "code",
        "gas_price_wei",
        "native_wei",
        "nfts",
        "sent",
        "state",
        "token_wei",
    )

    def __init__(self, gas_price_wei: int) -> None:
        self.state = NodeState.UP
        self.gas_price_wei = gas_price_wei
        self.native_wei: dict[str, int] = {}
        """By owner; every address known to the chain is a key."""
        self.token_wei: dict[tuple[str, str], int] = {}
        """By (owner, token contract)."""
        self.allowances_wei: dict[tuple[str, str], int] = {}
        """What an owner allows the exchange to take, by (owner, token contract)."""
        self.code: dict[str, str] = {}
        """The runtime code of deployed NFT contracts, by address."""
        self.nfts: dict[tuple[str, str, str], int] = {}
        """Amounts of NFTs by (owner, contract, nftId)."""
        self.approved_hashes: set[tuple[str, str]] = set()
        """(owner, hash) approved on layer 1, which stands for a signature."""
        self.sent: set[str] = set()
        """Hashes of the relayed transactions."""

    def clone(self) -> Layer1:
        """An independent copy."""
        copy = Layer1(self.gas_price_wei)
        copy.state = self.state
        copy.native_wei = dict(self.native_wei)
        copy.token_wei = dict(self.token_wei)
        copy.allowances_wei = dict(self.allowances_wei)
        copy.code = dict(self.code)
        copy.nfts = dict(self.nfts)
        copy.approved_hashes = set(self.approved_hashes)
        copy.sent = set(self.sent)
        return copy

    def knows(self, address: str) -> bool:
        """Whether the chain has seen the (lower-case) address."""
        return address in self.native_wei


def send_eth_tx(ctx: Context, call: Call) -> str:
    """Relay a raw signed transaction; its hash, which is the same when it is sent again (spec §3)."""
    state = _node_state(ctx, call)
    if state is NodeState.DOWN:
        raise Refused(C.LAYER1_NODE_UNAVAILABLE, "the layer-1 node is down")
    if state is NodeState.ERROR:
        raise Refused(C.LAYER1_NODE_ERROR, "the layer-1 node answered with an error")
    raw: str = call.args["data"]
    tx_hash = "0x" + keccak256(bytes.fromhex(raw.removeprefix("0x"))).hex()
    ctx.world.layer1.sent.add(tx_hash)
    return tx_hash


def get_token_balances(ctx: Context, call: Call) -> list[str]:
    """The owner's layer-1 balance of a token (spec §4)."""
    _refuse_unless_up(ctx, call)
    return [str(ctx.world.layer1.token_wei.get(_owner_and_token(call), 0))]


def get_allowances(ctx: Context, call: Call) -> list[str]:
    """What the owner allows the exchange to take of a token (spec §5)."""
    _refuse_unless_up(ctx, call)
    return [str(ctx.world.layer1.allowances_wei.get(_owner_and_token(call), 0))]


def get_eth_balance(ctx: Context, call: Call) -> str:
    """The owner's layer-1 balance of the native coin (spec §6)."""
    _refuse_unless_up(ctx, call)
    return str(ctx.world.layer1.native_wei.get(call.args["owner"].lower(), 0))


def get_gas_price(ctx: Context, call: Call) -> str:
    """The recommended gas price in Gwei (spec §7)."""
    state = _node_state(ctx, call)
    if state is not NodeState.UP:
        raise Refused(C.GAS_PRICE_UNAVAILABLE, f"layer 1 is {state}")
    return decimal_text(ctx.world.layer1.gas_price_wei, GWEI_DECIMALS)


def gas_price_text(ctx: Context) -> str:
    """The gas price as fee answers carry it."""
    gas_price_wei = ctx.world.layer1.gas_price_wei
    if ctx.decide("fee.gas_price_unit", {}) == "gwei":
        return decimal_text(gas_price_wei, GWEI_DECIMALS)
    return str(gas_price_wei)


def _owner_and_token(call: Call) -> tuple[str, str]:
    return call.args["owner"].lower(), call.args["token"].lower()


def _node_state(ctx: Context, call: Call) -> NodeState:
    fault = ctx.take_fault(call, FaultKind.LAYER1)
    return ctx.world.layer1.state if fault is None or fault.layer1 is None else fault.layer1


def _refuse_unless_up(ctx: Context, call: Call) -> None:
    state = _node_state(ctx, call)
    if state is NodeState.DOWN:
        raise Refused(C.LAYER1_REQUEST_FAILED, "the layer-1 node is down")
    if state is NodeState.ERROR:
        raise Refused(C.LAYER1_NODE_ERROR, "the layer-1 node answered with an error")
