"""The guide's page about states: diagrams from the tables of transitions, and what calls show at each step, played."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mockrelay.client import bodies
from mockrelay.client.bodies import right_fields
from mockrelay.client.facts import SIGNATURE_PARTS
from mockrelay.openapi.playing import Control, ScriptCall, facts_of, fresh_relay, prepare, send, value_of
from mockrelay.report.how_to_reach import recipe_of_transition
from mockrelay.spec.request_kinds import KINDS, RequestKind
from mockrelay.spec.transitions import BLOCK, ORDER, REQUEST
from tests.examples.tables import table

Table = Mapping[tuple[Any, Any], Any]


class Session:
    """A relayer of its own, and the calls that a page shows."""

    def __init__(self) -> None:
        self.relay = fresh_relay()
        self.facts = facts_of(self.relay)
        self.facts.add_fees(self.call("get_exchange_info", {})["data"])
        self.facts.contract_address = self.call(
            "compute_token_address", right_fields(self.facts, "compute_token_address")
        )["tokenAddress"]
        self.fields: Mapping[str, Any] = {}

    def call(self, endpoint: str, fields: Mapping[str, Any], account: str = "alice") -> Any:
        """A call a second later; its answer, accepted or not."""
        self.relay.advance(1000)
        return value_of(send(self.relay, ScriptCall(endpoint, fields, account)))

    def steer(self, method: str, path: str, body: Any = None) -> Any:
        """A control call; its answer."""
        return prepare(self.relay, Control(method, path, body))

    def again(self, endpoint: str, account: str = "alice") -> str:
        """What the same submission is answered when it is sent again."""
        return _receipt(self.call(endpoint, self.fields, account))


class Step(NamedTuple):
    """A row: what happens, in words, and how it is done after the rows before. A submission gives its receipt."""

    words: str
    act: Callable[[Session], object]


class Machine(NamedTuple):
    """The steps of one life, and what is looked at after each."""

    steps: Sequence[Step]
    looks: Mapping[str, Callable[[Session], str]]


def state_parts() -> dict[str, str]:
    """Diagrams and tables by the names of their regions."""
    kinds = {"withdrawal": "withdrawal", "mint": "nft_mint", "deployment": "nft_deploy"}
    found = {"states order": _part("order", ORDER, _ORDERS), "states block": _part("block", BLOCK, _BLOCKS)}
    for name, kind in kinds.items():
        open_states = KINDS[RequestKind(kind)].durations
        moves = {move: becomes for move, becomes in REQUEST.items() if move[0] in open_states}
        found[f"states {name}"] = _part(kind, moves, _REQUESTS[name])
    return found


def _part(subject: str, moves: Table, lives: Sequence[Machine]) -> str:
    diagram = "\n".join(["```mermaid", "stateDiagram-v2", *_diagram(moves), "```"])
    ways = table(
        ("from", "to", "how"), [(f"`{old}`", f"`{new}`", _way(subject, old, new)) for (old, _), new in moves.items()]
    )
    return "\n\n".join([diagram, ways, *map(_played, lives)])


def _diagram(moves: Table) -> Iterator[str]:
    starts = {old for old, _ in moves}
    entered = {new for (old, _), new in moves.items() if new != old}
    # An order is accepted into either of its first two states.
    for state in dict.fromkeys(
        old for old, _ in moves if old not in entered or (old.value == "processing" and moves is ORDER)
    ):
        yield f"    [*] --> {state}"
    for (old, trigger), new in moves.items():
        yield f"    {old} --> {new}: {trigger}"
    for state in dict.fromkeys(new for new in moves.values() if new not in starts):
        yield f"    {state} --> [*]"


def _way(subject: str, old: str, new: str) -> str:
    recipe = recipe_of_transition(subject, old, new)
    return recipe.how + (f"; fault `{json.dumps(recipe.fault)}`" if recipe.fault else "")


def _played(life: Machine) -> str:
    session = Session()
    rows = []
    for step in life.steps:
        answer = step.act(session)
        shown = (look(session) for look in life.looks.values())
        rows.append((step.words, answer if isinstance(answer, str) else "", *shown))
    return table(("step", "its answer", *life.looks), rows)


def _receipt(answer: Any) -> str:
    """The receipt of a submission in short: its status, or the code of a refusal."""
    code = answer.get("resultInfo", {}).get("code", 0)
    data = answer.get("raw_data") or answer.get("data") or answer
    if code:
        return f"code {code}"
    return f"`{data['status']}`" + (", idempotent" if data["isIdempotent"] else "")


def _submit(endpoint: str, account: str = "alice", **fault: Any) -> Callable[[Session], object]:
    """The right call to an endpoint, after a fault where there is one."""

    def act(session: Session) -> str:
        if fault:
            session.steer("POST", "faults", {"on": endpoint, **fault})
        session.fields = right_fields(session.facts, endpoint)
        return _receipt(session.call(endpoint, session.fields, account))

    return act


def _order(since_s: int = 0) -> Callable[[Session], object]:
    def act(session: Session) -> str:
        base, quote = session.facts.pair
        sold, bought = (base, 100 * base.unit_wei), (quote, quote.unit_wei)
        order = bodies.order(session.facts, session.facts.alice, sold, bought, validSince=session.facts.now_s + since_s)
        session.fields = order | SIGNATURE_PARTS
        return _receipt(session.call("submit_order", session.fields))

    return act


def _wait(seconds: int) -> Callable[[Session], object]:
    return lambda session: session.relay.advance(seconds * 1000)


def _by_hand(action: str, body: Any = None) -> Callable[[Session], object]:
    def act(session: Session) -> None:
        (order,) = session.call("get_orders", {"accountId": session.facts.account_id})["data"]["orders"]
        session.steer("POST", f"orders/{order['hash']}/{action}", body)

    return act


def _listed(session: Session) -> str:
    (order,) = session.call("get_orders", {"accountId": session.facts.account_id})["data"]["orders"]
    return f"`{order['status']}`, filled {int(order['filledSize']) * 100 // int(order['size'])} %"


def _asked(session: Session) -> str:
    asks = session.call("get_depth", {"market": session.facts.market, "level": 0})["data"]["asks"]
    return f"{int(asks[0][1]) // session.facts.pair[0].unit_wei} LRC" if asks else "nothing"


def _pending(session: Session) -> str:
    return ", ".join(f"`{entry['txType']}`" for entry in session.call("get_pending_requests", {})) or "nothing"


def _in_block(session: Session) -> str:
    """What the first block says of its one transaction."""
    answer = session.call("get_block", {"id": "1"})
    if "resultInfo" in answer:
        return f"code {answer['resultInfo']['code']}"
    (transaction,) = answer["transactions"]
    return f"`{answer['status']}`, `valid: {json.dumps(transaction['valid'])}`"


def _withdrawal_again(session: Session) -> str:
    """What the same withdrawal is answered; of a refusal also the part of its message that says why."""
    answer = session.call("submit_withdrawal", session.fields)
    said = re.search(r"this request is \w+", str(answer.get("resultInfo", {}).get("message", "")))
    return _receipt(answer) + (f", `{said[0]}`" if said else "")


def _balance(session: Session) -> str:
    """What has left alice's free LRC since the start, and what of it is in flight, both as the control API shows it."""
    lrc = session.steer("GET", "accounts/alice")["balances"]["LRC"]
    gone_wei = _LRC_AT_START_WEI - int(lrc["free"])
    return f"{_in_lrc(-gone_wei)}, {_in_lrc(int(lrc['inFlight']))} in flight"


def _in_lrc(wei: int) -> str:
    tenths = wei * 10 // 10**18
    return f"{'-' if tenths < 0 else ''}{abs(tenths) // 10}.{abs(tenths) % 10}"


def _block(session: Session) -> str:
    answer = session.call("get_block", {"id": "1"})
    return f"code {answer['resultInfo']['code']}" if "resultInfo" in answer else f"`{answer['status']}`"


def _newest(word: str) -> Callable[[Session], str]:
    return lambda session: f"block {session.call('get_block', {'id': word})['blockId']}"


def _on_layer1(session: Session) -> str:
    asked = right_fields(session.facts, "get_token_balances")
    (wei,) = session.call("get_token_balances", asked)["data"]
    return f"{int(wei) // 10**18:,} LRC"


def _nft(session: Session) -> str:
    answer = session.call("get_nft_data", right_fields(session.facts, "get_nft_data"), "carol")
    return f"code {answer['resultInfo']['code']}" if "resultInfo" in answer else "the NFT"


def _code(session: Session) -> str:
    result = session.call("get_code", {"address": session.facts.contract})["result"]
    return "`0x`" if result == "0x" else f"`{result[:6]}…`"


def _mint_first(session: Session) -> None:
    answer = session.call("mint_nft", right_fields(session.facts, "mint_nft"), "carol")
    session.facts.nft = answer["raw_data"]


def _leaves(session: Session) -> str:
    return _receipt(session.call("withdraw_nft", bodies.nft_move(session.facts, session.facts.carol), "carol"))


def _deploy(**fault: Any) -> Callable[[Session], object]:
    def act(session: Session) -> object:
        _mint_first(session)
        return _submit("deploy_nft_contract", "carol", **fault)(session)

    return act


_OF_ORDER = {
    "`get_orders`": _listed,
    "asks of `get_depth`": _asked,
    "`submit_order` again": lambda s: s.again("submit_order"),
}
_HALF = {"size": str(50 * 10**18)}
_ORDERS = (
    Machine(
        (
            Step("an order is submitted whose `validSince` is an hour ahead", _order(3600)),
            Step("an hour passes", _wait(3600)),
            Step("half of it is filled", _by_hand("fill", _HALF)),
            Step("the rest is filled", _by_hand("fill", _HALF)),
        ),
        _OF_ORDER,
    ),
    Machine(
        (Step("an order is submitted", _order()), Step("it is cancelled by hand", _by_hand("cancel"))),
        _OF_ORDER,
    ),
    Machine(
        (Step("an order is submitted", _order()), Step("61 days pass", _wait(61 * 86_400))),
        _OF_ORDER,
    ),
)
_LRC_AT_START_WEI = 20_000_000 * 10**18
_OF_WITHDRAWAL = {
    "`get_pending_requests`": _pending,
    "block 1": _in_block,
    "free LRC": _balance,
    "`get_token_balances`": _on_layer1,
    "`submit_withdrawal` again": _withdrawal_again,
}
_OF_MINT = {"`get_nft_data`": _nft, "`mint_nft` again": lambda session: session.again("mint_nft", "carol")}
_OF_DEPLOYMENT = {
    "`get_code`": _code,
    "`deploy_nft_contract` again": lambda session: session.again("deploy_nft_contract", "carol"),
    "`withdraw_nft`": _leaves,
}
_REQUESTS = {
    "withdrawal": (
        Machine(
            (
                Step("a withdrawal is submitted", _submit("submit_withdrawal")),
                Step("the next block is sealed: 10 s pass", _wait(10)),
            ),
            _OF_WITHDRAWAL,
        ),
        Machine(
            (
                Step("a withdrawal is submitted that is going to fail", _submit("submit_withdrawal", outcome="failed")),
                Step("10 s pass", _wait(10)),
            ),
            _OF_WITHDRAWAL,
        ),
    ),
    "mint": (
        Machine((Step("a mint is submitted", _submit("mint_nft", "carol")), Step("10 s pass", _wait(10))), _OF_MINT),
        Machine(
            (Step("a mint is submitted that is going to fail", _submit("mint_nft", "carol", outcome="failed")),),
            _OF_MINT,
        ),
    ),
    "deployment": (
        Machine(
            (Step("after a mint, a deployment is submitted", _deploy()), Step("15 s pass", _wait(15))),
            _OF_DEPLOYMENT,
        ),
        Machine(
            (
                Step("a deployment is submitted that is going to fail", _deploy(outcome="failed")),
                Step("15 s pass", _wait(15)),
            ),
            _OF_DEPLOYMENT,
        ),
    ),
}
_BLOCKS = (
    Machine(
        (
            Step("a withdrawal waits", _submit("submit_withdrawal")),
            Step("10 s pass: the block is sealed", _wait(10)),
            Step("30 s pass", _wait(30)),
            Step("120 s pass", _wait(120)),
        ),
        {
            "`get_block` of number 1": _block,
            "of `confirmed`": _newest("confirmed"),
            "of `finalized`": _newest("finalized"),
        },
    ),
)
