"""`mockrelay openapi` writes the documents."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import yaml
from click.testing import CliRunner

from mockrelay.cli import main
from mockrelay.openapi import control_document, relayer_document

DOCUMENTS = {"relayer": relayer_document, "control": control_document}


def say(*args: str) -> str:
    result = CliRunner().invoke(main, ["openapi", *args])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("which", list(DOCUMENTS))
def test_json_and_yaml_say_the_same(which: str) -> None:
    text = say(which)
    assert text.isascii()
    assert json.loads(text) == DOCUMENTS[which]()
    assert yaml.safe_load(say(which, "--format", "yaml")) == json.loads(text)


def test_yaml_has_no_anchors() -> None:
    assert not [event for event in yaml.parse(say("control", "--format", "yaml")) if getattr(event, "anchor", None)]


def test_the_relayers_document_is_the_one_unless_told_otherwise() -> None:
    assert say() == say("relayer")


def test_another_api_is_refused_as_usage() -> None:
    assert CliRunner().invoke(main, ["openapi", "other"]).exit_code == 2


def test_whoever_serves_or_asks_for_help_loads_none_of_it() -> None:
    code = (
        "import sys, mockrelay.cli.server_files, mockrelay.web, mockrelay.relay\n"
        "from mockrelay.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "print([name for name in sys.modules if name.startswith('mockrelay.openapi')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
