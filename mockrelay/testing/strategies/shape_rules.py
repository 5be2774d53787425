"""Calls whose form is wrong in one place: every keyword of the request's schema, violated once."""

from __future__ import annotations

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import SIGNATURE_PARTS
from mockrelay.client.wrong_fields import NOT_JSON, with_field, wrong_fields
from mockrelay.testing.strategies.near_valid import NearValid, NearValidCalls, usual_code
from mockrelay.testing.strategies.world_view import WorldView


def shape_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    """The call with each field left out, and with values that the schema does not allow."""
    usual = usual_code(view, call)
    if call.method == "POST":
        yield NearValid(call._replace(body=NOT_JSON), usual, "a body that is not JSON")
        yield NearValid(call._replace(body=b"[]"), usual, "a list for a body")
    options = view.options(call.endpoint)
    for field in wrong_fields(call.endpoint, call.fields, in_query=call.method == "GET", options=options):
        if field.path in SIGNATURE_PARTS and view.option("signature.scheme") == "off":
            continue
        fields = with_field(call.fields, field.path, field.value)
        # A violation without a code of its own is refused before all rules.
        code, is_early = (usual, True) if field.code is None else (field.code, False)
        yield NearValid(call._replace(fields=fields), code, f"{field.what} ({field.keyword})", is_early=is_early)
