"""All the ways in which a call that a world accepts can break exactly one rule."""

from __future__ import annotations

from mockrelay.spec.codes import SUCCESS
from mockrelay.testing.calling import ApiCall
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.near import NearValid, header_rules
from mockrelay.testing.strategies.reads_broken import READS_BROKEN
from mockrelay.testing.strategies.requests_broken import SUBMISSIONS_BROKEN
from mockrelay.testing.strategies.shapes import shape_rules

_RULES = {**READS_BROKEN, **SUBMISSIONS_BROKEN}


def near_valid_calls(here: Known, call: ApiCall) -> list[NearValid]:
    """A call that is accepted, broken in every way that there is a rule for: headers, form, and what the world says."""
    own = _RULES.get(call.endpoint)
    rules = [*(() if own is None else own(here, call)), *shape_rules(here, call)]
    if call.endpoint == "submit_order" and here.option("order.rejected_answer") == "data":
        # Under this reading only the data says that an order was rejected.
        rules = [near._replace(code=SUCCESS) for near in rules]
    return [*rules, *header_rules(here, call)]
