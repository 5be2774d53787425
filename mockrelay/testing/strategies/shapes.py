"""Calls whose form is wrong in one place: every keyword of the request's schema, violated once."""

from __future__ import annotations

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import SIGNATURE_PARTS
from mockrelay.client.wrong_fields import NOT_JSON, with_field, wrong_fields
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.near import Broken, NearValid, wrong


def shape_rules(here: Known, call: ApiCall) -> Broken:
    """The call with each field left out, and with values that its schema does not allow."""
    usual = wrong(here, call)
    if call.method == "POST":
        yield NearValid(call._replace(body=NOT_JSON), usual, "a body that is not JSON")
        yield NearValid(call._replace(body=b"[]"), usual, "a list for a body")
    options = here.options(call.endpoint)
    for field in wrong_fields(call.endpoint, call.fields, in_query=call.method == "GET", options=options):
        if field.path in SIGNATURE_PARTS and here.option("signature.scheme") == "off":
            continue
        fields = with_field(call.fields, field.path, field.value)
        # Without a code of its own, a violation is judged before all rules.
        code, is_early = (usual, True) if field.code is None else (field.code, False)
        yield NearValid(call._replace(fields=fields), code, f"{field.what} ({field.keyword})", is_early=is_early)
