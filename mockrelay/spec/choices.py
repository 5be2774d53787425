"""The choices: one row for each question that the spec leaves open, with the answers that a relayer may have to it.

A row has a key, the options that a world can be set to, and the reason for the default, which is the first option.
Each option has a witness, a test of two worlds that differ in it alone and answer differently; an option without one is
not listed. An option marked as a deviation goes against the letter of the spec (seen or suspected in live relayers); it
is never a default.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Choice(NamedTuple):
    """A question that the spec leaves open, and its options."""

    key: str
    spec_says: str
    """What the spec says of the question, and what it does not say."""
    options: tuple[str, ...]
    why: str
    """Why the first option is the default."""
    deviations: tuple[str, ...] = ()
    """The options that go against the letter of the spec."""

    @property
    def default(self) -> str:
        """The option that holds where a world sets none."""
        return self.options[0]


CHOICES: tuple[Choice, ...] = (
    Choice(
        "http.error_status",
        "HTTP status codes used with errors: not shown.",
        ("split", "400", "200"),
        "Enveloped endpoints carry the outcome in the body, bare ones have no other place to show it than the status.",
    ),
    Choice(
        "http.bare_error_body",
        "Bare endpoints return their payload directly; the body of their errors is not shown.",
        ("result_info", "code_message"),
        "One error shape for every endpoint is what a client can be written against.",
    ),
    Choice(
        "http.content_type",
        "Bodies are sent with `Content-Type: application/json`; what happens otherwise is not shown.",
        ("report", "refuse"),
        "The body can still be read, so a finding is enough.",
    ),
    Choice(
        "http.unknown_fields",
        "Fields that no table lists: not shown.",
        ("report", "refuse"),
        "Clients of neighbouring versions send more fields; a finding names them.",
    ),
    Choice(
        "http.numbers",
        "Fields are declared integer or string; whether the other form is taken is not shown.",
        ("strict", "lenient"),
        "A client that sends the declared types is right everywhere.",
    ),
    Choice(
        "http.repeated_query",
        "A query parameter given twice: not shown.",
        ("same_value_ok", "refuse"),
        "Twice the same value leaves no doubt; two values do, and are refused under both options.",
    ),
    Choice(
        "auth.key_on_unlisted",
        "The header is required in general, but codes 104001 and 104002 are listed for four endpoints only.",
        ("refuse", "ignore"),
        "A required header that is not checked is not required.",
        deviations=("ignore",),
    ),
    Choice(
        "auth.key_on_silent",
        "Headers of the NFT lookup, fee, getCode, broker, mint, transfer and withdrawal endpoints: not shown.",
        ("ignore", "refuse"),
        "Nothing says that these calls need a key.",
    ),
    Choice(
        "auth.missing_signature_header",
        "X-API-SIG is required on four endpoints; the answer without it is not shown.",
        ("104004", "100001", "ignore"),
        "The code says what is wrong, although it is listed for orders only.",
    ),
    Choice(
        "signature.scheme",
        "The exact signing algorithm and the composition of the signed payload: not shown.",
        ("presence", "protocol", "off"),
        "Signatures must be there and well-formed; what they sign is not laid down. Under `protocol` they must be what "
        "clients of such relayers sign.",
    ),
    Choice(
        "hash.scheme",
        "Hashes of orders, requests and NFTs name them; how they are computed is not shown.",
        ("fast", "protocol"),
        "A name need only be its own. Under `protocol` it is what clients of such relayers compute themselves.",
    ),
    Choice(
        "rate.status",
        "Behaviour when a rate limit is exceeded: not shown.",
        ("429", "200"),
        "429 is what HTTP has for it.",
    ),
    Choice(
        "rate.body",
        "Behaviour when a rate limit is exceeded: not shown.",
        ("result_info", "empty", "html"),
        "The shape of every other error.",
    ),
    Choice(
        "rate.retry_after",
        "Behaviour when a rate limit is exceeded: not shown.",
        ("1", "none"),
        "Limits are per second, so a second later is right.",
    ),
    Choice(
        "rate.scope",
        "Limits are given per endpoint; for whom they count is not shown.",
        ("api_key", "address", "global"),
        "A key stands for an account; without a known one the peer's address does.",
    ),
    Choice(
        "rate.window",
        "Requests per second; how a second is measured is not shown.",
        ("second", "sliding", "bucket"),
        "Whole clock seconds are the easiest to predict.",
    ),
    Choice(
        "rate.unlisted",
        "Rate limits of the other NFT endpoints: not shown.",
        ("none", "5"),
        "No limit is shown, so none is enforced.",
    ),
    Choice(
        "rate.escalate",
        "What a caller meets that does not slow down is not shown.",
        ("none", "60s"),
        "No ban is shown.",
    ),
    Choice(
        "account.unknown",
        "101001 (address not found) and 101002 (user not found) are listed; when each is used is not shown.",
        ("by_layer", "101002"),
        "An address that nobody knows differs from one that has no exchange account.",
    ),
    Choice(
        "account.key_active",
        "A new key becomes active when the update is accepted; whether that is before or with its block is not shown.",
        ("at_once", "on_block"),
        "The transition table says: accepted, then the new key is active.",
    ),
    Choice(
        "account.nonce_moves",
        "When the account nonce that a client reads moves on is not shown.",
        ("at_once", "on_block"),
        "A client that reads the nonce after a submission can go on at once.",
    ),
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
        ("100000", "empty"),
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

DUE_ORDER = "due.order"
"""The key of the one decision that is not a choice: which of the events that are due at the same moment happens next, as
its index in the order in which they were planned.
"""

BY_KEY: Mapping[str, Choice] = MappingProxyType({choice.key: choice for choice in CHOICES})
DEFAULTS: Mapping[str, str] = MappingProxyType({choice.key: choice.default for choice in CHOICES})
