"""HTTP, keys, signatures, rate limits and accounts: what holds for calls of many endpoints."""

from __future__ import annotations

from mockrelay.spec.choices.choice import Choice

CALLS: tuple[Choice, ...] = (
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
        "http.date",
        "The header `Date` of answers: not shown.",
        ("none", "relayer"),
        "Without it the same calls give the same bytes; under `relayer` it has the time of the relayer's own clock.",
    ),
    Choice(
        "auth.key_on_unlisted",
        "The header is required in general, but codes 104001 and 104002 are listed for four endpoints only.",
        ("refuse", "ignore", "ignore_all"),
        "A required header that is not checked is not required. Under `ignore` no key is asked for where the codes are not "
        "listed; under `ignore_all` not for endpoints 1 to 8, 10 to 12 and 21 (nftData), and for all others as by default.",
        deviations=("ignore", "ignore_all"),
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
        "account.key_text",
        "publicKeyX and publicKeyY are strings; in which base the numbers are written is not shown.",
        ("as_set", "decimal"),
        "A client that reads hex after 0x and digits reads both.",
    ),
)
