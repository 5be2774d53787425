"""Whatever clients do with requests, blocks and NFTs, every view is what the test's own relayer says it must be."""

from __future__ import annotations

from typing import Any

from hypothesis.stateful import invariant

from tests.properties.effort import effort
from tests.properties.machines.command_rules import CommandRules
from tests.properties.machines.market_answers import has
from tests.properties.models.request_records import Request
from tests.properties.models.request_setup import ETH, LRC, NAMES, SYMBOLS
from tests.support.client import get
from tests.support.views import assert_money_is_conserved

LAYER1_WEI = {ETH: 50 * 10**18, LRC: 100_000 * 10**18}
"""What every owner has on layer 1 at the start (default.yaml)."""
REQUEST_MOVES = {
    "received": {"received", "processing", "processed", "failed"},
    "processing": {"processing", "processed", "failed"},
    "processed": {"processed"},
    "failed": {"failed"},
}
"""Where a request's status can be after one more step, which may hold several moves."""
BLOCK_MOVES = {
    "pending": {"pending", "confirmed", "finalized"},
    "confirmed": {"confirmed", "finalized"},
    "finalized": {"finalized"},
}


class RequestMachine(CommandRules):
    """The rules, and what holds after each of them."""

    unknown_block = 100000

    def __init__(self) -> None:
        super().__init__()
        self.turn = 0
        self.statuses: dict[str, str] = {}
        self.records: list[dict[str, Any]] = []
        self.nonces: dict[int, int] = {}
        self.codes: dict[str, str] = {}

    @invariant()
    def everything_agrees(self) -> None:
        """Money, requests, keys and new blocks after every step; what seldom changes in turn."""
        self.turn += 1
        self.catch_up()
        world = self.state()
        assert_money_is_conserved(world)
        self.money_is_as_predicted(world)
        self.layer1_is_as_predicted(world)
        self.requests_are_as_predicted(world)
        self.each_transaction_is_in_one_place()
        self.blocks_are_as_predicted()
        self.keys_and_nonces_are_as_predicted()
        self.nfts_are_as_predicted(world)
        self.fees_are_as_predicted()

    def money_is_as_predicted(self, world: Any) -> None:
        """Every part of every balance, the fees taken, what was put in, and what withdrawals brought to layer 1."""
        money = self.model.money
        names = SYMBOLS | {token: str(token) for token, _ in self.model.nfts.values()}
        balances = {one["accountId"]: one["balances"] for one in world["accounts"]}
        for token, name in names.items():
            for account in self.addresses.owners:
                held = balances[account].get(name, {"free": "0", "frozen": "0", "inFlight": "0"})
                key = account, token
                expected = money.free[key], money.frozen[key], money.in_flight[key]
                assert tuple(int(held[part]) for part in ("free", "frozen", "inFlight")) == expected, (account, name)
            assert int(world["fees"].get(name, 0)) == money.fees[token]
            assert int(world["putIn"].get(name, 0)) == money.put_in[token]

    def layer1_is_as_predicted(self, world: Any) -> None:
        """What withdrawals brought to one owner's addresses, in turn."""
        addresses = {token["tokenId"]: token["address"] for token in world["tokens"]}
        owner = list(self.addresses.owners.values())[self.turn % len(NAMES)]
        for token, wei in LAYER1_WEI.items():
            (found,) = get(self.relay, "/api/v2/tokenBalances", owner=owner, token=addresses[token]).data
            assert int(found) == wei + self.model.money.layer1[owner, token]
        ether = get(self.relay, "/api/v2/ethBalances", owner=owner).data
        assert int(ether) == LAYER1_WEI[ETH] + self.model.money.layer1[owner, ETH]

    def requests_are_as_predicted(self, world: Any) -> None:
        """Their statuses, along the table; a block's word on them is kept."""
        found = {one["hash"]: one for one in world["requests"]}
        assert list(found) == [request.hash for request in self.model.requests]
        for request in self.model.requests:
            answer = found[request.hash]
            assert (answer["status"], answer["blockId"], answer["fee"]) == (
                request.status,
                request.block,
                str(request.fee),
            ), request
            assert request.status in REQUEST_MOVES[self.statuses.get(request.hash, request.status)]
            assert request.block is None or request.status != ("failed" if request.valid else "processed")
            self.statuses[request.hash] = request.status

    def each_transaction_is_in_one_place(self) -> None:
        """Pending or in one block, unless its request failed before any block had it."""
        places = [tx for block in self.model.blocks for tx, _ in block.txs] + self.model.pending
        assert len(places) == len({id(tx) for tx in places})
        waiting = {id(tx) for tx in places}
        for request in self.model.requests:
            assert (id(request) in waiting) is not (request.status == "failed" and request.block is None)
        rows = get(self.relay, "/api/v3/block/getPendingRequests").json
        assert len(rows) == len(self.model.pending)
        for row, tx in zip(rows, self.model.pending, strict=True):
            assert has(row, tx.shown() | {"valid": True}), (row, tx)

    def blocks_are_as_predicted(self) -> None:
        """Each block holds what it must in order, and only its status ever changes: new blocks, and every third of the others."""
        blocks = self.model.blocks
        for block in blocks:
            if block.block_id < len(self.records) and (block.block_id + self.turn) % 3:
                continue
            record = get(self.relay, "/api/v3/block/getBlock", id=block.block_id).json
            assert record["status"] == block.status
            if block.block_id < len(self.records):
                before = self.records[block.block_id]
                assert record["status"] in BLOCK_MOVES[before["status"]]
                assert record == before | {"status": record["status"]}
                self.records[block.block_id] = record
                continue
            assert (record["blockId"], record["createdAt"]) == (block.block_id, block.created_ms)
            assert record["blockSize"] == len(record["transactions"]) == len(block.txs)
            for row, (tx, valid) in zip(record["transactions"], block.txs, strict=True):
                assert has(row, tx.shown() | {"valid": valid}), (row, tx)
            assert all(record["txHash"] != other["txHash"] for other in self.records)
            self.records.append(record)
        assert get(self.relay, "/api/v3/block/getBlock", id=len(blocks)).code == self.unknown_block
        for word, good in (("finalized", ["finalized"]), ("confirmed", ["confirmed", "finalized"])):
            newest = max((block for block in blocks if block.status in good), key=lambda block: block.block_id)
            found = get(self.relay, "/api/v3/block/getBlock", id=word).json
            assert found == self.records[newest.block_id] | {"status": newest.status}

    def keys_and_nonces_are_as_predicted(self) -> None:
        """The key that counts, the nonce that it was made with, and an account nonce that only rises."""
        for account, owner in self.addresses.owners.items():
            found = get(self.relay, "/api/v2/account", owner=owner).data
            key = self.model.key(account)
            assert (found["publicKeyX"], found["publicKeyY"], found["keyNonce"]) == key, account
            assert found["accountNonce"] == self.model.shown_nonce[account] >= self.nonces.get(account, 0)
            self.nonces[account] = found["accountNonce"]

    def nfts_are_as_predicted(self, world: Any) -> None:
        """An NFT is found once a mint of it counts; a contract's code is there once it is deployed, for ever."""
        for nft, (_, nft_data) in self.model.nfts.items():
            minter, nft_id = nft
            contract = self.addresses.contracts[minter]
            found = get(
                self.relay, "/api/v3/nft/info/nftData", minter=minter, tokenAddress=contract, nftId=nft_id, key="bob"
            )
            if any(
                self.counts(request)
                for request in self.model.requests
                if request.nft == nft and request.kind == "nft_mint"
            ):
                assert (found.json["nftData"], found.json["nftId"]) == (nft_data, nft_id)
            else:
                assert found.code == self.unknown_nft()
        codes = world["layer1"]["code"]
        assert set(codes) == {contract.lower() for contract in self.model.deployed}
        assert codes == codes | self.codes
        assert len(set(codes.values()) - {"0x"}) == min(len(codes), 1)
        self.codes = codes

    def unknown_nft(self) -> int:
        """The code where there is no such NFT."""
        return int(self.model.option("nft.error_code"))

    def counts(self, mint: Request) -> bool:
        """Whether a mint makes its NFT visible."""
        if self.model.option("nft.visible") == "at_once":
            return mint.status != "failed"
        return mint.block is not None and mint.valid

    def fees_are_as_predicted(self) -> None:
        """The quotes are those of the moment: of transfers and withdrawals, and of one kind of NFT request in turn."""
        info = get(self.relay, "/api/v2/exchange/info").data
        type_, nft_kind = ((9, "nft_mint"), (10, "nft_withdrawal"), (11, "nft_transfer"), (13, "nft_deploy"))[
            self.turn % 4
        ]
        offchain = get(self.relay, "/api/v3/user/nft/offchainFee", accountId=10001, requestType=type_).json
        rows = {"transfer": info["transferFees"], "withdrawal": info["withdrawalFees"], nft_kind: offchain["fees"]}
        for kind, listed in rows.items():
            expected = {SYMBOLS[token]: wei for token, wei in self.model.fees[kind].items()}
            assert {row["token"]: int(row["fee"]) for row in listed} == expected


TestRequests = RequestMachine.TestCase
TestRequests.settings = effort(max_examples=35, steps=30)
