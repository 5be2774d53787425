"""Codecs of texts with a pattern that the API promises: hashes, addresses, keys."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from mockrelay.core.models import Account, Block, Deposit, Key, Nft, Order, Request
from mockrelay.core.saving.codec import Codec, InvalidSavedState
from mockrelay.suggest import shown


def _matching(pattern: str, meant: str) -> Codec:
    """A text that matches a regular expression."""
    compiled = re.compile(pattern)

    def read(json_value: Any) -> str:
        if type(json_value) is not str or compiled.fullmatch(json_value) is None:
            raise InvalidSavedState("", shown(json_value), meant)
        return json_value

    return Codec(str, read)


_HASH = _matching("0x[0-9a-fA-F]{64}", "a hash of 0x and 64 hex digits")
_ADDRESS = _matching("0x[0-9a-fA-F]{40}", "an address of 0x and 40 hex digits")
_COORDINATE = _matching("(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})?", "a coordinate in digits, or in hex after 0x")
_NFT_ID = _matching("0x[0-9a-f]{64}", "an id of 0x and 64 hex digits in lower case")
CODE = _matching("0x([0-9a-f]{2})*", "code in hex after 0x")

TEXT_CODECS: Mapping[tuple[Any, str], Codec] = {
    **{(record, "hash"): _HASH for record in (Order, Request)},
    (Block, "tx_hash"): _HASH,
    (Nft, "nft_data"): _HASH,
    (Nft, "nft_id"): _NFT_ID,
    **{(record, "owner"): _ADDRESS for record in (Account, Deposit)},
    **{(record, "token_address"): _ADDRESS for record in (Nft, Deposit)},
    (Nft, "minter"): _ADDRESS,
    (Request, "to_address"): _ADDRESS,
    **{(record, name): _COORDINATE for record in (Account, Key) for name in ("public_key_x", "public_key_y")},
}
"""(record, field) -> codec."""
