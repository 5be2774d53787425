"""All near-valid variants of a call that a world accepts."""

from __future__ import annotations

from mockrelay.client.call import ApiCall
from mockrelay.spec.codes import SUCCESS
from mockrelay.spec.codes import Code as C
from mockrelay.testing.strategies.near_valid import NearValid, NearValidCalls, header_rules, table_rules
from mockrelay.testing.strategies.rate_limits import limit_rules
from mockrelay.testing.strategies.read_rules import READ_RULES, outage_of
from mockrelay.testing.strategies.request_rules import REQUEST_RULES
from mockrelay.testing.strategies.shape_rules import shape_rules
from mockrelay.testing.strategies.signing import (
    is_judged_later,
    is_signed,
    sign_again,
    signature_rules,
    unsigned_content,
)
from mockrelay.testing.strategies.world_view import WorldView

_RULES = {**READ_RULES, **REQUEST_RULES}


def near_valid_calls(view: WorldView, call: ApiCall) -> list[NearValid]:
    """Every variant of an accepted call that breaks one rule: of headers, of form, of the world. Where signatures are
    verified, the variants are signed rightly but for those that break a rule about signatures.
    """
    return [signed_near_valid(view, call, near) for near in unsigned_near_valid(view, call)]


def unsigned_near_valid(view: WorldView, call: ApiCall) -> list[NearValid]:
    """The same variants, still with the signatures of the accepted call."""
    outage = outage_of(view, call)
    if outage is not None:
        return [outage]
    own = _RULES.get(call.endpoint)
    rules = [
        *table_rules(view, call),
        *(() if own is None else own(view, call)),
        *shape_rules(view, call),
        *_signature_rules(view, call),
    ]
    if call.endpoint == "submit_order" and view.option("order.rejected_answer") == "data":
        # With this option the outcome is a success, and only the data says that an order was rejected.
        rules = [near._replace(code=SUCCESS) for near in rules]
    return [*rules, *header_rules(view, call), *limit_rules(view, call)]


def signed_near_valid(view: WorldView, call: ApiCall, near: NearValid) -> NearValid:
    """A variant, signed again if its content differs from that of the accepted call. Where it cannot be signed, its signature
    is wrong, which is refused before any later rule.
    """
    if near.is_as_sent or not is_signed(view, call.endpoint):
        return near
    if near.call.body is not None or unsigned_content(near.call) == unsigned_content(call):
        return near
    signed = sign_again(view, near.call)
    if signed is not None:
        return near._replace(call=signed)
    is_late = not near.is_early and is_judged_later(call.endpoint, near.code)
    return near._replace(code=C.AUTH_SIGNATURE_WRONG) if is_late else near


def _signature_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    if is_signed(view, call.endpoint):
        for rule, code, other in signature_rules(view, call):
            yield NearValid(other, code, rule, is_as_sent=True)
