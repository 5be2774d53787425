"""`mockrelay scenarios` and `mockrelay validate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from mockrelay._files import data_root
from mockrelay.cli import main
from mockrelay.scenario import load, load_text, shipped
from tests.support.command import run_command

BROKEN = Path(__file__).parent.parent / "scenario" / "broken"


@pytest.fixture
def wallet(tmp_path: Path) -> Path:
    path = tmp_path / "wallet.yaml"
    path.write_text(
        "# A wallet's own situation. It is used nowhere else.\n"
        "format: 1\nextends: default\nfaults: [{on: submit_order, code: 102014}]\n",
        encoding="utf-8",
    )
    return path


# ---- scenarios.


def test_every_shipped_scenario_is_listed_with_a_sentence() -> None:
    lines = run_command("scenarios").output.splitlines()
    assert lines[0].split() == ["name", "description"]
    assert [line.split()[0] for line in lines[1:]] == list(shipped())
    for line in lines[1:]:
        sentence = line.split(maxsplit=1)[1]
        assert sentence[0].isupper()
        assert sentence.endswith(".")


def test_the_list_as_json_says_the_same() -> None:
    rows = json.loads(run_command("scenarios", "--format", "json").output)
    assert [row["name"] for row in rows] == list(shipped())
    assert all(row["description"] in run_command("scenarios").output for row in rows)


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_scenario_is_shown_whole_and_loads_again(name: str) -> None:
    shown = run_command("scenarios", name)
    assert shown.exit_code == 0
    assert load_text(shown.output) == load(name)


def test_a_file_is_shown_whole_with_what_it_is_for(wallet: Path) -> None:
    output = run_command("scenarios", str(wallet)).output
    assert output.startswith("# A wallet's own situation.\nformat: 1\nname: wallet\n")
    assert load_text(output) == load(wallet)
    again = wallet.with_name("again.yaml")
    again.write_text(output, encoding="utf-8")
    assert run_command("scenarios", str(again)).output == output


def test_a_scenario_as_json_has_the_same_values(wallet: Path) -> None:
    whole = json.loads(run_command("scenarios", str(wallet), "--format", "json").output)
    assert (whole["name"], whole["faults"]) == ("wallet", [{"on": "submit_order", "code": 102014}])


def test_the_schema_is_printed_in_one_document() -> None:
    schema = json.loads(run_command("scenarios", "--schema").output)
    assert Draft202012Validator(schema).is_valid({"format": 1, "extends": "default", "seed": "x"})
    assert not Draft202012Validator(schema).is_valid({"format": 1, "extends": "default", "seed": []})
    assert schema["$defs"]["choices"]["properties"]["http.error_status"]["enum"] == ["split", "400", "200", 400, 200]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("defualt",), "which is not shipped; meant 'default', or a path"),
        (("./",), "found a folder; meant a scenario file"),
        (("./nowhere.yaml",), "found no such file; meant a scenario file"),
        ((str(BROKEN / "octal.yaml"),), ":3:16: found 010 without quotes"),
        (("default", "--schema"), "--schema is for all scenarios: leave out default"),
    ],
)
def test_what_cannot_be_shown_is_exit_code_2(args: tuple[str, ...], words: str) -> None:
    done = run_command("scenarios", *args)
    assert done.exit_code == 2
    assert words in done.output


# ---- validate.


def test_a_right_file_is_told_with_what_it_holds(wallet: Path) -> None:
    done = run_command("validate", str(wallet))
    assert done.exit_code == 0
    assert done.output == f"{wallet}: ok (wallet, 3 accounts, 4 tokens, 4 markets, 0 orders, 1 fault)\n"


def test_every_file_is_told_and_one_wrong_makes_exit_code_2(wallet: Path) -> None:
    missing = wallet.with_name("missing.yaml")
    base = BROKEN / "octal.yaml"
    done = run_command("validate", str(BROKEN / "broken_base.yaml"), str(wallet), str(missing))
    assert done.exit_code == 2
    first, second, third = done.output.splitlines()
    assert first == f'{base}:3:16: found 010 without quotes, which YAML takes for a number in base 8; meant "010"'
    assert second.startswith(f"{wallet}: ok (")
    assert third == f"{missing}: found no such file; meant a scenario file"


def test_as_json_there_is_an_object_for_each_file(wallet: Path) -> None:
    wrong = BROKEN / "unknown_key.yaml"
    done = run_command("validate", "--format", "json", str(wallet), str(wrong))
    assert done.exit_code == 2
    error = {
        "place": str(wrong),
        "line": 4,
        "column": 19,
        "found": "the unknown key 'balence'",
        "meant": "'balances'",
        "message": f"{wrong}:4:19: found the unknown key 'balence'; meant 'balances'",
    }
    assert json.loads(done.output) == [
        {
            "file": str(wallet),
            "ok": True,
            "name": "wallet",
            "accounts": 3,
            "tokens": 4,
            "markets": 4,
            "orders": 0,
            "faults": 1,
        },
        {
            "file": str(wrong),
            "ok": False,
            **error,
            "errors": [error],
        },
    ]


def test_every_shipped_file_is_right() -> None:
    files = [str(file) for file in data_root().joinpath("scenarios").iterdir() if file.name.endswith(".yaml")]
    assert run_command("validate", *files).exit_code == 0


TWO_ERRORS = "format: 1\nextends: default\nlimits: {get_depth: -1}\nseed: []\n"


def test_every_error_is_told_of_standard_input_too_and_packaged_names_are_taken() -> None:
    done = CliRunner().invoke(main, ["validate", "default", "-"], input=TWO_ERRORS)
    assert done.exit_code == 2
    assert [line.partition(" ")[0] for line in done.output.splitlines()] == [
        "default:",
        "<stdin>:3:21:",
        "<stdin>:4:7:",
    ]


def test_annotations_of_a_job(tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(TWO_ERRORS)
    done = run_command("validate", "--format", "github", str(file), str(tmp_path / "missing.yaml"))
    first, second, third = done.output.splitlines()
    assert first.startswith(
        f"::error file={file},line=3,col=21,title=mockrelay validate::found the number -1; meant a whole number"
    )
    assert second.startswith(f"::error file={file},line=4,col=7,title=mockrelay validate::found a list")
    assert (
        third
        == f"::error title=mockrelay validate::{tmp_path / 'missing.yaml'}: found no such file; meant a scenario file"
    )


def test_validate_asks_for_a_file() -> None:
    done = run_command("validate")
    assert done.exit_code == 2
    assert "FILE" in done.output
