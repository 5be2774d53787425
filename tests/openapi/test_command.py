"""`mockrelay openapi` writes the documents."""

from __future__ import annotations

import json

import pytest
import yaml
from click.testing import CliRunner

from mockrelay.cli import main
from mockrelay.openapi import control_document, relayer_document

DOCUMENTS = {"relayer": relayer_document, "control": control_document}
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def say(*args: str) -> str:
    result = CliRunner().invoke(main, ["openapi", *args])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("which", list(DOCUMENTS))
def test_json_and_yaml_without_anchors_say_the_same(which: str) -> None:
    text, in_yaml = say(which), say(which, "--format", "yaml")
    assert text.isascii()
    assert json.loads(text) == DOCUMENTS[which]()
    assert yaml.load(in_yaml, _LOADER) == json.loads(text)
    assert not [event for event in yaml.parse(in_yaml, _LOADER) if getattr(event, "anchor", None)]


def test_without_a_name_it_is_the_relayers() -> None:
    assert say() == say("relayer")


def test_another_api_is_refused_as_usage() -> None:
    assert CliRunner().invoke(main, ["openapi", "other"]).exit_code == 2


def test_the_document_of_a_profile_is_printed() -> None:
    text = say("relayer", "--profile", "live")
    assert json.loads(text) == relayer_document("live")
    assert say("--profile", "spec") == say()
    assert say("control", "--profile", "live") == say("control")
