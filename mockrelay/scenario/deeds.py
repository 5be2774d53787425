"""What the entries of `timeline` do: each verb with its fields, read into a deed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from mockrelay.core import deeds
from mockrelay.core.request_verbs import FEE_MAX_WEI
from mockrelay.core.timeline import Deed
from mockrelay.core.units import units_of_text
from mockrelay.core.wording import nearest
from mockrelay.scenario.accounts import LAYER1_KEYS, read_layer1
from mockrelay.scenario.decisions import read_choices
from mockrelay.scenario.faults import read_fault
from mockrelay.scenario.known import Known
from mockrelay.scenario.nodes import Node
from mockrelay.scenario.reading import (
    Fields,
    address,
    amount_above_zero_wei,
    amount_wei,
    boolean,
    coordinate,
    entries,
    hash_text,
    header_text,
    name_in,
    text,
    whole,
    word,
)
from mockrelay.scenario.resting import read_order
from mockrelay.spec.request_kinds import FEE_KINDS, FeeKind, RequestKind
from mockrelay.spec.vocab import RequestStatus

_ORDER_NAME = ("hash", "clientOrderId", "account")
_AHEAD = (RequestStatus.PROCESSING, RequestStatus.PROCESSED, RequestStatus.FAILED)
_KEY_FIELDS = MappingProxyType(
    {
        "publicKeyX": ("public_key_x", coordinate),
        "publicKeyY": ("public_key_y", coordinate),
        "keySeed": ("key_seed", text),
        "accountNonce": ("account_nonce", whole()),
        "apiKey": ("api_key", header_text),
    }
)
_PRICE_DECIMALS_MAX = 36
_PRICE_DIGITS_MAX = 80
_FACTOR_DECIMALS = 18
_FACTOR_MAX = 10**9


def _order_name(fields: Fields, known: Known) -> deeds.OrderName:
    """An order by hash, by clientOrderId (of one account, or of any), or an account's oldest that the verb is for."""
    if not any(name in fields for name in _ORDER_NAME):
        raise fields.node.error("no order", f"one of {', '.join(_ORDER_NAME)}")
    if "hash" not in fields:
        return deeds.OrderName(
            None, fields.get("clientOrderId", text, None), fields.get("account", known.account_id, None)
        )
    for name in ("clientOrderId", "account"):
        if name in fields:
            raise fields.node_of(name).key_error(f"{name!r} beside 'hash'", "the hash alone")
    return deeds.OrderName(fields.need("hash", hash_text).lower())


def _cancel(node: Node, known: Known) -> Deed:
    return deeds.CancelOrder(_order_name(Fields(node, _ORDER_NAME), known))


def _fill(node: Node, known: Known) -> Deed:
    fields = Fields(node, (*_ORDER_NAME, "size", "price"))
    name = _order_name(fields, known)
    return deeds.FillOrder(name, fields.need("size", amount_above_zero_wei), fields.get("price", _price, None))


def _price(node: Node) -> str:
    given = text(node)
    # Which market's price it is, and so how many decimals it may have, shows when the order is there.
    if not (len(given) <= _PRICE_DIGITS_MAX and units_of_text(given, _PRICE_DECIMALS_MAX)):
        raise node.error(node.shown, 'a price above zero, such as "0.5"')
    return given


def _release(node: Node, known: Known) -> Deed:
    fields = Fields(node, (*_ORDER_NAME, "as"))
    name = _order_name(fields, known)
    return deeds.ReleaseOrder(name, failed=fields.need("as", name_in(("active", "failed"))) == "failed")


def _place(node: Node, known: Known) -> Deed:
    return deeds.PlaceOrder(read_order(node, known.ids, known.markets))


def _deposit(node: Node, known: Known) -> Deed:
    fields = Fields(node, ("account", "token", "amount"))
    return deeds.DepositMoney(
        fields.need("account", known.account).account_id,
        fields.need("token", known.token_id),
        fields.need("amount", amount_above_zero_wei),
    )


def _freeze(node: Node, known: Known) -> Deed:
    fields = Fields(node, ("account", "frozen"))
    return deeds.FreezeAccount(fields.need("account", known.account).account_id, fields.need("frozen", boolean))


def _keys(node: Node, known: Known) -> Deed:
    fields = Fields(node, ("account", *_KEY_FIELDS))
    account_id = fields.need("account", known.account).account_id
    changes: dict[str, Any] = {
        kept_as: fields.need(name, read) for name, (kept_as, read) in _KEY_FIELDS.items() if name in fields
    }
    if not changes:
        raise node.error("no change", f"one of {', '.join(_KEY_FIELDS)}")
    return deeds.SetKeys(account_id, changes)


def _seal(node: Node, known: Known) -> Deed:
    return deeds.SealBlocks(Fields(node, ("count",)).get("count", whole(1), 1))


def _finalize(node: Node, known: Known) -> Deed:
    return deeds.FinalizeBlocks(Fields(node, ("upTo",)).get("upTo", whole(), None))


def _advance(node: Node, known: Known) -> Deed:
    fields = Fields(node, ("to", "hash", "kind", "account"))
    to = RequestStatus(fields.need("to", name_in(_AHEAD)))
    if fields.only_one("hash", "kind") == "kind":
        kind, account = fields.need("kind", word(RequestKind)), fields.need("account", known.account)
        return deeds.AdvanceRequest(to, None, kind, account.account_id)
    if "account" in fields:
        raise fields.node_of("account").key_error("'account' beside 'hash'", "it beside 'kind' only")
    return deeds.AdvanceRequest(to, fields.need("hash", hash_text).lower())


def _fees(node: Node, known: Known) -> Deed:
    fields = Fields(node, ("requestType", "token", "fee", "factor"))
    kind, token_id = fields.need("requestType", _fee_kind), fields.need("token", known.token_id)
    if fields.only_one("fee", "factor") == "fee":
        return deeds.SetFee(kind, token_id, fields.need("fee", _fee_wei), None)
    return deeds.SetFee(kind, token_id, None, fields.need("factor", _factor))


def _fee_kind(node: Node) -> FeeKind:
    asked = str(node.value) if isinstance(node.value, int) and not isinstance(node.value, bool) else text(node)
    if asked not in FEE_KINDS:
        raise node.error(node.shown, nearest(asked, FEE_KINDS))
    return FEE_KINDS[asked]


def _fee_wei(node: Node) -> int:
    wei = amount_wei(node)
    if wei > FEE_MAX_WEI:
        raise node.error(node.shown, f"at most {FEE_MAX_WEI}")
    return wei


def _factor(node: Node) -> Fraction:
    """A number in quotes as it is written: 1.3 is thirteen tenths; a whole one needs no quotes."""
    is_whole = isinstance(node.value, int) and not isinstance(node.value, bool)
    units = units_of_text(str(node.value) if is_whole else text(node), _FACTOR_DECIMALS)
    if units is None or units > _FACTOR_MAX * 10**_FACTOR_DECIMALS:
        raise node.error(node.shown, f'a factor up to {_FACTOR_MAX}, such as "1.3"')
    return Fraction(units, 10**_FACTOR_DECIMALS)


def _layer1(node: Node, known: Known) -> Deed:
    fields = Fields(node, LAYER1_KEYS)
    if not entries(node):
        raise node.error("no change", f"one of {', '.join(LAYER1_KEYS)}")
    told = read_layer1(node, {name: account.owner for name, account in known.accounts.items()}, known.tokens)
    return deeds.ChangeLayer1(
        told.state if "state" in fields else None,
        told.gas_price_wei if "gasPrice" in fields else None,
        told.balances_wei,
        told.allowances_wei,
        told.approved_hashes,
    )


def _deploy(node: Node, known: Known) -> Deed:
    fields = Fields(node, ("address", "account", "outcome"))
    succeeds = fields.get("outcome", name_in(("deployed", "failed")), "deployed") == "deployed"
    if fields.only_one("address", "account") == "address":
        return deeds.DeployContract(fields.need("address", address), 0, succeeds)
    return deeds.DeployContract(None, fields.need("account", known.account).account_id, succeeds)


def _choices(node: Node, known: Known) -> Deed:
    return deeds.SetChoices(read_choices(node))


def _fault(node: Node, known: Known) -> Deed:
    return deeds.ArmFault(read_fault(node))


VERBS: Mapping[str, Callable[[Node, Known], Deed]] = MappingProxyType(
    {
        "order": _place,
        "cancel": _cancel,
        "fill": _fill,
        "release": _release,
        "deposit": _deposit,
        "freeze": _freeze,
        "keys": _keys,
        "seal": _seal,
        "finalize": _finalize,
        "advance": _advance,
        "fees": _fees,
        "layer1": _layer1,
        "deploy": _deploy,
        "choices": _choices,
        "fault": _fault,
    }
)
"""What `do` can ask for: the verbs of the control API, without their paths, and `order`."""
