"""The hash of an order in the form in which its client reads it."""

from __future__ import annotations

from mockrelay.core.models import Order
from mockrelay.spec.vocab import OrderForm


def hash_text(order: Order) -> str:
    """The hash of an order as its form shows it."""
    return str(int(order.hash, 16)) if order.form is OrderForm.V2 else order.hash
