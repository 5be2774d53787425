"""`mockrelay guide`, `mockrelay example`, whose calls are checked by tests/openapi/test_right_calls.py, and `mockrelay client`,
whose client is tried by tests/examples/test_javascript.py.
"""

from __future__ import annotations

import json
from pathlib import Path

from mockrelay._files import javascript_client
from tests.examples.write import GUIDE
from tests.support.command import run_command


def test_the_list_has_a_line_for_each_page() -> None:
    head, *lines = run_command("guide").output.splitlines()
    assert head.split() == ["page", "what", "it", "says"]
    assert [line.split()[0] for line in lines] == sorted(path.stem for path in GUIDE.glob("*.md"))
    world = next(line for line in lines if line.startswith("world "))
    assert "What a relayer has when it starts from the scenario `default`" in world


def test_a_page_is_printed_as_it_is() -> None:
    printed = run_command("guide", "world").output
    assert printed == (GUIDE / "world.md").read_text(encoding="utf-8")


def test_an_unknown_page_is_refused_with_the_nearest() -> None:
    refused = run_command("guide", "wrold")
    assert refused.exit_code == 2
    assert refused.output == "mockrelay: the guide has no page 'wrold'; meant: 'world'\n"


def test_a_section_is_printed_alone() -> None:
    printed = run_command("guide", "api-reference", "submit_order").output
    assert printed.startswith("## submit_order\n\nAccept an order")
    assert "| `validUntil` |" in printed
    assert "## get_orders" not in printed
    objects = run_command("guide", "api-reference", "objects").output
    assert objects.startswith("## Objects\n\n### ")
    assert objects.rstrip().endswith("|")


def test_an_unknown_section_is_refused_with_the_nearest() -> None:
    refused = run_command("guide", "api-reference", "submit_oder")
    assert refused.exit_code == 2
    assert refused.output == "mockrelay: the page api-reference has no section 'submit_oder'; meant: 'submit_order'\n"


def test_a_curl_command_is_printed_unless_told_otherwise() -> None:
    assert run_command("example", "get_depth").output == run_command("example", "get_depth", "--as", "curl").output
    about, before, command, *_ = run_command("example", "get_depth").output.splitlines()
    assert about.startswith("# get_depth: ")
    assert before == "# Before it: submit_order."
    assert command.startswith("curl --request GET --header 'X-API-KEY: ")
    assert command.endswith(" 'http://127.0.0.1:4627/api/v2/depth?market=LRC-ETH&level=0'")


def test_the_call_goes_to_the_address_that_is_given() -> None:
    value = json.loads(
        run_command("example", "get_broker", "--as", "json", "--url", "http://relayer.test:80/w/a/").output
    )
    assert value["request"]["url"] == "http://relayer.test:80/w/a/api/v3/getAvailableBroker"


def test_format_is_another_name_and_output_a_file(tmp_path: Path) -> None:
    assert run_command("example", "get_broker", "--format", "js", "--output", str(tmp_path / "broker.mjs")).output == ""
    assert (tmp_path / "broker.mjs").read_text(encoding="utf-8").startswith("// get_broker: ")


def test_the_profile_is_that_of_the_endpoint_unless_one_is_given() -> None:
    """A row that only live has needs no option; one that both have is the specification's without it."""
    assert (
        run_command("example", "get_depth_v3").output
        == run_command("example", "get_depth_v3", "--profile", "live").output
    )
    mint = [
        json.loads(run_command("example", "mint_nft", "--as", "json", *more).output)
        for more in ((), ("--profile", "live"))
    ]
    assert ["scenario" in one for one in mint] == [False, True]
    assert ["royaltyPercentage" in one["request"]["body"] for one in mint] == [False, True]
    lines = run_command("example", "get_depth_v3").output.splitlines()
    assert lines[1] == "# In the profile live: mockrelay serve --scenario live_v3."


def test_a_form_goes_by_its_id() -> None:
    """Without one an order is of the second generation, which any body without `sellToken` and `storageId` is."""
    sold = {"submit_order": "tokenSId", "submit_order_gen3": "sellToken"}
    for name, field in sold.items():
        value = json.loads(run_command("example", name, "--profile", "live", "--as", "json").output)
        assert field in value["request"]["body"]
        assert value["request"]["url"].endswith("/api/v3/order")


def test_an_endpoint_that_the_profile_does_not_have_is_refused() -> None:
    refused = run_command("example", "get_depth_v3", "--profile", "spec")
    assert refused.exit_code == 2
    assert refused.output == "mockrelay: --profile spec: it does not have 'get_depth_v3'; meant: --profile live\n"


def test_an_unknown_endpoint_is_refused_with_the_nearest() -> None:
    refused = run_command("example", "get_tiker")
    assert refused.exit_code == 2
    assert refused.output == "mockrelay: 'get_tiker' is not an endpoint; meant: 'get_ticker'\n"


def test_the_client_for_javascript_is_printed_or_written_with_its_types(tmp_path: Path) -> None:
    module, types = javascript_client().values()
    assert run_command("client", "js").output == module
    for name, types_name in (("relayer.mjs", "relayer.d.mts"), ("relayer.js", "relayer.d.ts")):
        assert run_command("client", "js", "--output", str(tmp_path / name)).output == ""
        assert (tmp_path / name).read_text(encoding="utf-8") == module
        assert (tmp_path / types_name).read_text(encoding="utf-8") == types


def test_a_client_under_a_name_without_types_is_refused(tmp_path: Path) -> None:
    refused = run_command("client", "js", "--output", str(tmp_path / "relayer.ts"))
    assert refused.exit_code == 2
    assert refused.output.endswith(
        "relayer.ts: TypeScript would not find the types of such a name; meant: .mjs or .js\n"
    )
