"""NFTs through the socket, from the computed address to layer 1 (trouble rows 7 and 16)."""

from __future__ import annotations

from typing import Any

from tests.flows.requests_client import BOB, CAROL, E18, EXCHANGE, LRC, SOON_S, Wallet, running

FUNDS = 10_000 * E18
NFT_ID = "0x" + "0" * 61 + "abc"


class Minter:
    """Carol and her contract."""

    def __init__(self, wallet: Wallet) -> None:
        self.wallet = wallet
        self.owner, self.bob = wallet.owner(CAROL), wallet.owner(BOB)
        self.factory = wallet.state()["exchange"]["nftFactory"]
        query = {"nftFactory": self.factory, "nftOwner": self.owner, "nftBaseUri": ""}
        self.contract: str = wallet.get("v3/nft/info/computeTokenAddress", **query).json["tokenAddress"]

    def quote(self, type_: int) -> int:
        """What a request costs in LRC."""
        told = self.wallet.get("v3/user/nft/offchainFee", accountId=CAROL, requestType=type_).json
        (fee,) = [row["fee"] for row in told["fees"] if row["token"] == "LRC"]
        return int(fee)

    def mint(self, fee: int, storage_id: int = 0) -> dict[str, Any]:
        """A mint of five for herself."""
        return {
            "exchange": EXCHANGE,
            "minterId": CAROL,
            "minterAddress": self.owner,
            "toAccountId": CAROL,
            "toAddress": self.owner,
            "nftType": 0,
            "tokenAddress": self.contract,
            "nftId": NFT_ID,
            "amount": "5",
            "validUntil": SOON_S,
            "creatorFeeBips": 0,
            "storageId": storage_id,
            "maxFee": {"tokenId": LRC, "amount": str(fee)},
            "forceToMint": True,
            "counterFactualNftInfo": {"nftFactory": self.factory, "nftOwner": self.owner, "nftBaseUri": ""},
        }

    def minted(self) -> dict[str, Any]:
        """What a mint that is right is answered."""
        raw: dict[str, Any] = self.wallet.post("v3/nft/mint", self.mint(1000), CAROL).json["raw_data"]
        return raw

    def move(self, nft: dict[str, Any], amount: int, fee: int, storage_id: int, to: int = BOB) -> dict[str, Any]:
        """A transfer or a withdrawal."""
        return {
            "exchange": EXCHANGE,
            "fromAccountId": CAROL,
            "fromAddress": self.owner,
            "toAccountId": to,
            "toAddress": self.bob if to == BOB else self.owner,
            "token": {"tokenId": nft["nftTokenId"], "nftData": nft["nftData"], "amount": str(amount)},
            "maxFee": {"tokenId": LRC, "amount": str(fee)},
            "storageId": storage_id,
            "validUntil": SOON_S,
        }

    def deployment(self, nft: dict[str, Any], storage_id: int = 50) -> dict[str, Any]:
        """Have the contract deployed."""
        transfer = {
            "payeeAddr": self.wallet.get("v3/getAvailableBroker").json["broker"],
            "payerId": CAROL,
            "payerAddr": self.owner,
            "payeeId": 0,
            "maxFee": {"volume": "80", "tokenId": LRC},
            "token": {"volume": "80", "tokenId": LRC},
            "validUntil": SOON_S,
            "exchange": EXCHANGE,
            "storageId": storage_id,
        }
        return {"nftData": nft["nftData"], "tokenAddress": self.contract, "transfer": transfer}

    def code(self) -> str:
        """The contract's code."""
        told = self.wallet.post("v3/delegator/getCode", {"address": self.contract}).json
        assert (type(told["id"]), type(told["jsonrpc"])) == (int, str)
        return str(told["result"])


def test_an_nft_from_its_computed_address_to_layer_1() -> None:
    with running() as wallet:
        carol = Minter(wallet)
        nft = carol.minted()
        assert (nft["status"], nft["isIdempotent"]) == ("processing", False)
        found = wallet.get("v3/nft/info/nftData", minter=CAROL, tokenAddress=carol.contract, nftId=NFT_ID).json
        assert (found["nftData"], found["nftId"], found["minter"]) == (nft["nftData"], NFT_ID, carol.owner)
        token = str(nft["nftTokenId"])
        assert wallet.money(CAROL, token) == (5, 0)
        wallet.post("v3/nft/transfer", carol.move(nft, 2, 60, 0), CAROL)
        assert (wallet.money(CAROL, token), wallet.money(BOB, token)) == ((3, 0), (2, 0))
        early = wallet.post("v3/nft/withdrawal", carol.move(nft, 3, 70, 1, CAROL), CAROL)
        assert (early.status, early.code) == (400, 100001)
        wallet.post("v3/nft/deployTokenAddress", carol.deployment(nft), CAROL)
        wallet.advance("15s")
        assert carol.code() != "0x"
        told = wallet.post("v3/nft/withdrawal", carol.move(nft, 3, 70, 1, CAROL), CAROL).json["raw_data"]
        assert (told["status"], told["isIdempotent"]) == ("processing", False)
        assert wallet.money(CAROL, token) == (0, 3)
        types = [tx["txType"] for tx in wallet.seal()["transactions"]]
        assert types == ["NftMint", "Transfer", "Transfer", "Withdraw"]
        assert wallet.money(CAROL, token) == (0, 0)
        assert wallet.money(CAROL) == (FUNDS - 1000 - 60 - 80 - 70, 0)


def test_a_fee_that_drifts_between_quote_and_mint_refuses_the_mint_and_takes_nothing() -> None:
    """The storage id is free for the next try, and what is charged is the quote of the moment."""
    with running() as wallet:
        carol = Minter(wallet)
        fee = carol.quote(9)
        assert wallet.post("v3/nft/mint", carol.mint(fee), CAROL).status == 200
        wallet.done("fees", {"requestType": 9, "token": "LRC", "factor": 1.3})
        before, money = wallet.state()["digest"], wallet.money(CAROL)
        late = wallet.post("v3/nft/mint", carol.mint(fee, 1), CAROL)
        assert (late.status, late.code) == (400, 100001)
        assert "maxFee" in late.message
        assert (wallet.state()["digest"], wallet.money(CAROL)) == (before, money)
        assert carol.quote(9) == fee * 13 // 10
        assert wallet.post("v3/nft/mint", carol.mint(2 * fee, 1), CAROL).status == 200
        assert wallet.money(CAROL) == (money[0] - fee * 13 // 10, 0)


def test_the_most_that_was_offered_is_charged_where_that_is_the_choice() -> None:
    with running(fee__charged="max_fee") as wallet:
        carol = Minter(wallet)
        wallet.post("v3/nft/mint", carol.mint(1500), CAROL)
        assert wallet.money(CAROL) == (FUNDS - 1500, 0)


def test_a_deployment_takes_15_s_of_the_relayers_clock_and_no_real_time() -> None:
    """Every call is answered at once; only the clock makes the difference."""
    with running() as wallet:
        carol = Minter(wallet)
        nft = carol.minted()
        assert carol.code() == "0x"
        body = carol.deployment(nft)
        first = wallet.post("v3/nft/deployTokenAddress", body, CAROL).json
        assert (first["status"], first["isIdempotent"]) == ("SEND_TX_SUCCESS", False)
        assert carol.code() == "0x"
        wallet.advance("14s")
        assert carol.code() == "0x"
        assert wallet.post("v3/nft/withdrawal", carol.move(nft, 1, 70, 7, CAROL), CAROL).code == 100001
        wallet.advance("1s")
        code = carol.code()
        assert len(code) > 2
        assert int(code, 16)
        late = wallet.post("v3/nft/withdrawal", carol.move(nft, 1, 70, 7, CAROL), CAROL)
        assert late.json["raw_data"]["status"] == "processing"
        again = wallet.post("v3/nft/deployTokenAddress", body, CAROL).json
        assert again == first | {"isIdempotent": True}
        wallet.advance("365d")
        assert carol.code() == code
        assert wallet.state()["fees"]["LRC"] == str(1000 + 80)


def test_a_deployment_that_fails_leaves_no_code_and_costs_nothing() -> None:
    with running() as wallet:
        carol = Minter(wallet)
        nft = carol.minted()
        wallet.done("faults", {"on": "deploy_nft_contract", "outcome": "failed"})
        assert (
            wallet.post("v3/nft/deployTokenAddress", carol.deployment(nft), CAROL).json["status"] == "SEND_TX_SUCCESS"
        )
        wallet.advance("1d")
        assert carol.code() == "0x"
        assert wallet.money(CAROL) == (FUNDS - 1000, 0)
        told = wallet.post("v3/nft/deployTokenAddress", carol.deployment(nft, 51), CAROL).json
        assert told["isIdempotent"] is False
        wallet.advance("15s")
        assert carol.code() != "0x"


def test_a_contract_that_somebody_else_deployed_serves_as_well() -> None:
    with running() as wallet:
        carol = Minter(wallet)
        nft = carol.minted()
        wallet.done(f"nft/{carol.contract}/deploy", {"outcome": "deployed"})
        assert carol.code() != "0x"
        told = wallet.post("v3/nft/withdrawal", carol.move(nft, 1, 70, 0, CAROL), CAROL).json
        assert told["raw_data"]["status"] == "processing"


def test_the_address_does_not_depend_on_the_letter_case_of_the_owner() -> None:
    with running() as wallet:
        carol = Minter(wallet)
        for owner in (carol.owner.lower(), "0x" + carol.owner[2:].upper()):
            query = {"nftFactory": carol.factory, "nftOwner": owner, "nftBaseUri": ""}
            assert wallet.get("v3/nft/info/computeTokenAddress", **query).json["tokenAddress"] == carol.contract
