"""The runners of tests, as they print today what `tests/cli/runner_outputs` has of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mockrelay.cli.sweep.failures import failed_tests
from mockrelay.cli.sweep.one_run import without_colours
from tests.cli.test_sweep_failures import FAILED_BY_RUNNER
from tests.tools.conftest import run_tool, tool

pytestmark = pytest.mark.tools

IMPORTS = {
    "node": 'import { describe, test } from "node:test";',
    "vitest": 'import { describe, test } from "vitest";',
    "jest": "",
    "mocha": "const test = it;",
    "playwright": 'import { test } from "@playwright/test";\nconst { describe } = test;',
}
BODY = """
  test("a test that passes", () => {});
  describe("orders", () => {
    test("the balance is read", () => { assert.equal(1, 2, "the balance is wrong"); });
    test("the code is read", async () => { throw new TypeError("code of undefined"); });
  });
"""
JAVASCRIPT = {
    "node_tap": "node --test --test-reporter=tap node/a.test.mjs",
    "node_spec": "node --test --test-reporter=spec node/a.test.mjs",
    "vitest": "vitest run --dir vitest",
    "jest": "jest --testMatch **/jest/*.test.mjs",
    "mocha": "mocha mocha/a.test.mjs",
    "playwright": "playwright test --config playwright",
}
GO = """package orders

import "testing"

func TestPasses(t *testing.T) {}

func TestBalance(t *testing.T) {
	t.Log("asked")
	t.Errorf("the balance is wrong: got %d, want %d", 1, 2)
}

func TestCodes(t *testing.T) {
	t.Run("read", func(t *testing.T) { t.Fatal("code of nil") })
}
"""
RUST = """#[cfg(test)]
mod tests {
    #[test]
    fn passes() {}

    #[test]
    fn the_balance_is_read() {
        assert_eq!(1, 2, "the balance is wrong");
    }

    #[test]
    fn the_code_is_read() {
        None::<i32>.expect("code of none");
    }
}
"""


def printed(folder: Path, command: str, path: str | None = None) -> dict[str, str]:
    """The tests that a command says have failed."""
    program, *words = command.split()
    found = shutil.which(program, path=path) or tool(program)
    done = run_tool([found, *words], cwd=folder)
    assert done.returncode, done.stdout + done.stderr
    return dict(failed_tests(without_colours(done.stdout + "\n" + done.stderr)))


@pytest.mark.parametrize("runner", JAVASCRIPT)
def test_a_runner_of_javascript(runner: str, npm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = runner.partition("_")[0]
    monkeypatch.setenv("NODE_OPTIONS", "--experimental-vm-modules" if name == "jest" else "")
    (tmp_path / "node_modules").symlink_to(npm / "node_modules", target_is_directory=True)
    (tmp_path / "package.json").write_text("{}")
    file = tmp_path / name / f"a.{'spec' if name == 'playwright' else 'test'}.mjs"
    file.parent.mkdir()
    file.write_text("\n".join(('import assert from "node:assert/strict";', *filter(None, (IMPORTS[name],)), BODY[1:])))
    found = printed(tmp_path, JAVASCRIPT[runner], str(npm / "node_modules" / ".bin"))
    assert sorted(found.values()) == sorted(FAILED_BY_RUNNER[runner].values())
    assert sorted(each.split(" ")[-4:] for each in found) == sorted(
        each.split(" ")[-4:] for each in FAILED_BY_RUNNER[runner]
    )


@pytest.mark.parametrize("command", ["go test ./...", "go test -v ./..."])
def test_go(command: str, tmp_path: Path) -> None:
    tool("go")
    (tmp_path / "go.mod").write_text("module orders\ngo 1.18\n")
    (tmp_path / "a_test.go").write_text(GO)
    assert printed(tmp_path, command) == FAILED_BY_RUNNER["go"]


def test_cargo(tmp_path: Path) -> None:
    tool("cargo")
    (tmp_path / "src").mkdir()
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "orders"\nversion = "0.1.0"\nedition = "2021"\n')
    (tmp_path / "src" / "lib.rs").write_text(RUST)
    assert printed(tmp_path, "cargo test --offline") == FAILED_BY_RUNNER["cargo"]
