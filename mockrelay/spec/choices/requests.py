"""Transfers, withdrawals and the other requests: ids, fees, funds and credit."""

from __future__ import annotations

from mockrelay.spec.choices.choice import Choice

REQUESTS: tuple[Choice, ...] = (
    Choice(
        "request.repeat",
        "`isIdempotent` is part of the answer to withdrawals, updates and NFT calls; its rule is shown for orders.",
        ("while_open", "always_idempotent"),
        "A repeat polls a request that is open; afterwards its nonce or storage id is simply used.",
    ),
    Choice(
        "request.insufficient_funds",
        "Whether a request without funds is refused or accepted and then failed is not shown.",
        ("refuse", "fail"),
        "The earlier a client is told, the better.",
    ),
    Choice(
        "storage_id.scope",
        "Storage ids are off-chain ids; for what they are unique is not shown.",
        ("per_token", "per_account"),
        "As order ids, which count per account and sold token.",
    ),
    Choice(
        "storage_id.space",
        "Whether order ids and storage ids are the same ids is not shown.",
        ("apart", "shared"),
        "Two fields with two names.",
    ),
    Choice(
        "transfer.fee_token",
        "Code 102025 says that transfer token and fee token are not consistent; when, is not shown.",
        ("same", "any"),
        "The code exists, so there is a rule.",
    ),
    Choice(
        "withdrawal.fee_token",
        "Code 102025 is listed for withdrawals too; when it is used is not shown.",
        ("any", "same"),
        "The withdrawal has a fee token of its own.",
    ),
    Choice(
        "transfer.credit",
        "When the receiver of a transfer, a mint or an NFT transfer has the amount is not shown.",
        ("processed", "on_block"),
        "`processed` should mean that it is done.",
    ),
    Choice(
        "fee.charged",
        "`maxFee` is a maximum; what is charged is not shown.",
        ("quote", "max_fee"),
        "A maximum is not a price.",
    ),
)
