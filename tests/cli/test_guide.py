"""`mockrelay guide`."""

from __future__ import annotations

from click.testing import CliRunner

from mockrelay.cli import main
from tests.examples.write import GUIDE


def test_the_list_has_a_line_for_each_page() -> None:
    head, *lines = CliRunner().invoke(main, ["guide"]).output.splitlines()
    assert head.split() == ["page", "what", "it", "says"]
    assert [line.split()[0] for line in lines] == sorted(path.stem for path in GUIDE.glob("*.md"))
    world = next(line for line in lines if line.startswith("world "))
    assert "What a relayer has when it starts from the scenario `default`" in world


def test_a_page_is_printed_as_it_is() -> None:
    printed = CliRunner().invoke(main, ["guide", "world"]).output
    assert printed == (GUIDE / "world.md").read_text(encoding="utf-8")


def test_an_unknown_page_is_refused_with_the_nearest() -> None:
    refused = CliRunner().invoke(main, ["guide", "wrold"])
    assert refused.exit_code == 2
    assert refused.output == "mockrelay: the guide has no page 'wrold'; meant: 'world'\n"


def test_a_section_is_printed_alone() -> None:
    printed = CliRunner().invoke(main, ["guide", "api-reference", "submit_order"]).output
    assert printed.startswith("## submit_order\n\nAccept an order")
    assert "| `validUntil` |" in printed
    assert "## get_orders" not in printed
    objects = CliRunner().invoke(main, ["guide", "api-reference", "objects"]).output
    assert objects.startswith("## Objects\n\n### ")
    assert objects.rstrip().endswith("|")


def test_an_unknown_section_is_refused_with_the_nearest() -> None:
    refused = CliRunner().invoke(main, ["guide", "api-reference", "submit_oder"])
    assert refused.exit_code == 2
    assert refused.output == "mockrelay: the page api-reference has no section 'submit_oder'; meant: 'submit_order'\n"
