"""What clients can do with requests and NFTs, as rules of a Hypothesis machine.

Each rule does one thing to the relay and the same to the second relayer of `models.relayer`. A call that is refused must
leave the world's digest as it was.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from tests.properties.machines.request_builder import (
    INTENTS,
    INVALID_INTENTS,
    PATHS,
    PICKS,
    VALID_INTENTS,
    Intent,
    RequestBuilder,
)
from tests.properties.models.relayer import RelayerModel
from tests.properties.models.request_codes import refusal_of
from tests.properties.models.request_records import Addresses, Key, Request
from tests.properties.models.request_setup import KINDS, NAMES, ONE_STATE, SETUPS, SYMBOLS, TWO_STATES, Setup
from tests.support.answer import Answer
from tests.support.client import control, done, get, send
from tests.support.worlds import START_MS

SIGNATURE = "0x" + "1" * 130
ENDPOINTS = {
    PATHS["transfer"]: "submit_transfer",
    PATHS["withdrawal"]: "submit_withdrawal",
    PATHS["account_update"]: "update_account",
    PATHS["nft_mint"]: "mint_nft",
    PATHS["nft_transfer"]: "transfer_nft",
    PATHS["nft_withdrawal"]: "withdraw_nft",
    PATHS["nft_deploy"]: "deploy_nft_contract",
}
DOOMED = st.sampled_from([False, False, False, True])
ACCOUNTS = st.sampled_from(list(NAMES))


def _many(kinds: Sequence[str]) -> st.SearchStrategy[list[tuple[str, Intent, bool]]]:
    return st.lists(st.tuples(st.sampled_from(kinds), VALID_INTENTS, DOOMED), min_size=2, max_size=6)


class ClientRules(RuleBasedStateMachine):
    """A relay and the second relayer, side by side."""

    profile = "spec"
    builder_class = RequestBuilder
    endpoints: ClassVar[Mapping[str, str]] = ENDPOINTS
    """By path the endpoint that a request reaches."""

    @initialize(setup=SETUPS)
    def begin(self, setup: Setup) -> None:
        def decide(key: str, context: Mapping[str, Any]) -> Any:
            return context["count"] - 1 if key == "due.order" and setup.latest_first else None

        clock = Clock.frozen(START_MS)
        choices = {**self.own_options(setup), **setup.choices}
        self.relay = Relay.from_scenario(
            "default", choices=choices, limits="off", clock=clock, decide=decide, profile=self.profile
        )
        self.done("POST", "reset", {"scenarioText": setup.scenario})
        world = self.state()
        keys = {
            one["accountId"]: Key(one["publicKeyX"], one["publicKeyY"], one["keyNonce"]) for one in world["accounts"]
        }
        nonces = {one["accountId"]: one["accountNonce"] for one in world["accounts"]}
        self.model = RelayerModel(setup, keys, nonces)
        owners = {one["accountId"]: one["owner"] for one in world["accounts"]}
        factory = world["exchange"]["nftFactory"]
        contracts = {
            account: get(
                self.relay, "/api/v3/nft/info/computeTokenAddress", nftFactory=factory, nftOwner=owner, nftBaseUri=""
            ).json["tokenAddress"]
            for account, owner in owners.items()
        }
        exchange, broker = world["exchange"]["exchangeAddress"], world["exchange"]["broker"]
        self.addresses = Addresses(exchange, factory, broker, owners, contracts)
        self.builder = self.builder_class(self.addresses, self.model)

    def own_options(self, setup: Setup) -> Mapping[str, str]:
        """Choices beside those that are drawn."""
        return {}

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

    def catch_up(self) -> None:
        """What is due happens in the second relayer, as it will at the relay's next call."""
        self.model.run_due_events(self.model.now_ms)

    def post(self, request: Request) -> Answer:
        """Send a request."""
        body = json.dumps(request.body).encode()
        return send(self.relay, "POST", request.path, body=body, key=request.key_name, signature=SIGNATURE)

    def refused(self, request: Request, code: int) -> None:
        """It is refused with this code, and nothing has changed."""
        before = self.digest()
        answer = self.post(request)
        assert answer.code == code, (request, answer.body)
        assert set(answer.json) == {"resultInfo"}
        assert self.digest() == before

    def conflict(self, path: str, body: Any) -> None:
        """A command is refused, and nothing has changed."""
        before = self.digest()
        answer = control(self.relay, "POST", path, body)
        assert answer.status == 409, answer.body
        assert set(answer.json) == {"error", "field", "meant"}
        assert self.digest() == before

    def check_answer(self, request: Request, answer: Answer, *, again: bool) -> None:
        """An accepted submission is answered as the spec lays it out."""
        assert (answer.status, answer.code) == (200, 0), (request, answer.body)
        if request.kind == "transfer":
            assert answer.json == {"resultInfo": {"code": 0, "message": "SUCCESS"}, "data": request.hash}
            return
        status = "SEND_TX_SUCCESS" if request.kind == "nft_deploy" else request.status
        expected = {"hash": request.hash, "status": status, "isIdempotent": again}
        if request.kind == "nft_mint" and request.nft is not None:
            token, nft_data = self.model.nfts[request.nft]
            expected |= {"nftTokenId": token, "nftData": nft_data}
        is_raw = request.kind in ("nft_mint", "nft_transfer", "nft_withdrawal")
        assert answer.json == ({"hash": request.hash, "raw_data": expected} if is_raw else expected)

    @rule(kind=st.sampled_from(KINDS), intent=INTENTS, doomed=DOOMED)
    def submit(self, kind: str, intent: Intent, doomed: bool) -> None:
        self.submit_request(kind, intent, doomed=doomed)

    @rule(kind=st.sampled_from(KINDS), intent=INVALID_INTENTS)
    def submit_wrong(self, kind: str, intent: Intent) -> None:
        self.submit_request(kind, intent, doomed=False)

    @rule(intents=_many(TWO_STATES))
    def submit_money_requests(self, intents: list[tuple[str, Intent, bool]]) -> None:
        for kind, intent, doomed in intents:
            self.submit_request(kind, intent, doomed=doomed)

    @rule(intents=_many(ONE_STATE))
    def submit_nft_requests(self, intents: list[tuple[str, Intent, bool]]) -> None:
        for kind, intent, doomed in intents:
            self.submit_request(kind, intent, doomed=doomed)

    @rule(intents=_many(("account_update",)), account=ACCOUNTS)
    def submit_updates(self, intents: list[tuple[str, Intent, bool]], account: int) -> None:
        for kind, intent, doomed in intents:
            self.submit_request(kind, intent._replace(account=account), doomed=doomed)

    def submit_request(self, kind: str, intent: Intent, *, doomed: bool) -> None:
        """Submit, and hold the second relayer to the same."""
        if kind in ("nft_transfer", "nft_withdrawal") and not self.model.nfts:
            kind = "nft_mint"
        self.catch_up()
        request = self.builder.build(kind, intent)
        if kind == "nft_deploy" and intent.defect not in ("exchange", "foreign") and self.is_deployed(request):
            return
        code = self.refusal_of(request)
        if code is not None:
            self.refused(request, code)
            return
        if doomed:
            self.done("POST", "faults", {"on": self.endpoints[request.path], "outcome": "failed"})
        request.doomed = doomed or not request.funded
        answer = self.post(request)
        self.done("DELETE", "faults")
        assert answer.code == 0, (request, answer.body)
        self.take_ids(request, answer.json)
        assert all(request.hash != other.hash for other in self.model.requests)
        self.model.accept(request)
        self.check_answer(request, answer, again=False)

    def refusal_of(self, request: Request) -> int | None:
        """The code that it must be refused with, if it must."""
        return refusal_of(self.model, self.addresses, request)

    def is_repeatable(self, request: Request) -> bool:
        """Whether the same request again is told to be the same: a transfer with a nonce is not."""
        return request.kind != "transfer"

    def repeat_code(self, request: Request) -> int:
        """The code of one that is over, where the choice refuses its repetition."""
        return int(self.model.option("nft.error_code")) if request.kind.startswith("nft") else 102021

    def take_ids(self, request: Request, answer: Any) -> None:
        """Hashes and token ids are the relay's to choose."""
        request.hash = answer["data"] if "data" in answer else answer["hash"]
        if request.kind == "nft_mint" and request.nft is not None:
            raw = answer["raw_data"]
            found = raw["nftTokenId"], raw["nftData"]
            if request.nft not in self.model.nfts:
                assert all(own not in other for other in self.model.nfts.values() for own in found)
                assert found[0] not in SYMBOLS
                self.model.nfts[request.nft] = found
            request.token = self.model.nfts[request.nft][0]

    def is_deployed(self, request: Request) -> bool:
        """Whether the contract is deployed or about to be: then the same answer again, or none, and no second fee."""
        standing = [one for one in self.model.requests if one.contract == request.contract and one.status != "failed"]
        if not standing and request.contract not in self.model.deployed:
            return False
        if not standing or self.model.option("nft.repeat_deploy") == "refuse":
            self.refused(request, int(self.model.option("nft.error_code")))
        else:
            before = self.digest()
            self.check_answer(standing[0], self.post(request), again=True)
            assert self.digest() == before
        return True

    @precondition(lambda self: self.model.requests)
    @rule(pick=PICKS, times=st.integers(1, 3))
    def repeat(self, pick: int, times: int) -> None:
        """A transfer has no repeat: its nonce is used. An open one is answered as it is, a finished one by choice."""
        request = self.model.requests[-1 - pick % len(self.model.requests)]
        for _ in range(times):
            self.catch_up()
            if request.kind == "nft_deploy":
                if not self.is_deployed(request):
                    self.refused(request, int(self.model.option("nft.error_code")))
            elif not self.is_repeatable(request):
                self.refused(request, 102024 if request.fee_token not in self.model.fees["transfer"] else 102021)
            elif request.is_open:
                self.model.poll(request)
                self.check_answer(request, self.post(request), again=True)
            elif self.model.option("request.repeat") == "always_idempotent":
                self.check_answer(request, self.post(request), again=True)
            else:
                self.refused(request, self.repeat_code(request))

    @rule(account=ACCOUNTS)
    def look_for_code(self, account: int) -> None:
        """`0x` until the contract is deployed; a call is a poll of its deployment."""
        self.catch_up()
        contract = self.addresses.contracts[account]
        for request in self.model.requests:
            if request.contract == contract and request.is_open:
                self.model.poll(request)
        code = self.relay_code(contract)
        assert (code == "0x") is (contract not in self.model.deployed)

    def relay_code(self, contract: str) -> str:
        """The answer of getCode."""
        body = json.dumps({"address": contract}).encode()
        answer = send(self.relay, "POST", "/api/v3/delegator/getCode", body=body)
        found: str = answer.json["result"]
        return found
