"""What requests cost at the start: the section `fees`, and the two lists of `exchange`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mockrelay.core.setting import Token
from mockrelay.core.wording import nearest
from mockrelay.scenario.nodes import Node
from mockrelay.scenario.reading import Fields, amount_wei, by_name, entries, items, name_in, once
from mockrelay.spec.request_kinds import FeeKind

IN_EXCHANGE: Mapping[FeeKind, str] = MappingProxyType(
    {kind: kind.exchange_field for kind in FeeKind if kind.exchange_field is not None}
)
"""Fees that the exchange's own answer lists, by its fields."""
OTHER_KINDS = tuple(kind for kind in FeeKind if kind not in IN_EXCHANGE)
NO_FEE = "none"
"""A token in which the fee is not offered, whatever the scenario says that is extended."""

Fees = Mapping[FeeKind, Mapping[int, int]]


def read_fees(fields: Fields, tokens: Mapping[str, Token]) -> Fees:
    """Fees of all kinds in wei by token id, of a whole document."""
    exchange = entries(fields.node_of("exchange"))
    fees: dict[FeeKind, Mapping[int, int]] = {
        kind: _listed_fees(exchange[name], tokens) for kind, name in IN_EXCHANGE.items() if name in exchange
    }
    if "fees" in fields:
        fees.update(_named_fees(fields.node_of("fees"), tokens))
    return fees


def _listed_fees(node: Node, tokens: Mapping[str, Token]) -> dict[int, int]:
    listed = [Fields(item, ("token", "fee")) for item in items(node)]
    fees = [
        (tokens[fields.need("token", name_in(tokens))].token_id, fields.need("fee", amount_wei)) for fields in listed
    ]
    once(((fields.node_of("token"), token_id) for fields, (token_id, _) in zip(listed, fees, strict=True)), "fee token")
    return dict(fees)


def _named_fees(node: Node, tokens: Mapping[str, Token]) -> Iterator[tuple[FeeKind, Mapping[int, int]]]:
    for name, given in entries(node).items():
        if name in IN_EXCHANGE:
            raise given.key_error(f"{name!r} among the fees", f"this fee at exchange.{IN_EXCHANGE[FeeKind(name)]}")
        if name not in OTHER_KINDS:
            raise given.key_error(f"the unknown name {name!r}", nearest(name, OTHER_KINDS))
        fees = by_name(given, tokens, _fee_wei)
        yield FeeKind(name), {tokens[symbol].token_id: wei for symbol, wei in fees if wei is not None}


def _fee_wei(node: Node) -> int | None:
    return None if node.value == NO_FEE else amount_wei(node)
