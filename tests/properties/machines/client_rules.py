"""What clients can do with requests and NFTs, as rules of a Hypothesis machine.

Each rule does one thing to the relay and the same to the plain relayer of `requests_model.py`. A call that is refused must
leave the world's digest as it was.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from tests.properties.machines.request_builder import Facts, Sender
from tests.properties.machines.request_intents import PICKS, RIGHT_WISHES, WISHES, WRONG_WISHES, Wish
from tests.properties.models.relayer import Model
from tests.properties.models.request_codes import refusal_of
from tests.properties.models.request_records import Ask, Key
from tests.properties.models.request_setup import KINDS, NAMES, ONE_STATE, SETUPS, SYMBOLS, TWO_STATES, Setup
from tests.support.answer import Answer
from tests.support.client import control, done, get, send
from tests.support.worlds import START_MS

SIGNATURE = "0x" + "1" * 130
ENDPOINTS = {
    "transfer": "submit_transfer",
    "withdrawal": "submit_withdrawal",
    "account_update": "update_account",
    "nft_mint": "mint_nft",
    "nft_transfer": "transfer_nft",
    "nft_withdrawal": "withdraw_nft",
    "nft_deploy": "deploy_nft_contract",
}
DOOMED = st.sampled_from([False, False, False, True])
ACCOUNTS = st.sampled_from(list(NAMES))


def _many(kinds: Sequence[str]) -> st.SearchStrategy[list[tuple[str, Wish, bool]]]:
    return st.lists(st.tuples(st.sampled_from(kinds), RIGHT_WISHES, DOOMED), min_size=2, max_size=6)


class Flows(RuleBasedStateMachine):
    """A relay and the plain relayer, side by side."""

    @initialize(setup=SETUPS)
    def begin(self, setup: Setup) -> None:
        def decide(key: str, context: Mapping[str, Any]) -> Any:
            return context["count"] - 1 if key == "due.order" and setup.latest_first else None

        clock = Clock.frozen(START_MS)
        self.relay = Relay.from_scenario("default", choices=setup.choices, limits="off", clock=clock, decide=decide)
        self.done("POST", "reset", {"scenarioText": setup.scenario})
        world = self.state()
        keys = {
            one["accountId"]: Key(one["publicKeyX"], one["publicKeyY"], one["keyNonce"]) for one in world["accounts"]
        }
        nonces = {one["accountId"]: one["accountNonce"] for one in world["accounts"]}
        self.model = Model(setup, keys, nonces)
        owners = {one["accountId"]: one["owner"] for one in world["accounts"]}
        factory = world["exchange"]["nftFactory"]
        contracts = {
            account: get(
                self.relay, "/api/v3/nft/info/computeTokenAddress", nftFactory=factory, nftOwner=owner, nftBaseUri=""
            ).json["tokenAddress"]
            for account, owner in owners.items()
        }
        exchange, broker = world["exchange"]["exchangeAddress"], world["exchange"]["broker"]
        self.facts = Facts(exchange, factory, broker, owners, contracts)
        self.sender = Sender(self.facts, self.model)

    def done(self, method: str, path: str, body: Any = None) -> Any:
        """A control call that must succeed."""
        return done(self.relay, method, path, body)

    def state(self) -> Any:
        """The whole world."""
        return self.done("GET", "state")

    def digest(self) -> str:
        """The world's digest, after everything that is due."""
        found: str = self.state()["digest"]
        return found

    def now(self) -> None:
        """What is due happens in the plain relayer, as it will at the relay's next call."""
        self.model.run_due_events(self.model.now_ms)

    def say(self, ask: Ask) -> Answer:
        """Send a request."""
        body = json.dumps(ask.body).encode()
        return send(self.relay, "POST", ask.path, body=body, key=ask.key_name, signature=SIGNATURE)

    def refused(self, ask: Ask, code: int) -> None:
        """It is refused with this code, and nothing has changed."""
        before = self.digest()
        answer = self.say(ask)
        assert answer.code == code, (ask, answer.body)
        assert set(answer.json) == {"resultInfo"}
        assert self.digest() == before

    def conflict(self, path: str, body: Any) -> None:
        """Something done by hand is refused, and nothing has changed."""
        before = self.digest()
        answer = control(self.relay, "POST", path, body)
        assert answer.status == 409, answer.body
        assert set(answer.json) == {"error", "field", "meant"}
        assert self.digest() == before

    def check_answer(self, ask: Ask, answer: Answer, *, again: bool) -> None:
        """An accepted submission is answered as the spec lays it out."""
        assert (answer.status, answer.code) == (200, 0), (ask, answer.body)
        if ask.kind == "transfer":
            assert answer.json == {"resultInfo": {"code": 0, "message": "SUCCESS"}, "data": ask.hash}
            return
        status = "SEND_TX_SUCCESS" if ask.kind == "nft_deploy" else ask.status
        told = {"hash": ask.hash, "status": status, "isIdempotent": again}
        if ask.kind == "nft_mint" and ask.nft is not None:
            token, nft_data = self.model.nfts[ask.nft]
            told |= {"nftTokenId": token, "nftData": nft_data}
        is_raw = ask.kind in ("nft_mint", "nft_transfer", "nft_withdrawal")
        assert answer.json == ({"hash": ask.hash, "raw_data": told} if is_raw else told)

    @rule(kind=st.sampled_from(KINDS), wish=WISHES, doomed=DOOMED)
    def submit(self, kind: str, wish: Wish, doomed: bool) -> None:
        self.ask_for(kind, wish, doomed=doomed)

    @rule(kind=st.sampled_from(KINDS), wish=WRONG_WISHES)
    def submit_wrong(self, kind: str, wish: Wish) -> None:
        self.ask_for(kind, wish, doomed=False)

    @rule(wishes=_many(TWO_STATES))
    def submit_money_requests(self, wishes: list[tuple[str, Wish, bool]]) -> None:
        for kind, wish, doomed in wishes:
            self.ask_for(kind, wish, doomed=doomed)

    @rule(wishes=_many(ONE_STATE))
    def submit_nft_requests(self, wishes: list[tuple[str, Wish, bool]]) -> None:
        for kind, wish, doomed in wishes:
            self.ask_for(kind, wish, doomed=doomed)

    @rule(wishes=_many(("account_update",)), account=ACCOUNTS)
    def submit_updates(self, wishes: list[tuple[str, Wish, bool]], account: int) -> None:
        for kind, wish, doomed in wishes:
            self.ask_for(kind, wish._replace(account=account), doomed=doomed)

    def ask_for(self, kind: str, wish: Wish, *, doomed: bool) -> None:
        """Submit, and hold the plain relayer to the same."""
        if kind in ("nft_transfer", "nft_withdrawal") and not self.model.nfts:
            kind = "nft_mint"
        self.now()
        ask = self.sender.make(kind, wish)
        if kind == "nft_deploy" and wish.twist not in ("exchange", "foreign") and self.is_deployed(ask):
            return
        code = refusal_of(self.model, self.facts, ask)
        if code is not None:
            self.refused(ask, code)
            return
        if doomed:
            self.done("POST", "faults", {"on": ENDPOINTS[kind], "outcome": "failed"})
        ask.doomed = doomed or not ask.funded
        answer = self.say(ask)
        self.done("DELETE", "faults")
        assert answer.code == 0, (ask, answer.body)
        self.learn(ask, answer.json)
        assert all(ask.hash != other.hash for other in self.model.asks)
        self.model.take(ask)
        self.check_answer(ask, answer, again=False)

    def learn(self, ask: Ask, told: Any) -> None:
        """Hashes and token ids are the relay's to choose."""
        ask.hash = told["data"] if ask.kind == "transfer" else told["hash"]
        if ask.kind == "nft_mint" and ask.nft is not None:
            raw = told["raw_data"]
            found = raw["nftTokenId"], raw["nftData"]
            if ask.nft not in self.model.nfts:
                assert all(own not in other for other in self.model.nfts.values() for own in found)
                assert found[0] not in SYMBOLS
                self.model.nfts[ask.nft] = found
            ask.token = self.model.nfts[ask.nft][0]

    def is_deployed(self, ask: Ask) -> bool:
        """Whether the contract is deployed or about to be: then the same answer again, or none, and no second fee."""
        standing = [one for one in self.model.asks if one.contract == ask.contract and one.status != "failed"]
        if not standing and ask.contract not in self.model.deployed:
            return False
        if not standing or self.model.option("nft.repeat_deploy") == "refuse":
            self.refused(ask, int(self.model.option("nft.error_code")))
        else:
            before = self.digest()
            self.check_answer(standing[0], self.say(ask), again=True)
            assert self.digest() == before
        return True

    @precondition(lambda self: self.model.asks)
    @rule(pick=PICKS, times=st.integers(1, 3))
    def repeat(self, pick: int, times: int) -> None:
        """A transfer has no repeat: its nonce is used. What is open is told as it is; what is over, by choice."""
        ask = self.model.asks[-1 - pick % len(self.model.asks)]
        for _ in range(times):
            self.now()
            if ask.kind == "nft_deploy":
                if not self.is_deployed(ask):
                    self.refused(ask, int(self.model.option("nft.error_code")))
            elif ask.kind == "transfer":
                self.refused(ask, 102024 if ask.fee_token not in self.model.fees["transfer"] else 102021)
            elif ask.is_open:
                self.model.poll(ask)
                self.check_answer(ask, self.say(ask), again=True)
            elif self.model.option("request.repeat") == "always_idempotent":
                self.check_answer(ask, self.say(ask), again=True)
            else:
                self.refused(ask, int(self.model.option("nft.error_code")) if ask.kind.startswith("nft") else 102021)

    @rule(account=ACCOUNTS)
    def look_for_code(self, account: int) -> None:
        """`0x` until the contract is deployed; asking is a poll of its deployment."""
        self.now()
        contract = self.facts.contracts[account]
        for ask in self.model.asks:
            if ask.contract == contract and ask.is_open:
                self.model.poll(ask)
        code = self.relay_code(contract)
        assert (code == "0x") is (contract not in self.model.deployed)

    def relay_code(self, contract: str) -> str:
        """The answer of getCode."""
        body = json.dumps({"address": contract}).encode()
        answer = send(self.relay, "POST", "/api/v3/delegator/getCode", body=body)
        found: str = answer.json["result"]
        return found
