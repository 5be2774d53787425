"""The handle: each sentence does what it says, and a wrong one is told what was meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mockrelay.relay import REQUEST_ID_HEADER, Relay
from mockrelay.relay.commands import MoveClock
from mockrelay.testing import Balance, ControlError, RelayerHandle
from mockrelay.testing.record import recorded
from mockrelay.web import serve
from tests.support.answer import Answer as ApiAnswer
from tests.support.bodies import ECDSA_SIGNATURE, bodies_of
from tests.support.client import get, post
from tests.support.worlds import relay_from

START_MS = 1_893_456_000_000  # 2030-01-01T00:00:00Z
LRC = 10**18
NO_HASH = "0x" + "00" * 32


def submit(relayer: RelayerHandle) -> ApiAnswer:
    """Alice sells 100 LRC for 0.05 ETH."""
    return post(relayer.relay, "/api/v3/order", bodies_of(relayer.relay).order())


@pytest.fixture
def relayer() -> RelayerHandle:
    relay = Relay.from_scenario("default", clock="frozen", limits="off")
    relay.execute(MoveClock(set_ms=START_MS))
    return RelayerHandle.of(relay, "http://there")


def test_the_clock_is_read_and_moved(relayer: RelayerHandle) -> None:
    clock = relayer.clock
    assert (clock.now_ms, clock.now_s, clock.rate) == (START_MS, START_MS // 1000, 0)
    assert clock.now == datetime(2030, 1, 1, tzinfo=UTC)
    clock.advance("15s")
    clock.advance(timedelta(minutes=1))
    assert clock.now_ms == START_MS + 75_000
    clock.set("2030-01-02T00:00:00Z")
    assert clock.now == datetime(2030, 1, 2, tzinfo=UTC)
    clock.set(datetime(2030, 1, 2, 0, 0, 0, 5000, tzinfo=UTC))
    assert clock.now_ms == START_MS + 86_400_005
    clock.rate = 60
    assert clock.rate == 60


def test_a_wrong_time_is_told(relayer: RelayerHandle) -> None:
    with pytest.raises(ControlError, match="advance: found '15 seconds'; meant: a duration such as 15s"):
        relayer.clock.advance("15 seconds")
    with pytest.raises(ControlError, match="time cannot go backwards"):
        relayer.clock.set("2029-01-01T00:00:00Z")
    for number in (1_924_992_000, 1_924_992_000_000):
        with pytest.raises(ControlError, match=r'meant: a date and time with Z: "2031-01-01T00:00:00Z"'):
            relayer.clock.set(number)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ValueError, match="has no time zone; meant: a datetime with one"):
        relayer.clock.set(datetime(2031, 1, 1))  # noqa: DTZ001 - what is refused
    assert relayer.clock.now_ms == START_MS


def test_an_account_is_found_by_name_and_id(relayer: RelayerHandle) -> None:
    alice = relayer.account("alice")
    assert (alice.id, alice.name) == (10001, "alice")
    assert [account.id for account in relayer.accounts] == [10001, 10002, 10003]
    assert relayer.account(10001).owner == alice.owner
    assert alice.headers == {"X-API-KEY": alice.api_key}
    assert alice.balances["LRC"] == Balance(20_000_000 * LRC, 0, 0)
    alice.deposit("LRC", 5).deposit(0, "7")
    assert alice.balances["LRC"].free == 20_000_000 * LRC + 5
    assert alice.freeze().is_frozen
    assert not alice.freeze(False).is_frozen
    assert alice.keys(api_key="another").headers == {"X-API-KEY": "another"}


def test_keys_take_the_control_apis_names_for_one_release(relayer: RelayerHandle) -> None:
    old: Any = {"apiKey": "old"}
    assert relayer.account("alice").keys(**old).headers == {"X-API-KEY": "old"}
    wrong: Any = {"api_kye": "another"}
    with pytest.raises(TypeError, match="keys has no argument 'api_kye'; meant: 'api_key'"):
        relayer.account("alice").keys(**wrong)
    text = "format: 1\nname: mine\nextends: default\n"
    for name in ("scenario_text", "scenarioText"):
        relayer.reset(**{name: text})
        assert relayer.scenario == "mine"
        relayer.reset()
        assert relayer.scenario == "default"


def test_a_balance_is_set_beside_what_is_frozen(relayer: RelayerHandle) -> None:
    """No transaction brings it, and no money of the other accounts goes."""
    alice = relayer.account("alice")
    submit(relayer)
    assert alice.set_balance("LRC", 5).set_balance(0, "7") is alice
    assert alice.balances["LRC"] == Balance(5, 100 * LRC, 0)
    assert alice.balances["ETH"] == Balance(7, 0, 0)
    assert relayer.seal_block() is None
    relayer.orders[0].cancel()
    assert alice.balances["LRC"] == Balance(100 * LRC + 5, 0, 0)
    alice.set_balance("LRC", 100 * LRC - 1)
    order = bodies_of(relayer.relay).order(order_id=1)
    assert post(relayer.relay, "/api/v3/order", order).json["resultInfo"]["code"] == 102011
    world = relayer.relay.world
    for token_id in world.config.tokens:
        held = sum(sum(own) for (_, of), own in world.ledger.balances.items() if of == token_id)
        assert held + world.ledger.fees_wei.get(token_id, 0) == world.ledger.deposited_wei[token_id]


def test_an_unknown_account_is_told(relayer: RelayerHandle) -> None:
    with pytest.raises(ControlError, match=r"'alise'.*alice"):
        relayer.account("alise")
    for nothing in ("", "a/b"):
        with pytest.raises(ControlError, match="names no account"):
            relayer.account(nothing)
    with pytest.raises(TypeError, match="not an amount; meant: a whole number of the smallest unit"):
        relayer.account("alice").deposit("LRC", 1.5)  # type: ignore[arg-type]


def test_a_refusal_is_shown_where_the_test_asked_for_it(relayer: RelayerHandle) -> None:
    """Every frame of ours asks pytest to leave it out."""
    with pytest.raises(ControlError) as caught:
        relayer.account("alise")
    assert [entry.path for entry in caught.traceback.filter(caught)] == [Path(__file__)]


def test_a_failure_of_ours_is_shown_whole(relayer: RelayerHandle, monkeypatch: pytest.MonkeyPatch) -> None:
    # Not until the end of the test, when the plugin asks the relayers of the session, which other tests may have made.
    with monkeypatch.context() as patch:
        patch.setattr("mockrelay.testing.control.handle_control", None)
        with pytest.raises(TypeError) as caught:
            relayer.account("alice")
    assert len(caught.traceback.filter(caught)) > 1


def test_an_account_is_found_by_its_owner(relayer: RelayerHandle) -> None:
    alice = relayer.account("alice")
    assert relayer.account(alice.owner).id == alice.id


def test_no_word_of_a_refusal_comes_twice(relayer: RelayerHandle) -> None:
    with pytest.raises(ControlError) as caught:
        relayer.fault("get_dpth", code=1)
    assert str(caught.value) == "on: found 'get_dpth'; meant: 'get_depth'"


def test_a_wrong_address_is_told() -> None:
    with pytest.raises(ValueError, match=r"'localhost:4627' is not the address of a server; meant: http://HOST:PORT"):
        RelayerHandle.at("localhost:4627")


def test_an_order_is_filled_and_cancelled(relayer: RelayerHandle) -> None:
    order = relayer.order(submit(relayer).data["orderHash"])
    assert order.status == "processing"
    assert order.fill("1000").fill(500).filled_size == 1500
    assert relayer.account("alice").balances["LRC"].frozen > 0
    order.cancel()
    relayer.clock.advance("1ms")
    assert order.status == "cancelled"
    assert [each.hash for each in relayer.orders] == [order.hash]
    with pytest.raises(ControlError, match="cancelled"):
        order.fill(1)


def test_a_held_order_is_released(relayer: RelayerHandle) -> None:
    relayer.fault("submit_order", hold="UNKNOWN")
    order = relayer.order(submit(relayer).data["orderHash"])
    assert order.status == "waiting"
    assert order.release().status == "processing"
    with pytest.raises(ControlError, match="active, failed"):
        order.release("done")


def test_an_unknown_order_is_told(relayer: RelayerHandle) -> None:
    """Where it is asked for, not where it is used."""
    with pytest.raises(ControlError, match=r"there is no order 0x1 .*one of 0 orders"):
        relayer.order("0x1")


def test_an_unknown_balance_names_those_that_there_are(relayer: RelayerHandle) -> None:
    balances = relayer.account("alice").balances
    with pytest.raises(KeyError, match=r"there is no balance of 'LRX'; the account has ETH, LRC"):
        balances["LRX"]
    assert balances.get("LRX") is None


def test_what_is_printed_says_how_it_stands(relayer: RelayerHandle) -> None:
    """Looked at when it is printed; what has ended is told by its name alone."""
    order = relayer.order(submit(relayer).data["orderHash"])
    order.fill(1500)
    assert repr(order) == f"<order {order.hash} processing, 1500 of {order.view.size} filled>"
    fault = relayer.fault("get_tokens", status=503, times=2)
    assert repr(fault) == "<fault f1 on get_tokens, fired 0 of 2 times>"
    get(relayer.relay, "/api/v2/exchange/tokens")
    assert repr(fault) == "<fault f1 on get_tokens, fired 1 of 2 times>"
    fault.remove()
    assert repr(fault) == "<fault f1>"
    relayer.end()
    assert repr(order) == f"<order {order.hash}>"


def test_a_fault_is_armed_looked_at_and_removed(relayer: RelayerHandle) -> None:
    fault = relayer.fault("submit_order", code=102014, when={"accountId": 10001}, times=2, name="lag")
    assert fault.fired == 0
    assert submit(relayer).code == 102014
    assert (fault.fired, fault.view.name) == (1, "lag")
    assert [each.id for each in relayer.faults] == [fault.id]
    fault.remove()
    assert relayer.faults == []
    assert submit(relayer).code == 0


def test_a_wrong_fault_is_told(relayer: RelayerHandle) -> None:
    with pytest.raises(ControlError, match="submit_order"):
        relayer.fault("submit_ordr", code=102014)
    with pytest.raises(ControlError, match=r"'coed'.*meant: code"):
        relayer.fault("submit_order", coed=102014)  # type: ignore[call-arg]


def test_choices_hold_until_they_are_put_back(relayer: RelayerHandle) -> None:
    def held() -> tuple[str, str]:
        choices = relayer.state().choices
        return choices["http.error_status"], choices["fee.charged"]

    outer = relayer.choices({"http.error_status": "200"})
    assert held() == ("200", "quote")
    with relayer.choices({"http.error_status": "400", "fee.charged": "max_fee"}):
        assert held() == ("400", "max_fee")
    assert held() == ("200", "quote")
    with pytest.raises(KeyError), relayer.choices({"fee.charged": "max_fee"}):
        raise KeyError
    assert held() == ("200", "quote")
    outer.undo()
    assert held() == ("split", "quote")
    with pytest.raises(ControlError, match=r"http\.error_status"):
        relayer.choices({"http.eror_status": "400"})


def test_a_snapshot_is_come_back_to_by_its_name(relayer: RelayerHandle) -> None:
    """Any number of times, also over a reset; `snapshot` of a name that is there takes none."""
    relayer.account("alice").deposit("LRC", 1)
    relayer.snapshot("funded")
    relayer.account("alice").deposit("LRC", 1)
    relayer.clock.advance("1d")
    relayer.snapshot("funded").restore()
    assert relayer.clock.now_ms == START_MS
    assert relayer.account("alice").balances["LRC"].free == 20_000_000 * LRC + 1
    relayer.reset()
    relayer.restore("funded")
    assert relayer.account("alice").balances["LRC"].free == 20_000_000 * LRC + 1
    relayer.account("alice").deposit("LRC", 1)
    again = relayer.snapshot("funded").take()
    relayer.reset()
    again.restore()
    assert relayer.account("alice").balances["LRC"].free == 20_000_000 * LRC + 2
    again.delete()
    for gone in (again.restore, again.delete, lambda: relayer.restore("funded")):
        with pytest.raises(ControlError, match="funded"):
            gone()


def test_assertions_count_calls_and_compare_fields(relayer: RelayerHandle) -> None:
    submit(relayer)
    get(relayer.relay, "/api/v2/orders", accountId="10001")
    relayer.assert_called("submit_order")
    relayer.assert_called("submit_order", times=1, body={"orderId": 0, "accountId": 10001}, code=0)
    relayer.assert_called("get_orders", at_least=1, at_most=2, query={"accountId": 10001})
    relayer.assert_not_called("submit_order", body={"orderId": 1})
    relayer.assert_not_called("get_depth")
    relayer.assert_sequence("submit_order", "get_orders")


@pytest.mark.parametrize(
    ("assertion", "text"),
    [
        (lambda r: r.assert_called("submit_order", body={"orderId": 3}), "orderId: wanted 3, found 0"),
        (lambda r: r.assert_called("submit_order", times=2), "2 times expected"),
        (lambda r: r.assert_called("get_depth"), r"calls that were made: submit_order \(1\)"),
        (lambda r: r.assert_not_called("submit_order"), "no call expected"),
        (lambda r: r.assert_sequence("get_orders", "submit_order"), "get_orders was not called"),
    ],
)
def test_a_failed_assertion_shows_the_nearest_calls(relayer: RelayerHandle, assertion: Any, text: str) -> None:
    submit(relayer)
    with pytest.raises(AssertionError, match=text):
        assertion(relayer)


def test_an_assertion_about_no_endpoint_is_a_mistake_not_a_failure(relayer: RelayerHandle) -> None:
    """So it cannot pass as `assert_not_called`."""
    with pytest.raises(ControlError, match=r"'submit_oder' is not an endpoint.*submit_order"):
        relayer.assert_not_called("submit_oder")


def test_the_journal_has_every_call(relayer: RelayerHandle) -> None:
    submit(relayer)
    get(relayer.relay, "/api/v2/orders", accountId="10002")
    requests = relayer.requests
    assert (requests.total, requests.dropped, len(requests)) == (2, 0, 2)
    assert requests.counts == {"submit_order": {"0": 1}, "get_orders": {"104003": 1}}
    assert requests[0].endpoint == "submit_order"
    assert requests[0]["body"]["orderId"] == 0
    assert [entry.code for entry in requests[-2:]] == [0, 104003]
    assert "submit_order) -> 200 code 0" in repr(requests)
    relayer.forget_requests()
    assert relayer.requests.total == 0
    with pytest.raises(AttributeError, match="'endpint'; meant: 'endpoint'"):
        _ = requests[0].endpint


def test_names_are_in_snake_case_but_in_what_was_sent(relayer: RelayerHandle) -> None:
    """Nor are the symbols of tokens other than they are. The control API's spelling works for one release."""
    amounts = {"minOrderAmount": "1", "maxOrderAmount": "9", "dustOrderAmount": "1"}
    relayer.reset(
        scenario={"extends": "default", "tokens": [{"symbol": "stETH", "tokenId": 9, "decimals": 18, **amounts}]}
    )
    relayer.account("alice").deposit("stETH", 5)
    relayer.fault("get_orders", code=104003, when={"accountId": 10001})
    submit(relayer)
    get(relayer.relay, "/api/v2/orders", accountId="10002")
    relayer.layer1(balances={relayer.account("alice").owner: {"stETH": 6}})
    (order,), (fault,), entry = relayer.orders, relayer.faults, relayer.requests[0]
    views = [order.view, fault.view, entry, relayer.why("r2"), relayer.account("alice").view, relayer.state()]
    names = {name for view in views for name in _names(view)}
    capitals = {"stETH", "LRC", "ETH", "USDT", "DAI"}
    assert {name for name in names if re.search("[A-Z]", name)} <= capitals | {key for key in names if "-" in key}
    assert {"account_id", "held_until_ms", "judged_before", "client_order_id", "in_flight", "public_key_x"} <= names
    assert entry.body["accountId"] == entry["account_id"] == 10001
    assert fault.view.when == {"accountId": 10001}
    assert entry["accountId"] == entry.accountId == entry.get("accountId") == 10001
    assert "accountId" in entry
    assert ("accountID" in entry, entry.get("accountID")) == (False, None)
    with pytest.raises(KeyError, match="accountID"):
        entry["accountID"]
    relayer.order(order.hash).cancel()


@pytest.mark.parametrize("field", ["answer", "body", "fields", "message", "subscribed", "subscriptions", "when"])
def test_what_was_sent_has_the_names_of_the_wire(field: str) -> None:
    (sent,) = recorded({"heldUntil_ms": 5, field: [{"orderHash": "0x1", "owner": {"accountId": 1}}]})[field]
    assert list(sent) == ["orderHash", "owner"]
    assert list(sent.owner) == ["accountId"]
    assert (sent.order_hash, sent.owner.account_id) == ("0x1", 1)


def _names(view: Any) -> Iterator[str]:
    """The keys in a view, but for those of what was sent and of headers."""
    if isinstance(view, dict):
        for name, part in view.items():
            yield name
            if name not in ("body", "answer", "when", "headers", "choices"):
                yield from _names(part)
    elif isinstance(view, list):
        for part in view:
            yield from _names(part)


class Answer:
    """A response as the clients give it: headers by name, in whatever case."""

    def __init__(self, headers: dict[str, str]) -> None:
        self.headers = headers


def test_why_takes_an_id_or_a_response(relayer: RelayerHandle) -> None:
    response = get(relayer.relay, "/api/v2/orders", accountId="10002")
    why = relayer.why(response.headers[REQUEST_ID_HEADER.lower()])
    assert why.refusal.code == 104003
    assert "104003" in str(why)
    assert relayer.why(Answer(dict(response.headers))) == why
    with pytest.raises(ControlError, match="'r7'"):
        relayer.why("r7")
    with pytest.raises(ControlError, match="a response that came from this relayer"):
        relayer.why(Answer({"Content-Type": "text/html"}))
    with pytest.raises(TypeError, match="neither a request id nor a response"):
        relayer.why(7)


def test_findings_and_problems_are_told(relayer: RelayerHandle) -> None:
    get(relayer.relay, "/api/v2/ticker", market="LRC-ETH", more="1")
    get(relayer.relay, "/api/v2/tiker")
    assert [(finding.rule, finding.request) for finding in relayer.findings] == [
        ("unknown-field", "r1"),
        ("foreign-path", "r2"),
    ]
    assert [(problem.kind, problem.request) for problem in relayer.problems] == [("unknown_path", "r2")]
    with pytest.raises(AssertionError, match="/api/v2/ticker"):
        relayer.check()
    relayer.allow("unknown_path")
    relayer.check()
    with pytest.raises(ValueError, match="'findings'; meant: 'finding'"):
        relayer.allow("findings")
    relayer.strict = True
    with pytest.raises(AssertionError, match=r"^unknown-field \[r1\]"):
        relayer.check()


def test_fees_layer_1_and_deployments(relayer: RelayerHandle) -> None:
    assert relayer.set_fee("transfer", "LRC", fee=1000) == 1000
    assert relayer.set_fee("transfer", "LRC", factor=1.3) == 1300
    alice = relayer.account("alice")
    layer1 = relayer.layer1("down", gas_price=7, balances={alice.owner: {"LRC": 5}})
    assert (layer1.state, layer1.gasPrice) == ("down", "7")
    assert relayer.state().layer1.state == "down"
    code = relayer.deploy("0x" + "1" * 40)
    assert code.startswith("0x")
    assert len(code) > 2


def test_blocks_are_sealed_and_made_final(relayer: RelayerHandle) -> None:
    assert relayer.seal_block() is None
    order = relayer.order(submit(relayer).data["orderHash"])
    order.fill(1000)
    assert relayer.seal_block() == 1
    order.fill(1000)
    assert relayer.seal_blocks(1) == [2]
    assert relayer.finalize_blocks(1) == 1
    assert relayer.finalize_blocks() == 2


def test_a_fault_in_a_with_is_armed_until_its_end(relayer: RelayerHandle) -> None:
    with relayer.fault("submit_order", code=102014) as unfired:
        assert [fault.id for fault in relayer.faults] == [unfired.id]
    assert relayer.faults == []
    with relayer.fault("submit_order", code=102014) as fired:
        submit(relayer)
    assert fired.fired == 1
    with relayer.fault("submit_order", code=102014) as removed:
        removed.remove()
    relayer.check()


def test_a_fault_says_whether_the_spec_lists_its_code(relayer: RelayerHandle) -> None:
    """102014 stands in the spec's table for submit_order, not for get_depth (spec: error codes)."""
    assert relayer.fault("submit_order", code=102014).view.listed is True
    assert relayer.fault("get_depth", code=102014).view.listed is False
    assert relayer.fault("get_depth", drop=True).view.listed is None
    assert relayer.control("POST", "faults", {"on": "get_depth", "code": 7}) == {"id": "f4", "listed": False}


def test_a_sequence_is_given_as_names_or_as_a_list(relayer: RelayerHandle) -> None:
    submit(relayer)
    relayer.assert_sequence("submit_order")
    relayer.assert_sequence(["submit_order"])
    with pytest.raises(AssertionError, match="get_depth was not called after submit_order"):
        relayer.assert_sequence(["submit_order", "get_depth"])


@pytest.mark.parametrize(("wrong", "meant"), [("atLeast", "at_least"), ("count", "times"), ("bdy", "'body'")])
def test_an_argument_of_another_name_is_told_its_own(relayer: RelayerHandle, wrong: str, meant: str) -> None:
    with pytest.raises(TypeError, match=f"assert_called has no argument '{wrong}'; meant: {meant}"):
        relayer.assert_called("submit_order", **{wrong: 1})  # type: ignore[arg-type]  # what is refused


def test_a_verb_that_does_not_exist_names_the_nearest_first(relayer: RelayerHandle) -> None:
    for asked, first in (("snapshot", "snapshots"), (f"order/{NO_HASH}/cancel", "orders/*/cancel"), ("clok", "clock")):
        with pytest.raises(ControlError, match=re.escape(f"meant: {first}; there are accounts, ")):
            relayer.control("POST", asked)


def test_a_record_without_its_lines_is_told_how_curl_keeps_them(relayer: RelayerHandle) -> None:
    with pytest.raises(ControlError, match="curl --data-binary @FILE"):
        relayer.load(relayer.dump().replace("\n", ""))


def test_a_submission_is_moved_on(relayer: RelayerHandle) -> None:
    """Here a withdrawal, which by itself waits for a block."""
    alice = relayer.account("alice")
    body = bodies_of(relayer.relay).withdrawal(account_id=alice.id)
    submission = relayer.submission(
        post(relayer.relay, "/api/v3/user/withdrawals", body, signature=ECDSA_SIGNATURE).json["hash"]
    )
    assert submission.status == "processing"
    assert repr(submission) == f"<submission {submission.hash} withdrawal, processing>"
    assert submission.advance().status == "processed"
    assert alice.balances["LRC"].free < 20_000_000 * LRC
    with pytest.raises(ControlError, match="processed"):
        submission.advance("failed")
    with pytest.raises(ControlError, match=r"there is no request 0x1 .*one of 1 requests"):
        relayer.submission("0x1")


def test_a_reset_takes_another_beginning(relayer: RelayerHandle) -> None:
    submit(relayer)
    relayer.reset(choices={"http.error_status": "400"}, limits="spec")
    state = relayer.state()
    assert (state.orders, state.limits, state.choices["http.error_status"]) == ([], "spec", "400")
    with pytest.raises(ControlError, match=r"'scenaro'.*scenario"):
        relayer.reset(scenaro="default")


@pytest.mark.parametrize("is_served", [False, True], ids=["in process", "at a server"])
def test_a_reset_takes_a_document_a_file_and_limits_by_endpoint(
    relayer: RelayerHandle, tmp_path: Path, *, is_served: bool
) -> None:
    """The server reads no files. Where nothing else is said, there are 3 calls for tokens a second (spec)."""
    relay, own = relayer.relay, {"extends": "default", "name": "mine", "limits": {"get_tokens": 2}}
    file = tmp_path / "mine.yaml"
    file.write_text("{format: 1, extends: default, name: mine, limits: {get_tokens: 2}}", encoding="utf-8")
    starts: list[tuple[dict[str, Any], str, int]] = [
        ({"limits": {"get_tokens": 1}}, "default", 1),
        ({"scenario": "thin_book", "limits": {"get_depth": 1}}, "thin_book", 3),
        ({"scenario": own, "limits": "spec"}, "mine", 2),
        ({"scenario": own, "limits": {"get_tokens": None}}, "mine", 5),
        *(({"scenario": path, "limits": {"get_depth": 1}}, "mine", 2) for path in (file, str(file))),
    ]
    with serve(relay) if is_served else nullcontext() as serving:
        handle = relayer if serving is None else RelayerHandle.at(serving.url)
        for start, scenario, accepted in starts:
            handle.reset(**start)
            assert handle.scenario == scenario
            assert [get(relay, "/api/v2/exchange/tokens").status for _ in range(5)].count(200) == accepted, start
        with pytest.raises(ControlError, match=r"limits\.get_dept: found the unknown name .*meant: 'get_depth'"):
            handle.reset(limits={"get_dept": 1})
        with pytest.raises(
            ControlError, match="faultz: found the unknown key 'faultz' \\(scenario\\); meant: 'faults'"
        ):
            handle.reset(scenario={"extends": "default", "faultz": []})
        with pytest.raises(ControlError, match="scenario: found beside scenario_text; meant: one of the two"):
            handle.reset(scenario=own, scenario_text="format: 1")
        with pytest.raises(ControlError, match="scenario: found the number 7; meant: a text"):
            handle.reset(scenario=7)
    same = Relay.from_scenario(own, clock="frozen", limits={"get_depth": 1})
    assert [get(same, "/api/v2/exchange/tokens").status for _ in range(5)].count(200) == 2


def test_a_dump_is_loaded(relayer: RelayerHandle) -> None:
    submit(relayer)
    digest = relayer.state().digest
    other = RelayerHandle.of(Relay.from_scenario("default", clock="frozen", limits="off"))
    relayer.snapshot("sold")
    with pytest.raises(ControlError, match="found a line that is cut off"):
        other.load(relayer.dump()[:-9])
    loaded = other.load(relayer.dump().rstrip())
    assert (loaded.calls, loaded.scenario, loaded.now_ms) == (0, "default", relayer.clock.now_ms)
    assert loaded.snapshots == ["sold"]
    assert other.state().digest == digest


def test_a_relayer_that_has_ended_says_so(relayer: RelayerHandle) -> None:
    """Also what it has given out earlier."""
    alice, clock = relayer.account("alice"), relayer.clock
    assert relayer.url == "http://there"
    relayer.end()
    for use in (lambda: relayer.url, relayer.state, lambda: alice.balances, lambda: clock.now_ms):
        with pytest.raises(RuntimeError, match="has ended with the test"):
            use()


def test_a_reset_in_the_midst_of_a_test_hides_nothing() -> None:
    relayer = RelayerHandle.of(relay_from())
    get(relayer.relay, "/api/v3/ordr")
    relayer.reset()
    relayer.fault("submit_order", code=102014)
    relayer.reset()
    with pytest.raises(AssertionError, match=r"(?s)unknown_path.*unfired_fault"):
        relayer.check()
    with relayer.fresh():
        pass
    relayer.check()
