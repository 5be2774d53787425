"""The handle: all that a test can do to a relayer and read of it.

Every call is one or two control calls, so it works from sync and async code, from any thread and, for a relayer of this
process, inside the server's own loop. A call that is refused raises ControlError, which says what was meant.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Never, Self, Unpack

from mockrelay.client.control import Control, hides, over_http
from mockrelay.suggest import nearest
from mockrelay.testing.accounts import Account, amount_text
from mockrelay.testing.clock import Time
from mockrelay.testing.control import HandleControl, in_process, word
from mockrelay.testing.faults import ChangedChoices, Fault, FaultOptions, Snapshot
from mockrelay.testing.orders import Order, Submission
from mockrelay.testing.problems import (
    allowed_kinds,
    failure_message,
    is_quiet,
    newest_findings,
    unexpected_findings,
    unexpected_problems,
)
from mockrelay.testing.record import Record, recorded
from mockrelay.testing.requests import Requests, Why, verify, why
from mockrelay.testing.resets import reset_fields, scenario_of, with_own
from mockrelay.testing.sockets import Sockets

if TYPE_CHECKING:
    from mockrelay.relay import Relay
    from mockrelay.scenario import Scenario

__tracebackhide__ = hides

_OTHER_NAMES = {"atLeast": "at_least", "atMost": "at_most", "count": "times"}
"""Names that other tools have for arguments of `assert_called`, each with the name of ours."""


class RelayerHandle:
    """A relayer under a test's control. `RelayerHandle.of(relay)` and `RelayerHandle.at(url)` make one without pytest."""

    def __init__(
        self,
        control: Control,
        *,
        url: Callable[[], str],
        relay: Relay | None = None,
        start: Callable[[Scenario | None], Mapping[str, Any]] = lambda _: {},
        strict: bool = False,
        allow: Collection[str] = (),
    ) -> None:
        """`url` is called for the address when that is first needed; `start` gives the fields of a reset to another scenario, or to its own."""
        self.control = HandleControl(control)
        """The control API itself: `relayer.control("GET", "health")`."""
        self._find_url = url
        self._url: str | None = None
        self._relay = relay
        self._start = start
        self._past_problems: list[str] = []
        """Unexpected problems from before a reset, which must still fail the test."""
        self.past_findings: list[Record] = []
        """The findings that were given up with a state: by a reset, a restored snapshot or a loaded record."""
        self.strict = strict
        """Whether findings fail a test too."""
        self.allowed = frozenset(allow)
        """The kinds of problem that do not fail a test; `allow` adds to them."""
        self.clock = Time(self.control)
        """The relayer's clock."""
        self.ws = Sockets(self.control)
        """The WebSockets that clients have opened (profile `live`)."""

    @classmethod
    def of(cls, relay: Relay, url: str | Callable[[], str] = "") -> Self:
        """The handle of a relay in this process; `url` is its address, where it is served."""
        return cls(in_process(relay), url=url if callable(url) else lambda: url, relay=relay)

    @classmethod
    def at(cls, url: str, token: str | None = None) -> Self:
        """The handle of a server that is up, or of a world of it (`http://HOST:PORT/w/NAME`)."""
        address = url.rstrip("/")
        return cls(over_http(address, token), url=lambda: address)

    @property
    def url(self) -> str:
        """The address for the client under test, without a slash at the end. The port is opened at the first use.

        Raises RuntimeError where nothing serves the relayer.
        """
        if not self.address:
            raise RuntimeError(
                "nothing serves this relayer, so it has no url; set `serve = staticmethod(mockrelay.web.serve)` in a "
                "RelayMachine, give the address to `RelayerHandle.of(relay, url)`, or take the pytest fixture `relayer`"
            )
        return self.address

    @property
    def address(self) -> str:
        """As `url`, but empty where nothing serves the relayer."""
        if self._url is None:
            self._url = self._find_url()
        return self._url

    @property
    def relay(self) -> Relay:
        """The relay itself, for instance for `create_app`; only where it runs in this process."""
        if self._relay is None:
            raise RuntimeError("this relayer is a world of a server elsewhere; there is no relay in this process")
        return self._relay

    @property
    def scenario(self) -> str:
        """The name of the scenario that the world started from."""
        name: str = self.control("GET", "state")["scenario"]
        return name

    @property
    def accounts(self) -> list[Account]:
        """All accounts, in the scenario's order."""
        return [self.account(view["accountId"]) for view in self.control("GET", "accounts")]

    def account(self, who: str | int) -> Account:
        """The account with an id, a name from the scenario, or an owner's address. Raises ControlError for an unknown one."""
        return Account(self.control, who, lambda: self.address)

    @property
    def orders(self) -> list[Order]:
        """All orders, oldest first."""
        return [Order(self.control, view["hash"]) for view in self.control("GET", "state")["orders"]]

    def order(self, order_hash: str) -> Order:
        """The order with a hash. Raises ControlError for an unknown one."""
        order = Order(self.control, order_hash)
        order.view  # noqa: B018 - a wrong hash is an error here, not where the order is used
        return order

    def submission(self, request_hash: str) -> Submission:
        """The transfer, withdrawal, account update or NFT request with a hash. Raises ControlError for an unknown one."""
        submission = Submission(self.control, request_hash)
        submission.view  # noqa: B018 - as for an order
        return submission

    def seal_block(self) -> int | None:
        """Seal the pending transactions into a block; its id, or None where nothing was pending."""
        block_ids = self.seal_blocks(1)
        return block_ids[0] if block_ids else None

    def seal_blocks(self, count: int) -> list[int]:
        """Seal up to `count` blocks; their ids."""
        block_ids: list[int] = self.control("POST", "blocks/seal", {"count": count})["blockIds"]
        return block_ids

    def finalize_blocks(self, up_to: int | None = None) -> int:
        """Finalize all sealed blocks, or those up to an id; the id of the last one."""
        body = {} if up_to is None else {"upTo": up_to}
        return int(self.control("POST", "blocks/finalize", body)["upTo"])

    def fault(self, on: str, **fields: Unpack[FaultOptions]) -> Fault:
        """Arm a fault on an endpoint: `fault("submit_order", code=102014)`. It must fire before the test ends, or,
        in a `with`, is disarmed at its end.
        """
        return Fault(self.control, self.control("POST", "faults", {"on": on, **fields})["id"])

    @property
    def faults(self) -> list[Fault]:
        """All faults that are armed or have fired."""
        return [Fault(self.control, view["id"]) for view in self.control("GET", "faults")]

    def choices(self, choices: Mapping[str, str]) -> ChangedChoices:
        """Change choices from now on; in a `with` only until its end."""
        return ChangedChoices(self.control, choices)

    def snapshot(self, name: str) -> Snapshot:
        """The snapshot with a name, taken now if there is none: `snapshot("funded").restore()` returns to it.

        `restore` of this handle refuses an unknown name; `.take()` takes a snapshot again.
        """
        views = self.control("GET", "snapshots")
        snapshot = Snapshot(self.control, name, self._keep_findings)
        return snapshot if any(view["name"] == name for view in views) else snapshot.take()

    def restore(self, name: str) -> None:
        """Return to a snapshot. Raises ControlError for an unknown name."""
        Snapshot(self.control, name, self._keep_findings).restore()

    def set_fee(
        self,
        request_type: int | str,
        token: str | int,
        fee: str | int | None = None,
        factor: float | str | None = None,
    ) -> int:
        """Set a fee (smallest unit) or multiply it; `request_type` as the spec numbers it, or `transfer`,
        `withdrawal`, `account_update`. Returns the new fee.
        """
        body: dict[str, Any] = {"requestType": request_type, "token": token}
        body |= {} if fee is None else {"fee": amount_text(fee)}
        body |= {} if factor is None else {"factor": factor}
        return int(self.control("POST", "fees", body)["fee"])

    def layer1(
        self,
        state: str | None = None,
        *,
        gas_price: str | int | None = None,
        balances: Mapping[str, Mapping[str, str | int]] | None = None,
        allowances: Mapping[str, Mapping[str, str | int]] | None = None,
        nonces: Mapping[str, int] | None = None,
        approved_hashes: Mapping[str, list[str]] | None = None,
    ) -> Record:
        """Change layer 1: its state (`up`, `down`, `error`), gas price, amounts by address and token, nonces by address."""
        body: dict[str, Any] = {} if state is None else {"state": state}
        if gas_price is not None:
            body["gasPrice"] = amount_text(gas_price)
        for name, amounts in (("balances", balances), ("allowances", allowances)):
            if amounts is not None:
                body[name] = {
                    who: {token: amount_text(wei) for token, wei in of.items()} for who, of in amounts.items()
                }
        if nonces is not None:
            body["nonces"] = dict(nonces)
        if approved_hashes is not None:
            body["approvedHashes"] = dict(approved_hashes)
        view: Record = recorded(self.control("POST", "layer1", body))
        return view

    def deploy(self, address: str, outcome: str = "deployed") -> str:
        """Finish the deployment of an NFT contract (as `deployed` or `failed`); the code at its address."""
        code: str = self.control("POST", f"nft/{word(address, 'contract')}/deploy", {"outcome": outcome})["code"]
        return code

    @property
    def requests(self) -> Requests:
        """The calls that were made, oldest first, keys and signatures masked; its `counts` count all of them."""
        return Requests(self.control("GET", "requests"))

    def forget_requests(self) -> None:
        """Empty the journal, so that assertions count from here."""
        self.control("DELETE", "requests")

    def why(self, asked: object) -> Why:
        """Why a call was answered as it was: by request id, or by a response of requests, httpx, aiohttp or urllib."""
        return why(self.control, asked)

    def assert_called(
        self,
        endpoint: str,
        *,
        times: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        code: int | None = None,
        **wrong: Never,
    ) -> None:
        """Fail, listing the nearest calls, unless an endpoint was called with these fields as often as given (default: at
        least once).
        """
        __tracebackhide__ = True
        if wrong:
            name = next(iter(wrong))
            meant = _OTHER_NAMES.get(name) or nearest(name, (*_OTHER_NAMES.values(), "body", "query", "code"))
            raise TypeError(f"assert_called has no argument {name!r}; meant: {meant}")
        expected = {"endpoint": endpoint, "times": times, "atLeast": at_least, "atMost": at_most}
        verify(self.control, {**expected, "body": body, "query": query, "code": code})

    def assert_not_called(
        self,
        endpoint: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        code: int | None = None,
    ) -> None:
        """Fail if an endpoint was called with these fields."""
        __tracebackhide__ = True
        verify(self.control, {"endpoint": endpoint, "times": 0, "body": body, "query": query, "code": code})

    def assert_sequence(self, *endpoints: str | Iterable[str]) -> None:
        """Fail unless these endpoints, given as names or one list, were called in this order; other calls may come in
        between.
        """
        __tracebackhide__ = True
        listed = endpoints[0] if len(endpoints) == 1 and not isinstance(endpoints[0], str) else endpoints
        verify(self.control, {"sequence": list(listed)})

    @property
    def findings(self) -> list[Record]:
        """What the client did that it should not rely on, whether it was accepted or refused."""
        findings: list[Record] = recorded(self.control("GET", "findings"))
        return findings

    def coverage(self) -> Record:
        """What of the spec has been covered since the relayer was made, resets included, and what is missing with a way to
        reach it: `relayer.coverage().kinds.pairs.missing`.
        """
        coverage: Record = recorded(self.control("GET", "coverage"))
        return coverage

    @property
    def problems(self) -> list[Record]:
        """Problems that fail a test at its end: calls to unknown paths, failures of mockrelay, faults that never fired."""
        problems: list[Record] = recorded(self.control("GET", "problems"))
        return problems

    def allow(self, *kinds: str) -> None:
        """Do not fail the test for `unknown_path`, `inner_failure`, `unfired_fault`, `callback_failed`, `record_failed` or
        `finding`, for the findings of a rule (`milliseconds-for-seconds`), or for `all`.
        """
        self.allowed |= allowed_kinds(kinds)

    let_pass = allow
    """Its old name, for one release."""

    def unexpected(self, but: Collection[str] = ()) -> list[str]:
        """A sentence for each problem and each finding that fails a test (if `strict` each finding) and is not allowed,
        those from before a reset or another state too. `but`: kinds that are allowed as well.
        """
        # Called twice a test, mostly for nothing: a relay in this process is asked without a control call.
        is_asked = self.strict or self.past_findings or self.control.is_closed
        if self._relay is not None and not is_asked and is_quiet(self._relay):
            return list(self._past_problems)
        allow, findings = self.allowed.union(but), [*self.past_findings, *self.findings]
        found = (*unexpected_problems(self.control, allow), *unexpected_findings(findings, allow, strict=self.strict))
        return list(dict.fromkeys((*self._past_problems, *found)))

    unheard = unexpected
    """Its old name, for one release."""

    def check(self) -> None:
        """Raise AssertionError for problems and findings that fail a test and are not allowed."""
        __tracebackhide__ = True
        if sentences := self.unexpected():
            raise AssertionError(failure_message(sentences))

    def state(self) -> Record:
        """The world, as `GET state` shows it."""
        state: Record = recorded(self.control("GET", "state"))
        return state

    def reset(self, **start: Any) -> None:
        """Reset the relayer to its start, or to another one: `scenario` (a packaged name, a file, or a dict with what a file
        has), `scenario_text`, `choices`, `clock` (`real`, `frozen`, a rate), `limits` (`spec`, `off`, or a dict of calls a
        second by endpoint), `profile`.
        """
        fields = reset_fields(start)
        fields = with_own(fields, self._start(scenario_of(fields)))
        self._keep_findings()
        self._past_problems += unexpected_problems(self.control, self.allowed)
        self.control("POST", "reset", fields)

    def _keep_findings(self) -> None:
        """Keep the present findings, since another state takes the place of the present one."""
        self.past_findings = newest_findings(self.past_findings, self.findings)

    @contextmanager
    def fresh(self) -> Iterator[Self]:
        """Give one example of a property test a fresh world: reset before it, checked and reset after it.

        After a failure the world is left as it is, for inspection.
        """
        __tracebackhide__ = True
        self._begin()
        yield self
        self.check()
        self._begin()

    def _begin(self) -> None:
        """Reset to the start, without problems from before."""
        self.control("POST", "reset", self._start(None))
        self._past_problems.clear()
        self.past_findings.clear()

    def dump(self) -> str:
        """The run so far as a record (JSON lines), for `load` or `serve --resume`."""
        dump: str = self.control("GET", "dump")
        return dump

    def load(self, record: str) -> Record:
        """Replace the state, with its snapshots, by the one that a record leads to; returns what was loaded (calls, now_ms,
        scenario, snapshots). Raises ControlError, with nothing changed, where the record cannot be read whole.
        """
        self._keep_findings()
        return Record(recorded(self.control("POST", "load", record)))

    def end(self) -> None:
        """Close the handle: every later call raises RuntimeError."""
        self.control.close()
        self._find_url, self._url = _no_url, None

    def __repr__(self) -> str:
        return f"<relayer {'whose port is not open yet' if self._url is None else self._url or 'without a port'}>"


def _no_url() -> str:
    raise RuntimeError("this relayer has ended with the test that it was made for")
