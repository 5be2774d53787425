"""Calls that are wrong in one thing, and the code that must come for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mockrelay.check import bodies, rules
from mockrelay.check.answers import Ask
from mockrelay.check.facts import NOBODYS_KEY, SOME_ADDRESS, UNKNOWN_ID, Missing
from mockrelay.check.forms import changed, misses
from mockrelay.check.healthy import healthy
from mockrelay.check.rows import FIELDS, KEYS, Act, Row, general
from mockrelay.check.run import Codes, Lost, Run
from mockrelay.check.slips import (
    DEPLOY_SLIPS,
    NFT_CODES,
    NFT_SLIPS,
    ORDER_SLIPS,
    READ_SLIPS,
    REQUEST_SLIPS,
    SIGNATURE_SLIPS,
    Slip,
)
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoints import BY_NAME, ENDPOINTS, KeyHeader
from mockrelay.wire.schemas import request_fields

if TYPE_CHECKING:
    from collections.abc import Iterable

STRAY = "stray"
_SIGNATURE_CODES = (C.AUTH_SIGNATURE_MISSING, C.AUTH_SIGNATURE_WRONG)
_READS = tuple(row.name for row in ENDPOINTS if row.method == "GET" or row.name == "get_code")
_WRITES = tuple(row.name for row in ENDPOINTS if row.name not in _READS)
_GEN3 = ("submit_withdrawal", "update_account", "mint_nft", "transfer_nft", "withdraw_nft")

_KEY_ROWS = tuple(
    row
    for row in general(KEYS, "A missing or unknown API key is refused with 104001 or 104002", "Authentication 1")
    if BY_NAME[row.endpoint].key is not KeyHeader.NOT_LISTED
)
_FIELD_ROWS = tuple(
    row
    for row in general(FIELDS, "A field that is missing or of a wrong form is refused", "Endpoints")
    if request_fields(row.endpoint)
)
_STRAY_ROWS = general(STRAY, "A path or a method that there is not is refused", "Endpoints")


def _each(run: Run, endpoints: Iterable[str], play: Callable[[Run, str], None]) -> None:
    """Play something for each endpoint; one that cannot be made does not stop the next."""
    for endpoint in endpoints:
        if run.only in (None, endpoint):
            try:
                play(run, endpoint)
            except Missing as missing:
                run.missing(endpoint, str(missing))
            except Lost:
                continue


def _keys(run: Run, endpoint: str) -> None:
    row = BY_NAME[endpoint]
    base = harmless(run, endpoint)
    for key, code in ((None, C.AUTH_KEY_EMPTY), ("", C.AUTH_KEY_EMPTY), (NOBODYS_KEY, C.AUTH_KEY_INVALID)):
        ask = base._replace(key=key)
        if row.key is KeyHeader.REQUIRED and C.AUTH_KEY_EMPTY in row.listed_codes:
            run.wrong(KEYS, ask, code)
            continue
        choice = "auth.key_on_unlisted" if row.key is KeyHeader.REQUIRED else "auth.key_on_silent"
        passed = dict.fromkeys(_passed(endpoint), "ignore")
        run.told(KEYS, ask, choice, {code: "refuse", **passed})


def harmless(run: Run, endpoint: str) -> Ask:
    """A call that does nothing even where its key is not looked at: submissions are for another exchange."""
    if endpoint == "send_eth_tx" or endpoint in _READS:
        return _right(run, endpoint)
    ask = healthy(run, endpoint)
    if endpoint == "deploy_nft_contract":
        return ask._replace(fields=changed(ask.fields, "transfer.exchange", SOME_ADDRESS))
    other = {"exchange": SOME_ADDRESS} if endpoint in _GEN3 else {"exchangeId": UNKNOWN_ID}
    return ask.but(**other)


def _right(run: Run, endpoint: str) -> Ask:
    """A call that passes; where not enough is known for one, whatever the key is judged before."""
    try:
        return healthy(run, endpoint)
    except Missing:
        if BY_NAME[endpoint].key is not KeyHeader.REQUIRED:
            raise
        return Ask(endpoint, {})


def _passed(endpoint: str) -> tuple[int, ...]:
    """What a harmless call is answered once its key has been let pass."""
    if endpoint in _READS or endpoint == "send_eth_tx":
        return (0,)
    return tuple(NFT_CODES) if BY_NAME[endpoint].nft else (int(C.EXCHANGE_ID_INCORRECT),)


def _fields(run: Run, endpoint: str) -> None:
    row = BY_NAME[endpoint]
    ask = healthy(run, endpoint)
    usual: Codes = NFT_CODES if row.shape is None else int(row.shape)
    for miss in misses(endpoint, ask.fields, row.method == "GET"):
        if miss.code is not None and run.facts.verifies:
            # It may be judged after the signature, which is of the call as it was.
            continue
        if miss.code is not None and run.world is None and endpoint in _WRITES:
            continue
        wrong = ask._replace(fields=changed(ask.fields, miss.path, miss.value))
        run.wrong(FIELDS, wrong, usual if miss.code is None else miss.code, miss.told)
    if row.method == "POST":
        run.wrong(FIELDS, ask._replace(body=b'{"'), usual, "a body that is no JSON")
        run.wrong(FIELDS, ask._replace(body=b"[]"), usual, "a list for a body")


def _stray(run: Run, endpoint: str) -> None:
    row = BY_NAME[endpoint]
    calls = [Ask(endpoint, {}, run.facts.alice.api_key, suffix="/no-such-path")]
    if run.world is not None:
        calls.append(Ask(endpoint, {}, run.facts.alice.api_key, method="PATCH"))
    for ask in calls:
        run.pause(endpoint)
        answer = run.send(ask)
        status = answer.got.status
        found = f"status {status}, not one from 400 to 499: {row.path}"
        run.must(STRAY, answer, 400 <= status < 500, found, rules.STATUS)


def _slips(slips: tuple[Slip, ...]) -> Callable[[Run], None]:
    by_endpoint: dict[str, list[Slip]] = {}
    for slip in slips:
        by_endpoint.setdefault(slip.row.endpoint, []).append(slip)

    def play(run: Run, endpoint: str) -> None:
        for slip in by_endpoint[endpoint]:
            try:
                _slip(run, slip)
            except Missing as missing:
                run.missing(endpoint, str(missing), slip.row.id)
            except Lost:
                continue

    return lambda run: _each(run, by_endpoint, play)


def _slip(run: Run, slip: Slip) -> None:
    if run.world is None and (slip.ours or slip.key):
        raise Missing("it needs a relayer that can be steered")
    if slip.signature and run.readings.is_certainly("signature.scheme", "off"):
        return
    facts = run.facts
    ask = healthy(run, slip.row.endpoint)
    changes: Mapping[str, object] = slip.changes(run) if callable(slip.changes) else slip.changes
    fields = dict(ask.fields)
    for path, value in changes.items():
        fields = changed(fields, path, value)
    is_of_signature = slip in SIGNATURE_SLIPS or bool(slip.signature)
    ask = ask._replace(fields=fields)
    if facts.verifies and not is_of_signature and slip.row.endpoint in _WRITES:
        who = bodies.minter(run) if BY_NAME[slip.row.endpoint].nft else facts.alice
        ask = bodies.signed(run.world, ask, who)
    if slip.key:
        assert facts.bob is not None
        ask = ask._replace(key=facts.bob.api_key)
    if slip.signature:
        ask = ask._replace(signature=slip.signature)
    codes = slip.codes
    if run.world is None and slip.row.endpoint in _WRITES:
        # Where a relayer looks first is not shown, and what is sent here carries no right signature.
        known = {codes: None} if isinstance(codes, int) else dict(codes)
        codes = {**known, **dict.fromkeys(map(int, _SIGNATURE_CODES))}
    run.wrong(slip.row.id, ask, codes)


def _signature_slips(run: Run) -> None:
    if run.readings.is_certainly("signature.scheme", "off"):
        return
    _slips(SIGNATURE_SLIPS)(run)


_FOREIGN = ("API keys of submissions", "fields of submissions", "wrong submissions")


def _act(name: str, rows: tuple[Row, ...], play: Callable[[Run], None], *, writes: bool) -> Act:
    return Act(name, play, rows, writes, foreign=name in _FOREIGN)


def _general(name: str, rows: tuple[Row, ...], play: Callable[[Run, str], None], *, writes: bool) -> Act:
    chosen = tuple(row for row in rows if row.endpoint in (_WRITES if writes else _READS))
    endpoints = tuple(row.endpoint for row in chosen)
    return _act(name, chosen, lambda run: _each(run, endpoints, play), writes=writes)


def _rows(slips: tuple[Slip, ...]) -> tuple[Row, ...]:
    return tuple(slip.row for slip in slips)


READ_REFUSALS: tuple[Act, ...] = (
    _general("API keys", _KEY_ROWS, _keys, writes=False),
    _general("strays", _STRAY_ROWS, _stray, writes=False),
    _general("fields", _FIELD_ROWS, _fields, writes=False),
    _act("wrong questions", _rows(READ_SLIPS), _slips(READ_SLIPS), writes=False),
)
_SUBMITTED = ORDER_SLIPS + REQUEST_SLIPS + NFT_SLIPS
WRITE_REFUSALS: tuple[Act, ...] = (
    _general("API keys of submissions", _KEY_ROWS, _keys, writes=True),
    _general("strays of submissions", _STRAY_ROWS, _stray, writes=True),
    _general("fields of submissions", _FIELD_ROWS, _fields, writes=True),
    _act("wrong submissions", _rows(_SUBMITTED), _slips(_SUBMITTED), writes=True),
    _act("wrong signatures", _rows(SIGNATURE_SLIPS), _signature_slips, writes=True),
)
DEPLOY_REFUSALS = _act("wrong deployments", _rows(DEPLOY_SLIPS), _slips(DEPLOY_SLIPS), writes=True)
