"""Which tests show which row of the trouble list: troubles that people who do this job have met elsewhere.

Each row stands for a kind of mistake. A row's tests are in its own file here, in the room whose rules prevent it, or in
both. Where a file is named without a test, all of it is about the row.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

import pytest

TESTS = Path(__file__).parent.parent


class Row(NamedTuple):
    """A kind of trouble, and what shows that it does not happen here."""

    kind: str
    shown_by: tuple[str, ...]


ROWS: dict[int | str, Row] = {
    1: Row(
        "an order that is taken but not settled is read as failed",
        ("flows/test_unsettled_orders.py", "trouble/test_orders_in_all_views.py"),
    ),
    3: Row(
        "views of an order disagree, and its end is not final",
        ("flows/test_statuses_agree.py", "trouble/test_orders_in_all_views.py"),
    ),
    4: Row(
        "order ids that are skipped or used twice",
        (
            "flows/test_order_ids.py",
            "conformance/test_orders_told.py::test_order_id_is_a_string_of_its_own_sequence",
            "trouble/test_orders_in_all_views.py::test_asking_for_an_id_can_reserve_it_by_choice",
        ),
    ),
    6: Row("hex of a fixed width handled as a number", ("conformance/test_nft_ids_and_quotes.py",)),
    7: Row(
        "a quote that drifts in the middle of a flow",
        (
            "conformance/test_nft_ids_and_quotes.py",
            "flows/test_nft_flows.py::test_a_fee_that_drifts_between_quote_and_mint_refuses_the_mint_and_takes_nothing",
        ),
    ),
    9: Row("credentials that are stale", ("conformance/test_key_rotation.py", "flows/test_key_flows.py")),
    10: Row("rate limits, on both sides", ("trouble/test_rate_limits.py", "conformance/test_limits.py")),
    11: Row(
        "errors signalled in more than one way", ("conformance/test_error_signalling.py", "conformance/test_socket.py")
    ),
    12: Row("large integers that lose digits", ("conformance/test_big_numbers.py",)),
    13: Row("units of time, and expiry", ("conformance/test_times.py", "flows/test_validity.py")),
    15: Row(
        "money frozen too long, too late or twice",
        ("flows/test_frozen_money.py", "trouble/test_orders_in_all_views.py"),
    ),
    16: Row(
        "what comes later taken for what failed",
        (
            "conformance/test_deployment.py",
            "flows/test_nft_flows.py::test_a_deployment_takes_15_s_of_the_relayers_clock_and_no_real_time",
        ),
    ),
    18: Row(
        "ports that are looked for and lost, and tests in parallel",
        (
            "trouble/test_ports.py",
            "plugin/test_xdist.py::test_two_hundred_tests_in_eight_workers",
            "plugin/test_loops.py::test_fifty_servers_in_one_process",
            "web/test_serving.py::test_fifty_servers_in_one_process_have_ports_and_relays_of_their_own",
            "test_cli.py::test_a_busy_port_is_exit_code_3_and_one_line",
        ),
    ),
    19: Row(
        "what one test leaves is seen by the next",
        (
            "trouble/test_fresh_worlds.py",
            "plugin/test_isolation.py",
            "plugin/test_hypothesis.py",
            "web/test_hosted_apart.py",
            "properties/test_determinism.py",
        ),
    ),
    20: Row("a fixture bound to an event loop that is closed", ("plugin/test_loops.py",)),
    21: Row(
        "changes that are not atomic",
        (
            "trouble/test_all_at_once.py",
            "flows/test_frozen_money.py::test_many_orders_at_once_freeze_no_more_than_there_is",
            "web/test_hosted.py::test_threads_that_ask_first_at_the_same_moment_get_the_same_world",
        ),
    ),
    23: Row(
        "a snapshot that leaves something out",
        ("trouble/test_snapshots_whole.py", "relay/test_snapshots.py", "properties/test_clone.py"),
    ),
    25: Row(
        "hostile input that becomes a server error",
        (
            "conformance/test_hostile_input.py",
            "conformance/test_socket.py",
            "openapi/test_schemathesis.py",
            "hostile/test_calls.py",
            "hostile/test_control.py",
            "hostile/test_scenarios.py",
            "hostile/test_records.py",
            "hostile/test_bytes.py",
            "hostile/test_sockets.py",
        ),
    ),
    27: Row(
        "an end that waits for its connections, or breaks them",
        (
            "trouble/test_shut_down.py",
            "web/test_serving.py::test_stop_ends_idle_half_sent_and_running_requests_in_half_a_second",
            "web/test_serving.py::test_the_port_is_free_at_once_and_the_same_client_pool_goes_on",
            "test_cli.py::test_a_second_signal_changes_nothing",
            "plugin/test_isolation.py::test_a_test_ends_whatever_its_connections_wait_for",
        ),
    ),
    30: Row(
        "a double that lets pass what the real one refuses",
        (
            "conformance/test_faithful.py",
            "conformance/test_faithful_requests.py",
            "conformance/test_pairs.py",
            "conformance/test_shapes.py",
        ),
    ),
    "no value": Row("markets without trades crash a parser", ("trouble/test_quiet_markets.py",)),
    "pages": Row(
        "only the first page is ever seen",
        (
            "trouble/test_paging.py",
            "conformance/test_orders_told.py::test_orders_are_listed_newest_first_page_by_page",
        ),
    ),
    "letter case": Row("an address is not found for its letter case", ("trouble/test_letter_case.py",)),
    "edges": Row(
        "prices rounded away, and the edges of amounts",
        (
            "trouble/test_amount_edges.py",
            "conformance/test_money.py::test_digits_below_precision_only_decide_what_is_zero",
        ),
    ),
    "what is signed": Row("signed in one scale, sent in another", ("trouble/test_as_it_was_sent.py",)),
    "bans": Row(
        "a limit that escalates, told in HTML",
        (
            "trouble/test_rate_limits.py::test_a_client_that_does_not_slow_down_stays_refused_for_a_minute",
            "trouble/test_rate_limits.py::test_a_ban_is_seen_over_the_socket_in_the_profile_that_is_set",
            "relay/test_relay.py::test_a_ban_holds_on_calls_that_have_no_limit_of_their_own",
        ),
    ),
    "other doubles": Row(
        "flaky servers, wrong limits of integers, one session at a time",
        (
            "trouble/test_numbers_and_sessions.py",
            "web/test_serving.py::test_many_clients_at_once_each_get_their_answer",
            "web/test_hosted_apart.py",
        ),
    ),
}


@pytest.mark.parametrize("name", ROWS, ids=str)
def test_what_shows_a_row_is_there(name: int | str) -> None:
    for place in ROWS[name].shown_by:
        file, _, test = place.partition("::")
        tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
        names = {
            node.name
            for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_")
        }
        assert names, file
        assert not test or test in names, place


def test_every_file_here_shows_a_row() -> None:
    shown = {place.partition("::")[0] for row in ROWS.values() for place in row.shown_by}
    here = {f"trouble/{file.name}" for file in Path(__file__).parent.glob("test_*.py")} - {
        f"trouble/{Path(__file__).name}"
    }
    assert here <= shown
