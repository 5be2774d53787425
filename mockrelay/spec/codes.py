"""The codes of the spec's error table and what they mean, word for word; and codes that only profiles beside it have.

A code's name carries its family (`ORDER_`, `TRANSFER_`, `AUTH_`, `LAYER1_`), because some meanings read alike:
102003 and 104003 both say "invalid account id", one of the order, one of the caller.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Self

SUCCESS = 0
SUCCESS_MESSAGE = "SUCCESS"


class CodeWithMeaning(IntEnum):
    """A code of answers; `.meaning` is its text."""

    meaning: str

    def __new__(cls, number: int, meaning: str = "") -> Self:
        """A code's number, with its meaning beside it."""
        code = int.__new__(cls, number)
        code._value_ = number
        code.meaning = meaning
        return code


class Code(CodeWithMeaning):
    """A code of `resultInfo.code` (spec, Errors); `.meaning` is the spec's own text."""

    UNKNOWN_ERROR = 100000, "Unknown error"
    INVALID_ARGUMENT = 100001, "Invalid argument"
    ADDRESS_NOT_FOUND = 101001, "The address was not found"
    USER_NOT_FOUND = 101002, "User not found"
    EXCHANGE_ID_INCORRECT = 102001, "Exchange ID is incorrect"
    ORDER_TOKEN_UNSUPPORTED = 102002, "Unsupported token id in the order"
    ORDER_ACCOUNT_ID_INVALID = 102003, "Invalid account ID"
    ORDER_ID_INVALID = 102004, "Invalid order ID"
    ORDER_MARKET_UNSUPPORTED = 102005, "Market not supported"
    ORDER_RATE_ILLEGAL = 102006, "Illegal rate field"
    ORDER_EXISTS = 102007, "Order already exists"
    ORDER_EXPIRED = 102008, "Order has expired"
    ORDER_SIGNATURE_MISSING = 102010, "Order is missing signature information"
    ORDER_BALANCE_INSUFFICIENT = 102011, "Insufficient user balance"
    ORDER_AMOUNT_TOO_SMALL = 102012, "The order amount is too small"
    ORDER_FREEZE_FAILED = 102014, "Failed to freeze the amount, try again later"
    ORDER_AMOUNT_TOO_LARGE = 102020, "Exceeded the maximum order amount"
    REQUEST_NONCE_INVALID = 102021, "Nonce is invalid"
    REQUEST_SENDER_INVALID = 102022, "Transfer sender is invalid"
    REQUEST_RECEIVER_INVALID = 102023, "Transfer receiver is invalid"
    REQUEST_FEE_TOKEN_UNSUPPORTED = 102024, "Fee token is unsupported"
    REQUEST_FEE_TOKEN_INCONSISTENT = 102025, "Transfer token is not consistent with the fee token"
    ORDER_SUBMIT_FAILED = 102027, "Submit order fail"
    ORDER_NOT_VALID = 102120, "Order is not valid"
    AUTH_KEY_EMPTY = 104001, "Empty ApiKey"
    AUTH_KEY_INVALID = 104002, "Invalid ApiKey"
    AUTH_ACCOUNT_ID_INVALID = 104003, "Invalid Account ID"
    AUTH_SIGNATURE_MISSING = 104004, "No signature information provided"
    AUTH_SIGNATURE_WRONG = 104005, "Wrong signature information"
    LAYER1_NODE_UNAVAILABLE = 104202, "The current node service is not available"
    LAYER1_REQUEST_FAILED = 104205, "Error in internal request"
    LAYER1_NODE_ERROR = 104208, "Unknown error in the layer-1 node"
    GAS_PRICE_UNAVAILABLE = 105001, "Failed to get recommended gas"
    USER_ID_EMPTY = 107001, "User ID cannot be empty"
    MARKET_UNSUPPORTED = 108000, "Unsupported market"
    DEPTH_LEVEL_UNSUPPORTED = 108001, "Unsupported depth level"

    # Of rows that other profiles bring; the specification does not have them.
    ORDERS_NOT_OPEN = 102117, "No orders to cancel"
    ORDERS_NOT_CANCELLED = 102118, "Cancellation failed"
    BLOCK_NOT_FOUND = 103011, "Block not found"
    BATCH_PARTLY_FAILED = 104209, "Some orders of the batch failed"
    ORDER_HASH_EMPTY = 107002, "Order hash cannot be empty"
    ORDER_NOT_FOUND = 107003, "Order not found"
    CONTRACT_OF_ANOTHER = 108003, "The minter may not mint under this contract"
    NFT_FEE_TOO_LOW = 114002, "The fee of the NFT request is too low"


SPEC_CODES = tuple(
    code
    for code in Code
    if code
    not in (
        Code.ORDERS_NOT_OPEN,
        Code.ORDERS_NOT_CANCELLED,
        Code.BLOCK_NOT_FOUND,
        Code.BATCH_PARTLY_FAILED,
        Code.ORDER_HASH_EMPTY,
        Code.ORDER_NOT_FOUND,
        Code.CONTRACT_OF_ANOTHER,
        Code.NFT_FEE_TOO_LOW,
    )
)
"""The codes of the specification."""
