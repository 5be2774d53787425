"""The shipped scenarios of requests that take long, fail or cost more than they did, and of blocks."""

from __future__ import annotations

from typing import Any

from tests.scenario.shipped_client import Client
from tests.support.bodies import E18

FUNDS = 20_000_000 * E18
FEE = E18 // 10


def _mint_and_deploy(client: Client) -> dict[str, Any]:
    nft: dict[str, Any] = client.mint(E18).json["raw_data"]
    assert client.deploy(nft["nftData"]).json["status"] == "SEND_TX_SUCCESS"
    return nft


def test_slow_deployment_shows_no_code_for_a_quarter_of_an_hour() -> None:
    client = Client("slow_deployment")
    nft = _mint_and_deploy(client)
    client.advance("14m")
    assert client.code() == "0x"
    again = client.deploy(nft["nftData"])
    assert again.json["isIdempotent"] is True
    client.advance("59s")
    assert client.code() == "0x"
    client.advance("1s")
    code = client.code()
    assert len(code) > 2
    client.advance("1h")
    assert client.code() == code
    # One mint at 0.05, and one deployment at 0.1.
    assert client.money("carol") == (FUNDS - E18 // 20 - FEE, 0, 0)


def test_failing_deployment_never_shows_code_and_gives_the_fee_back() -> None:
    client = Client("failing_deployment")
    _mint_and_deploy(client)
    client.advance("1d")
    assert client.code() == "0x"
    assert client.money("carol") == (FUNDS - E18 // 20, 0, 0)


def test_failing_withdrawals_give_everything_back_but_the_storage_id() -> None:
    client = Client("failing_withdrawals")
    taken = client.withdraw(5 * E18)
    assert taken.json["status"] in ("received", "processing")
    assert client.money("alice") == (FUNDS - 5 * E18 - FEE, 0, 5 * E18 + FEE)
    client.advance("10s")
    (request,) = client.state()["requests"]
    assert request["status"] == "failed"
    assert client.money("alice") == (FUNDS, 0, 0)
    assert client.withdraw(5 * E18).code == 102021
    assert client.withdraw(5 * E18, storage_id=1).status == 200


def test_late_blocks_keep_a_withdrawal_open_for_ten_minutes() -> None:
    client = Client("late_blocks")
    client.advance("1s")
    assert client.withdraw(E18).status == 200
    client.advance("598s")
    assert client.state()["requests"][0]["status"] == "processing"
    assert len(client.get("v3/block/getPendingRequests").json) == 1
    client.advance("1s")
    assert client.state()["requests"][0]["status"] == "processed"
    assert client.get("v3/block/getBlock", id=1).json["status"] == "pending"
    client.advance("30m")
    assert client.get("v3/block/getBlock", id=1).json["status"] == "confirmed"
    client.advance("2h")
    assert client.get("v3/block/getBlock", id=1).json["status"] == "finalized"


def test_drifting_fees_outrun_a_quote_and_a_margin_holds_for_a_while() -> None:
    client = Client("drifting_fees")

    def quote() -> int:
        fees = client.get("v3/user/nft/offchainFee", "carol", accountId=10003, requestType=9).json["fees"]
        (fee,) = [row["fee"] for row in fees if row["token"] == "LRC"]
        return int(fee)

    first = quote()
    assert first == 5 * E18 // 100
    assert client.mint(first).status == 200
    client.advance("1m")
    assert quote() == 65 * E18 // 1000
    before = client.money("carol")
    assert client.mint(first, storage_id=1).code == 100001
    assert client.money("carol") == before
    assert client.mint(2 * first, storage_id=1).status == 200
    client.advance("9m")
    # Ten times three tenths more: 1.3 to the tenth is 13.7858491849, and 0.05 of that is left of a point.
    assert quote() == 5 * 13**10 * E18 // 100 // 10**10
    client.advance("1h")
    assert quote() == 5 * 13**10 * E18 // 100 // 10**10
    assert client.findings() == []
