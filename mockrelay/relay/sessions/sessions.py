"""The WebSockets of a relayer, without a socket: what clients send, what is pushed to them, heartbeat and faults.

After every moment at which something happened (each due event's, then the call's or the command's own), `flush` compares the
world with what subscribers were told last and sends the difference: accounts first, then orders, books, trades, tickers, candles.
So a push never tells of a state that does not hold yet, and one moment makes one push a subject.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

from mockrelay.core.context import Trace
from mockrelay.core.faults import Fault
from mockrelay.core.world import World
from mockrelay.relay.sessions.feeds import Feed, ViewContext, feed_key, feed_of
from mockrelay.relay.sessions.messages import Change, SocketRefused, Subscription, answer_text, judge, read_message
from mockrelay.relay.sessions.session import (
    BY_CLIENT,
    BY_RELAYER,
    CLOSE_CODES,
    HELD_MAX,
    RESTARTED,
    Out,
    Session,
    SocketEvent,
)
from mockrelay.spec.fault_effects import DISCONNECT, PUSH, REFUSE
from mockrelay.spec.lint_rules import SOCKET_GAP, SOCKET_NO_PONG, SOCKET_NOT_READ, SOCKET_TOPICS, Rule
from mockrelay.spec.sockets import (
    ON_MESSAGE,
    ON_PUSH,
    PING,
    PING_EVERY_MS,
    PONG,
    PONG_WITHIN_MS,
    Ending,
    Kind,
    PushTrouble,
    SocketCode,
)

ENDED_KEPT = 100
"""Sessions that are kept once they have ended."""
FINDINGS_MAX = 20
"""Findings of one session, whose client may make the same mistake for ever."""
GAP_PUSHES = 3
"""So many further changes of a book may come before a client must have the whole book again."""
_DEPTH_READS = frozenset({"get_depth", "get_depth_v3", "get_mix_depth", "get_mix_depth_v2"})

AddFinding = Callable[[str, Rule, str], None]
"""Adds a finding: (session, rule, detail)."""


class Sessions:
    """The sessions of a relayer. All is done under its lock."""

    def __init__(self, add_finding: AddFinding) -> None:
        self._add_finding = add_finding
        self.opened: dict[str, Session] = {}
        """Those that are open, by their ids."""
        self._ended: deque[Session] = deque(maxlen=ENDED_KEPT)
        self._feeds: defaultdict[Kind, dict[tuple[Any, ...], tuple[Feed, dict[tuple[str, str], Subscription]]]]
        self._feeds = defaultdict(dict)
        """By kind and parameters a feed, and its subscriptions by session and text."""
        self._told: tuple[Trace | None, int] = None, 0
        """The last trace, and how many of its moves have been pushed."""
        self.is_holding = False
        self.on_out: Callable[[Out], None] = lambda _: None
        """Told of all that is sent."""

    def __iter__(self) -> Iterator[Session]:
        """All sessions, those that have ended first."""
        yield from self._ended
        yield from self.opened.values()

    def find(self, session_id: str) -> Session | None:
        """The open session with this id."""
        return self.opened.get(session_id)

    def open(self, session_id: str, path: str, now_ms: int) -> None:
        """Begin a session, with a `ping`."""
        session = self.opened[session_id] = Session(session_id, path, now_ms)
        if self.is_holding:
            session.held = deque()
        self._ping(session, now_ms)

    def happen(self, world: World, session_id: str, event: SocketEvent, text: str) -> None:
        """Something happens on the WebSocket of a session, if that is open; `text` is a client's message, or how it came to it."""
        session = self.opened.get(session_id)
        if session is None:
            return
        if event is SocketEvent.MESSAGE and not session.is_silent:
            self._receive(world, session, text)
        elif event is SocketEvent.CLOSED:
            self._forget(session, BY_CLIENT)
        elif event is SocketEvent.NOT_READ:
            self._note(session, SOCKET_NOT_READ, text)
            self._end(session, Ending.SLOW, BY_RELAYER)

    def drop(self, ending: Ending, session_id: str | None = None) -> list[str]:
        """End one session, or all; the ids of those that ended."""
        sessions = [each for each in self.opened.values() if session_id in (None, each.id)]
        for session in sessions:
            self._end(session, ending, ending)
        return [each.id for each in sessions]

    def restart(self) -> None:
        """End all sessions, since the relayer has another state from now on."""
        for session in list(self.opened.values()):
            self._out(session, Out(session.id, None, Ending.CLEAN, RESTARTED))
            self._forget(session, BY_RELAYER)
        self._told = None, 0
        self.is_holding = False

    def hold(self) -> None:
        """Hold all pushes from now on."""
        self.is_holding = True
        for session in self.opened.values():
            if session.held is None:
                session.held = deque()

    def release(self, now_ms: int) -> int:
        """Send all that is held, in order, and hold nothing any more; how many pushes that were."""
        self.is_holding, count = False, 0
        for session in list(self.opened.values()):
            held, session.held = session.held, None
            for text in held or ():
                count += 1
                self._push_text(session, text, now_ms)
        return count

    def due_ms(self) -> int | None:
        """When the next `ping` is due; None without a session."""
        return min(
            (each.pinged_ms + PING_EVERY_MS for each in self.opened.values() if not each.is_silent), default=None
        )

    def flush(self, world: World, at_ms: int, trace: Trace, *, is_frozen: bool) -> None:
        """Push what has changed up to a moment, and send the pings that are due. A clock that stands still closes nothing."""
        seen = self._told[1] if self._told[0] is trace else 0
        moves = trace.moves[seen:]
        self._told = trace, len(trace.moves)
        changed = {subject for kind, subject, _, _ in moves if kind == "order"}
        orders = sorted(changed, key=lambda hash_: world.orders.by_hash[hash_].seq)
        ctx = ViewContext(world, at_ms)
        if trace.endpoint in _DEPTH_READS:
            self._heal(trace.args.get("market"))
        for kind in Kind:
            for feed, subscriptions in list(self._feeds[kind].values()):
                for rest in feed.changes(ctx, orders):
                    # Subscribers with the same words share the text, which each of them keeps for a while.
                    texts: dict[str, str] = {}
                    for (session_id, _), sub in list(subscriptions.items()):
                        text = texts.get(sub.text)
                        if text is None:
                            text = texts[sub.text] = _push_of(sub, rest, at_ms)
                        self._push(world, session_id, sub, text, at_ms)
        for session in list(self.opened.values()):
            self._beat(session, at_ms, is_frozen=is_frozen)

    def _receive(self, world: World, session: Session, text: str) -> None:
        """Take a text message of a client; its answer and the first pushes are sent."""
        now_ms = world.now_ms
        session.received += 1
        session.note(now_ms, "in", text)
        if text == PONG:
            session.pongs += 1
            session.ponged_ms = now_ms
            return
        if text == PING:
            self._send(session, PONG, now_ms)
            return
        self._take(world, session, text)

    def _take(self, world: World, session: Session, text: str) -> None:
        """Carry out a message about topics, and answer it."""
        try:
            change = self._judged(world, session, text)
        except SocketRefused as refused:
            if refused.code == SocketCode.TOO_MANY:
                self._note(session, SOCKET_TOPICS, refused.detail)
            self._send(session, answer_text(text, refused), world.now_ms)
            return
        if change is None:
            return
        session.api_key = change.api_key
        for dropped in change.dropped:
            self._unsubscribe(session, dropped)
        self._send(session, answer_text(text, None), world.now_ms)
        ctx = ViewContext(world, world.now_ms)
        for sub in change.added:
            self._subscribe(ctx, session, sub)

    def _judged(self, world: World, session: Session, text: str) -> Change | None:
        """What a message does; None where a fault has ended the session in its place. SocketRefused."""
        message = read_message(text)
        fault = self._fired(world, ON_MESSAGE, {"op": message.op, "apiKey": message.api_key})
        if fault is None:
            return judge(world, session.api_key, session.subscriptions, message)
        if fault.effect.kind == REFUSE.name:
            raise SocketRefused(fault.effect.value, f"the scripted fault {fault.label}")
        self._end(session, Ending(fault.effect.value), fault.label)
        return None

    def _subscribe(self, ctx: ViewContext, session: Session, sub: Subscription) -> None:
        session.subscriptions[sub.text] = sub
        session.subscribed.append((ctx.now_ms, sub))
        if sub.topic.kind is Kind.ORDERBOOK:
            _close_gaps(session, sub.args["market"])
        feeds, key = self._feeds[sub.topic.kind], feed_key(sub)
        if key not in feeds:
            feeds[key] = feed_of(ctx, sub), {}
        feed, subscriptions = feeds[key]
        subscriptions[session.id, sub.text] = sub
        for rest in feed.first(ctx):
            self._push(ctx.world, session.id, sub, _push_of(sub, rest, ctx.now_ms), ctx.now_ms)

    def _unsubscribe(self, session: Session, text: str) -> None:
        sub = session.subscriptions.pop(text)
        session.gaps.pop(text, None)
        feeds, key = self._feeds[sub.topic.kind], feed_key(sub)
        del feeds[key][1][session.id, text]
        if not feeds[key][1]:
            del feeds[key]

    def _push(self, world: World, session_id: str, sub: Subscription, text: str, at_ms: int) -> None:
        session = self.opened.get(session_id)
        if session is None or session.is_silent:
            return
        fault = self._fired(world, ON_PUSH, sub.fields) if world.faults.by_id else None
        if fault is not None and fault.effect.kind == DISCONNECT.name:
            self._end(session, Ending(fault.effect.value), fault.label)
            return
        trouble = None if fault is None else fault.effect.value
        if trouble == PushTrouble.LOSE:
            session.note(at_ms, "lost", text)
            if sub.topic.kind is Kind.ORDERBOOK and not sub.args.get("snapshot"):
                session.gaps[sub.text] = 0
            return
        if trouble == PushTrouble.SWAP:
            session.swapped = text
            return
        if trouble == PushTrouble.HOLD and session.held is None:
            session.held = deque()
        for _ in range(2 if trouble == PushTrouble.REPEAT else 1):
            self._push_text(session, text, at_ms)
        if session.swapped is not None:
            swapped, session.swapped = session.swapped, None
            self._push_text(session, swapped, at_ms)
        self._watch_gap(session, sub)

    def _push_text(self, session: Session, text: str, at_ms: int) -> None:
        if session.closed_by is not None:
            return
        if session.held is None:
            session.pushed += 1
            self._send(session, text, at_ms)
        elif len(session.held) < HELD_MAX:
            session.held.append(text)
        else:
            self._end(session, Ending.SLOW, f"more than {HELD_MAX} pushes held")

    def _watch_gap(self, session: Session, sub: Subscription) -> None:
        pushes = session.gaps.get(sub.text)
        if pushes is None:
            return
        session.gaps[sub.text] = pushes + 1
        if pushes + 1 == GAP_PUSHES:
            del session.gaps[sub.text]
            detail = f"a change of the book {sub.args['market']} was lost, and {GAP_PUSHES} more came"
            self._note(session, SOCKET_GAP, f"{detail} without a read of the whole book")

    def _heal(self, market: Any) -> None:
        for session in self.opened.values():
            _close_gaps(session, market)

    def _beat(self, session: Session, now_ms: int, *, is_frozen: bool) -> None:
        if session.is_silent:
            return
        if not is_frozen and (session.waited_ms(now_ms) > PONG_WITHIN_MS or session.pongs > session.pings):
            self._end(session, Ending.CLEAN, BY_RELAYER)
        elif now_ms - session.pinged_ms >= PING_EVERY_MS:
            if session.pongs < session.pings:
                detail = f"no pong for {session.waited_ms(now_ms) // 1000} s"
                self._note(session, SOCKET_NO_PONG, detail)
            self._ping(session, now_ms)

    def _ping(self, session: Session, now_ms: int) -> None:
        if session.pongs >= session.pings:
            session.unanswered_ms = now_ms
        session.pings += 1
        session.pinged_ms = now_ms
        self._send(session, PING, now_ms)

    def _send(self, session: Session, text: str, at_ms: int) -> None:
        session.note(at_ms, "out", text)
        self._out(session, Out(session.id, text))

    def _out(self, session: Session, out: Out) -> None:
        self.on_out(out)
        session.send(out)

    def _note(self, session: Session, rule: Rule, detail: str) -> None:
        session.findings += 1
        if session.findings <= FINDINGS_MAX:
            self._add_finding(session.id, rule, detail)

    def _end(self, session: Session, ending: Ending, closed_by: str) -> None:
        self._out(session, Out(session.id, None, ending, CLOSE_CODES.get(ending)))
        if ending is Ending.SILENT:
            session.is_silent = True
            for text in list(session.subscriptions):
                self._unsubscribe(session, text)
        else:
            self._forget(session, closed_by)

    def _forget(self, session: Session, closed_by: str) -> None:
        for text in list(session.subscriptions):
            self._unsubscribe(session, text)
        session.end(closed_by)
        del self.opened[session.id]
        self._ended.append(session)

    def _fired(self, world: World, event: str, fields: dict[str, Any]) -> Fault | None:
        """The fault that fires on an event of a WebSocket."""
        for effect in (DISCONNECT, REFUSE, PUSH):
            fault = world.faults.fire_on(event, fields, effect, None)
            if fault is not None:
                return fault
        return None


def _push_of(sub: Subscription, rest: str, at_ms: int) -> str:
    """The text of a push."""
    return f'{{"topic":{sub.text},"ts":{at_ms},{rest}}}'


def _close_gaps(session: Session, market: Any) -> None:
    """The client has the whole book of a market."""
    for text in [text for text in session.gaps if session.subscriptions[text].args["market"] == market]:
        del session.gaps[text]
