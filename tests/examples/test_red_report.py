"""The report of a red test that the guide shows is the one that pytest prints."""

from __future__ import annotations

import pytest

from tests.examples.write import EXAMPLES


def test_the_report_of_the_guides_red_test_is_what_pytest_prints(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = EXAMPLES.joinpath("red_order.py").read_text(encoding="utf-8")
    report = EXAMPLES.joinpath("red_report.txt").read_text(encoding="utf-8")
    pytester.makepyfile(test_red_order=test)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    plugins = ("-p", "mockrelay.pytest_plugin", "-p", "no:cacheprovider")
    result = pytester.runpytest_subprocess(*plugins, "--mockrelay-start=2026-01-01T00:00:00Z")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(report.replace("[", "[[]").splitlines(), consecutive=True)
