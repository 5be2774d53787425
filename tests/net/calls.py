"""The API calls that the recorder makes: each plausible for the world as it stands, so that most are taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.net.player import SIGNATURE, Player
from tests.net.traffic import Step

NOBODY = "0x2222222222222222222222222222222222222222"
INTERVALS = ("1min", "5min", "15min", "30min", "1hr", "2hr", "4hr", "12hr", "1d", "1w")
MID = {"LRC-ETH": (1, 2000), "LRC-USDT": (1, 1), "ETH-USDT": (2000, 1), "DAI-USDT": (1, 1)}
"""Quote per base, as a fraction, where the market makers of the packaged scenarios quote."""


def order(p: Player) -> None:
    """An order near the middle of its market, with an id asked for."""
    account = p.account()
    market = p.rng.choice(p.state["markets"])
    base, quote = (p.tokens[symbol] for symbol in market.split("-"))
    up, down = MID.get(market, (1, 1))
    base_wei = p.rng.choice((1, 2, 3, 5, 8, 20, 100)) * 10 ** (base["decimals"] - p.rng.choice((0, 0, 0, 1, 2)))
    base_wei += p.rng.choice((0, 0, 1, 12_345_678))
    percent = p.rng.choice((90, 97, 99, 100, 100, 101, 103, 110))
    quote_wei = max(1, base_wei * up * percent * 10 ** quote["decimals"] // (down * 100 * 10 ** base["decimals"]))
    is_sale = p.one_in(2)
    sold, bought = (base, quote) if is_sale else (quote, base)
    amounts = (base_wei, quote_wei) if is_sale else (quote_wei, base_wei)
    order_id = 0
    if not p.one_in(6):
        query = {"accountId": account["accountId"], "tokenSId": sold["tokenId"]}
        told = p.get("/api/v2/orderId", account, query)
        if isinstance(told, dict) and str(told.get("data", "")).isdigit():
            order_id = int(told["data"])
    body: dict[str, Any] = {
        "exchangeId": 2,
        "orderId": order_id,
        "accountId": account["accountId"],
        "tokenSId": sold["tokenId"],
        "tokenBId": bought["tokenId"],
        "amountS": str(amounts[0]),
        "amountB": str(amounts[1]),
        "buy": p.pick("false", "true") if p.one_in(3) else ("false" if is_sale else "true"),
        "validSince": p.now_s + p.rng.choice((0, 0, 0, 0, 30, 600)),
        "validUntil": p.now_s + p.rng.choice((60 * 86_400, 60 * 86_400, 60 * 86_400, 3600, 100)),
        "maxFeeBips": p.rng.choice((63, 63, 20, 5)),
        "label": p.rng.choice((211, 0, 65_535)),
        **SIGNATURE,
    }
    if p.one_in(12):
        body |= p.pick(
            {"exchangeId": 3}, {"tokenBId": 9}, {"tokenSId": 5, "tokenBId": 0}, {"tokenSId": 1, "tokenBId": 1},
            {"amountS": str(10**40)}, {"amountS": str(2 * 10**25)}, {"amountS": "1"}, {"amountB": "0"}, {"maxFeeBips": 64},
            {"maxFeeBips": 1}, {"validUntil": p.now_s - 1}, {"validSince": p.now_s + 10**7}, {"label": 65_536},
            {"signatureS": ""}, {"accountId": 1}, {"orderId": 2**31},
        )  # fmt: skip
    if p.one_in(3):
        body["clientOrderId"] = p.pick("c1", "c2", f"c{p.storage}")
    if p.one_in(4):
        body["orderType"] = p.pick("LIMIT_ORDER", "TAKER_ONLY", "MAKER_ONLY")
    if p.one_in(8):
        body["allOrNone"] = p.pick("false", "true")
    told = p.post("submit_order", "/api/v3/order", account, body)
    if isinstance(told, dict) and (told.get("data") or {}).get("orderHash"):
        p.orders.append(told["data"]["orderHash"])


def transfer(p: Player) -> None:
    """A transfer between two accounts, or to nobody."""
    sender, receiver = p.account(), p.account()
    token = p.rng.choice(p.state["tokens"])
    fee = token if not p.one_in(6) else p.rng.choice(p.state["tokens"])
    state = next(a for a in p.control("GET", "accounts") if a["accountId"] == sender["accountId"])
    body = {
        "exchangeId": 2,
        "sender": sender["accountId"],
        "receiver": p.rng.choice((receiver["accountId"], 10_002, 77)) if p.one_in(8) else receiver["accountId"],
        "token": token["tokenId"],
        "amount": str(p.rng.choice((1, 10**6, 10 ** token["decimals"]))),
        "tokenF": fee["tokenId"],
        "amountF": str(p.rng.choice((10**17, 10**17, 20_000, 1))),
        "nonce": state["accountNonce"] + (p.rng.choice((-1, 1)) if p.one_in(10) else 0),
        "label": 211,
        **SIGNATURE,
    }
    if p.one_in(4):
        body["memo"] = p.pick("rent", "", "two  blanks")
    told = p.post("submit_transfer", "/api/v2/transfer", sender, body, signature=True)
    _note(p, told.get("data") if isinstance(told, dict) else None)


def withdrawal(p: Player) -> None:
    """A withdrawal."""
    account, token = p.account(), p.rng.choice(p.state["tokens"])
    p.storage += 2
    body = {
        "exchange": p.state["exchange"]["exchangeAddress"],
        "accountId": account["accountId"],
        "owner": account["owner"],
        "token": {"tokenId": token["tokenId"], "volume": str(p.rng.choice((1, 10**6)))},
        "maxFee": {"tokenId": p.pick(token["tokenId"], 1), "volume": str(10**17)},
        "storageId": p.storage,
        "validUntil": p.now_s + p.rng.choice((86_400, 86_400, 60)),
        "minGas": p.pick(0, 0, 100_000),
        "to": p.pick(account["owner"], NOBODY),
    }
    if p.one_in(6):
        body["fastWithdrawalMode"] = p.one_in(2)
    if p.one_in(8):
        body["counterFactualInfo"] = {"walletFactory": NOBODY, "walletOwner": account["owner"], "walletSalt": "1"}
    told = p.post("submit_withdrawal", "/api/v3/user/withdrawals", account, body, signature=True)
    _note(p, told.get("hash") if isinstance(told, dict) else None)


def update_account(p: Player) -> None:
    """A change of the layer-2 key; the signed world seldom, since its new key is one that cannot sign."""
    account = p.account()
    state = next(a for a in p.control("GET", "accounts") if a["accountId"] == account["accountId"])
    own = {"x": state["publicKeyX"], "y": state["publicKeyY"]}
    body = {
        "exchange": p.state["exchange"]["exchangeAddress"],
        "owner": account["owner"],
        "accountId": account["accountId"],
        "publicKey": own if p.signed and not p.one_in(8) else {"x": f"0x0{p.rng.randrange(1, 9)}", "y": "0x0b"},
        "maxFee": {"tokenId": 1, "volume": str(10**17)},
        "validUntil": p.now_s + 86_400,
        "nonce": state["accountNonce"],
    }
    if p.one_in(4):
        body["keySeed"] = "a seed of the client"
    told = p.post("update_account", "/api/v3/account", account, body, signature=True)
    _note(p, told.get("hash") if isinstance(told, dict) else None)


def _contract(p: Player, account: dict[str, Any]) -> str:
    query = {"nftFactory": p.state["exchange"]["nftFactory"], "nftOwner": account["owner"], "nftBaseUri": ""}
    told = p.get("/api/v3/nft/info/computeTokenAddress", account, query)
    address = told.get("tokenAddress") if isinstance(told, dict) else None
    if address and address not in p.contracts:
        p.contracts.append(address)
    return address or NOBODY


def mint(p: Player) -> None:
    """A mint under the account's own contract."""
    account = p.account()
    contract = _contract(p, account)
    p.storage += 2
    nft_id = f"0x{p.rng.randrange(1, 6):064x}"
    body = {
        "exchange": p.state["exchange"]["exchangeAddress"],
        "minterId": account["accountId"],
        "minterAddress": account["owner"],
        "toAccountId": account["accountId"],
        "toAddress": account["owner"],
        "nftType": 0,
        "tokenAddress": contract,
        "nftId": nft_id,
        "amount": str(p.pick(1, 5)),
        "validUntil": p.now_s + 86_400,
        "creatorFeeBips": p.pick(0, 5),
        "storageId": p.storage,
        "maxFee": {"tokenId": 1, "amount": str(10**17)},
        "counterFactualNftInfo": {
            "nftFactory": p.state["exchange"]["nftFactory"],
            "nftOwner": account["owner"],
            "nftBaseUri": "",
        },
    }
    if p.one_in(5):
        del body["counterFactualNftInfo"]
    told = p.post("mint_nft", "/api/v3/nft/mint", account, body)
    _note(p, told.get("hash") if isinstance(told, dict) else None)
    if isinstance(told, dict) and (told.get("raw_data") or {}).get("nftData"):
        p.nfts.append((account, contract, nft_id, told["raw_data"]["nftData"]))


def _nft(p: Player) -> tuple[dict[str, Any], str, str, str]:
    return p.rng.choice(p.nfts) if p.nfts else (p.account(), NOBODY, f"0x{1:064x}", f"0x{5:064x}")


def move_nft(p: Player) -> None:
    """A transfer or a withdrawal of an NFT."""
    account, _, _, nft_data = _nft(p)
    other = p.account()
    p.storage += 2
    is_transfer = p.one_in(3)
    to = other if is_transfer else account
    body = {
        "exchange": p.state["exchange"]["exchangeAddress"],
        "fromAccountId": account["accountId"],
        "fromAddress": account["owner"],
        "toAccountId": to["accountId"],
        "toAddress": to["owner"],
        "token": {"tokenId": 32_768, "nftData": nft_data, "amount": "1"},
        "maxFee": {"tokenId": 1, "amount": str(10**17)},
        "storageId": p.storage,
        "validUntil": p.now_s + 86_400,
    }
    if is_transfer:
        told = p.post("transfer_nft", "/api/v3/nft/transfer", account, body)
    else:
        told = p.post("withdraw_nft", "/api/v3/nft/withdrawal", account, body)
    _note(p, told.get("hash") if isinstance(told, dict) else None)


def deploy(p: Player) -> None:
    """A deployment, paid for by a transfer to the broker."""
    account, contract, _, nft_data = _nft(p)
    p.storage += 2
    payment = {
        "payerId": account["accountId"],
        "payerAddr": account["owner"],
        "payeeId": 0,
        "payeeAddr": p.state["exchange"]["broker"],
        "token": {"tokenId": 1, "volume": str(10**17)},
        "maxFee": {"tokenId": 1, "volume": "0"},
        "exchange": p.state["exchange"]["exchangeAddress"],
        "storageId": p.storage,
        "validUntil": p.now_s + 86_400,
    }
    body = {"nftData": nft_data, "tokenAddress": contract, "transfer": payment}
    told = p.post("deploy_nft_contract", "/api/v3/nft/deployTokenAddress", account, body, signature=True)
    _note(p, told.get("hash") if isinstance(told, dict) else None)
    if p.one_in(2):
        p.control("POST", "clock", {"advance": "15s"})
        p.state["now_ms"] = p.control("GET", "clock")["now_ms"]
        p.post("get_code", "/api/v3/delegator/getCode", account, {"address": contract})


def _note(p: Player, request_hash: Any) -> None:
    if isinstance(request_hash, str):
        p.requests.append(request_hash)


def again(p: Player) -> None:
    """The very same call as one before: a poll, a retry, a repeat."""
    if p.sent:
        p.call(p.rng.choice(p.sent[-12:]))


def read_market(p: Player) -> None:
    """Depth, candles, ticker, order fee."""
    account, market = p.account(), p.rng.choice(p.state["markets"])
    both = ",".join(p.rng.sample(p.state["markets"], min(2, len(p.state["markets"]))))
    match p.rng.randrange(4):
        case 0:
            query = {"market": market, "level": p.pick(0, 0, 1, 2, 3)} | (
                {"limit": p.pick(1, 3)} if p.one_in(2) else {}
            )
            p.get("/api/v2/depth", account, query)
        case 1:
            query = {"market": market, "interval": p.rng.choice(INTERVALS)}
            if p.one_in(2):
                query |= {"start": p.now_ms - p.pick(10**6, 10**8), "end": p.now_ms + p.pick(0, 10**6)}
            p.get("/api/v2/candlestick", account, query | ({"limit": 5} if p.one_in(3) else {}))
        case 2:
            p.get("/api/v2/ticker", account, {"market": p.pick(market, both, "LRC-XYZ")})
        case _:
            query = {"accountId": account["accountId"], "market": p.pick(market, both), "tokenB": 1, "amountB": "1"}
            p.get("/api/v3/user/orderFee", account, query)


def read_orders(p: Player) -> None:
    """Pages of the order list."""
    account = p.account()
    query: dict[str, Any] = {"accountId": account["accountId"]}
    if p.one_in(2):
        words = ("waiting", "processing", "processed", "failed", "cancelled", "expired", "processing,processed")
        query["status"] = p.rng.choice(words)
    if p.one_in(3):
        query["market"] = p.rng.choice(p.state["markets"])
    if p.one_in(4):
        query["side"] = p.pick("BUY", "SELL", "buy")
    if p.one_in(3):
        query |= {"limit": p.pick(1, 2, 50), "offset": p.pick(0, 1)}
    if p.orders and p.one_in(4):
        query["fromHash"] = p.rng.choice(p.orders)
    if p.one_in(5):
        query |= {"start": p.now_ms - 60_000, "end": p.now_ms}
    p.get("/api/v2/orders", account, query)


def read_layer1(p: Player) -> None:
    """What layer 1 says, and a transaction for it."""
    account, token = p.account(), p.rng.choice(p.state["tokens"])
    owner = p.pick(account["owner"], account["owner"], NOBODY)
    match p.rng.randrange(5):
        case 0:
            p.get("/api/v2/tokenBalances", account, {"owner": owner, "token": token["address"]})
        case 1:
            p.get("/api/v2/allowances", account, {"owner": owner, "token": token["address"]})
        case 2:
            p.get("/api/v2/ethBalances", account, {"owner": owner})
        case 3:
            p.get("/api/v2/recommendedGasPrice", account, {})
        case _:
            body = {"data": p.pick("0xf86c0a85", "0x02f8", "f86c", "")}
            p.post("send_eth_tx", "/api/v2/sendEthTx", account, body)


def read_rest(p: Player) -> None:
    """Everything else that is read."""
    account = p.account()
    _, contract, nft_id, _ = _nft(p)
    match p.rng.randrange(8):
        case 0:
            p.get("/api/v2/exchange/tokens", account, {})
        case 1:
            p.get("/api/v2/exchange/info", account, {})
        case 2:
            p.get("/api/v2/account", account, {"owner": p.pick(account["owner"], NOBODY, "0x" + "1" * 40)})
        case 3:
            block = p.pick({}, {"id": "finalized"}, {"id": "confirmed"}, {"id": "0"}, {"id": "1"}, {"id": "99"})
            p.get("/api/v3/block/getBlock", account, block)
        case 4:
            p.get("/api/v3/block/getPendingRequests", account, {})
        case 5:
            query = {"minter": account["accountId"], "tokenAddress": contract, "nftId": nft_id}
            p.get("/api/v3/nft/info/nftData", account, query)
        case 6:
            kind = p.pick(9, 10, 11, 13)
            query = {"accountId": account["accountId"], "requestType": kind}
            p.get("/api/v3/user/nft/offchainFee", account, query | ({"tokenAddress": contract} if kind == 13 else {}))
        case _:
            p.get("/api/v3/getAvailableBroker", account, {})
            body = {"address": p.rng.choice(p.contracts or [NOBODY])}
            p.post("get_code", "/api/v3/delegator/getCode", account, body)


def stray(p: Player) -> None:
    """Calls that reach no endpoint, or not as they should."""
    headers = p.headers(p.account())
    page = {"Origin": "http://a.page"}
    step = p.pick(
        Step("GET", "/api/v2/exchange/token", headers, ""),
        Step("GET", "/api/v2/exchange/tokens/", headers, ""),
        Step("POST", "/api/v2/exchange/tokens", headers, "{}"),
        Step("DELETE", "/api/v3/order", headers, ""),
        Step("GET", "/api/v2/depth?market=LRC%2DETH&level=0&level=0", headers, ""),
        Step("GET", "/api/v2/depth?market=LRC-ETH&level=%30", headers, ""),
        Step("HEAD", "/api/v2/exchange/info", headers, ""),
        Step("OPTIONS", "/api/v3/order", {**page, "Access-Control-Request-Method": "POST"}, ""),
        Step("POST", "/api/v3/order", {**headers, "Content-Type": "application/json"}, '{"accountId":"\udcff"}'),
        Step("GET", "/", headers, ""),
        Step("GET", "/__mockrelay/health", page, ""),
        Step("PATCH", "/__mockrelay/clock", {}, ""),
        Step("GET", "/__mockrelay/clok", {}, ""),
        Step("POST", "/__mockrelay/clock?advance=1s", {}, "{}"),
        Step("GET", "/__mockrelay/worlds", {}, ""),
    )
    p.take(step._replace(path=f"{p.base}{step.path}"))


CALLS: tuple[tuple[int, Callable[[Player], None]], ...] = (
    (22, order),
    (6, transfer),
    (6, withdrawal),
    (3, update_account),
    (5, mint),
    (5, move_nft),
    (4, deploy),
    (8, again),
    (9, read_market),
    (7, read_orders),
    (4, read_layer1),
    (7, read_rest),
    (3, stray),
)
"""How often each is made, beside the others."""
