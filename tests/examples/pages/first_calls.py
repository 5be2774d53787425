"""A right body for each thing that can be submitted."""

import json
from typing import Any

from mockrelay import RawRequest, Relay
from mockrelay.control import handle_control

relay = Relay.from_scenario("default", clock="frozen", limits="off")
alice, bob, carol = relay.accounts()
now_s = relay.now_ms() // 1000
world = json.loads(handle_control(relay, "GET", "state", (), b"").body)
exchange, factory, broker = (world["exchange"][name] for name in ("exchangeAddress", "nftFactory", "broker"))
soon, later = now_s + 86_400, now_s + 60 * 86_400
signed = {"label": 211, "signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
LRC_FEE = "100000000000000000"


def call(method: str, path: str, account: dict[str, Any], body: dict[str, Any] | None = None, **query: Any) -> Any:
    headers = {"content-type": "application/json", "x-api-key": account["apiKey"], "x-api-sig": "0x" + "1" * 130}
    raw = json.dumps(body).encode() if body else b""
    pairs = tuple((name, str(value)) for name, value in query.items())
    request = RawRequest(method, path, path, pairs, headers, raw, "http", "localhost", "127.0.0.1")
    response = relay.handle(request, relay.now_ms())
    answer = json.loads(response.body)
    assert response.status == 200, answer
    assert answer.get("resultInfo", {"code": 0})["code"] == 0, answer
    return answer


order = {
    "exchangeId": 2,
    "orderId": 0,
    "buy": "false",
    "validSince": now_s,
    "validUntil": later,
    "maxFeeBips": 63,
    **signed,
}
eth, lrc = "50000000000000000", "100000000000000000000"
sale = {"accountId": 10001, "tokenSId": 1, "tokenBId": 0, "amountS": lrc, "amountB": eth}
purchase = {"accountId": 10002, "tokenSId": 0, "tokenBId": 1, "amountS": eth, "amountB": lrc}
call("POST", "/api/v3/order", alice, order | sale)
call("POST", "/api/v3/order", bob, order | purchase)  # meets alice's
assert call("GET", "/api/v2/orders", alice, accountId=10001)["data"]["orders"][0]["status"] == "processed"

transfer = {
    "exchangeId": 2,
    "sender": 10001,
    "receiver": 10002,
    "token": 1,
    "amount": "1",
    "tokenF": 1,
    "amountF": LRC_FEE,
}
call("POST", "/api/v2/transfer", alice, {**transfer, "nonce": 0, **signed})

max_fee = {"tokenId": 1, "volume": LRC_FEE}
withdrawal = {"exchange": exchange, "accountId": 10001, "owner": alice["owner"], "token": {"tokenId": 1, "volume": "1"}}
withdrawal |= {"maxFee": max_fee, "storageId": 0, "validUntil": soon, "minGas": 0, "to": alice["owner"]}
call("POST", "/api/v3/user/withdrawals", alice, withdrawal)
relay.advance(10_000)  # a block is sealed
# The same request again asks how far it is; once it has ended, its storage id is used (102021).

update = {"exchange": exchange, "accountId": 10001, "owner": alice["owner"], "publicKey": {"x": "0x0a", "y": "0x0b"}}
call("POST", "/api/v3/account", alice, {**update, "maxFee": max_fee, "validUntil": soon, "nonce": 1})

contract = call(
    "GET", "/api/v3/nft/info/computeTokenAddress", carol, nftFactory=factory, nftOwner=carol["owner"], nftBaseUri=""
)["tokenAddress"]
mint = {"exchange": exchange, "minterId": 10003, "toAccountId": 10003, "tokenAddress": contract, "nftId": f"0x{1:064x}"}
mint |= {"amount": "5", "validUntil": soon, "storageId": 0, "maxFee": {"tokenId": 1, "amount": LRC_FEE}}
nft_data = call("POST", "/api/v3/nft/mint", carol, mint)["raw_data"]["nftData"]

payment = {
    "payerId": 10003,
    "payeeId": 0,
    "payeeAddr": broker,
    "token": max_fee,
    "maxFee": {"tokenId": 1, "volume": "0"},
}
payment |= {"exchange": exchange, "storageId": 1, "validUntil": soon}
deployment = {"nftData": nft_data, "tokenAddress": contract, "transfer": payment}
call("POST", "/api/v3/nft/deployTokenAddress", carol, deployment)
relay.advance(15_000)
assert call("POST", "/api/v3/delegator/getCode", carol, {"address": contract})["result"] != "0x"

withdrawal = {"exchange": exchange, "fromAccountId": 10003, "toAccountId": 10003, "storageId": 0, "validUntil": soon}
withdrawal |= {"token": {"nftData": nft_data, "amount": "1"}, "maxFee": {"tokenId": 1, "amount": LRC_FEE}}
withdrawal |= {"toAddress": carol["owner"]}
call("POST", "/api/v3/nft/withdrawal", carol, withdrawal)
