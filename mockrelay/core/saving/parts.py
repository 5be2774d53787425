"""What of a world is saved, slot by slot, and what is made anew from that. A slot that stands in neither list is a bug,
which a test finds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.core.book import Book
from mockrelay.core.due import Agenda, Due
from mockrelay.core.faults import Fault, Faults
from mockrelay.core.layer1 import Layer1
from mockrelay.core.ledger import Ledger
from mockrelay.core.limiter import Limiter, Run
from mockrelay.core.records import Account, Balance, Block, Nft, Order, PendingTx, Request, Trade
from mockrelay.core.saving.forms import form_of, keyed, mapped
from mockrelay.core.saving.making import (
    Values,
    filled,
    made_agenda,
    made_book,
    made_faults,
    made_findings,
    made_limiter,
    made_shelf,
    made_tape,
)
from mockrelay.core.saving.plain import Form, Signed, WrongStateError, fields_of
from mockrelay.core.saving.texts import CODE
from mockrelay.core.shelf import Shelf
from mockrelay.core.tape import Tape
from mockrelay.core.world import DueRequest, Finding, World
from mockrelay.spec.request_kinds import FeeKind
from mockrelay.spec.vocab import NodeState


class Part(NamedTuple):
    """A class whose instances change: the slots that are saved, and those that are made anew."""

    saved: Mapping[str, Form]
    rebuilt: frozenset[str] = frozenset()


def write(cls: type, held: Any) -> dict[str, Any]:
    """The saved slots of an instance."""
    return {slot.lstrip("_"): form.write(getattr(held, slot)) for slot, form in PARTS[cls].saved.items()}


def read(cls: type, found: Any) -> Values:
    """The saved slots as they were read; WrongStateError where they are not all there and right."""
    saved = PARTS[cls].saved
    given = fields_of(found, [slot.lstrip("_") for slot in saved])
    values, name = {}, ""
    try:
        for slot, form in saved.items():
            name = slot.lstrip("_")
            values[slot] = form.read(given[name])
    except WrongStateError as error:
        raise error.under(f".{name}") from None
    return values


def _part(cls: type, make: Callable[[Values], Any]) -> Form:
    return Form(lambda held: write(cls, held), lambda found: make(read(cls, found)))


def _used(form: Form, is_used: Callable[[Any], bool]) -> Form:
    """Books and tapes come into being when they are read: an unused one is as good as none, and is not saved."""
    return Form(lambda held: form.write({name: one for name, one in held.items() if is_used(one)}), form.read)


_MONEY = form_of(dict[int, int])
_EVENTS = form_of(list[Due])
_FINDINGS = form_of(list[Finding])
_PAIRS = form_of(dict[tuple[str, str], int])

_PLAIN_PARTS: Mapping[type, Part] = {
    Ledger: Part(
        {
            "balances": form_of(dict[tuple[int, int], Balance]),
            "fees_wei": _MONEY,
            # Below zero where what the house owed has been withdrawn.
            "put_in_wei": form_of(dict[int, Signed]),
        }
    ),
    Agenda: Part({"_heap": Form(lambda heap: _EVENTS.write(sorted(heap)), _EVENTS.read), "_next_seq": form_of(int)}),
    Layer1: Part(
        {
            "state": form_of(NodeState),
            "gas_price_wei": form_of(int),
            "native_wei": form_of(dict[str, int]),
            "token_wei": _PAIRS,
            "allowances_wei": _PAIRS,
            "code": mapped(str, CODE),
            "nfts": form_of(dict[tuple[str, str, str], int]),
            "approved_hashes": form_of(set[tuple[str, str]]),
            "sent": form_of(set[str]),
        }
    ),
    Limiter: Part(
        {
            "_windows": form_of(dict[tuple[str, str, str], tuple[int, ...]]),
            "_runs": form_of(dict[str, Run]),
            "_sweep_at": form_of(int),
        }
    ),
    Faults: Part({"_by_id": keyed(Fault, "id"), "_next_number": form_of(int)}),
}
"""Classes that are nothing but their saved slots."""

_BUILT_PARTS: Mapping[type, Part] = {
    Shelf: Part(
        {"by_hash": keyed(Order, "hash"), "highest_id": form_of(dict[tuple[int, int], int])},
        frozenset({"by_client_id", "used_ids", "pages", "_hash_of_seq", "_times_ms", "_lists"}),
    ),
    Book: Part(
        {"version": form_of(int), "updated_ms": form_of(int)},
        frozenset({"bids", "asks", "depth_views"}),
    ),
    Tape: Part({"trades": form_of(list[Trade])}, frozenset({"_folds", "_windows", "views"})),
}

_WORLD = Part(
    {
        "choices": form_of(dict[str, str]),
        "start_ms": form_of(int),
        "now_ms": form_of(int),
        "limits_on": form_of(bool),
        "accounts": keyed(Account, "account_id"),
        "ledger": _part(Ledger, partial(filled, Ledger)),
        "shelf": _part(Shelf, made_shelf),
        "books": _used(mapped(str, _part(Book, made_book)), lambda book: book.version > 0),
        "tapes": _used(mapped(str, _part(Tape, made_tape)), lambda tape: len(tape.trades) > 0),
        "pending": keyed(PendingTx, "tx_id"),
        "next_tx_id": form_of(int),
        "blocks": form_of(list[Block]),
        "requests": keyed(Request, "hash"),
        "waiting_for_block": form_of(dict[int, list[DueRequest]]),
        # A token id of -1 stands for any.
        "storage_ids": form_of(set[tuple[int, Signed, int]]),
        "next_nonce": _MONEY,
        "nfts": keyed(Nft, "nft_data"),
        "decisions_met": form_of(dict[str, int]),
        "fees": form_of(dict[FeeKind, dict[int, int]]),
        "agenda": _part(Agenda, made_agenda),
        "layer1": _part(Layer1, partial(filled, Layer1)),
        "limiter": _part(Limiter, made_limiter),
        "faults": _part(Faults, made_faults),
        "findings": Form(_FINDINGS.write, lambda found: made_findings(_FINDINGS.read(found))),
    },
    # The setting is given.
    frozenset({"setting", "account_of_key", "account_of_owner", "deployments", "exchange_view", "nfts_of"}),
)

PARTS: Mapping[type, Part] = MappingProxyType({**_PLAIN_PARTS, **_BUILT_PARTS, World: _WORLD})
"""All of a world that changes."""
