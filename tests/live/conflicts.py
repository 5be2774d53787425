"""What is otherwise under the live profile, in a reader's words: a row of the guide for each conflict (C1 to C26)."""

from __future__ import annotations

from typing import NamedTuple


class Conflict(NamedTuple):
    """A call or rule, and what holds for it in each profile."""

    id: str
    what: str
    spec: str
    live: str


CONFLICTS = (
    Conflict(
        "C1", "body of `POST /api/v3/order`", "second generation", "with `sellToken` or `storageId` third, else second"
    ),
    Conflict("C2", "its answer", "in an envelope, `NEW_ACTIVED`", "by the body's form: third is bare, `processing`"),
    Conflict(
        "C3", "keys in `GET /api/v2/account`", "as the scenario has them", "decimal digits; `/api/v3/account` shows hex"
    ),
    Conflict("C4", "recommended gas price", "gwei", "wei"),
    Conflict("C5", "`GET /api/v2/orderId`", "a string", "a number"),
    Conflict("C6", "candles", "oldest first, only those with trades", "latest first, none left out"),
    Conflict("C7", "hash of a listed order", "`0x` hex", "decimal digits if it came by `POST /api/v2/order`, else hex"),
    Conflict(
        "C8",
        "answers to mints and NFT moves",
        "`hash` and `raw_data`",
        "the same, and the request's fields beside them",
    ),
    Conflict("C9", "NFT transfer with `toAccountId` 0", "refused", "the account of `toAddress`, or a new one"),
    Conflict(
        "C10",
        "body of an NFT withdrawal",
        "the fields of a transfer",
        "with `accountId` its own form, else a transfer's",
    ),
    Conflict("C11", "`minter` of NFT data", "an account id", "an account id or an address"),
    Conflict(
        "C12", "a call without a key", "104001 where a key is required", "answered, if it shows what everybody may see"
    ),
    Conflict("C13", "state that a submission answers", "`received`", "`processing`"),
    Conflict("C14", "ids of orders and of requests", "apart", "one set for each account and token"),
    Conflict("C15", "account nonce", "moved by transfers and updates", "a third-generation transfer leaves it"),
    Conflict("C16", "fee token of a transfer", "the token transferred, else 102025", "any that has a fee"),
    Conflict("C17", "paths of later generations", "404", "served"),
    Conflict("C18", "calls a second", "as listed", "rows that are added: 5, in `/api/v2` 3"),
    Conflict("C19", "`level` of a depth above the highest", "108001", "the highest"),
    Conflict(
        "C20",
        "`validSince`",
        "required; later than now waits",
        "not needed in the third generation; later than now is open",
    ),
    Conflict("C21", "public key of an account with a private key", "the one that the private key makes", "the same"),
    Conflict("C22", "forms as bodies", "refused", "read"),
    Conflict("C23", "several slashes in a path", "404", "read as one"),
    Conflict("C24", "a block that is not there", "100000", "103011"),
    Conflict("C25", "findings", "all rules", "silent on what published clients do"),
    Conflict("C26", "fee of a request", "charged as quoted", "the same; the list is by `requestType`"),
)
