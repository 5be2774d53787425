"""What the clock and commands can do, beside what clients do, as rules of a Hypothesis machine."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.properties.machines.client_rules import ACCOUNTS
from tests.properties.machines.request_builder import PICKS
from tests.properties.machines.trade_rules import TradeRules
from tests.properties.models.request_records import Key, OtherTx, Request
from tests.properties.models.request_setup import DAI, ETH, KINDS, LRC, SYMBOLS
from tests.support.worlds import DAY_S

SPANS_MS = st.sampled_from([1, 999, 1000, 5000, 10_000, 15_000, 60_000, 3_600_000, DAY_S * 1000, 70 * DAY_S * 1000])
FEE_NAMES = {"nft_mint": 9, "nft_withdrawal": 10, "nft_transfer": 11, "nft_deploy": 13}


class CommandRules(TradeRules):
    """A relay and the second relayer, side by side, driven by clients and by commands."""

    @rule(span_ms=SPANS_MS)
    def wait(self, span_ms: int) -> None:
        self.run_due_events(span_ms)

    def run_due_events(self, span_ms: int) -> None:
        """Advance both clocks."""
        self.done("POST", "clock", {"advance": f"{span_ms}ms"})
        self.model.run_due_events(self.model.now_ms + span_ms)

    @rule(count=st.sampled_from([1, 1, 3]), span_ms=SPANS_MS)
    def wait_and_seal(self, count: int, span_ms: int) -> None:
        self.run_due_events(span_ms)
        self.seal_more(count)

    @rule(account=ACCOUNTS, token=st.sampled_from([ETH, LRC, LRC, DAI]), wei=st.sampled_from([1, 50_000]))
    def deposit(self, account: int, token: int, wei: int) -> None:
        """DAI is not enabled."""
        self.catch_up()
        path, body = f"accounts/{account}/deposit", {"token": SYMBOLS[token], "amount": str(wei)}
        if token == DAI:
            self.conflict(path, body)
            return
        self.done("POST", path, body)
        self.model.money.deposit(account, token, wei)
        moved = {"tokenId": token, "amount": str(wei)}
        self.model.enqueue(OtherTx({"txType": "Deposit", "accountId": account, "token": moved}))
        self.deposited(account)

    def deposited(self, account: int) -> None:
        """What else a deposit leaves."""

    @rule(account=ACCOUNTS, token=st.sampled_from([ETH, LRC, DAI]), wei=st.sampled_from([0, 50_000, 10**24]))
    def set_balance(self, account: int, token: int, wei: int) -> None:
        """What is free is set, and brings no transaction."""
        self.catch_up()
        self.done("POST", f"accounts/{account}/balance", {"token": SYMBOLS[token], "amount": str(wei)})
        self.model.money.deposit(account, token, wei - self.model.money.free[account, token])

    @rule(count=st.sampled_from([1, 1, 3]))
    def seal(self, count: int) -> None:
        self.seal_more(count)

    def seal_more(self, count: int) -> None:
        """Up to so many blocks of what waits."""
        self.catch_up()
        answer = self.done("POST", "blocks/seal", {"count": count})
        sealed: list[Any] = []
        while len(sealed) < count and self.model.pending:
            sealed.append(self.model.seal(self.model.now_ms))
        assert answer == {"blockIds": sealed}

    @rule(pick=st.integers(-1, 6))
    def finalize(self, pick: int) -> None:
        self.catch_up()
        newest = self.model.blocks[-1].block_id
        up_to = newest if pick < 0 else pick
        body = {} if pick < 0 else {"upTo": up_to}
        if up_to > newest:
            self.conflict("blocks/finalize", body)
            return
        self.done("POST", "blocks/finalize", body)
        self.model.finalize_up_to(up_to)

    @precondition(lambda self: self.model.requests)
    @rule(pick=PICKS, to=st.sampled_from(["processing", "processed", "processed", "failed"]))
    def advance(self, pick: int, to: str) -> None:
        self.catch_up()
        still_open = [one for one in self.model.requests if one.is_open]
        among = still_open or self.model.requests
        self.command_move(among[-1 - pick % len(among)], "submissions/{}/advance", {"to": to}, to)

    def command_move(self, request: Request, path: str, body: Any, to: str) -> None:
        """A command moves what is open, but not against the block that holds it."""
        model = self.model
        if not request.is_open or request.status == to:
            self.conflict(path.format(request.hash), body)
        elif to == "failed":
            if request.block is not None and request.valid:
                self.conflict(path.format(request.hash), body)
                return
            self.done("POST", path.format(request.hash), body)
            model.fail(request)
        elif to == "processed" and (not request.funded or model.is_void(request)):
            self.conflict(path.format(request.hash), body)
        else:
            self.done("POST", path.format(request.hash), body)
            if request.status == "received":
                model.take_up(request, model.now_ms)
            if to == "processed":
                model.finish(request)

    @rule(account=ACCOUNTS, outcome=st.sampled_from(["deployed", "failed"]))
    def command_deploy(self, account: int, outcome: str) -> None:
        """The relayer's own deployment comes to its end, or a third party deploys."""
        self.catch_up()
        contract = self.addresses.contracts[account]
        path, body = f"nft/{contract}/deploy", {"outcome": outcome}
        under_way = [one for one in self.model.requests if one.contract == contract and one.is_open]
        if contract in self.model.deployed or (outcome == "failed" and not under_way):
            self.conflict(path, body)
        elif under_way:
            self.command_move(under_way[0], path, body, "failed" if outcome == "failed" else "processed")
        else:
            self.done("POST", path, body)
            self.model.deployed.add(contract)

    @rule(kind=st.sampled_from(KINDS), token=st.sampled_from([ETH, LRC]), to=st.sampled_from([1, 9, 12, "1.3", "0.5"]))
    def change_fee(self, kind: str, token: int, to: int | str) -> None:
        self.catch_up()
        fees = self.model.fees[kind]
        body = {"requestType": FEE_NAMES.get(kind, kind), "token": SYMBOLS[token]}
        if isinstance(to, int):
            self.done("POST", "fees", body | {"fee": str(to)})
            fees[token] = to
        else:
            self.done("POST", "fees", body | {"factor": float(to)})
            tenths = int(to.replace(".", ""))
            fees[token] = fees[token] * tenths // 10

    @rule(account=ACCOUNTS, number=st.integers(1, 5))
    def set_key(self, account: int, number: int) -> None:
        self.catch_up()
        x, y = f"0x{number:064x}", f"0x{account:064x}"
        self.done("POST", f"accounts/{account}/keys", {"publicKeyX": x, "publicKeyY": y})
        self.model.keys[account].append(Key(x, y, self.model.key(account).nonce))
