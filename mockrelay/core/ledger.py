"""Layer-2 balances. Invariant, per token: free + frozen + in flight of all accounts + fees taken = `deposited_wei`."""

from __future__ import annotations

from collections.abc import Iterator

from mockrelay.core.models import NO_BALANCE, Balance
from mockrelay.core.state import State, saved_field

HOUSE_ID = 0
"""The account of the house, the counterparty of scripted trades; only its balance may be negative."""


class Ledger(State):
    """Balances by (account id, token id); fees taken and net deposits by token id."""

    balances: dict[tuple[int, int], Balance] = saved_field(factory=dict)
    fees_wei: dict[int, int] = saved_field(factory=dict)
    deposited_wei: dict[int, int] = saved_field(factory=dict)

    def balance(self, account_id: int, token_id: int) -> Balance:
        """An account's balance of a token, zero if it has none."""
        return self.balances.get((account_id, token_id), NO_BALANCE)

    def balances_of(self, account_id: int) -> Iterator[tuple[int, Balance]]:
        """(token id, balance) of an account, in the order of token ids."""
        return iter(sorted((token, held) for (owner, token), held in self.balances.items() if owner == account_id))

    def deposit(self, account_id: int, token_id: int, amount_wei: int) -> None:
        """Add an amount from outside to an account's free balance."""
        self.deposited_wei[token_id] = self.deposited_wei.get(token_id, 0) + amount_wei
        self._add_free(account_id, token_id, amount_wei)

    def set_free(self, account_id: int, token_id: int, free_wei: int) -> None:
        """Make an account's free balance this amount; the difference comes from outside, or goes there."""
        self.deposit(account_id, token_id, free_wei - self.balance(account_id, token_id).free_wei)

    def freeze(self, account_id: int, token_id: int, amount_wei: int) -> None:
        """Move an amount from free to frozen, for an order; does nothing for the house."""
        if account_id == HOUSE_ID:
            return
        key = account_id, token_id
        free, frozen, in_flight = self.balances.get(key, NO_BALANCE)
        assert amount_wei <= free, f"account {account_id} has {free} of token {token_id} free, not {amount_wei}"
        self.balances[key] = Balance(free - amount_wei, frozen + amount_wei, in_flight)

    def unfreeze(self, account_id: int, token_id: int, amount_wei: int) -> None:
        """Move an amount from frozen to free; does nothing for the house."""
        if account_id == HOUSE_ID:
            return
        free, frozen, in_flight = self.balance(account_id, token_id)
        assert amount_wei <= frozen, f"account {account_id} has {frozen} of token {token_id} frozen, not {amount_wei}"
        self.balances[account_id, token_id] = Balance(free + amount_wei, frozen - amount_wei, in_flight)

    def settle(self, payer_id: int, payee_id: int, token_id: int, amount_wei: int, fee_wei: int) -> None:
        """Pay an amount from the payer's frozen balance (the house's free one) to the payee, less the fee."""
        key = payer_id, token_id
        free, frozen, in_flight = self.balances.get(key, NO_BALANCE)
        if payer_id == HOUSE_ID:
            self.balances[key] = Balance(free - amount_wei, frozen, in_flight)
        else:
            assert amount_wei <= frozen, f"account {payer_id} has {frozen} of token {token_id} frozen, not {amount_wei}"
            self.balances[key] = Balance(free, frozen - amount_wei, in_flight)
        self._add_free(payee_id, token_id, amount_wei - fee_wei)
        if fee_wei:
            self.fees_wei[token_id] = self.fees_wei.get(token_id, 0) + fee_wei

    def move_to_in_flight(self, account_id: int, token_id: int, amount_wei: int) -> None:
        """Move an amount from free to in flight, for a request."""
        free, frozen, in_flight = self.balance(account_id, token_id)
        assert amount_wei <= free, f"account {account_id} has {free} of token {token_id} free, not {amount_wei}"
        self.balances[account_id, token_id] = Balance(free - amount_wei, frozen, in_flight + amount_wei)

    def return_in_flight(self, account_id: int, token_id: int, amount_wei: int) -> None:
        """Move an amount from in flight to free: its request has failed."""
        self._deduct_in_flight(account_id, token_id, amount_wei)
        self._add_free(account_id, token_id, amount_wei)

    def deliver(self, account_id: int, to_account_id: int, token_id: int, amount_wei: int) -> None:
        """Move an amount in flight to the receiver's free balance."""
        self._deduct_in_flight(account_id, token_id, amount_wei)
        self._add_free(to_account_id, token_id, amount_wei)

    def pay_fee(self, account_id: int, token_id: int, amount_wei: int) -> None:
        """Take an amount in flight as a fee."""
        self._deduct_in_flight(account_id, token_id, amount_wei)
        self.fees_wei[token_id] = self.fees_wei.get(token_id, 0) + amount_wei

    def withdraw(self, account_id: int, token_id: int, amount_wei: int) -> None:
        """Remove an amount in flight: it is withdrawn to layer 1."""
        self._deduct_in_flight(account_id, token_id, amount_wei)
        # Negative if the house paid an amount that was never deposited.
        self.deposited_wei[token_id] = self.deposited_wei.get(token_id, 0) - amount_wei

    def _deduct_in_flight(self, account_id: int, token_id: int, amount_wei: int) -> None:
        free, frozen, in_flight = self.balance(account_id, token_id)
        assert amount_wei <= in_flight, f"account {account_id} has {in_flight} of token {token_id} in flight"
        self.balances[account_id, token_id] = Balance(free, frozen, in_flight - amount_wei)

    def _add_free(self, account_id: int, token_id: int, amount_wei: int) -> None:
        key = account_id, token_id
        free, frozen, in_flight = self.balances.get(key, NO_BALANCE)
        self.balances[key] = Balance(free + amount_wei, frozen, in_flight)
