"""All the ways in which a call that a world accepts can break exactly one rule."""

from __future__ import annotations

from mockrelay.client.call import ApiCall
from mockrelay.spec.codes import SUCCESS
from mockrelay.spec.codes import Code as C
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.limits import limit_rules
from mockrelay.testing.strategies.near import Broken, NearValid, header_rules, table_rules
from mockrelay.testing.strategies.outages import outage_of
from mockrelay.testing.strategies.reads_broken import READS_BROKEN
from mockrelay.testing.strategies.requests_broken import SUBMISSIONS_BROKEN
from mockrelay.testing.strategies.shapes import shape_rules
from mockrelay.testing.strategies.signing import (
    content,
    is_judged_later,
    is_signed,
    signed_anew,
    wrong_signatures,
)

_RULES = {**READS_BROKEN, **SUBMISSIONS_BROKEN}


def near_valid_calls(here: Known, call: ApiCall) -> list[NearValid]:
    """A call that is accepted, broken in every way that there is a rule for: headers, form, and what the world says.
    Where signatures are verified, those of each are right but for the rules about them.
    """
    return [finished(here, call, near) for near in forms(here, call)]


def forms(here: Known, call: ApiCall) -> list[NearValid]:
    """The same, each with the signatures of the call that it was made from."""
    outage = outage_of(here, call)
    if outage is not None:
        return [outage]
    own = _RULES.get(call.endpoint)
    rules = [
        *table_rules(here, call),
        *(() if own is None else own(here, call)),
        *shape_rules(here, call),
        *_signature_rules(here, call),
    ]
    if call.endpoint == "submit_order" and here.option("order.rejected_answer") == "data":
        # Under this reading only the data says that an order was rejected.
        rules = [near._replace(code=SUCCESS) for near in rules]
    return [*rules, *header_rules(here, call), *limit_rules(here, call)]


def finished(here: Known, call: ApiCall, near: NearValid) -> NearValid:
    """A broken call whose content is not that of the call it was made from, signed anew. Where it cannot be signed, the
    signature is wrong whatever rule comes later.
    """
    if near.is_as_sent or not is_signed(here, call.endpoint):
        return near
    if near.call.body is not None or content(near.call) == content(call):
        return near
    signed = signed_anew(here, near.call)
    if signed is not None:
        return near._replace(call=signed)
    is_late = not near.is_early and is_judged_later(call.endpoint, near.code)
    return near._replace(code=C.AUTH_SIGNATURE_WRONG) if is_late else near


def _signature_rules(here: Known, call: ApiCall) -> Broken:
    if is_signed(here, call.endpoint):
        for rule, code, other in wrong_signatures(here, call):
            yield NearValid(other, code, rule, is_as_sent=True)
