"""What holds for every document: it is valid and closed, the same every time, and right about its own examples."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import pytest
from openapi_spec_validator import validate

from mockrelay.openapi import control_document, relayer_document
from mockrelay.openapi.control_script import control_examples
from mockrelay.openapi.schemas import refs_in
from mockrelay.openapi.script import examples
from mockrelay.spec.endpoint import LIVE
from tests.openapi.reading import Document, Shown, answer_errors, request_errors, resolved, shown

MAKERS: dict[str, Callable[[], Document]] = {
    "relayer": relayer_document,
    "relayer live": partial(relayer_document, LIVE),
    "control": control_document,
}
DOCUMENTS = {name: make() for name, make in MAKERS.items()}
each_document = pytest.mark.parametrize("name", DOCUMENTS)
SHOWN = [(name, example) for name, document in DOCUMENTS.items() for example in shown(document)]


@each_document
def test_it_is_valid(name: str) -> None:
    validate(DOCUMENTS[name])


@each_document
def test_it_is_the_same_every_time(name: str) -> None:
    control_examples.cache_clear()
    examples.cache_clear()
    assert json.dumps(MAKERS[name]()) == json.dumps(DOCUMENTS[name])


@each_document
def test_it_refers_to_nothing_outside(name: str) -> None:
    document = DOCUMENTS[name]
    refs = set(refs_in(document))
    assert refs
    for ref in refs:
        assert ref.startswith("#/")
        assert resolved(document, {"$ref": ref})
    assert "mockrelay:" not in json.dumps(document["components"]["schemas"])


@pytest.mark.parametrize(("name", "example"), SHOWN, ids=[f"{name} {example.id}" for name, example in SHOWN])
def test_an_example_is_right_by_the_documents_own_word(name: str, example: Shown) -> None:
    assert request_errors(DOCUMENTS[name], example) == []
    assert answer_errors(DOCUMENTS[name], example.operation, example.status, example.answer) == []
