"""Clients that generators make of the served OpenAPI documents: they compile in ordinary use, and what they call works."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockrelay import Relay, serve
from tests.support.npm import environment_of_node

pytestmark = pytest.mark.tools

PROGRAMS = Path(__file__).parent / "openapi"
DOCUMENTS = {"control": "openapi.json", "relayer": "relayer.openapi.json"}


@pytest.fixture
def url() -> Iterator[str]:
    """The address of a relayer."""
    with serve(Relay.from_scenario("default", clock="frozen")) as server:
        yield server.url


def ran(folder: Path, command: str, url: str = "") -> str:
    """What a command prints. It must succeed."""
    program, *words = command.split()
    found = shutil.which(program, path=str(folder / "node_modules" / ".bin")) or shutil.which(program)
    assert found is not None, program
    paths = os.pathsep.join((str(folder), os.environ.get("PYTHONPATH", "")))
    env = environment_of_node(RELAYER_URL=url, PYTHONPATH=paths, PYTHONWARNINGS="")
    result = subprocess.run(
        [found, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize(
    ("program", "generate"),
    [
        ("with_openapi_typescript", "openapi-typescript {source} --output {name}.d.ts"),
        ("with_hey_api", "openapi-ts --file {name}.config.mjs"),
    ],
)
def test_a_client_in_typescript(program: str, generate: str, url: str, npm: Path, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(npm / "node_modules", target_is_directory=True)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(PROGRAMS / f"{program}.ts", tmp_path)
    for name, path in DOCUMENTS.items():
        source = f"{url}/__mockrelay/{path}"
        # Without a tsconfig.json above its own files hey-api leaves out the ends of files' names, which Node needs.
        output = {"path": f"hey_{name}", "importFileExtension": ".js"}
        config = json.dumps({"input": source, "output": output})
        (tmp_path / f"{name}.config.mjs").write_text(f"export default {config};")
        ran(tmp_path, generate.format(source=source, name=name))
    options = "--strict --target es2022 --module esnext --moduleResolution bundler --types node"
    ran(tmp_path, f"tsc {options} --outDir out {program}.ts")
    assert ran(tmp_path, f"node out/{program}.js", url) == "called\n"


def test_a_client_in_python(url: str, tmp_path: Path) -> None:
    for name, path in DOCUMENTS.items():
        source = f"{url}/__mockrelay/{path}"
        ran(tmp_path, f"openapi-python-client generate --url {source} --meta none --output-path {name}_client")
    program = shutil.copy(PROGRAMS / "with_openapi_python_client.py", tmp_path)
    assert ran(tmp_path, f"{sys.executable} {program}", url) == "called\n"
    ran(tmp_path, f"{sys.executable} -m mypy --follow-imports silent {program}")


@pytest.mark.parametrize("document", ["openapi --profile live", "openapi --profile spec", "openapi control"])
def test_the_types_of_every_document_compile(document: str, npm: Path, tmp_path: Path) -> None:
    (tmp_path / "node_modules").symlink_to(npm / "node_modules", target_is_directory=True)
    ran(tmp_path, f"{sys.executable} -m mockrelay {document} --output document.json")
    ran(tmp_path, "openapi-typescript document.json --output document.d.ts")
    ran(tmp_path, "tsc --strict --noEmit document.d.ts")
