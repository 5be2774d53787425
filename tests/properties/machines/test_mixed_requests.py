"""Requests in the specification's forms and in those of the profile live, in one world: money, ids, histories and the views
of both generations are what the test's own relayer says, after every step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from hypothesis.stateful import precondition, rule

from tests.properties.effort import effort
from tests.properties.machines.client_rules import DOOMED, ENDPOINTS
from tests.properties.machines.live_builder import CODES, TRANSFER_V3, LiveBuilder
from tests.properties.machines.request_builder import INTENTS, Intent
from tests.properties.machines.test_requests import RequestMachine
from tests.properties.models.request_codes import defects_of
from tests.properties.models.request_records import Key, Request
from tests.properties.models.request_setup import ETH, LRC, NAMES, SYMBOLS, Setup
from tests.support.answer import Answer
from tests.support.bodies import EDDSA_SIGNATURE
from tests.support.client import get, post
from tests.support.worlds import DAY_S

DEPOSIT, CREATION = "deposit", "creation"
HISTORIES = {
    "transfers": ("transfer",),
    "withdrawals": ("withdrawal",),
    "deposits": (DEPOSIT,),
    "createInfo": (CREATION,),
    "updateInfo": ("account_update",),
    "transactions": ("transfer", "withdrawal", DEPOSIT),
    "nft/mints": ("nft_mint",),
    "nft/transfers": ("nft_transfer",),
    "nft/withdrawals": ("nft_withdrawal",),
}
"""What each history of accounts lists."""


class LogRow(NamedTuple):
    """A row that the request log must have; its id is its number."""

    kind: str
    accounts: tuple[int, ...]
    request: Request | None


class MixedRequestMachine(RequestMachine):
    """As the machine of requests, under the profile live; and its views of the same world."""

    profile = "live"
    builder_class = LiveBuilder
    endpoints: ClassVar[Mapping[str, str]] = {**ENDPOINTS, TRANSFER_V3: "submit_transfer_v3"}
    unknown_block = 103011

    def __init__(self) -> None:
        super().__init__()
        self.log: list[LogRow] = []
        self.order_ids: dict[tuple[int, int], int] = {}
        """(account, sold token) -> the highest id of an order."""

    def own_options(self, setup: Setup) -> Mapping[str, str]:
        """Those of the profile follow from what is drawn."""
        self.says_state = setup.latest_first
        self.refuses_newcomers = setup.choices["fee.charged"] == "max_fee"
        return {
            "signature.scheme": "presence",
            "hash.scheme": "fast",
            "account.key_text": "as_set",
            "storage_id.space": "shared",
            "live.submit_status": "state" if self.says_state else "processing",
            "live.unknown_payee": "refuse" if self.refuses_newcomers else "create",
        }

    # Requests in their forms

    def refusal_of(self, request: Request) -> int | None:
        """The first code of the form that it has."""
        codes = CODES.get(request.path)
        if codes is None:
            return super().refusal_of(request)
        defects = defects_of(self.model, self.addresses, request)
        owners = {owner.lower() for owner in self.addresses.owners.values()}
        if request.path == TRANSFER_V3 and self.refuses_newcomers and request.to_address not in owners:
            defects.add("receiver")
        return next((code for defect, code in codes.items() if defect in defects), None)

    def is_repeatable(self, request: Request) -> bool:
        """A transfer with a storage id is."""
        return request.path == TRANSFER_V3 or super().is_repeatable(request)

    def repeat_code(self, request: Request) -> int:
        """That of a used storage id or nonce, whatever the kind."""
        return 102021

    def unknown_nft(self) -> int:
        """No choice decides it here."""
        return 100001

    def take_ids(self, request: Request, answer: Any) -> None:
        """The receiver's account may have come into being."""
        super().take_ids(request, answer)
        if request.path == TRANSFER_V3:
            known = {owner.lower(): account for account, owner in self.addresses.owners.items()}
            if request.to_address not in known:
                known[request.to_address] = max(self.addresses.owners) + 1
                self.create(known[request.to_address], request)
            request.receiver = known[request.to_address]
        accounts = (request.account,) if request.receiver is None else (request.account, request.receiver)
        self.log.append(LogRow(request.kind, accounts, request))

    def create(self, account: int, request: Request) -> None:
        """An account without a key."""
        owners = self.addresses.owners
        assert isinstance(owners, dict)
        owners[account] = request.to_address
        self.model.keys[account] = [Key("", "", 0)]
        self.model.next_nonce[account] = self.model.shown_nonce[account] = 0
        self.log.append(LogRow(CREATION, (account,), request))

    def check_answer(self, request: Request, answer: Answer, *, again: bool) -> None:
        """Bare and flat; it says processing where the request is only received."""
        if request.kind == "nft_deploy" or "/v2/" in request.path:
            super().check_answer(request, answer, again=again)
            return
        assert (answer.status, answer.code) == (200, 0), (request, answer.body)
        status = "processing" if request.status == "received" and not self.says_state else request.status
        expected = {"hash": request.hash, "status": status, "isIdempotent": again}
        if request.kind == "nft_mint" and request.nft is not None:
            token, nft_data = self.model.nfts[request.nft]
            expected |= {"nftTokenId": token, "nftData": nft_data}
        if request.kind.startswith("nft"):
            expected |= {"raw_data": dict(expected)}
        if request.kind == "nft_mint":
            expected |= {"accountId": request.account, "storageId": request.storage}
        assert answer.json == expected

    @precondition(lambda self: len(self.addresses.owners) > len(NAMES))
    @rule(intent=INTENTS, doomed=DOOMED)
    def activate(self, intent: Intent, doomed: bool) -> None:
        """The owner of an account without a key gives it one, or another one later."""
        newcomers = [account for account in self.addresses.owners if account not in NAMES]
        account = newcomers[intent.pick % len(newcomers)]
        self.submit_request("account_update", intent._replace(account=account), doomed=doomed)

    def deposited(self, account: int) -> None:
        """A row of the log."""
        self.log.append(LogRow(DEPOSIT, (account,), None))

    def order(self, account: int, sold: int, bought: int, wei: int) -> Answer:
        """In either form, by turns; its id counts for requests too."""
        if self.turn % 2:
            answer = self.order_v3(account, sold, bought, wei)
        else:
            answer = super().order(account, sold, bought, wei)
        if answer.code == 0:
            order_id = max(self.ids(account, sold, with_orders=True), default=-1)
            shown = get(self.relay, "/api/v3/orders", key=NAMES[account], accountId=account, limit=1).json["orders"][0]
            own_id = shown["storageInfo"]["storageId"]
            # Orders that sell other tokens have ids of their own, whatever the scope.
            assert own_id > order_id or self.model.option("storage_id.scope") == "per_account"
            self.order_ids[account, sold] = own_id
            self.model.storage_ids.add(self.model.storage_key(account, sold, own_id))
        return answer

    def order_v3(self, account: int, sold: int, bought: int, wei: int) -> Answer:
        """The answer in the specification's words."""
        key = NAMES[account]
        asked: dict[str, Any] = {"accountId": account, "sellTokenId": sold}
        storage_id = get(self.relay, "/api/v3/storageId", key=key, **asked).json["orderId"]
        body = {
            "exchange": self.addresses.exchange,
            "accountId": account,
            "storageId": storage_id,
            "sellToken": {"tokenId": sold, "volume": str(wei)},
            "buyToken": {"tokenId": bought, "volume": str(wei)},
            "validUntil": self.model.now_ms // 1000 + 60 * DAY_S,
            "maxFeeBips": 63,
            "fillAmountBOrS": False,
            "eddsaSignature": EDDSA_SIGNATURE,
        }
        answer = post(self.relay, "/api/v3/order", body, key=key)
        if answer.code != 0:
            return answer
        envelope = f'{{"resultInfo": {{"code": 0}}, "data": {{"orderHash": "{answer.json["hash"]}"}}}}'
        return answer._replace(body=envelope.encode())

    # What holds after each step

    def everything_agrees(self) -> None:
        """What the specification shows, and the profile's own views of one account in turn."""
        super().everything_agrees()
        account = list(NAMES)[self.turn % len(NAMES)]
        self.histories_are_as_predicted(account)
        self.storage_ids_are_as_predicted(account)
        self.balances_are_as_predicted(account)
        self.accounts_are_as_predicted()
        self.quotes_are_as_predicted(account)

    def histories_are_as_predicted(self, account: int) -> None:
        """Newest first, each row with its number in the log, its state and its place."""
        path, kinds = list(HISTORIES.items())[self.turn % len(HISTORIES)]
        answer = get(self.relay, f"/api/v3/user/{path}", key=NAMES[account], accountId=account, limit=1000).json
        (rows,) = (value for name, value in answer.items() if name != "totalNum")
        expected = [
            (number, row)
            for number, row in enumerate(self.log, start=1)
            if row.kind in kinds and account in row.accounts
        ]
        assert answer["totalNum"] == len(rows) == len(expected)
        for found, (number, row) in zip(rows, reversed(expected), strict=True):
            assert found["id"] == number
            if row.request is None:
                assert found["status"] == "processed"
                continue
            request = row.request
            status = "processed" if row.kind == CREATION else request.status
            assert (found["hash"], found["status"]) == (request.hash, status)
            place = found.get("blockIdInfo", found)
            assert (place["blockId"], place["indexInBlock"]) == self.place(request)

    def place(self, request: Request) -> tuple[int, int]:
        """The block that holds a request, and where in it."""
        if request.block is None:
            return 0, 0
        txs = [tx for tx, _ in self.model.blocks[request.block].txs]
        return request.block, next(index for index, tx in enumerate(txs) if tx is request)

    def ids(self, account: int, token: int, *, with_orders: bool) -> Iterator[int]:
        """The used ids that count for a token."""
        key = self.model.storage_key(account, token, 0)[:2]
        yield from (used for *of, used in self.model.storage_ids if tuple(of) == key)
        if with_orders and (account, token) in self.order_ids:
            yield self.order_ids[account, token]

    def storage_ids_are_as_predicted(self, account: int) -> None:
        """The next even and odd one of a token, and the next of its orders."""
        tokens = [ETH, LRC, *(token for token, _ in self.model.nfts.values())]
        token = tokens[self.turn % len(tokens)]
        used = list(self.ids(account, token, with_orders=True))
        even, odd = (max((each for each in used if each % 2 == parity), default=parity - 2) + 2 for parity in (0, 1))
        asked: dict[str, Any] = {"accountId": account, "sellTokenId": token}
        found = get(self.relay, "/api/v3/storageId", key=NAMES[account], **asked).json
        assert found == {"orderId": even, "offchainId": odd}

    def balances_are_as_predicted(self, account: int) -> None:
        """In all, what is locked, what is leaving; the same of NFTs, and who holds them."""
        money, leaving = self.model.money, self.leaving(account)

        def expected(token: int) -> tuple[str, str, str]:
            key = account, token
            locked = money.frozen[key] + money.in_flight[key]
            return str(money.free[key] + locked), str(locked), str(leaving.get(token, 0))

        rows = get(self.relay, "/api/v3/user/balances", key=NAMES[account], accountId=account).json
        for row in rows:
            assert (row["total"], row["locked"], row["pending"]["withdraw"]) == expected(row["tokenId"])
        assert {ETH, LRC} <= {row["tokenId"] for row in rows} | {
            each for each in (ETH, LRC) if expected(each)[0] == "0"
        }
        rows = get(self.relay, "/api/v3/user/nft/balances", key=NAMES[account], accountId=account).json["data"]
        held = [token for token, _ in self.model.nfts.values() if expected(token)[0] != "0"]
        assert sorted(row["tokenId"] for row in rows) == sorted(held)
        for row in rows:
            assert (row["total"], row["locked"], row["pending"]["withdraw"]) == expected(row["tokenId"])
        for token, nft_data in self.model.nfts.values():
            holders = get(self.relay, "/api/v3/nft/info/nftHolders", key=None, nftData=nft_data).json["nftHolders"]
            amounts = {each: money.free[each, token] + money.in_flight[each, token] for each in self.addresses.owners}
            assert {row["accountId"]: int(row["amount"]) for row in holders} == {
                each: amount for each, amount in amounts.items() if amount
            }

    def leaving(self, account: int) -> Mapping[int, int]:
        """What withdrawals under way take from an account, by token; of one of tokens its fee too."""
        found: dict[int, int] = {}
        for request in self.model.requests:
            if (
                request.account == account
                and request.is_open
                and request.funded
                and request.kind.endswith("withdrawal")
            ):
                for token, amount in request.legs:
                    found[token] = found.get(token, 0) + amount
        return found

    def accounts_are_as_predicted(self) -> None:
        """Those that came into being too: no key and no nonce until they are given one."""
        for account, owner in self.addresses.owners.items():
            found = get(self.relay, "/api/v3/account", key=None, owner=owner).json
            x, y, key_nonce = self.model.key(account)
            nonce = self.model.shown_nonce[account] if x else 0
            assert (found["accountId"], found["nonce"], found["keyNonce"]) == (account, nonce, key_nonce)
            assert found["publicKey"] == {"x": x and f"0x{int(x, 16):064x}", "y": y and f"0x{int(y, 16):064x}"}

    def quotes_are_as_predicted(self, account: int) -> None:
        """What is asked is what the next request of the type is charged."""
        type_, kind = ((1, "withdrawal"), (2, "account_update"), (3, "transfer"), (15, "account_update"))[self.turn % 4]
        asked: dict[str, Any] = {"accountId": account, "requestType": type_}
        rows = get(self.relay, "/api/v3/user/offchainFee", key=NAMES[account], **asked).json["fees"]
        expected = {SYMBOLS[token]: str(wei) for token, wei in self.model.fees[kind].items()}
        assert {row["token"]: row["fee"] for row in rows} == expected


TestMixedRequests = MixedRequestMachine.TestCase
TestMixedRequests.settings = effort(max_examples=25, steps=30)
