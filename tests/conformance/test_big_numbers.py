"""Row 12 of the trouble list: digits come back as they went in."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import all_integers_safe, refused_call
from tests.conformance.transcript import ROWS
from tests.support.bodies import E18
from tests.support.calls import OWNER_A, accepted, call, order, valid_request
from tests.support.client import digest, done
from tests.support.views import orders
from tests.support.worlds import world

BIG = "1000000000000000000001"
ODD_AMOUNTS: tuple[Any, ...] = (
    *(
        int(BIG),
        1e21,
        5,
        "1e21",
        "1_000",
        "+5",
        "-1",
        " 7 ",
        "1.0",
        "\uff11\uff12",
        "²",
        "",
        "9" * 5000,
        "0x5",
        "1,000",
        "٣",
    ),
    *("NaN", "Infinity", "5\n", "\x005", "5 ", None, True),
)


class TestBigNumbers:
    """Row 12: digits come back as they went in; whatever is no plain digit string is refused."""

    def test_amount_is_echoed_digit_for_digit(self) -> None:
        """In the list, the book and the block, always as a JSON string."""
        relay = world()
        accepted(relay, order(amountS=BIG, amountB=BIG))
        body = call(relay, valid_request("get_orders")).body
        assert b'"size":"%s"' % BIG.encode() in body.replace(b" ", b"")
        (record,) = orders(relay)
        assert (record["size"], record["volume"]) == (BIG, BIG)
        (ask,) = call(relay, valid_request("get_depth")).data["asks"]
        assert ask[1:3] == [BIG, BIG]
        done(relay, "POST", f"orders/{record['hash']}/fill", {"size": BIG})
        (record,) = orders(relay)
        assert (record["filledSize"], record["filledVolume"]) == (BIG, BIG)
        (tx,) = call(relay, valid_request("get_pending_requests")).json
        mine = next(tx[side] for side in ("orderA", "orderB") if tx[side]["accountID"] == 10001)
        assert (mine["amountS"], mine["amountB"], mine["fillS"]) == (BIG, BIG, int(BIG))
        (ticker,) = call(relay, valid_request("get_ticker")).data
        assert ticker[2:4] == [BIG, BIG]

    def test_layer_1_balance_is_echoed_digit_for_digit(self) -> None:
        """2^256 - 1 wei, native and token, and the allowance."""
        relay, most = world(), str(2**256 - 1)
        done(relay, "POST", "layer1", {"balances": {OWNER_A: {"LRC": most, "ETH": most}}})
        done(relay, "POST", "layer1", {"allowances": {OWNER_A: {"LRC": most}}})
        assert call(relay, valid_request("get_token_balances")).data == [most]
        assert call(relay, valid_request("get_allowances")).data == [most]
        assert call(relay, valid_request("get_eth_balance")).data == most

    @pytest.mark.parametrize("amount", ODD_AMOUNTS, ids=lambda amount: ascii(amount)[:24])
    @pytest.mark.parametrize("field", ["amountS", "amountB"])
    def test_what_is_no_digit_string_is_refused(self, field: str, amount: Any) -> None:
        """Refused by name with the shape code, and nothing is stored."""
        relay = world()
        before = digest(relay)
        refused_call(call(relay, order(**{field: amount})), "submit_order", {102120}, field)
        assert digest(relay) == before

    def test_leading_zero_is_refused_or_read_as_the_number(self) -> None:
        """`07` is never silently something else: refused, or the order shows 7."""
        relay = world()
        answer = call(relay, order(amountB="07"))
        if answer.code == 0:
            assert orders(relay)[0]["volume"] == "7"
        else:
            refused_call(answer, "submit_order", {102120}, "amountB")

    def test_prices_have_no_exponent(self) -> None:
        """The smallest and the largest price that two amounts can make are plain decimals."""
        low = order(1, amountS=str(10_000 * E18), amountB="1")
        high = order(2, tokenSId=0, tokenBId=1, amountS=str(E18), amountB="1", buy="true")
        for request in (low, high):
            relay = world()
            accepted(relay, request)
            for price in (*(record["price"] for record in orders(relay)), *(item[0] for item in _book(relay))):
                assert set(price) <= set("0123456789."), price
                assert Decimal(price) >= 0

    @pytest.mark.parametrize("name", [row.name for row in ROWS])
    def test_no_float_and_no_unsafe_integer_in_any_answer(self, name: str) -> None:
        """Every JSON integer is within 2^53 - 1, and there is neither NaN nor Infinity nor an exponent."""
        relay = world()
        accepted(relay, order(9, amountS=BIG, amountB=BIG))
        all_integers_safe(call(relay, valid_request(name)).json)


def _book(relay: Relay) -> list[list[str]]:
    depth = call(relay, valid_request("get_depth")).data
    found: list[list[str]] = depth["asks"] + depth["bids"]
    return found
