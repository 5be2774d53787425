"""What a scenario's later sections may name: accounts, tokens and markets, by name or by id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.records import Account
from mockrelay.core.setting import Market, Token
from mockrelay.scenario.accounts import HOUSE
from mockrelay.scenario.nodes import Node
from mockrelay.scenario.reading import name_in

T = TypeVar("T")


class Known(NamedTuple):
    """What a timeline can name: by their names, and tokens by their symbols."""

    accounts: Mapping[str, Account]
    tokens: Mapping[str, Token]
    markets: Mapping[str, Market]

    @property
    def ids(self) -> dict[str, int]:
        """Account ids by name, the house's among them."""
        return {HOUSE: HOUSE_ID, **{name: account.account_id for name, account in self.accounts.items()}}

    def account(self, node: Node) -> Account:
        """An account by its name or its id."""
        by_id = {account.account_id: account for account in self.accounts.values()}
        return _named(node, self.accounts, by_id)

    def account_id(self, node: Node) -> int:
        """The id of an account or of the house."""
        return (
            HOUSE_ID if node.value in (HOUSE, HOUSE_ID) and node.value is not False else self.account(node).account_id
        )

    def token_id(self, node: Node) -> int:
        """A token's id, by its symbol or as it is."""
        by_id = {token.token_id: token for token in self.tokens.values()}
        return _named(node, self.tokens, by_id).token_id


def _named(node: Node, by_name: Mapping[str, T], by_id: Mapping[int, T]) -> T:
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        if node.value not in by_id:
            known = ", ".join(f"{one} ({name})" for one, name in zip(by_id, by_name, strict=True))
            raise node.error(node.shown, f"one of {known}")
        return by_id[node.value]
    return by_name[name_in(by_name)(node)]
