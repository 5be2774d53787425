"""Which choices change what an endpoint does; those of every call stand by themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockrelay.control.signable import SIGNABLE
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoint import Endpoint, KeyHeader
from mockrelay.spec.request_kinds import KIND_OF_ENDPOINT, KINDS
from mockrelay.wire.schemas import choices_of

OF_EVERY_CALL = frozenset(
    {
        "http.error_status",
        "http.unknown_fields",
        "http.numbers",
        "http.repeated_query",
        "http.content_type",
        "http.date",
    }
    | {choice.key for choice in CHOICES if choice.key.startswith("rate.")}
)


def _is_asynchronous(row: Endpoint) -> bool:
    return row.name in KIND_OF_ENDPOINT


def _has_storage_id(row: Endpoint) -> bool:
    return _is_asynchronous(row) and not KINDS[KIND_OF_ENDPOINT[row.name]].submission.has_nonce


def _has_own_id(row: Endpoint) -> bool:
    """Whether a call is about an order id or a storage id, which the account chooses."""
    return _has_storage_id(row) or row.name in {"submit_order", "get_order_id"}


def _is(*names: str) -> Callable[[Endpoint], bool]:
    return lambda row: row.name in names


def _starts(prefix: str, *names: str) -> Mapping[str, Callable[[Endpoint], bool]]:
    return {choice.key: _is(*names) for choice in CHOICES if choice.key.startswith(prefix)}


_BY_KEY: Mapping[str, Callable[[Endpoint], bool]] = {
    "http.bare_error_body": lambda row: not row.enveloped,
    "auth.key_on_unlisted": lambda row: (
        row.key is KeyHeader.REQUIRED and (row.public or Code.AUTH_KEY_EMPTY not in row.listed_codes)
    ),
    "auth.key_on_silent": lambda row: row.key is KeyHeader.NOT_SHOWN,
    "auth.missing_signature_header": lambda row: row.signature is not None,
    "signature.scheme": lambda row: row.name in SIGNABLE,
    "hash.scheme": lambda row: _is_asynchronous(row) or row.name == "submit_order",
    "account.unknown": _is("get_account"),
    "account.key_text": _is("get_account"),
    "account.key_active": _is("update_account"),
    "account.nonce_moves": lambda row: _is_asynchronous(row) and not _has_storage_id(row),
    **_starts("order.", "submit_order"),
    **_starts("order_id.", "get_order_id"),
    **_starts("orders.", "get_orders"),
    "request.repeat": _is_asynchronous,
    "request.insufficient_funds": _is_asynchronous,
    "storage_id.scope": _has_own_id,
    "storage_id.space": _has_own_id,
    **_starts("transfer.", "submit_transfer"),
    **_starts("withdrawal.", "submit_withdrawal"),
    "fee.charged": _is_asynchronous,
    "page.limit_max": _is("get_orders", "get_depth", "get_candlestick"),
    "order_fee.many_markets": _is("get_order_fee"),
    **_starts("block.", "get_block"),
    **_starts("pending.", "get_pending_requests"),
    "tx_type.case": _is("get_block", "get_pending_requests"),
    **_starts("depth.", "get_depth"),
    **_starts("candles.", "get_candlestick"),
    **_starts("ticker.", "get_ticker"),
    "gas_price.unit": _is("get_gas_price"),
    "fee.gas_price_unit": _is("get_order_fee", "get_nft_fee"),
    "nft.error_code": lambda row: row.nft,
    "nft.visible": _is("get_nft_data"),
    "nft.repeat_deploy": _is("deploy_nft_contract"),
    "nft.optional_fields": lambda row: row.nft,
}


def choices_of_endpoint(row: Endpoint) -> list[str]:
    """The keys of the choices that change this endpoint more than every other one."""
    shapes = choices_of(f"mockrelay:requests/{row.name}.json") | choices_of(f"mockrelay:responses/{row.name}.json")
    return [
        choice.key
        for choice in CHOICES
        if choice.key not in OF_EVERY_CALL and (choice.key in shapes or _BY_KEY[choice.key](row))
    ]
