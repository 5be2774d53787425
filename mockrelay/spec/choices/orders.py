"""Orders: their submission, ids and lists."""

from __future__ import annotations

from mockrelay.spec.choices.choice import Choice

ORDERS: tuple[Choice, ...] = (
    Choice(
        "order.rejected_answer",
        "A rejected order has a code and a state SUBMIT_ORDER_FAIL; whether both appear in one answer is not shown.",
        ("code", "code_and_data", "data"),
        "Errors are given by the code.",
        deviations=("data",),
    ),
    Choice(
        "order.frozen_account",
        "A frozen account cannot submit orders; the code is not shown.",
        ("102027", "102120", "102014"),
        "'Submit order fail' says no more than is known.",
    ),
    Choice(
        "order.valid_since_future",
        "validSince should be the current time; a later one is not forbidden.",
        ("wait", "activate", "refuse"),
        "The status `waiting` exists for it. Up to 60 seconds ahead count as clock skew.",
    ),
    Choice(
        "order.too_short_validity",
        "validUntil should be at least one month after the current time.",
        ("accept", "refuse"),
        "'Should' is not 'must'; a finding is noted.",
    ),
    Choice(
        "order.self_trade",
        "Two orders of one account that meet: not shown.",
        ("cancel_newest", "allow"),
        "Nobody trades with themselves by intent; the resting order keeps its place.",
    ),
    Choice(
        "order.max_fee_below_rate",
        "maxFeeBips below the account's own rate: not shown.",
        ("cap", "refuse"),
        "The field is a maximum, so the fee is held to it.",
    ),
    Choice(
        "order.dust",
        "A token has a dust threshold; what becomes of an order's rest below it is not shown.",
        ("finish", "keep"),
        "A rest that nobody can trade should not hold funds.",
    ),
    Choice(
        "order.repeated_client_id",
        "clientOrderId is client-unique; whether the relayer checks that is not shown.",
        ("allow", "refuse"),
        "The id is the client's own business.",
    ),
    Choice(
        "order_id.get",
        "The next order id is returned; whether asking reserves it is not shown.",
        ("peek", "reserve"),
        "A GET changes nothing.",
    ),
    Choice(
        "order_id.json",
        "The next order id is declared a string; live relayers answer a number.",
        ("string", "number"),
        "As declared.",
        deviations=("number",),
    ),
    Choice(
        "orders.filter_cancelling",
        "Records know the status `cancelling`, the list's filter does not.",
        ("with_cancelled", "alone"),
        "Every order is found by some word of the filter.",
    ),
    Choice(
        "orders.unknown_hash",
        "fromHash asks for records earlier than a hash; a hash that the account has no order for is not shown.",
        ("refuse", "empty"),
        "An empty page would read as the end of the list.",
    ),
)
