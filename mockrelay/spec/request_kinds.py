"""The kinds of asynchronous requests and the types of transactions in blocks: one row each.

A row holds all that is a fact of its kind. What a request does when it is accepted, processed or failed, how it is shown
in a block, which faults can act on it, how its lifecycle may be set, how it is signed, recognised when it is repeated, and
polled: all of that is derived from here. The checks of a submission stand with its action in the core.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import NamedTuple, Self

from mockrelay.spec.endpoint import row_id
from mockrelay.spec.signed_bodies import (
    ACCOUNT_UPDATE,
    MINT,
    TRANSFER,
    TRANSFER_V2,
    WITHDRAWAL,
    SignedBody,
)
from mockrelay.spec.submission import Paths, Submission
from mockrelay.spec.vocab import RequestStatus


class RequestKind(StrEnum):
    """The kinds of requests, as scenarios name them."""

    TRANSFER = "transfer"
    WITHDRAWAL = "withdrawal"
    ACCOUNT_UPDATE = "account_update"
    NFT_MINT = "nft_mint"
    NFT_TRANSFER = "nft_transfer"
    NFT_WITHDRAWAL = "nft_withdrawal"
    NFT_DEPLOY = "nft_deploy"


_SENDER = ("accountId", "owner")
_RECEIVER = ("toAccountAddress", "toAccountId")
_NUMBERS = ("validUntil", "storageId", "nonce")
_SENT = (*_SENDER, "fee", "token", "nftToken", *_RECEIVER, *_NUMBERS)


class TxType(StrEnum):
    """`txType` of a transaction in a block or of a pending request; `.fields` are the others that its JSON may have, in
    their order (spec, TransactionBlock). No request makes a transaction of a type without fields: only a scenario's
    history may hold one, with fields of its own.
    """

    fields: tuple[str, ...]

    def __new__(cls, word: str, fields: tuple[str, ...] = ()) -> Self:
        """A type's word, with the fields of its JSON beside it."""
        tx_type = str.__new__(cls, word)
        tx_type._value_ = word
        tx_type.fields = fields
        return tx_type

    NOOP = "Noop"
    DEPOSIT = "Deposit", (*_SENDER, "token", "toAccountId", "toAccountAddress")
    WITHDRAW = "Withdraw", _SENT
    TRANSFER = "Transfer", _SENT
    SPOT_TRADE = "SpotTrade", ("orderA", "orderB")
    ACCOUNT_UPDATE = "AccountUpdate", (*_SENDER, "fee", *_NUMBERS)
    AMM_UPDATE = "AmmUpdate"
    JOIN_AMM = "JoinAmm"
    EXIT_AMM = "ExitAmm"
    SIGNATURE_VERIFICATION = "SignatureVerification"
    NFT_MINT = (
        "NftMint",
        (*_SENDER, "fee", "nftToken", "minterAccountId", "minter", "nftType", *_RECEIVER, *_NUMBERS),
    )
    NFT_DATA = "NftData"


class FeeKind(StrEnum):
    """What a fee is asked for, by its name in `fees`; `.request_type` is its number in the NFT fee query (spec §24),
    `.exchange_field` its list in the exchange's own answer (spec §2), each None where it has none.
    """

    request_type: int | None
    exchange_field: str | None

    def __new__(cls, word: str, request_type: int | None = None, exchange_field: str | None = None) -> Self:
        """A fee's name, with its number and its field beside it."""
        kind = str.__new__(cls, word)
        kind._value_ = word
        kind.request_type = request_type
        kind.exchange_field = exchange_field
        return kind

    TRANSFER = "transfer", None, "transferFees"
    WITHDRAWAL = "withdrawal", None, "withdrawalFees"
    ACCOUNT_UPDATE = "account_update"
    NFT_MINT = "NFT_MINT", 9
    NFT_WITHDRAWAL = "NFT_WITHDRAWAL", 10
    NFT_TRANSFER = "NFT_TRANSFER", 11
    NFT_DEPLOY = "NFT_DEPLOY", 13


FEE_KINDS: Mapping[str, FeeKind] = MappingProxyType(
    {str(kind.request_type): kind for kind in FeeKind if kind.request_type is not None}
    | {kind.value: kind for kind in FeeKind}
)
"""Fee kinds by what a command that changes a fee calls them: the number of a request type, or a name."""


class AfterUnit(StrEnum):
    """What a state of a lifecycle waits for."""

    TIME = "time"
    BLOCKS = "blocks"
    POLLS = "polls"
    HAND = "hand"


class Duration(NamedTuple):
    """How long a state of a lifecycle lasts: so many ms, sealed blocks or polls, or until moved by hand."""

    unit: AfterUnit
    amount: int


AT_ONCE = Duration(AfterUnit.TIME, 0)
NEXT_BLOCK = Duration(AfterUnit.BLOCKS, 1)


class Effect(Enum):
    """What a request has done once it is processed."""

    PAY = "the amount is another account's"
    MINT = "the amount has come into being on an account"
    LEAVE = "the amount is on layer 1"
    DEPLOY = "a contract is on layer 1"
    CHANGE_KEY = "the account has another key"


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRow:
    """One row: all that is a fact of a kind of request."""

    tx_type: TxType
    fee: FeeKind
    effect: Effect
    of_nft: bool = False
    """Whether its amount is of an NFT."""
    durations: Mapping[RequestStatus, Duration]
    """The open states that it goes through, and how long each lasts where a scenario says nothing."""
    shown_by: tuple[str, ...] = ()
    """Endpoints that show what became of it, beside those of blocks."""
    submission: Submission
    """How the specification submits it."""
    others: tuple[Submission, ...] = ()
    """How other profiles submit it."""

    @property
    def units(self) -> tuple[AfterUnit, ...]:
        """What its states may wait for."""
        return tuple(unit for unit in AfterUnit if unit is not AfterUnit.POLLS or self.submission.polled_by is not None)

    @property
    def sends_amount(self) -> bool:
        """Whether its amount leaves the sender's free money when it is accepted."""
        return self.effect in (Effect.PAY, Effect.LEAVE)

    @property
    def is_credited(self) -> bool:
        """Whether an account on layer 2 receives its amount."""
        return self.effect in (Effect.PAY, Effect.MINT)

    def slot(self, submission: Submission) -> tuple[str, ...]:
        """Paths of what names a submission of it: two with the same values there are meant to be one. A deployment has no
        name beside its terms; storage ids go by the token that is sold, or by the fee's where nothing else is.
        """
        if self.effect is Effect.DEPLOY:
            return ()
        body = submission.body
        token = body.asset if self.sends_amount else body.fee_token
        return (body.account, *(() if submission.has_nonce or token is None else (token,)), body.number)


_NFT_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "payerId": "fromAccountId",
        "accountId": "fromAccountId",
        "payeeId": "toAccountId",
        "payerAddr": "fromAddress",
        "owner": "fromAddress",
        "payeeAddr": "toAddress",
        "to": "toAddress",
        "token.volume": "token.amount",
        "maxFee.volume": "maxFee.amount",
    }
)

_WITHDRAWAL = Submission(
    row="submit_withdrawal",
    forms=("live",),
    polled_by="submit_withdrawal",
    body=Paths(
        *("accountId", "maxFee.tokenId", "maxFee.volume", "storageId"),
        owner="owner",
        receiver="to",
        asset="token.tokenId",
        amount="token.volume",
    ),
    terms=("accountId", "to", "token.tokenId", "token.volume"),
    signed=SignedBody(WITHDRAWAL),
)
_ACCOUNT_UPDATE = Submission(
    row="update_account",
    forms=("live",),
    has_nonce=True,
    polled_by="update_account",
    body=Paths("accountId", "maxFee.tokenId", "maxFee.volume", "nonce", owner="owner"),
    terms=("accountId", "publicKey"),
    signed=SignedBody(ACCOUNT_UPDATE),
)

KINDS: Mapping[RequestKind, KindRow] = MappingProxyType(
    {
        RequestKind.TRANSFER: KindRow(
            tx_type=TxType.TRANSFER,
            fee=FeeKind.TRANSFER,
            effect=Effect.PAY,
            durations={RequestStatus.RECEIVED: AT_ONCE, RequestStatus.PROCESSING: AT_ONCE},
            shown_by=("get_account",),
            submission=Submission(
                row="submit_transfer",
                has_nonce=True,
                # The same transfer again is refused.
                polled_by=None,
                body=Paths("sender", "tokenF", "amountF", "nonce", receiver="receiver", asset="token", amount="amount"),
                terms=("sender", "receiver", "token", "amount"),
                signed=SignedBody(TRANSFER_V2),
            ),
            others=(
                Submission(
                    row="submit_transfer_v3",
                    polled_by="submit_transfer_v3",
                    body=Paths(
                        *("payerId", "maxFee.tokenId", "maxFee.volume", "storageId"),
                        owner="payerAddr",
                        receiver="payeeId",
                        receiver_owner="payeeAddr",
                        asset="token.tokenId",
                        amount="token.volume",
                    ),
                    terms=("payerId", "payeeAddr", "token.tokenId", "token.volume"),
                    signed=SignedBody(TRANSFER),
                ),
            ),
        ),
        RequestKind.WITHDRAWAL: KindRow(
            tx_type=TxType.WITHDRAW,
            fee=FeeKind.WITHDRAWAL,
            effect=Effect.LEAVE,
            durations={RequestStatus.RECEIVED: AT_ONCE, RequestStatus.PROCESSING: NEXT_BLOCK},
            shown_by=("get_token_balances", "get_eth_balance"),
            submission=_WITHDRAWAL,
            others=(replace(_WITHDRAWAL, row="submit_withdrawal_v2", forms=(), polled_by="submit_withdrawal_v2"),),
        ),
        RequestKind.ACCOUNT_UPDATE: KindRow(
            tx_type=TxType.ACCOUNT_UPDATE,
            fee=FeeKind.ACCOUNT_UPDATE,
            effect=Effect.CHANGE_KEY,
            durations={RequestStatus.RECEIVED: AT_ONCE, RequestStatus.PROCESSING: NEXT_BLOCK},
            shown_by=("get_account",),
            submission=_ACCOUNT_UPDATE,
            others=(replace(_ACCOUNT_UPDATE, row="update_account_v2", forms=(), polled_by="update_account_v2"),),
        ),
        RequestKind.NFT_MINT: KindRow(
            tx_type=TxType.NFT_MINT,
            fee=FeeKind.NFT_MINT,
            effect=Effect.MINT,
            of_nft=True,
            durations={RequestStatus.PROCESSING: AT_ONCE},
            shown_by=("get_nft_data",),
            submission=Submission(
                row="mint_nft",
                forms=("live",),
                polled_by="mint_nft",
                body=Paths(
                    *("minterId", "maxFee.tokenId", "maxFee.amount", "storageId"),
                    owner="minterAddress",
                    receiver="toAccountId",
                    receiver_owner="toAddress",
                    amount="amount",
                ),
                terms=("minterId", "toAccountId", "tokenAddress", "nftId", "amount"),
                signed=SignedBody(MINT),
            ),
        ),
        RequestKind.NFT_TRANSFER: KindRow(
            tx_type=TxType.TRANSFER,
            fee=FeeKind.NFT_TRANSFER,
            effect=Effect.PAY,
            of_nft=True,
            durations={RequestStatus.PROCESSING: AT_ONCE},
            submission=Submission(
                row="transfer_nft",
                forms=("live",),
                polled_by="transfer_nft",
                body=Paths(
                    *("fromAccountId", "maxFee.tokenId", "maxFee.amount", "storageId"),
                    owner="fromAddress",
                    receiver="toAccountId",
                    receiver_owner="toAddress",
                    asset="token.tokenId",
                    amount="token.amount",
                ),
                terms=("fromAccountId", "toAccountId", "token.tokenId", "token.amount"),
                signed=SignedBody(TRANSFER, own_names=_NFT_NAMES),
            ),
        ),
        RequestKind.NFT_WITHDRAWAL: KindRow(
            tx_type=TxType.WITHDRAW,
            fee=FeeKind.NFT_WITHDRAWAL,
            effect=Effect.LEAVE,
            of_nft=True,
            durations={RequestStatus.PROCESSING: NEXT_BLOCK},
            submission=Submission(
                row="withdraw_nft",
                forms=("live",),
                polled_by="withdraw_nft",
                body=Paths(
                    *("fromAccountId", "maxFee.tokenId", "maxFee.amount", "storageId"),
                    owner="fromAddress",
                    receiver="toAddress",
                    asset="token.tokenId",
                    amount="token.amount",
                ),
                terms=("fromAccountId", "toAddress", "token.tokenId", "token.amount"),
                signed=SignedBody(WITHDRAWAL, own_names=_NFT_NAMES),
            ),
            others=(
                Submission(
                    row="withdraw_nft_real",
                    polled_by="withdraw_nft",
                    body=Paths(
                        *("accountId", "maxFee.tokenId", "maxFee.amount", "storageId"),
                        owner="owner",
                        receiver="to",
                        asset="token.tokenId",
                        amount="token.amount",
                    ),
                    terms=("accountId", "to", "token.tokenId", "token.amount"),
                    signed=SignedBody(
                        WITHDRAWAL, own_names={"token.volume": "token.amount", "maxFee.volume": "maxFee.amount"}
                    ),
                ),
            ),
        ),
        RequestKind.NFT_DEPLOY: KindRow(
            tx_type=TxType.TRANSFER,
            fee=FeeKind.NFT_DEPLOY,
            effect=Effect.DEPLOY,
            durations={RequestStatus.PROCESSING: Duration(AfterUnit.TIME, 15_000)},
            shown_by=("get_code",),
            submission=Submission(
                row="deploy_nft_contract",
                polled_by="get_code",
                body=Paths(
                    *("transfer.payerId", "transfer.token.tokenId", "transfer.token.volume", "transfer.storageId"),
                    owner="transfer.payerAddr",
                ),
                terms=("tokenAddress",),
                signed=SignedBody(TRANSFER, part="transfer"),
            ),
        ),
    }
)
_WITHOUT_ROW = sorted(set(RequestKind) - set(KINDS))
assert not _WITHOUT_ROW, f"{_WITHOUT_ROW} are kinds of requests without a row in KINDS"

SUBMISSIONS: Mapping[str, tuple[RequestKind, Submission]] = MappingProxyType(
    {
        row_id(each.row, form): (kind, each)
        for kind, row in KINDS.items()
        for each in (row.submission, *row.others)
        for form in ("", *each.forms)
    }
)
"""The submissions of requests in all profiles, by the id of the row, each with its kind."""
KIND_OF_ENDPOINT: Mapping[str, RequestKind] = MappingProxyType(
    {row.submission.row: kind for kind, row in KINDS.items()}
)
"""The kinds by the endpoints of the specification."""
