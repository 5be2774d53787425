"""Submissions under the profile live with a field absent or wrong, in each form of a body: refused by name, with no effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from mockrelay.relay import Relay
from mockrelay.spec.endpoints import BY_ID
from mockrelay.spec.live_endpoints import LIVE_ENDPOINTS
from tests.conformance.test_hostile import HOSTILE_BODIES, INTEGER_EDGES, in_shape
from tests.live.forms import (
    FORMS,
    LEFT_OUT,
    LiveField,
    LiveForm,
    changed,
    prepared,
    refused,
    right_requests,
    wrong_values,
)
from tests.support.answer import Answer
from tests.support.client import digest, done, post, send

FIELDS = [(form, field) for form in FORMS for field in form.fields]
FORM_IDS = [form.row_id for form in FORMS]


@pytest.fixture(scope="module")
def shared() -> Relay:
    """One world for all refusals of this module, since they change nothing."""
    relay = prepared()
    done(relay, "POST", "snapshots", {"name": "before"})
    return relay


@pytest.fixture
def unchanged(shared: Relay) -> Iterator[Relay]:
    restored(shared)
    before = digest(shared)
    yield shared
    assert digest(shared) == before


def submit(relay: Relay, row_id: str, body: Any, *, headers: dict[str, str] | None = None) -> Answer:
    """The row's call with this body; a dict goes as JSON."""
    sent = right_requests(relay)[row_id]
    return post(relay, BY_ID[row_id].path, body, signature=sent.signature, headers=headers)


def restored(relay: Relay) -> None:
    done(relay, "POST", "snapshots/before/restore")


def is_named(field: str, answer: Answer) -> bool:
    """Whether a message says which field is meant, or the outer one where its text is none."""
    return any(part in answer.message for part in field.split("."))


def status_of(row_id: str) -> int:
    return 200 if BY_ID[row_id].enveloped else 400


@pytest.mark.parametrize("row_id", FORM_IDS)
def test_the_right_request_is_taken(shared: Relay, row_id: str) -> None:
    """So what the others change is all that is wrong."""
    answer = submit(shared, row_id, right_requests(shared)[row_id].body)
    restored(shared)
    assert (answer.status, answer.code) == (200, 0), answer


@pytest.mark.parametrize(("form", "field"), FIELDS, ids=[f"{form.row_id}-{field.name}" for form, field in FIELDS])
def test_a_wrong_field_is_refused_by_name(unchanged: Relay, form: LiveForm, field: LiveField) -> None:
    """With the code of the form or the field's own."""
    body = right_requests(unchanged)[form.row_id].body
    for value, codes in wrong_values(form, field):
        answer = submit(unchanged, form.row_id, changed(body, field.name, value))
        try:
            refused(answer, status_of(form.row_id), codes)
            assert is_named(field.name, answer)
        except AssertionError as error:
            error.add_note(f"{field.name}: {'absent' if value is LEFT_OUT else ascii(value)[:80]}")
            raise


def test_each_submission_of_the_profile_is_in_the_table() -> None:
    """But for the batch, whose orders have a test of their own, and the clock, which takes no fields."""
    posts = {row.id for row in LIVE_ENDPOINTS if row.method == "POST"}
    assert posts - set(FORM_IDS) == {"submit_orders_v2", "post_timestamp_v2"}


ORDERS = next(form for form in FORMS if form.row_id == "submit_order_v2")


@pytest.mark.parametrize("field", ORDERS.fields, ids=lambda field: field.name)
def test_a_wrong_field_in_a_batch_is_refused_for_its_order_alone_f9(unchanged: Relay, field: LiveField) -> None:
    """As the order by itself is; all orders of the batch are wrong, so nothing changes."""
    body = right_requests(unchanged)["submit_order_v2"].body
    wrong = [value for value, _ in wrong_values(ORDERS, field)]
    for start in range(0, len(wrong), 10):
        orders = [changed(body, field.name, value) for value in wrong[start : start + 10]]
        batch = post(unchanged, "/api/v2/batchOrders", {"orders": orders})
        alone = [submit(unchanged, "submit_order_v2", order) for order in orders]
        assert batch.status == 200
        if batch.code == 102120:  # a form without a code of its own refuses the batch
            assert field.name in batch.message or "orders: it holds a lone surrogate" in batch.message
            continue
        assert batch.code == 104209
        errors = [(each["error"]["code"], each["error"]["message"]) for each in batch.data]
        places = [f"orders[{index}]." for index in range(len(orders))]
        assert [(code, text.replace(place, "")) for place, (code, text) in zip(places, errors, strict=True)] == [
            (one.code, one.message) for one in alone
        ]


NO_LISTS: tuple[Any, ...] = (LEFT_OUT, None, {}, "x", 1, [None], [[]], ["x"])
NO_BATCHES: list[tuple[Any, str]] = [
    *((each, "orders") for each in NO_LISTS),
    ([], "orders: 0 items are fewer than 1"),
    ([{}] * 11, "orders: 11 items are more than 10"),
]


@pytest.mark.parametrize(("orders", "says"), NO_BATCHES)
def test_a_batch_that_is_no_list_of_one_to_ten_orders_is_refused_f9(unchanged: Relay, orders: Any, says: str) -> None:
    refused(post(unchanged, "/api/v2/batchOrders", changed({}, "orders", orders)), 200, {102120}, says)


def hostile_bodies(form: LiveForm) -> list[tuple[str, bytes]]:
    """Those that are wrong for a row: fields that it does not have are passed over, so some are right for an API key."""
    takes_account_alone = form.row_id.startswith("post_api_key")
    return [(how, body) for how, body in HOSTILE_BODIES.items() if not (takes_account_alone and b"accountId" in body)]


@pytest.mark.parametrize("form", FORMS, ids=FORM_IDS)
def test_a_hostile_body_is_refused(unchanged: Relay, form: LiveForm) -> None:
    for how, body in hostile_bodies(form):
        answer = submit(unchanged, form.row_id, body)
        in_shape(answer)
        assert answer.code != 0, how


CONTENT_TYPES = {
    "form": {"content-type": "application/x-www-form-urlencoded"},
    "multipart": {"content-type": "multipart/form-data; boundary=cut"},
    "multipart without a boundary": {"content-type": "multipart/form-data"},
    "UTF-16": {"content-type": "application/json; charset=utf-16"},
}


@pytest.mark.parametrize("form", FORMS, ids=FORM_IDS)
@pytest.mark.parametrize("how", CONTENT_TYPES)
def test_a_hostile_body_of_another_type_is_refused_l5(unchanged: Relay, form: LiveForm, how: str) -> None:
    """A JSON object is read whatever the type says it is; all else is no form, or one without the fields that are due."""
    for name, body in hostile_bodies(form):
        answer = submit(unchanged, form.row_id, body, headers=CONTENT_TYPES[how])
        in_shape(answer)
        assert answer.code != 0, name


def _flat(body: dict[str, Any], outer: str = "") -> Iterator[tuple[str, str]]:
    for name, value in body.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{outer}{name}.")
        else:
            yield f"{outer}{name}", str(value)


@pytest.mark.parametrize("form", FORMS, ids=FORM_IDS)
@pytest.mark.parametrize("how", ["form", "multipart"])
def test_a_field_is_refused_in_a_form_as_in_json_l5_l6(shared: Relay, form: LiveForm, how: str) -> None:
    """All that a client can write as text: the same body goes through, and the same words are refused, as with JSON."""
    right = right_requests(shared)[form.row_id].body
    headers = CONTENT_TYPES[how]
    assert submit(shared, form.row_id, _encoded(right, how), headers=headers).code == 0
    restored(shared)
    before = digest(shared)
    for field in form.fields:
        for value, _ in wrong_values(form, field):
            # What is empty is absent in a form, and a value of another type is text. What is no UTF-8 is replaced.
            if isinstance(value, str) and value.strip() and value != "\ud800" and "object" not in field.kind:
                body = changed(right, field.name, value)
                answer = submit(shared, form.row_id, _encoded(body, how), headers=headers)
                assert answer.status == status_of(form.row_id), (field.name, value)
                assert answer.code != 0, (field.name, value)
                assert is_named(field.name, answer) or "body" in answer.message, (field.name, value)
    assert digest(shared) == before


def _encoded(body: dict[str, Any], how: str) -> bytes:
    pairs = list(_flat(body))
    if how == "form":
        return urlencode(pairs, errors="surrogatepass").encode()
    parts = [f'--cut\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in pairs]
    return ("".join(parts) + "--cut--\r\n").encode(errors="surrogatepass")


@pytest.mark.parametrize("form", FORMS, ids=FORM_IDS)
def test_an_integer_at_an_edge_of_machines_is_answered_cleanly(shared: Relay, form: LiveForm) -> None:
    """In each field that holds a number, digits or not; a refusal names the field and changes nothing."""
    body, before = right_requests(shared)[form.row_id].body, digest(shared)
    for name, value in _flat(body):
        if not value.isdigit():
            continue
        for edge in INTEGER_EDGES:
            answer = submit(shared, form.row_id, changed(body, name, edge))
            assert answer.status < 500, (name, edge)
            if answer.code != 0:
                assert is_named(name, answer), (name, edge, answer.body)
                assert digest(shared) == before
            else:
                restored(shared)


QUERIES: list[tuple[str, dict[str, str], dict[str, tuple[str, ...]]]] = [
    (
        "cancel_order_v3",
        {"accountId": "10001"},
        {"accountId": ("", "x", "-1", "1.5", "7"), "orderHash": ("x", "-1", "1.5", "0x")},
    ),
    (
        "cancel_orders_v2",
        {"accountId": "10001"},
        {"accountId": ("", "x", "-1", "1.5", "7"), "orderHash": ("x", "-1", "1.5", "0x")},
    ),
]


@pytest.mark.parametrize(("row_id", "right", "wrong"), QUERIES, ids=[row_id for row_id, _, _ in QUERIES])
def test_a_wrong_parameter_of_a_cancellation_is_refused_by_name(
    unchanged: Relay, row_id: str, right: dict[str, str], wrong: dict[str, tuple[str, ...]]
) -> None:
    row = BY_ID[row_id]
    for name, values in wrong.items():
        for value in values:
            query = list((right | {name: value}).items())
            answer = send(unchanged, row.method, row.path, query=query, signature="0x" + "01" * 96)
            assert answer.status == status_of(row_id)
            assert answer.code in (100001, 104003), (name, value, answer)
            assert name in answer.message, (name, value, answer)
