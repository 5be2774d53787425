"""Row 30 of the trouble list, for the endpoints of this issue: nothing is canned, nothing wrong is let through."""

from __future__ import annotations

import pytest

from tests.conformance.causes import CAUSES
from tests.conformance.causes_of_requests import ALL_CAUSES
from tests.conformance.checks import refused_call
from tests.conformance.transcript import LISTED_FOR, REQUESTS_OF_FUNDS
from tests.support.bodies import E18
from tests.support.calls import EXCHANGE, LRC_ADDRESS, OWNER_A, accepted, call, order, valid_request
from tests.support.client import control, digest, done, get
from tests.support.views import orders
from tests.support.worlds import world


class TestFaithful:
    """Row 30 for this issue's endpoints: what is read is what was written, and nothing is canned."""

    def test_every_listed_code_of_an_order_is_in_the_table_of_causes(self) -> None:
        """The smallest failing request of each stands in causes.py; here only that none is missing."""
        listed = {code for code, names in LISTED_FOR.items() if "submit_order" in names}
        assert listed == {cause.code for cause in CAUSES if cause.name == "submit_order"}

    @pytest.mark.parametrize("name", REQUESTS_OF_FUNDS)
    def test_every_listed_code_of_a_request_is_in_the_table_of_causes(self, name: str) -> None:
        """The same for transfers, withdrawals and updates; an update's 102023 and 102025 come by a script alone."""
        listed = {code for code, names in LISTED_FOR.items() if name in names}
        scripted = {102023, 102025} if name == "update_account" else set()
        assert listed - scripted <= {cause.code for cause in ALL_CAUSES if cause.name == name}

    @pytest.mark.parametrize("name", REQUESTS_OF_FUNDS)
    def test_refused_requests_leave_no_trace(self, name: str) -> None:
        """After every wrong request of the table the right one has the hash that it has in a world that saw none."""
        relay, untouched = world(), world()
        for cause in ALL_CAUSES:
            lone = not cause.how.startswith(("again", "storage id used", "nonce used", "no money", "too often"))
            if cause.name == name and lone and not cause.choices:
                assert call(relay, cause.arrange(relay)).code == cause.code
        assert digest(relay) == digest(untouched)
        assert call(relay, valid_request(name)).json == call(untouched, valid_request(name)).json

    def test_unknown_fields_are_taken_by_default_and_change_nothing(self) -> None:
        """A field that no table lists is a finding: the order is the same order, with the same hash."""
        plain, surplus = world(), world()
        first = accepted(plain, order())
        second = accepted(surplus, order(surplus={"a": [1]}, affiliate="x"))
        assert first == second
        assert digest(plain) == digest(surplus)

    def test_two_worlds_answer_from_their_own_state(self) -> None:
        """An order in one relay is not in the other."""
        here, there = world(), world()
        accepted(here, order())
        assert (len(orders(here)), len(orders(there))) == (1, 0)

    def test_accounts_see_their_own_orders(self) -> None:
        """Bob's key lists bob's orders and is refused alice's."""
        relay = world()
        accepted(relay, order())
        assert orders(relay, "bob") == []
        refused_call(call(relay, valid_request("get_orders")._replace(key="bob")), "get_orders", {104003})

    def test_refusals_of_a_whole_session_leave_no_trace(self) -> None:
        """After every wrong order of the table the right one has the same hash as in a world that saw none of them."""
        relay, untouched = world(), world()
        plain = [
            cause for cause in CAUSES if cause.name == "submit_order" and not cause.choices and cause.limits == "off"
        ]
        for cause in plain:
            if not cause.how.startswith(("again", "used", "frozen")):
                assert call(relay, cause.arrange(relay)).code == cause.code
        assert digest(relay) == digest(untouched)
        assert accepted(relay, order()) == accepted(untouched, order())

    def test_balance_is_frozen_by_an_order_and_freed_by_its_end(self) -> None:
        """100 LRC: sell 60, not 60 more; after 20 are spent and the rest is cancelled, 80 can be sold."""
        relay = world()
        accepted(relay, order(1, amountS=str(9_900 * E18), amountB=str(9_900 * E18)))
        first = accepted(relay, order(2, amountS=str(60 * E18)))["orderHash"]
        assert call(relay, order(3, amountS=str(60 * E18))).code == 102011
        done(relay, "POST", f"orders/{first}/fill", {"size": str(20 * E18)})
        done(relay, "POST", f"orders/{first}/cancel", {})
        assert call(relay, order(4, amountS=str(80 * E18 + 1))).code == 102011
        accepted(relay, order(5, amountS=str(80 * E18)))

    def test_layer_1_reads_what_was_written(self) -> None:
        """33 Gwei and seven wei, written by the control verb in wei."""
        relay = world()
        done(relay, "POST", "layer1", {"gasPrice": "33000000000", "balances": {OWNER_A: {"LRC": "7"}}})
        assert call(relay, valid_request("get_gas_price")).data == "33"
        assert get(
            relay, "/api/v2/tokenBalances", owner=OWNER_A, token=LRC_ADDRESS.upper().replace("0X", "0x")
        ).data == ["7"]
        assert control(relay, "POST", "layer1", {"gasPrice": -1}).status == 400

    def test_exchange_of_the_world_is_the_one_that_orders_need(self) -> None:
        """The exchangeId told is the one accepted, every other is 102001."""
        relay = world()
        told = call(relay, valid_request("get_exchange_info")).data
        assert (told["exchangeId"], told["exchangeAddress"]) == (2, EXCHANGE)
        assert [call(relay, order(i, exchangeId=i)).code for i in (1, 2, 3)] == [102001, 0, 102001]

    @pytest.mark.parametrize(
        ("amount", "code"), [("1", 102012), ("2", 0), (str(10**30), 102011), (str(10**30 + 1), 102020)]
    )
    def test_edges_of_the_order_amount(self, amount: str, code: int) -> None:
        """Min - 1, min, max (too much for the balance), max + 1."""
        assert call(world(), order(amountS=amount)).code == code

    def test_order_id_of_another_token_is_free(self) -> None:
        """Ids are used per account and sold token: 5 for LRC leaves 5 for ETH."""
        relay = world()
        accepted(relay, order(5))
        accepted(relay, order(5, tokenSId=0, tokenBId=3, amountS="1000", amountB="1000"))
