"""A client's message on a WebSocket: read, judged by the codes, and answered.

The order of judgement: the message can be read (104115), its op (104101), that it has topics (104100), then each topic by itself:
its name (104102), its parameters (the topic's own code), that it stands there once (104103), its API key (104104, 104105, 104112,
104114), that it is subscribed (104113); last the number of topics (104116). An error is one of the whole message.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mockrelay.core.call import NumberLiteral, Violation
from mockrelay.core.errors import InvalidInput
from mockrelay.core.world import World
from mockrelay.spec.sockets import TOPICS, TOPICS_MAX, Op, SocketCode, Topic
from mockrelay.suggest import any_of, in_quotes, nearest, shown
from mockrelay.wire.json_body import RefusedJsonError, finite_number, parse_body, raw_fields, text_violations
from mockrelay.wire.schemas import Place
from mockrelay.wire.violations import check

C = SocketCode
_ALL_OF_NAME = "unsubscribeAll"
_FLAG = {"type": "boolean"}
_MESSAGE = Place(
    {
        "type": "object",
        "properties": {
            "sequence": {"type": "integer"},
            "apiKey": {"type": "string"},
            _ALL_OF_NAME: _FLAG,
            "topics": {"type": "array", "items": {"type": "object", "properties": {_ALL_OF_NAME: _FLAG}}},
        },
    },
    "",
)
_PARAMETERS: Mapping[tuple[str, bool], Place] = {
    (topic.name, is_every): Place(
        {"type": "object", "properties": topic.parameters, "required": [] if is_every else list(topic.required)}, ""
    )
    for topic in TOPICS.values()
    for is_every in (False, True)
}
"""By topic, and whether all of its name are meant, which needs no parameters."""


class SocketRefused(Exception):
    """A message is refused with a code; nothing of it is done."""

    def __init__(self, code: int, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail

    @property
    def message(self) -> str:
        """The text beside the code."""
        meaning = C(self.code).meaning if self.code in C._value2member_map_ else f"Code {self.code}"
        return f"{meaning}: {self.detail}"


class Subscription(NamedTuple):
    """A topic that a session is subscribed to."""

    topic: Topic
    text: str
    """The topic's object as JSON, which each push repeats."""
    args: Mapping[str, Any]
    """Its parameters."""
    account_id: int
    """The account of the session's key; 0 for a topic without one."""

    @property
    def fields(self) -> dict[str, Any]:
        """Name and parameters, as the `when` of a fault sees them."""
        return {"topic": self.topic.name, **self.args}


class Change(NamedTuple):
    """What a message does to a session."""

    api_key: str | None
    dropped: tuple[str, ...]
    """Texts of the subscriptions that end."""
    added: tuple[Subscription, ...]


class Message(NamedTuple):
    """A message that could be read."""

    op: str
    api_key: str | None
    drops_all: bool
    topics: tuple[Mapping[str, Any], ...] | None
    """None: the message has none."""


def read_message(text: str) -> Message:
    """The message of a text. SocketRefused where it cannot be read."""
    value = parse_body(text.encode("utf-8", "surrogatepass"))
    if isinstance(value, dict):
        value = next(iter(text_violations(value)), value)
    if isinstance(value, Violation):
        raise SocketRefused(C.UNREADABLE, value.detail.replace("body: ", "the message: ", 1))
    try:
        check(_MESSAGE, value)
    except InvalidInput as wrong:
        raise SocketRefused(C.UNREADABLE, f"{wrong.field}: found {wrong.found}; meant: {wrong.expected}") from None
    topics = value.get("topics")
    return Message(
        _op(value),
        value.get("apiKey"),
        value.get(_ALL_OF_NAME, False),
        None if topics is None else tuple(topics),
    )


def judge(world: World, session_key: str | None, held: Mapping[str, Subscription], message: Message) -> Change:
    """What a message does to a session with this key and these subscriptions by their texts. SocketRefused."""
    if message.topics is None:
        raise SocketRefused(C.TOPICS_MISSING, "topics: the message has none; meant: a list of topics")
    topics = [_topic_of(world, at, sent) for at, sent in enumerate(message.topics)]
    texts = [_json(sent, sort_keys=True) for sent in message.topics]
    for at, text in enumerate(texts):
        if text in texts[:at]:
            raise SocketRefused(C.TOPIC_TWICE, f"topics[{at}]: it stands at topics[{texts.index(text)}] already")
    account_id = _account_id(world, session_key, message, topics)
    key = session_key if message.api_key is None else message.api_key
    if message.op == Op.UNSUBSCRIBE:
        return Change(key, tuple(_ended(held, message)), ())
    named = {topic.name for topic, sent in zip(topics, message.topics, strict=True) if sent.get(_ALL_OF_NAME)}
    wanted = {
        text: Subscription(
            topic,
            _json(sent),
            {name: sent[name] for name in topic.parameters if name in sent},
            account_id if topic.with_key else 0,
        )
        for topic, sent, text in zip(topics, message.topics, texts, strict=True)
    }
    added = tuple(wanted.values())
    # What is subscribed once more begins anew.
    again = {each.text for each in added}
    dropped = tuple(
        text for text, each in held.items() if message.drops_all or each.topic.name in named or text in again
    )
    count = len(held) - len(dropped) + len(added)
    if count > TOPICS_MAX:
        raise SocketRefused(C.TOO_MANY, f"topics: {count} on one session; meant: at most {TOPICS_MAX}")
    return Change(key, dropped, added)


def answer_text(text: str, refused: SocketRefused | None) -> str:
    """The answer to a message: its op, sequence and topics as they were sent, and the result. Of what is not a JSON object
    nothing is repeated.
    """
    body = text.encode("utf-8", "surrogatepass")
    sent = {} if isinstance(parse_body(body), Violation) else raw_fields(body)
    result: dict[str, Any] = {"status": "OK"}
    if refused is not None:
        result = {"status": "failed", "error": {"code": int(refused.code), "message": refused.message}}
    parts = [f'"{name}":{sent[name]}' for name in ("op", "sequence", "topics") if name in sent]
    return "{" + ",".join([*parts, f'"result":{_json(result)}']) + "}"


def _json(value: Any, *, sort_keys: bool = False) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=sort_keys, default=_finite)


def _finite(number: NumberLiteral) -> float:
    """A number of a field that no topic has. SocketRefused for one that would be written as Infinity."""
    try:
        return finite_number(number.text)
    except RefusedJsonError as wrong:
        raise SocketRefused(C.UNREADABLE, f"topics: {wrong}") from None


def _op(value: Mapping[str, Any]) -> str:
    op = value.get("op")
    if op not in tuple(Op):
        found = shown(op) if "op" in value else "no op"
        raise SocketRefused(C.OP_UNKNOWN, f"op: found {found}; meant: {any_of(tuple(Op))}")
    return str(op)


def _topic_of(world: World, at: int, sent: Mapping[str, Any]) -> Topic:
    """The topic of an object, whose parameters are right."""
    place, name = f"topics[{at}]", sent.get("topic")
    topic = TOPICS.get(name) if isinstance(name, str) else None
    if topic is None:
        meant = nearest(name, TOPICS) if isinstance(name, str) else any_of(TOPICS)
        raise SocketRefused(C.TOPIC_UNKNOWN, f"{place}.topic: found {shown(name)}; meant: {meant}")
    try:
        check(_PARAMETERS[topic.name, bool(sent.get(_ALL_OF_NAME))], sent)
    except InvalidInput as wrong:
        found = f"{place}.{wrong.field}: found {wrong.found}; meant: {wrong.expected}"
        raise SocketRefused(topic.code, found) from None
    markets = world.config.markets
    # Fields that the topic does not have may hold anything.
    given = topic.parameters.keys() & sent.keys()
    market = markets.get(sent["market"]) if "market" in given else None
    if "market" in given and market is None:
        found = f"{place}.market: found the unknown market {in_quotes(sent['market'], 60)}"
        raise SocketRefused(topic.code, f"{found}; meant: {nearest(sent['market'], markets)}")
    if market is not None and "level" in given:
        highest = max(market.levels)
        is_clamped = sent["level"] > highest and world.choices["depth.level_above"] == "highest"
        if sent["level"] not in market.levels and not is_clamped:
            levels = any_of([str(level) for level in market.levels])
            raise SocketRefused(topic.code, f"{place}.level: found {sent['level']}; meant: {levels}")
    return topic


def _account_id(world: World, session_key: str | None, message: Message, topics: list[Topic]) -> int:
    """The account of a message's key; 0 without one. A message that subscribes to a topic about an account brings the key itself,
    also where one before it has; the key of a session never changes.
    """
    key = message.api_key
    account_id = 0 if key is None else world.account_of_key.get(key, 0)
    if key is not None and not account_id:
        raise SocketRefused(C.KEY_UNKNOWN, "apiKey: no account has it")
    if key is not None and session_key not in (None, key):
        raise SocketRefused(C.KEY_CHANGED, "apiKey: the session has another one; meant: the same one")
    assert message.topics is not None
    for at, (topic, sent) in enumerate(zip(topics, message.topics, strict=True)):
        if not topic.with_key or message.op == Op.UNSUBSCRIBE:
            continue
        if key is None:
            raise SocketRefused(
                C.KEY_MISSING, f"topics[{at}]: {topic.name} is about an account; meant: apiKey beside it"
            )
        if sent.get("accountId", account_id) != account_id:
            found = f"topics[{at}].accountId: found {sent['accountId']}, and the apiKey is that of account {account_id}"
            raise SocketRefused(C.KEY_OF_NO_USER, found)
    return account_id


def _ended(held: Mapping[str, Subscription], message: Message) -> Iterator[str]:
    """The texts of the subscriptions that a message ends: those with the parameters that it names."""
    assert message.topics is not None
    if message.drops_all:
        yield from held
        return
    for at, sent in enumerate(message.topics):
        every = bool(sent.get(_ALL_OF_NAME))
        asked = {name: value for name, value in sent.items() if name not in ("topic", _ALL_OF_NAME)}
        found = [
            text
            for text, each in held.items()
            if each.topic.name == sent["topic"] and (every or asked.items() <= each.args.items())
        ]
        if not found and not every:
            raise SocketRefused(C.NOT_SUBSCRIBED, f"topics[{at}]: the session has no such subscription")
        yield from found
