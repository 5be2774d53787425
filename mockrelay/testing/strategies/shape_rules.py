"""Calls whose form is wrong in one place: every keyword of the request's schema, violated once."""

from __future__ import annotations

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import SIGNATURE_PARTS
from mockrelay.client.wrong_fields import NOT_JSON, with_field, wrong_fields
from mockrelay.spec.endpoint import Step
from mockrelay.spec.endpoints import BY_ID
from mockrelay.testing.strategies.near_valid import NearValid, NearValidCalls, usual_code
from mockrelay.testing.strategies.world_view import WorldView

_OF_ORDERS = frozenset({*SIGNATURE_PARTS, "eddsaSignature"})
"""Signatures of orders, whose form only a relayer that looks at signatures judges."""


def shape_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    """The call with each field left out, and with values that the schema does not allow."""
    usual, row = usual_code(view, call), BY_ID[call.endpoint]
    # Where the body has the signature of the header, that is what is missing first.
    in_body = row.body_signatures if row.signature is not None and call.signature is None else ()
    if call.method == "POST":
        yield NearValid(call._replace(body=NOT_JSON), usual, "a body that is not JSON")
        yield NearValid(call._replace(body=b"[]"), usual, "a list for a body")
    options = view.options(call.endpoint)
    for field in wrong_fields(call.endpoint, call.fields, in_query=call.method != "POST", options=options):
        if field.path in in_body:
            continue
        if field.path in _OF_ORDERS and view.option("signature.scheme") == "off":
            continue
        if field.value == "" and field.is_optional and view.config.profile.reads_loosely:
            continue  # An empty optional text is none.
        fields = with_field(call.fields, field.path, field.value)
        # Refused before all rules: a violation without a code of its own and, in some rows, a type that is wrong.
        is_of_types = field.keyword == "type" or (field.keyword == "required" and field.code == row.shape)
        is_early = field.code is None or (is_of_types and Step.TYPES in row.steps)
        code = usual if field.code is None else field.code
        yield NearValid(call._replace(fields=fields), code, f"{field.what} ({field.keyword})", is_early=is_early)
