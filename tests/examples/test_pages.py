"""The README and the guide tell the truth: tables are the product's own, code blocks run, links lead somewhere."""

from __future__ import annotations

import configparser
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import click
import pytest
import yaml

from mockrelay._files import javascript_client
from mockrelay.cli import main
from mockrelay.scenario import load_text
from mockrelay.testing import RelayerHandle
from tests.examples.wishes.bot import Bot
from tests.examples.write import EXAMPLES, GUIDE, ROOT, anchor, headings, pages, refreshed, written
from tests.support.processes import environment

README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
SHELL_BLOCKS = re.findall(r"```sh\n(.*?)\n```", TEXT, re.DOTALL)
PROGRAMS = sorted(path for path in EXAMPLES.glob("*.py") if not path.name.startswith("test_"))


class Block(NamedTuple):
    """A code block of a page."""

    page: str
    language: str
    text: str
    is_generated: bool
    """Whether it is taken from a file of its own."""

    def __str__(self) -> str:
        return f"{self.page}: {self.text.strip().partition(chr(10))[0][:60]}"


def blocks_of(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    found = re.finditer(r"^(?:<!-- (example) [^\n]+ -->\n)?```(\S*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [Block(path.name, match[2], match[3], match[1] is not None) for match in found]


BLOCKS = [block for path in pages() for block in blocks_of(path)]
PYTHON_BY_HAND = [block for block in BLOCKS if block.language == "python" and not block.is_generated]


def ini(text: str) -> None:
    configparser.ConfigParser().read_string(text)


def scenario_or_other_yaml(text: str) -> None:
    if isinstance(value := yaml.safe_load(text), dict) and "format" in value:
        load_text(text)


def commands(text: str) -> None:
    """Every `mockrelay COMMAND` in a block is one, and has the options that it is given."""
    assert isinstance(main, click.Group)
    for line in text.replace("\\\n", " ").splitlines():
        command, _, rest = line.partition("mockrelay ")[2].partition(" ")
        if command and "mockrelay " in line and not line.lstrip().startswith("#"):
            found = main.get_command(click.Context(main), command)
            if found is not None:
                names = {name for param in found.params for name in (*param.opts, *param.secondary_opts)}
                given = {
                    word.partition("=")[0] for word in shlex.split(rest, comments=True) if re.match("--?[a-z]", word)
                }
                assert sorted(given - names - {"--help"}) == [], line
            else:
                assert command.startswith("-"), line


def console(text: str) -> None:
    commands("\n".join(line for line in text.splitlines() if line.startswith("$ ")))


READ_BY: Mapping[str, Callable[[str], object]] = {
    "yaml": scenario_or_other_yaml,
    "json": json.loads,
    "toml": tomllib.loads,
    "ini": ini,
    "sh": commands,
    "bat": commands,
    "console": console,
    # Each has a test of its own.
    "python": str,
    "js": str,
    # Tools that are made for them read them, in tests/tools.
    "dockerfile": str,
    "nginx": str,
    "ts": str,
    # What is printed, or drawn.
    "": str,
    "text": str,
    "mermaid": str,
}


@pytest.mark.parametrize("path", written(), ids=lambda path: path.name)
def test_a_page_is_as_the_writer_fills_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert refreshed(text) == text, "run `python -m tests.examples.write`"


@pytest.mark.parametrize(
    ("name", "line"),
    [("client.mjs", " * @property {string} [delay]\n"), ("client.d.mts", "    refuse?: number | undefined;\n")],
)
def test_the_writer_enters_the_effects_of_faults_in_the_javascript_client(name: str, line: str) -> None:
    text = javascript_client()[name]
    assert line in text
    assert refreshed(text.replace(line, "")) == text


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_code_block_is_what_its_language_says(block: Block) -> None:
    READ_BY[block.language](block.text)


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize("block", [block for block in BLOCKS if block.language == "js"], ids=str)
def test_javascript_is_javascript(block: Block, tmp_path: Path) -> None:
    script = tmp_path / "block.mjs"
    script.write_text(block.text, encoding="utf-8")
    subprocess.run(["node", "--check", str(script)], check=True, capture_output=True)


def test_python_on_a_page_is_taken_from_a_file_that_runs() -> None:
    assert PYTHON_BY_HAND == []


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_an_example_that_is_a_program_runs(path: Path) -> None:
    runpy.run_path(str(path), run_name="__main__")


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    """Those of the guide within the guide, which the wheel has alone."""
    text = path.read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.DOTALL | re.MULTILINE)
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"https?://", link):
            continue
        name, _, fragment = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        assert path.parent != GUIDE or target.parent == GUIDE, f"{link} is not in the guide"
        if fragment:
            found = {anchor(title) for title in headings(target.read_text(encoding="utf-8"))}
            assert fragment in found, link


@pytest.mark.parametrize("page", ["adding.md", "architecture.md"])
def test_the_files_that_a_page_names_exist(page: str) -> None:
    """Those in the package are named without its folder; `_data` is there once it is built."""
    named = set(
        re.findall(r"`((?:[a-z0-9_]+/)+[a-z0-9_]+(?:\.py)?)`", GUIDE.joinpath(page).read_text(encoding="utf-8"))
    )
    places = {
        name: [root / f"{name}{suffix}" for root in (ROOT, GUIDE.parent) for suffix in ("", ".py")] for name in named
    }
    missing = {name for name, paths in places.items() if not any(path.exists() for path in paths)}
    assert missing <= {"mockrelay/_data"}


@pytest.mark.parametrize("path", sorted(GUIDE.glob("*.md")), ids=lambda path: path.name)
def test_a_page_of_the_guide_begins_with_its_title_and_a_sentence(path: Path) -> None:
    title, empty, sentence, *_ = path.read_text(encoding="utf-8").splitlines()
    assert title.startswith("# ")
    assert not empty
    assert sentence[0].isupper() or sentence[0] == "`"


@pytest.mark.skipif(os.name != "posix" or shutil.which("curl") is None, reason="needs sh and curl")
def test_the_commands_for_a_shell_run(tmp_path: Path) -> None:
    """But for the two at the top: CI itself is the second, and the packaging tests run the first."""
    serve, arm = SHELL_BLOCKS[2:]
    ready_file = tmp_path / "ready.json"
    env = environment({"PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))})
    assert serve.endswith("&")
    with subprocess.Popen(["sh", "-c", f"exec {serve[:-1]}"], cwd=tmp_path, env=env, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            said, url = server.stdout.readline().decode().strip().rsplit(" ", 1)
            assert said == "mockrelay listening on"
            answered = subprocess.run(["sh", "-c", arm], env=env | {"URL": url}, capture_output=True, check=True)
            assert json.loads(ready_file.read_text(encoding="utf-8"))["url"] == url
        finally:
            server.terminate()
    assert json.loads(answered.stdout) == {"id": "f1", "listed": True}


@pytest.mark.relayer(allow="unfired_fault")
def test_each_line_of_the_readme_works_in_python_and_over_http(relayer: RelayerHandle) -> None:
    order_hash = Bot(relayer).order().json["data"]["orderHash"]
    rows = re.findall(r"\| `(relayer\..+?)` \| `(\w+) (\S+) ({.+?})` \|", TEXT)
    assert len(rows) >= 8
    for line, method, path, body in rows:
        eval(line, {"relayer": relayer, "hash": order_hash})
        relayer.control(method, path.replace("HASH", order_hash), json.loads(body))


def test_ci_runs_the_command_for_tests_that_the_readme_gives() -> None:
    """The virtual environment is CI's own; what is installed and run in it is the same."""
    ci = (README.parent / ".ci" / "run").read_text(encoding="utf-8")
    install, run = re.search(r"pip install -e (\S+) && \.venv/bin/(python -m pytest.*)", TEXT).groups()  # type: ignore[union-attr]
    assert install in ci
    assert run in ci


def test_the_changes_begin_with_the_packages_version() -> None:
    project = tomllib.loads((README.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == "mockrelay"
    from mockrelay import __version__  # noqa: PLC0415

    assert next(headings(GUIDE.joinpath("changelog.md").read_text(encoding="utf-8"), "##")).startswith(__version__)
