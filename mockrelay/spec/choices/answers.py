"""What answers show: pages, blocks, market data, NFTs."""

from __future__ import annotations

from mockrelay.spec.choices.choice import Choice

ANSWERS: tuple[Choice, ...] = (
    Choice(
        "page.limit_max",
        "Maximum values for `limit`: not shown.",
        ("none", "50"),
        "No maximum is shown; under `50` a page is cut there.",
    ),
    Choice(
        "order_fee.many_markets",
        "Several markets may be asked for, one FeeRate comes back.",
        ("first", "refuse"),
        "The first market is an answer of the shape shown.",
    ),
    Choice(
        "block.status_words",
        "Block status values other than `pending`: not shown.",
        ("pending confirmed finalized", "pending submitted completed"),
        "The words that getBlock takes as an id.",
    ),
    Choice(
        "block.unknown_id",
        "The behaviour for unknown block ids: not shown beyond 100000.",
        ("100000", "empty", "103011"),
        "A block that is not there is an error.",
    ),
    Choice(
        "block.fill_s",
        "`fillS` is an integer in wei and may exceed what every JSON reader holds exactly.",
        ("integer", "string"),
        "The declared type.",
        deviations=("string",),
    ),
    Choice(
        "pending.shape",
        "Whether the answer is one object or a list of them: not shown.",
        ("list", "object"),
        "There can be more than one, or none.",
    ),
    Choice(
        "tx_type.case",
        "The table writes txType in camel case, examples show it in lower case.",
        ("camel", "lower"),
        "The table is the definition.",
    ),
    Choice(
        "depth.level_above",
        "Code 108001 is for levels that a market does not have; whether a level above the highest is one is not shown.",
        ("refuse", "highest"),
        "The code exists.",
    ),
    Choice(
        "candles.empty",
        "Intervals without a trade: not shown.",
        ("skip", "flat"),
        "A candle is made of trades.",
    ),
    Choice(
        "candles.order",
        "The order of the rows is not shown.",
        ("ascending", "descending"),
        "Time runs forward; `limit` keeps the first rows of the order chosen.",
    ),
    Choice(
        "candles.week_start",
        "The day on which a week's candle starts is not shown.",
        ("monday", "epoch"),
        "ISO weeks start on Monday; `epoch` counts weeks of seven days from 1970-01-01, a Thursday.",
    ),
    Choice(
        "ticker.no_value",
        "All eleven values are strings; what stands where there is none is not shown.",
        ("0", "empty"),
        "A number can be parsed.",
    ),
    Choice(
        "ticker.window",
        "The period that a ticker covers is not shown.",
        ("24h", "all"),
        "The custom of the field.",
    ),
    Choice(
        "gas_price.unit",
        "The recommended gas price is in Gwei.",
        ("gwei", "wei"),
        "The unit that is shown; some relayers answer in wei.",
        deviations=("wei",),
    ),
    Choice(
        "fee.gas_price_unit",
        "The recommended gas price is in Gwei; the unit of the fee answers' gasPrice is not shown.",
        ("wei", "gwei"),
        "Amounts are in the smallest unit.",
    ),
    Choice(
        "nft.error_code",
        "Error codes of the NFT endpoints: not shown.",
        ("100001", "100000"),
        "'Invalid argument' says more than 'unknown error'.",
    ),
    Choice(
        "nft.visible",
        "When a minted NFT can be queried is not shown.",
        ("at_once", "on_block"),
        "Its identity is known as soon as the mint is accepted.",
    ),
    Choice(
        "nft.repeat_deploy",
        "A deployment of a contract that is deployed or about to be: not shown.",
        ("idempotent", "refuse"),
        "The answer has a field `isIdempotent`; the fee is taken once.",
    ),
    Choice(
        "nft.optional_fields",
        "Which fields of the NFT calls are required: not shown.",
        ("lenient", "strict"),
        "What an action does not need cannot stop it.",
    ),
)
