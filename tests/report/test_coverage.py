"""What is counted as met of the spec, call by call and between calls; expected values are the spec's, by hand."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from mockrelay.control import handle_control
from mockrelay.relay import Relay
from mockrelay.replay import load_into
from mockrelay.report.coverage import UNLISTED_CODES_MAX, Coverage
from mockrelay.report.coverage_items import ItemKind, items
from mockrelay.report.coverage_text import FORMS
from mockrelay.report.coverage_views import coverage_from_view, coverage_view
from mockrelay.wire.http import RawRequest
from tests.conformance.transcript import NFT_SPECIFIC, PAIRS, ROWS
from tests.support.calls import call, order, valid_request
from tests.support.client import advance, control, done
from tests.support.worlds import relay_from, world


def met(relay: Relay, kind: ItemKind) -> set[str]:
    """The names of what the relay's client has met, as the control API tells them."""
    names = done(relay, "GET", "coverage")["kinds"][kind]["met"]
    assert len(names) == len(set(names))
    return set(names)


def test_what_there_is_to_meet_is_what_the_spec_has() -> None:
    """29 endpoints, 86 listed pairs, 21 limits."""
    named = {kind: set(of_kind) for kind, of_kind in items().items()}
    assert named[ItemKind.ENDPOINTS] == named[ItemKind.SUCCESSES] == {row.name for row in ROWS}
    assert named[ItemKind.PAIRS] == {f"{name} {code}" for name, code in PAIRS}
    assert named[ItemKind.LIMITS] == {row.name for row in ROWS if row.limit is not None}
    assert [len(named[kind]) for kind in (ItemKind.ENDPOINTS, ItemKind.PAIRS, ItemKind.LIMITS)] == [29, 86, 21]


def test_the_fields_to_send() -> None:
    """The spec's optional fields of each call, and words of lists that have more than one; of the NFT calls those that
    the action does not need.
    """
    fields = [item.group for item in items()[ItemKind.FIELDS].values()]
    assert {of: fields.count(of) for of in fields} == {
        "update_account": 4,
        "get_depth": 1,
        # Ten intervals, start, end, limit.
        "get_candlestick": 10 + 3,
        # allOrNone, clientOrderId, channelId; two words of buy, three of orderType.
        "submit_order": 3 + 2 + 3,
        # market, start, end, fromHash, limit, offset; two sides, six words of the filter.
        "get_orders": 6 + 2 + 6,
        "submit_transfer": 1,
        "submit_withdrawal": 6,
        "get_block": 1,
        "compute_token_address": 1,
        # accountId, tokenAddress; four request types.
        "get_nft_fee": 2 + 4,
        "mint_nft": 6,
        "transfer_nft": 2,
        "withdraw_nft": 2,
        "deploy_nft_contract": 1,
    }


def test_the_moves_to_see() -> None:
    """Ten of orders; four of each of the three kinds of request that are `received` first, two of the four kinds of NFT
    requests, which are `processing` from the start; two of blocks.
    """
    moves = [item.group for item in items()[ItemKind.TRANSITIONS].values()]
    assert {of: moves.count(of) for of in moves} == {
        "order": 10,
        **dict.fromkeys(("transfer", "withdrawal", "account_update"), 4),
        **dict.fromkeys(("nft_mint", "nft_transfer", "nft_withdrawal", "nft_deploy"), 2),
        "block": 2,
    }


def test_before_the_first_call_nothing_is_met() -> None:
    result = done(relay_from(), "GET", "coverage")
    assert result["total"]["met"] == 0
    assert result["total"]["share"] == 0
    assert all(not of_kind["met"] and len(of_kind["missing"]) == of_kind["of"] for of_kind in result["kinds"].values())


def test_a_success_is_the_endpoint_and_its_success(relay: Relay) -> None:
    call(relay, valid_request("get_depth"))
    assert met(relay, ItemKind.ENDPOINTS) == met(relay, ItemKind.SUCCESSES) == {"get_depth"}
    assert met(relay, ItemKind.PAIRS) == set()


def test_a_refusal_is_a_pair_and_no_success(relay: Relay) -> None:
    call(relay, order(amountS="0"))
    assert met(relay, ItemKind.ENDPOINTS) == {"submit_order"}
    assert met(relay, ItemKind.PAIRS) == {"submit_order 102012"}
    assert met(relay, ItemKind.SUCCESSES) == set()


def test_a_code_that_is_not_listed_for_its_endpoint_is_told_apart(relay: Relay) -> None:
    """104001 is listed for four endpoints, get_tokens is none of them; 777777 is listed for none."""
    call(relay, valid_request("get_tokens")._replace(key=None))
    done(relay, "POST", "faults", {"on": "get_ticker", "code": 777777})
    call(relay, valid_request("get_ticker"))
    assert met(relay, ItemKind.PAIRS) == set()
    assert met(relay, ItemKind.ENDPOINTS) == {"get_tokens", "get_ticker"}
    assert done(relay, "GET", "coverage")["outside"]["pairs"] == ["get_ticker 777777", "get_tokens 104001"]


def test_a_scripted_code_is_met_like_any_other(relay: Relay) -> None:
    done(relay, "POST", "faults", {"on": "submit_order", "code": 102014})
    call(relay, order())
    assert met(relay, ItemKind.PAIRS) == {"submit_order 102014"}


def test_a_call_that_reaches_no_endpoint_meets_nothing(relay: Relay) -> None:
    call(relay, valid_request("get_depth"))
    before = done(relay, "GET", "coverage")
    control(relay, "GET", "health")
    assert done(relay, "GET", "coverage") == before


def test_a_limit_is_reached_by_the_call_that_it_refuses() -> None:
    """get_tokens: three in a second."""
    relay = relay_from(limits="spec")
    for _ in range(3):
        call(relay, valid_request("get_tokens"))
    assert met(relay, ItemKind.LIMITS) == set()
    call(relay, valid_request("get_tokens"))
    assert met(relay, ItemKind.LIMITS) == {"get_tokens"}
    assert met(relay, ItemKind.PAIRS) == {"get_tokens 100000"}


def test_a_limit_that_the_spec_does_not_show_is_told_apart() -> None:
    relay = relay_from(limits="spec", choices={"rate.unlisted": "5"})
    for _ in range(6):
        call(relay, valid_request("get_broker"))
    assert "get_broker" in NFT_SPECIFIC
    assert met(relay, ItemKind.LIMITS) == set()
    assert done(relay, "GET", "coverage")["outside"]["limits"] == ["get_broker"]


def test_a_refusal_for_another_reason_is_no_limit() -> None:
    relay = relay_from(limits="spec")
    done(relay, "POST", "faults", {"on": "get_tokens", "code": 100000, "at": "before"})
    call(relay, valid_request("get_tokens"))
    call(relay, valid_request("get_tokens")._replace(key=None))
    assert met(relay, ItemKind.LIMITS) == set()


def test_an_option_is_met_where_it_holds_when_it_is_consulted() -> None:
    relay = relay_from(choices={"http.error_status": "400"})
    call(relay, valid_request("get_tokens"))
    assert not {name for name in met(relay, ItemKind.OPTIONS) if name.startswith("http.error_status")}
    call(relay, order(amountS="0"))
    assert "http.error_status=400" in met(relay, ItemKind.OPTIONS)
    done(relay, "PUT", "choices", {"http.error_status": "200"})
    assert "http.error_status=200" not in met(relay, ItemKind.OPTIONS)
    call(relay, order(amountS="0"))
    assert {"http.error_status=400", "http.error_status=200"} <= met(relay, ItemKind.OPTIONS)


def test_a_field_is_sent_also_where_it_says_what_its_default_is(relay: Relay) -> None:
    """`limit` is 50 unless it is given."""
    request = valid_request("get_orders")
    call(relay, request)
    assert met(relay, ItemKind.FIELDS) == set()
    call(relay, request.but(limit=50))
    assert met(relay, ItemKind.FIELDS) == {"get_orders limit"}
    call(relay, request.but(offset=50))
    assert met(relay, ItemKind.FIELDS) == {"get_orders limit", "get_orders offset"}


def test_words_of_closed_lists_are_counted_each(relay: Relay) -> None:
    """Also several of them with commas between; one that is in no list counts for nothing."""
    for fields in ({"side": "BUY"}, {"status": "waiting,expired"}, {"status": "lost"}, {"side": "BOTH"}):
        call(relay, valid_request("get_orders").but(**fields))
    assert met(relay, ItemKind.FIELDS) == {
        *("get_orders side=BUY", "get_orders status=waiting", "get_orders status=expired"),
    }
    call(relay, order(orderType="MAKER_ONLY", buy="true", channelId="bot"))
    assert {name for name in met(relay, ItemKind.FIELDS) if name.startswith("submit_order")} >= {
        *("submit_order orderType=MAKER_ONLY", "submit_order buy=true", "submit_order channelId"),
    }


def test_fields_of_the_wrong_kind_and_strange_ones_count_for_nothing(relay: Relay) -> None:
    call(relay, order(buy=True, orderType=["MAKER_ONLY"], horoscope="pisces"))
    assert {name for name in met(relay, ItemKind.FIELDS) if "buy" in name or "Type" in name or "horo" in name} == set()


def test_moves_inside_a_call_are_seen(relay: Relay) -> None:
    """A transfer is `received`, at the next call `processing`, and then `processed`."""
    assert call(relay, valid_request("submit_transfer")).code == 0
    for _ in range(2):
        call(relay, valid_request("get_pending_requests"))
    assert met(relay, ItemKind.TRANSITIONS) == {"transfer: received -> processing", "transfer: processing -> processed"}


def test_moves_by_the_clock_alone_are_seen(relay: Relay) -> None:
    """Ten seconds seal the block, thirty more confirm it, and 120 more make it final; no call comes after the first."""
    call(relay, valid_request("submit_transfer"))
    for seconds in (10, 30):
        advance(relay, f"{seconds}s")
    assert {name for name in met(relay, ItemKind.TRANSITIONS) if name.startswith("block")} == {
        "block: pending -> confirmed"
    }
    relay.advance(120_000)
    assert "block: confirmed -> finalized" in met(relay, ItemKind.TRANSITIONS)


def test_moves_by_hand_are_seen() -> None:
    relay = world()
    call(relay, valid_request("submit_withdrawal"))
    done(relay, "POST", "blocks/seal", {"count": 1})
    done(relay, "POST", "blocks/finalize", {})
    order_hash = call(relay, order()).data["orderHash"]
    done(relay, "POST", f"orders/{order_hash}/cancel", {})
    advance(relay, "1s")
    assert met(relay, ItemKind.TRANSITIONS) >= {
        "withdrawal: received -> processing",
        "withdrawal: processing -> processed",
        "block: pending -> confirmed",
        "block: confirmed -> finalized",
        "order: processing -> cancelling",
        "order: cancelling -> cancelled",
    }


def test_what_comes_due_before_an_act_that_is_refused_is_seen(relay: Relay) -> None:
    call(relay, valid_request("submit_transfer"))
    assert control(relay, "POST", f"orders/0x{0:064x}/cancel", {}).status == 404
    assert "transfer: received -> processing" in met(relay, ItemKind.TRANSITIONS)


def test_it_outlives_resets_snapshots_and_the_journal(relay: Relay) -> None:
    done(relay, "POST", "snapshots", {"name": "empty"})
    call(relay, valid_request("get_depth"))
    before = done(relay, "GET", "coverage")
    done(relay, "POST", "snapshots/empty/restore", {})
    done(relay, "DELETE", "requests")
    done(relay, "POST", "reset", {})
    assert done(relay, "GET", "coverage") == before


def test_the_history_of_a_scenario_and_a_loaded_record_are_no_clients(relay: Relay) -> None:
    call(relay, valid_request("get_depth"))
    other = relay_from()
    load_into(other, relay.dump())
    assert coverage_view(other.report.coverage)["total"]["met"] == 0
    assert coverage_view(relay_from("busy_market").report.coverage)["total"]["met"] == 0


def test_merged_is_what_either_has_met() -> None:
    one, other = relay_from(), relay_from(limits="spec")
    call(one, order(amountS="0"))
    for _ in range(4):
        call(other, valid_request("get_tokens"))
    both = Coverage()
    both.merge(one.report.coverage)
    both.merge(other.report.coverage)
    names = {kind: set(of_kind["met"]) for kind, of_kind in coverage_view(both)["kinds"].items()}
    assert names == {kind: met(one, kind) | met(other, kind) for kind in ItemKind}


def test_a_view_is_read_back_as_it_was() -> None:
    """Also by way of JSON, with what is told apart."""
    relay = relay_from(limits="spec", choices={"rate.unlisted": "5"})
    done(relay, "POST", "faults", {"on": "get_ticker", "code": 777777})
    for request in (
        valid_request("get_ticker"),
        order(amountS="0"),
        *[valid_request("get_broker")] * 6,
        valid_request("submit_transfer"),
    ):
        call(relay, request)
    advance(relay, "60s")
    view = coverage_view(relay.report.coverage)
    assert coverage_view(coverage_from_view(json.loads(json.dumps(view)))) == view


def test_names_of_another_version_are_passed_over() -> None:
    view: dict[str, Any] = coverage_view(Coverage())
    view["kinds"]["endpoints"]["met"] = ["get_horoscope", "get_tokens"]
    view["outside"]["pairs"] = ["get_horoscope 1", "get_tokens x", "get_tokens 7"]
    read = coverage_view(coverage_from_view(view))
    assert read["kinds"]["endpoints"]["met"] == ["get_tokens"]
    assert read["outside"]["pairs"] == ["get_tokens 7"]


@pytest.mark.parametrize("value", [None, [], {}, {"format": 2}, {"format": 1, "kinds": {"endpoints": []}}])
def test_what_is_no_view_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="GET coverage"):
        coverage_from_view(value)


def test_it_is_bounded_whatever_codes_are_scripted() -> None:
    coverage = Coverage()
    for code in range(1_000_000, 1_000_000 + 2 * UNLISTED_CODES_MAX):
        coverage.add_answer("get_tokens", code)
    assert len(coverage.unlisted_codes) == UNLISTED_CODES_MAX
    assert coverage.answers == {("get_tokens", None)}


def test_long_requests_are_not_kept_until_they_are_counted(relay: Relay) -> None:
    headers = {"content-type": "application/json"}
    body = b'{"memo": "' + b"x" * 100_000 + b'"}'
    raw = RawRequest("POST", "/api/v3/order", "/api/v3/order", (), headers, body, "http", "localhost", "127.0.0.1")
    relay.handle(raw, relay.now_ms())
    relay.forget_requests()
    # This name, and the argument of `getrefcount`.
    assert sys.getrefcount(raw) == 2


def test_a_share_is_rounded_down(relay: Relay) -> None:
    """Two of 29 are 6.896 per cent; what is not whole is never 100."""
    for name in ("get_depth", "get_tokens"):
        call(relay, valid_request(name))
    assert done(relay, "GET", "coverage")["kinds"]["endpoints"]["share"] == 6.8


def test_the_control_api_tells_it_in_each_form(relay: Relay) -> None:
    call(relay, valid_request("get_depth"))
    result = {}
    for form in FORMS:
        response = handle_control(relay, "GET", "coverage", (("format", form),), b"")
        result[form] = (dict(response.headers)["Content-Type"].partition(";")[0], response.body.decode())
    assert json.loads(result["json"][1]) == done(relay, "GET", "coverage")
    assert [media for media, _ in result.values()] == [
        "text/plain",
        "text/plain",
        "application/json",
        "application/xml",
    ]
    assert result["text-missing"][1].startswith(result["text"][1])
    assert result["junit"][1].startswith("<?xml")
    assert handle_control(relay, "GET", "coverage", (("format", "sarif"),), b"").status == 400


def test_a_copy_does_not_go_on(relay: Relay) -> None:
    before = relay.coverage()
    call(relay, valid_request("get_orders").but(offset=50))
    assert coverage_view(before)["total"]["met"] == 0
    after = relay.coverage()
    call(relay, valid_request("get_orders").but(side="BUY"))
    assert coverage_view(after)["kinds"]["fields"]["met"] == ["get_orders offset"]
