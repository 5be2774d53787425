"""Calls that are wrong in one thing, and the code that each must be refused with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from mockrelay.check import rules
from mockrelay.check.calls import right_call, signed
from mockrelay.check.checks import FIELDS, KEYS, Check, check, of_all_endpoints
from mockrelay.check.run import NEEDS_MOCKRELAY, CheckCase, Lost, Run, Skipped
from mockrelay.client.call import ApiCall
from mockrelay.client.facts import NFT_CODES, SOME_ADDRESS, UNKNOWN_ID, Missing
from mockrelay.client.wrong_calls import WRONG_CALLS, Codes, WrongCall
from mockrelay.client.wrong_fields import NOT_JSON, with_field, wrong_fields
from mockrelay.spec.choices import BY_KEY
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoint import KeyHeader
from mockrelay.spec.endpoints import BY_NAME, ENDPOINTS
from mockrelay.spec.key_header import KEY_ASKED_UNDER
from mockrelay.wire.schemas import request_fields

STRAY = "stray"
_NOBODYS_KEY = "nobodys-key"
_SIGNATURE_CODES = (int(C.AUTH_SIGNATURE_MISSING), int(C.AUTH_SIGNATURE_WRONG))
_READS = tuple(row.name for row in ENDPOINTS if row.method == "GET" or row.name == "get_code")
_WRITES = tuple(row.name for row in ENDPOINTS if row.name not in _READS)
_DEPLOY = "deploy_nft_contract"

_KEY_CHECKS = tuple(
    each
    for each in of_all_endpoints(
        KEYS, "A missing or unknown API key is refused with 104001 or 104002", "Authentication 1"
    )
    if BY_NAME[each.endpoint].key is not KeyHeader.NOT_LISTED
)
_FIELD_CHECKS = tuple(
    each
    for each in of_all_endpoints(FIELDS, "A field that is missing or of a wrong form is refused", "Endpoints")
    if request_fields(each.endpoint)
)
_STRAY_CHECKS = of_all_endpoints(STRAY, "An unknown path or method is refused", "Endpoints")


def _each(run: Run, endpoints: Iterable[str], play: Callable[[Run, str], None]) -> None:
    """Play something for each endpoint; one that cannot be played does not stop the next."""
    for endpoint in endpoints:
        if run.only in (None, endpoint):
            try:
                play(run, endpoint)
            except Missing as missing:
                run.skip(endpoint, missing)
            except Lost:
                continue


def _keys(run: Run, endpoint: str) -> None:
    asked = KEY_ASKED_UNDER[endpoint]
    harmless = harmless_call(run, endpoint)
    for key, code in ((None, C.AUTH_KEY_EMPTY), ("", C.AUTH_KEY_EMPTY), (_NOBODYS_KEY, C.AUTH_KEY_INVALID)):
        call = harmless._replace(key=key)
        if asked is None:
            run.expect_refused(KEYS, call, code)
            continue
        choice, options = asked
        ignored = dict.fromkeys(_codes_of_harmless(endpoint), frozenset(BY_KEY[choice].options) - options)
        run.expect_option(KEYS, call, choice, {code: options, **ignored})


def harmless_call(run: Run, endpoint: str) -> ApiCall:
    """A call that changes nothing even where its key is not looked at: submissions are for another exchange."""
    if endpoint == "send_eth_tx" or endpoint in _READS:
        try:
            return right_call(run, endpoint)
        except Missing:
            if BY_NAME[endpoint].key is not KeyHeader.REQUIRED:
                raise
            # The key is judged before whatever is missing.
            return ApiCall(endpoint, {})
    call = right_call(run, endpoint)
    path = "transfer.exchange" if endpoint == _DEPLOY else "exchange" if "exchange" in call.fields else "exchangeId"
    other = UNKNOWN_ID if path == "exchangeId" else SOME_ADDRESS
    return call._replace(fields=with_field(call.fields, path, other))


def _codes_of_harmless(endpoint: str) -> tuple[int, ...]:
    """The codes of the answer to a harmless call whose key is not looked at."""
    if endpoint in _READS or endpoint == "send_eth_tx":
        return (0,)
    return tuple(NFT_CODES) if BY_NAME[endpoint].nft else (int(C.EXCHANGE_ID_INCORRECT),)


def _fields(run: Run, endpoint: str) -> None:
    row = BY_NAME[endpoint]
    call = right_call(run, endpoint)
    usual: Codes = NFT_CODES if row.shape is None else int(row.shape)
    for field in wrong_fields(endpoint, call.fields, in_query=row.method == "GET"):
        # With a code of its own it may be judged after the signatures, which are those of the call as it was, and
        # checks of their own are about the signatures.
        is_late = run.verifies or (run.own_world is None and endpoint in _WRITES)
        if field.path.startswith("signature") or (field.code is not None and is_late):
            continue
        wrong = call._replace(fields=with_field(call.fields, field.path, field.value))
        run.expect_refused(FIELDS, wrong, usual if field.code is None else field.code, field.what)
    if row.method == "POST":
        run.expect_refused(FIELDS, call._replace(body=NOT_JSON), usual, "a body that is no JSON")
        run.expect_refused(FIELDS, call._replace(body=b"[]"), usual, "a list for a body")


def _strays(run: Run, endpoint: str) -> None:
    call = ApiCall(endpoint, {}, run.facts.alice.api_key)
    requests = [call.request._replace(target=f"{call.path}/no-such-path")]
    if run.own_world is not None:
        requests.append(call.request._replace(method="PATCH"))
    for request in requests:
        run.throttle.wait(endpoint)
        answer = run.send(call, request)
        status = answer.response.status
        found = f"status {status}, not one from 400 to 499: {call.path}"
        run.expect(STRAY, answer, 400 <= status < 500, found, rules.STATUS)


def _check_of(endpoint: str, wrong: WrongCall) -> Check:
    codes = (wrong.codes,) if isinstance(wrong.codes, int) else tuple(wrong.codes)
    text = f"{wrong.what} is refused with {' or '.join(str(int(code)) for code in codes)}"
    return check(wrong.id, endpoint, text, wrong.section)


def _wrong_call(run: Run, endpoint: str, wrong: WrongCall) -> None:
    if run.own_world is None and (not wrong.in_spec or wrong.other_key):
        raise Skipped(NEEDS_MOCKRELAY)
    if wrong.of_signature and run.choices.is_certainly("signature.scheme", "off"):
        return
    call = right_call(run, endpoint)
    call = call._replace(fields=wrong.apply(run.facts, call.fields))
    if run.verifies and not wrong.of_signature and endpoint in _WRITES:
        call = signed(run, call, run.facts.carol if BY_NAME[endpoint].nft else run.facts.alice)
    if wrong.other_key:
        call = call._replace(key=run.facts.bob.api_key)
    if wrong.signature:
        call = call._replace(signature=wrong.signature)
    codes = {wrong.codes: None} if isinstance(wrong.codes, int) else dict(wrong.codes)
    if run.own_world is None and endpoint in _WRITES:
        # The spec does not show what a relayer looks at first, and these calls have no right signature.
        codes |= dict.fromkeys(_SIGNATURE_CODES)
    run.expect_refused(wrong.id, call, codes)


def _wrong_calls(
    name: str, table: Mapping[str, tuple[WrongCall, ...]], *, writes: bool, on_others: bool = False
) -> CheckCase:
    """The case of a part of `WRONG_CALLS`."""

    def play(run: Run, endpoint: str) -> None:
        for wrong in table[endpoint]:
            try:
                _wrong_call(run, endpoint, wrong)
            except (Missing, Skipped) as reason:
                run.skip(endpoint, reason, wrong.id)
            except Lost:
                continue

    return CheckCase(
        name,
        lambda run: _each(run, table, play),
        tuple(_check_of(endpoint, wrong) for endpoint, rows in table.items() for wrong in rows),
        writes,
        on_others,
    )


def _part(endpoints: Iterable[str], *, of_signature: bool) -> dict[str, tuple[WrongCall, ...]]:
    rows = {name: WRONG_CALLS[name] for name in WRONG_CALLS if name in endpoints and name != _DEPLOY}
    part = {name: tuple(row for row in own if row.of_signature is of_signature) for name, own in rows.items()}
    return {name: own for name, own in part.items() if own}


def _each_endpoint(
    name: str, all_checks: tuple[Check, ...], play: Callable[[Run, str], None], *, writes: bool
) -> CheckCase:
    """The case of a check of every endpoint, for those that write or those that do not."""
    chosen = tuple(each for each in all_checks if (each.endpoint in _WRITES) is writes)
    endpoints = tuple(each.endpoint for each in chosen)
    # No submission to a path that does not exist goes to a relayer that is not a mockrelay.
    return CheckCase(
        name, lambda run: _each(run, endpoints, play), chosen, writes, on_others=writes and play is not _strays
    )


WRONG_READS: tuple[CheckCase, ...] = (
    _each_endpoint("API keys", _KEY_CHECKS, _keys, writes=False),
    _each_endpoint("strays", _STRAY_CHECKS, _strays, writes=False),
    _each_endpoint("fields", _FIELD_CHECKS, _fields, writes=False),
    _wrong_calls("wrong questions", _part(_READS, of_signature=False), writes=False),
)
WRONG_SUBMISSIONS: tuple[CheckCase, ...] = (
    _each_endpoint("API keys of submissions", _KEY_CHECKS, _keys, writes=True),
    _each_endpoint("strays of submissions", _STRAY_CHECKS, _strays, writes=True),
    _each_endpoint("fields of submissions", _FIELD_CHECKS, _fields, writes=True),
    _wrong_calls("wrong submissions", _part(_WRITES, of_signature=False), writes=True, on_others=True),
    _wrong_calls("wrong signatures", _part(_WRITES, of_signature=True), writes=True),
)
WRONG_DEPLOYMENTS = _wrong_calls("wrong deployments", {_DEPLOY: WRONG_CALLS[_DEPLOY]}, writes=True)
