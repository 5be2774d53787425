"""Calls of clients that choose some fields themselves, such as ids and times, beside the calls that they were asked for."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mockrelay.client.call import ApiAnswer, ApiCall
from mockrelay.client.wrong_fields import request_place
from mockrelay.relay import Relay
from mockrelay.relay.start import Start
from mockrelay.scenario import Scenario
from mockrelay.spec.endpoints import BY_ID
from mockrelay.spec.request_kinds import KIND_OF_ENDPOINT, SUBMISSIONS
from mockrelay.suggest import nearest
from mockrelay.testing.calling import answer_of
from mockrelay.testing.strategies.signing import SIGNATURE_FIELDS
from mockrelay.wire.http import RawRequest, Response
from mockrelay.wire.schemas import Place, properties_of

ClientFields = Mapping[str, Collection[str]]
"""The names of the fields that a client chooses itself, in objects of any depth, by endpoint or, of another form, by the id
of its row.
"""
_ORDERS = ("submit_order", "submit_order_gen3", "submit_order_v2")
_SUBMISSIONS = tuple(dict.fromkeys(("submit_order", *KIND_OF_ENDPOINT, *_ORDERS, *SUBMISSIONS)))
_SUBMISSION_PATHS = frozenset(BY_ID[row_id].path for row_id in _SUBMISSIONS)


class Exchange(NamedTuple):
    """A request and its response."""

    request: RawRequest
    response: Response

    @property
    def is_accepted(self) -> bool:
        """Whether the call was accepted."""
        return answer_of(self.response).is_accepted


class CapturingRelay(Relay):
    """A relay that keeps the requests that it gets in `exchanges`."""

    def __init__(self, scenario: Scenario, *, exchanges: list[Exchange], **options: Any) -> None:
        """`options`: those of `Relay`."""
        super().__init__(scenario, **options)
        self._exchanges = exchanges

    def handle(self, raw: RawRequest, now_ms: int, generation: int | None = None) -> Response:
        """The relay's answer."""
        response = super().handle(raw, now_ms, generation)
        self._exchanges.append(Exchange(raw, response))
        return response

    def from_start(self, start: Start) -> Relay:
        """A relay that keeps its requests in the same list."""
        return CapturingRelay(exchanges=self._exchanges, **start._asdict())


def check_client_fields(client_fields: ClientFields) -> None:
    """Raise ValueError for an endpoint that submits nothing, and for a name that none of its fields has."""
    for endpoint, names in client_fields.items():
        if endpoint not in _SUBMISSIONS:
            raise ValueError(f"client_fields: found {endpoint!r}; meant: {nearest(endpoint, _SUBMISSIONS)}")
        if isinstance(names, str):
            raise ValueError(f"client_fields: {endpoint}: found {names!r}; meant: a list of names")  # noqa: TRY004 - as below
        fields = sorted(set(_names_of(request_place(endpoint))))
        for name in names:
            if name not in fields:
                raise ValueError(f"client_fields: {endpoint}: found {name!r}; meant: {nearest(name, fields)}")


def _names_of(place: Place) -> Iterator[str]:
    for name, inner in properties_of(place).items():
        yield name
        yield from _names_of(inner)


def call_without(call: ApiCall, names: Collection[str]) -> ApiCall:
    """The call without the fields that the client chooses, and unsigned."""
    return call._replace(fields=_fields_without(call.fields, {*names, *SIGNATURE_FIELDS}), signature=None)


def follow(model: Relay, call: ApiCall, exchanges: Sequence[Exchange], names: Collection[str], base: str) -> ApiAnswer:
    """Make a call to the model with the fields that the client has chosen for it, and what the client has asked beside it;
    returns the answer to the call. `exchanges`: what the client did, of which the first submission that was accepted or,
    where none was, the last one counts for the call. Further submissions that were accepted are left out, so that the
    model's state is that after one.
    """
    tries = [one for one in exchanges if (one.request.method, one.request.path) == (call.method, call.path)]
    assert tries, f"the client was asked for {call.endpoint} and did not call it"
    chosen = next((one for one in tries if one.is_accepted), tries[-1])
    answer: ApiAnswer | None = None
    for one in exchanges:
        request = one.request
        if one is chosen:
            request = _completed(call, request, {*names, *SIGNATURE_FIELDS}).raw_request(base)
        elif request.path in _SUBMISSION_PATHS and one.is_accepted and request.body != chosen.request.body:
            continue
        response = model.handle(request, model.now_ms())
        answer = answer_of(response) if one is chosen else answer
    assert answer is not None  # `chosen` is one of the exchanges
    return answer


def _completed(call: ApiCall, request: RawRequest, names: Collection[str]) -> ApiCall:
    """The call with the client's own fields and signature in it."""
    fields = _fields_with(_fields_without(call.fields, names), _value(request.body), names)
    return call._replace(fields=fields, signature=request.headers.get("x-api-sig"))


def _fields_without(fields: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {
        name: _fields_without(value, names) if isinstance(value, Mapping) else value
        for name, value in fields.items()
        if name not in names
    }


def _fields_with(fields: Mapping[str, Any], chosen: Any, names: Collection[str]) -> dict[str, Any]:
    own = chosen if isinstance(chosen, Mapping) else {}
    inner = {
        name: _fields_with(value, own.get(name), names) if isinstance(value, Mapping) else value
        for name, value in fields.items()
    }
    return inner | {name: value for name, value in own.items() if name in names}


def _value(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None
