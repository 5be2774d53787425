"""Hashes of orders in the forms in which clients write them: hex, or decimal digits of the same number."""

from __future__ import annotations

from mockrelay.core.models import Order
from mockrelay.spec.vocab import OrderForm

_DIGITS_MAX = 78
"""Digits of the largest number of 256 bits."""


def hash_text(order: Order) -> str:
    """The hash of an order as its form shows it."""
    return str(int(order.hash, 16)) if order.form is OrderForm.V2 else order.hash


def hash_of_text(text: str) -> str:
    """The hash in hex of either form of it; any other text as it is."""
    if text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX:
        return f"0x{int(text):064x}"
    return text.lower()
