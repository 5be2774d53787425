"""The layer-1 chain as the relayer sees it: a small ledger, a gas price, and whether its node answers."""

from __future__ import annotations

from mockrelay.core.state import State, saved_field
from mockrelay.spec.vocab import NodeState


class Layer1(State):
    """Balances, allowances and sent transactions; addresses are keys in lower case, amounts in the smallest unit."""

    gas_price_wei: int = saved_field()
    state: NodeState = saved_field(factory=lambda: NodeState.UP)
    native_wei: dict[str, int] = saved_field(factory=dict)
    """By owner; every address that the chain has seen is a key."""
    token_wei: dict[tuple[str, str], int] = saved_field(factory=dict)
    """By (owner, token contract)."""
    allowances_wei: dict[tuple[str, str], int] = saved_field(factory=dict)
    """Amounts that the exchange may withdraw, by (owner, token contract)."""
    code: dict[str, str] = saved_field(factory=dict)
    """The runtime code of deployed NFT contracts, by address."""
    nfts: dict[tuple[str, str, str], int] = saved_field(factory=dict)
    """Amounts of NFTs by (owner, contract, nftId)."""
    approved_hashes: set[tuple[str, str]] = saved_field(factory=set)
    """(owner, hash) approved on layer 1; an approval replaces the owner's signature."""
    nonces: dict[str, int] = saved_field(factory=dict)
    """By owner, the number of transactions that it has sent; none where it is not set."""
    sent: set[str] = saved_field(factory=set)
    """Hashes of the relayed transactions."""

    def knows(self, address: str) -> bool:
        """Whether the chain has seen the (lower-case) address."""
        return address in self.native_wei
