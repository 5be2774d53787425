"""Wrong calls as a table: each breaks one rule of an endpoint's, and has the code that must come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from mockrelay.check import bodies
from mockrelay.check.facts import NO_MARKET, SOME_ADDRESS, SOME_HASH, UNKNOWN_ID
from mockrelay.check.forms import ABSENT
from mockrelay.check.rows import Row, row
from mockrelay.signing.moduli import SNARK_FIELD
from mockrelay.spec.codes import Code as C
from mockrelay.wire.schemas import Option

if TYPE_CHECKING:
    from mockrelay.check.run import Codes, Run

NFT_CODES: Mapping[int, Option] = MappingProxyType(
    {100_001: ("nft.error_code", "100001"), 100_000: ("nft.error_code", "100000")}
)
"""What NFT calls are refused with: the spec does not show it."""
_ZERO_ADDRESS = "0x" + "0" * 40
_NO_SIGNATURE = "0x12"
_FIELD = str(SNARK_FIELD)
_UNKNOWN_OWNER: Mapping[int, Option] = MappingProxyType(
    {101_001: ("account.unknown", "by_layer"), 101_002: ("account.unknown", "101002")}
)
Changes = Mapping[str, Any] | Callable[["Run"], Mapping[str, Any]]


class Slip(NamedTuple):
    """A call that is right but for one thing."""

    row: Row
    changes: Changes
    """Values by the path of their field."""
    codes: Codes
    key: str = ""
    """`bob`: his key is sent in place of the caller's."""
    signature: str = ""
    """What stands in the header X-API-SIG, where it is the slip."""
    ours: bool = False
    """Whether the code is this house's reading of what the spec does not show: asked of a mockrelay only."""


def _slip(id_: str, endpoint: str, what: str, changes: Changes, codes: Codes, **more: Any) -> Slip:
    numbers = (codes,) if isinstance(codes, int) else tuple(codes)
    due = " or ".join(str(int(code)) for code in numbers)
    return Slip(row(id_, endpoint, f"{what} is refused with {due}", more.pop("section", None)), changes, codes, **more)


def _market_and(other: str) -> Callable[[Run], Mapping[str, Any]]:
    return lambda run: {"market": f"{run.facts.market()},{other}"}


def _now(path: str, offset_s: int = 0) -> Callable[[Run], Mapping[str, Any]]:
    return lambda run: {path: bodies.now_s(run) + offset_s}


READ_SLIPS: tuple[Slip, ...] = (
    _slip("unknown-owner", "get_account", "an address without an account", {"owner": SOME_ADDRESS}, _UNKNOWN_OWNER),
    _slip("unknown-market", "get_depth", "an unknown market", {"market": NO_MARKET}, C.MARKET_UNSUPPORTED),
    _slip(
        "unknown-level", "get_depth", "a level that the market does not have", {"level": 99}, C.DEPTH_LEVEL_UNSUPPORTED
    ),
    _slip("unknown-market", "get_candlestick", "an unknown market", {"market": NO_MARKET}, C.INVALID_ARGUMENT),
    _slip("two-markets", "get_candlestick", "more than one market", _market_and(NO_MARKET), C.INVALID_ARGUMENT),
    _slip("start-after-end", "get_candlestick", "a start after the end", {"start": 2, "end": 1}, C.INVALID_ARGUMENT),
    _slip("unknown-market", "get_ticker", "an unknown market", {"market": NO_MARKET}, C.INVALID_ARGUMENT),
    _slip("one-unknown", "get_ticker", "an unknown market among others", _market_and(NO_MARKET), C.INVALID_ARGUMENT),
    _slip(
        "unknown-account", "get_order_fee", "an unknown account", {"accountId": UNKNOWN_ID}, C.UNKNOWN_ERROR, ours=True
    ),
    _slip("unknown-market", "get_order_fee", "an unknown market", {"market": NO_MARKET}, C.UNKNOWN_ERROR, ours=True),
    _slip("unknown-token", "get_order_fee", "an unknown token", {"tokenB": UNKNOWN_ID}, C.UNKNOWN_ERROR, ours=True),
    _slip("other-key", "get_order_fee", "another account's key", {}, C.UNKNOWN_ERROR, key="bob", ours=True),
    _slip(
        "unknown-account", "get_order_id", "an unknown account", {"accountId": UNKNOWN_ID}, C.AUTH_ACCOUNT_ID_INVALID
    ),
    _slip("other-key", "get_order_id", "another account's key", {}, C.AUTH_ACCOUNT_ID_INVALID, key="bob"),
    _slip("unknown-token", "get_order_id", "an unknown token", {"tokenSId": UNKNOWN_ID}, C.UNKNOWN_ERROR, ours=True),
    _slip("no-account", "get_orders", "no account id", {"accountId": ABSENT}, C.USER_ID_EMPTY),
    _slip("unknown-account", "get_orders", "an unknown account", {"accountId": UNKNOWN_ID}, C.AUTH_ACCOUNT_ID_INVALID),
    _slip("other-key", "get_orders", "another account's key", {}, C.AUTH_ACCOUNT_ID_INVALID, key="bob"),
    _slip("unknown-market", "get_orders", "an unknown market", {"market": NO_MARKET}, C.UNKNOWN_ERROR, ours=True),
    _slip(
        "unknown-minter", "get_nft_data", "an unknown minter", {"minter": str(UNKNOWN_ID)}, C.AUTH_ACCOUNT_ID_INVALID
    ),
    _slip("unknown-nft", "get_nft_data", "an unknown NFT", {"nftId": SOME_HASH}, NFT_CODES),
    _slip("base-uri", "compute_token_address", "a base URI", {"nftBaseUri": "x"}, NFT_CODES),
    _slip("unknown-account", "get_nft_fee", "an unknown account", {"accountId": UNKNOWN_ID}, NFT_CODES, ours=True),
)

_ORDER = "submit_order"
_TRANSFER = "submit_transfer"
_WITHDRAWAL = "submit_withdrawal"
_UPDATE = "update_account"


def _signatures(endpoint: str) -> tuple[Slip, ...]:
    """Wrong signatures of an endpoint's, which only a relayer that looks at them refuses."""
    wrong = C.AUTH_SIGNATURE_WRONG
    if endpoint == _ORDER:
        return (
            _slip("no-part", endpoint, "a signature part left out", {"signatureRx": ABSENT}, C.ORDER_SIGNATURE_MISSING),
            _slip("zero-part", endpoint, "a signature part of zero", {"signatureS": "0"}, C.AUTH_SIGNATURE_MISSING),
            _slip("large-part", endpoint, "a signature part beyond the field", {"signatureRy": _FIELD}, wrong),
        )
    if endpoint == _TRANSFER:
        return (
            _slip("no-part", endpoint, "a signature part left out", {"signatureRx": ABSENT}, C.AUTH_SIGNATURE_MISSING),
            _slip("large-part", endpoint, "a signature part beyond the field", {"signatureRy": _FIELD}, wrong),
        )
    return (
        _slip(
            "short-signature", endpoint, "a header X-API-SIG that is no signature", {}, wrong, signature=_NO_SIGNATURE
        ),
    )


SIGNATURE_SLIPS: tuple[Slip, ...] = tuple(
    slip for endpoint in (_ORDER, _TRANSFER, _WITHDRAWAL, _UPDATE) for slip in _signatures(endpoint)
)

ORDER_SLIPS: tuple[Slip, ...] = (
    _slip("other-exchange", _ORDER, "another exchange", {"exchangeId": UNKNOWN_ID}, C.EXCHANGE_ID_INCORRECT),
    _slip("unknown-account", _ORDER, "an unknown account", {"accountId": UNKNOWN_ID}, C.ORDER_ACCOUNT_ID_INVALID),
    _slip("other-key", _ORDER, "another account's key", {}, C.AUTH_ACCOUNT_ID_INVALID, key="bob"),
    _slip("unknown-sold", _ORDER, "an unknown token to sell", {"tokenSId": UNKNOWN_ID}, C.ORDER_TOKEN_UNSUPPORTED),
    _slip("unknown-bought", _ORDER, "an unknown token to buy", {"tokenBId": UNKNOWN_ID}, C.ORDER_TOKEN_UNSUPPORTED),
    _slip(
        "no-market",
        _ORDER,
        "a token for itself",
        lambda run: {"tokenBId": run.facts.pair()[0].token_id},
        C.ORDER_MARKET_UNSUPPORTED,
    ),
    _slip("large-id", _ORDER, "an order id of 2^32", {"orderId": 2**32}, C.ORDER_ID_INVALID),
    _slip("no-fee", _ORDER, "maxFeeBips 0", {"maxFeeBips": 0}, C.ORDER_RATE_ILLEGAL, section="Limits"),
    _slip("large-fee", _ORDER, "maxFeeBips 64", {"maxFeeBips": 64}, C.ORDER_RATE_ILLEGAL, section="Limits"),
    _slip("expired", _ORDER, "validUntil that has passed", {"validSince": 0, "validUntil": 1}, C.ORDER_EXPIRED),
    _slip("all-or-none", _ORDER, "allOrNone true", {"allOrNone": "true"}, C.ORDER_NOT_VALID),
    _slip("large-label", _ORDER, "a label of 2^16", {"label": 2**16}, C.ORDER_NOT_VALID, section="Limits"),
    _slip(
        "late-start", _ORDER, "validSince after validUntil", _now("validSince", 2 * bodies.VALID_S), C.ORDER_NOT_VALID
    ),
    _slip(
        "milliseconds",
        _ORDER,
        "validUntil in milliseconds",
        lambda run: {"validUntil": (bodies.now_s(run) + bodies.VALID_S) * 1000},
        C.ORDER_NOT_VALID,
        section="Conventions 4",
    ),
    _slip(
        "too-small",
        _ORDER,
        "an amount below minOrderAmount",
        lambda run: {"amountS": str(run.facts.pair()[0].least_wei - 1)},
        C.ORDER_AMOUNT_TOO_SMALL,
        section="Limits",
    ),
    _slip("nothing", _ORDER, "nothing to be bought", {"amountB": "0"}, C.ORDER_AMOUNT_TOO_SMALL),
    _slip(
        "too-large",
        _ORDER,
        "an amount above maxOrderAmount",
        lambda run: {"amountS": str(run.facts.pair()[0].most_wei + 1)},
        C.ORDER_AMOUNT_TOO_LARGE,
        section="Limits",
    ),
)
"""The healthy order sells the market's base token."""

REQUEST_SLIPS: tuple[Slip, ...] = (
    _slip("other-exchange", _TRANSFER, "another exchange", {"exchangeId": UNKNOWN_ID}, C.EXCHANGE_ID_INCORRECT),
    _slip("unknown-sender", _TRANSFER, "an unknown sender", {"sender": UNKNOWN_ID}, C.REQUEST_SENDER_INVALID),
    _slip("other-key", _TRANSFER, "another account's key", {}, C.REQUEST_SENDER_INVALID, key="bob"),
    _slip("unknown-receiver", _TRANSFER, "an unknown receiver", {"receiver": UNKNOWN_ID}, C.REQUEST_RECEIVER_INVALID),
    _slip("fee-token", _TRANSFER, "an unknown fee token", {"tokenF": UNKNOWN_ID}, C.REQUEST_FEE_TOKEN_UNSUPPORTED),
    _slip("nonce", _TRANSFER, "a nonce far ahead", {"nonce": 10**6}, C.REQUEST_NONCE_INVALID),
    _slip("nothing", _TRANSFER, "nothing to transfer", {"amount": "0"}, C.UNKNOWN_ERROR, ours=True),
    _slip("low-fee", _TRANSFER, "a fee of nothing", {"amountF": "0"}, C.UNKNOWN_ERROR, ours=True),
    _slip("other-exchange", _WITHDRAWAL, "another exchange", {"exchange": SOME_ADDRESS}, C.EXCHANGE_ID_INCORRECT),
    _slip("unknown-account", _WITHDRAWAL, "an unknown account", {"accountId": UNKNOWN_ID}, C.REQUEST_SENDER_INVALID),
    _slip("other-owner", _WITHDRAWAL, "another owner", {"owner": SOME_ADDRESS}, C.REQUEST_SENDER_INVALID),
    _slip(
        "to-nobody",
        _WITHDRAWAL,
        "the zero address to pay to",
        {"to": _ZERO_ADDRESS},
        C.REQUEST_RECEIVER_INVALID,
        ours=True,
    ),
    _slip(
        "fee-token",
        _WITHDRAWAL,
        "an unknown fee token",
        {"maxFee.tokenId": UNKNOWN_ID},
        C.REQUEST_FEE_TOKEN_UNSUPPORTED,
    ),
    _slip("expired", _WITHDRAWAL, "validUntil that has passed", {"validUntil": 1}, C.INVALID_ARGUMENT),
    _slip("nothing", _WITHDRAWAL, "nothing to withdraw", {"token.volume": "0"}, C.INVALID_ARGUMENT, ours=True),
    _slip("low-fee", _WITHDRAWAL, "a fee of nothing", {"maxFee.volume": "0"}, C.INVALID_ARGUMENT, ours=True),
    _slip("other-exchange", _UPDATE, "another exchange", {"exchange": SOME_ADDRESS}, C.EXCHANGE_ID_INCORRECT),
    _slip("unknown-account", _UPDATE, "an unknown account", {"accountId": UNKNOWN_ID}, C.REQUEST_SENDER_INVALID),
    _slip("other-owner", _UPDATE, "another owner", {"owner": SOME_ADDRESS}, C.REQUEST_SENDER_INVALID),
    _slip(
        "fee-token", _UPDATE, "an unknown fee token", {"maxFee.tokenId": UNKNOWN_ID}, C.REQUEST_FEE_TOKEN_UNSUPPORTED
    ),
    _slip("nonce", _UPDATE, "a nonce far ahead", {"nonce": 10**6}, C.REQUEST_NONCE_INVALID),
    _slip("expired", _UPDATE, "validUntil that has passed", {"validUntil": 1}, C.INVALID_ARGUMENT),
)

_MOVES = ("transfer_nft", "withdraw_nft")
NFT_SLIPS: tuple[Slip, ...] = (
    _slip("other-exchange", "mint_nft", "another exchange", {"exchange": SOME_ADDRESS}, NFT_CODES),
    _slip("other-minter", "mint_nft", "another minter's address", {"minterAddress": SOME_ADDRESS}, NFT_CODES),
    _slip("other-contract", "mint_nft", "another contract", {"tokenAddress": SOME_ADDRESS}, NFT_CODES),
    _slip("erc721", "mint_nft", "nftType 1", {"nftType": 1}, NFT_CODES, section="Limits"),
    _slip("short-id", "mint_nft", "an NFT id without its leading zeros", {"nftId": "0x1"}, NFT_CODES),
    _slip("nothing", "mint_nft", "nothing to mint", {"amount": "0"}, NFT_CODES),
    _slip("expired", "mint_nft", "validUntil that has passed", {"validUntil": 1}, NFT_CODES),
    _slip("low-fee", "mint_nft", "a fee of nothing", {"maxFee.amount": "0"}, NFT_CODES),
    *(_slip("other-exchange", name, "another exchange", {"exchange": SOME_ADDRESS}, NFT_CODES) for name in _MOVES),
    *(_slip("unknown-sender", name, "an unknown sender", {"fromAccountId": UNKNOWN_ID}, NFT_CODES) for name in _MOVES),
    *(_slip("unknown-nft", name, "an unknown NFT", {"token.nftData": SOME_HASH}, NFT_CODES) for name in _MOVES),
    *(_slip("nothing", name, "nothing to move", {"token.amount": "0"}, NFT_CODES) for name in _MOVES),
    *(_slip("expired", name, "validUntil that has passed", {"validUntil": 1}, NFT_CODES) for name in _MOVES),
    _slip("unknown-receiver", "transfer_nft", "an unknown receiver", {"toAccountId": UNKNOWN_ID}, NFT_CODES),
)
DEPLOY_SLIPS: tuple[Slip, ...] = (
    _slip(
        "other-payee", "deploy_nft_contract", "a payee but the broker", {"transfer.payeeAddr": SOME_ADDRESS}, NFT_CODES
    ),
    _slip("payee-id", "deploy_nft_contract", "a payeeId but 0", {"transfer.payeeId": 1}, NFT_CODES),
    _slip(
        "two-tokens",
        "deploy_nft_contract",
        "maxFee in another token",
        {"transfer.maxFee.tokenId": UNKNOWN_ID},
        NFT_CODES,
    ),
    _slip("other-contract", "deploy_nft_contract", "nobody's contract", {"tokenAddress": SOME_ADDRESS}, NFT_CODES),
    _slip("low-fee", "deploy_nft_contract", "a fee of nothing", {"transfer.token.volume": "0"}, NFT_CODES),
    *_signatures("deploy_nft_contract"),
)
"""Asked before anything is deployed: afterwards a deployment is told as it was, whatever the call says."""
