"""What holds of every answer, whatever was asked: transport, envelope, schema, outcome, and the readings that it shows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from http import HTTPStatus
from itertools import product
from typing import NamedTuple

from mockrelay.check import rules
from mockrelay.check.answers import Answer, cut
from mockrelay.check.facts import NO_BLOCK
from mockrelay.core.call import Violation
from mockrelay.report.report_finding import Rule
from mockrelay.spec.choices import BY_KEY
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoints import Endpoint
from mockrelay.wire.compile import checker
from mockrelay.wire.explain import explain
from mockrelay.wire.schemas import SCHEME, Option, choices_of

_CODES = {int(code): code for code in Code}
_LISTED_MAX = 3
_KEY_CODES = (Code.AUTH_KEY_EMPTY, Code.AUTH_KEY_INVALID)


class Seen(NamedTuple):
    """Something about an answer: a rule that it breaks, or an option that it shows."""

    rule: Rule | None
    reason: str
    readings: tuple[tuple[str, frozenset[str]], ...] = ()
    """Keys of choices, and the options under which such an answer comes."""


def transport(answer: Answer) -> Iterator[Seen]:
    """Whether there is a whole answer in JSON."""
    got = answer.got
    if got.problem is not None:
        yield Seen(rules.NO_ANSWER, got.problem)
        if got.status == 0:
            return
    media_type = got.headers.get("content-type", "")
    if media_type.partition(";")[0].strip().lower() != "application/json":
        yield Seen(rules.CONTENT_TYPE, f"Content-Type: {cut(media_type) or 'none'}, not application/json")
    length = got.headers.get("content-length")
    if length is not None and got.problem is None and length != str(len(got.body)):
        yield Seen(rules.LENGTH, f"Content-Length: {cut(length)}, the body has {len(got.body)} bytes")
    if got.problem is None and answer.json_problem is not None:
        yield Seen(rules.NOT_JSON, f"the body is no JSON: {cut(answer.json_problem)}; found {answer}")


def success(answer: Answer) -> Iterator[Seen]:
    """What holds of the answer to a call that is accepted."""
    if answer.got.status != HTTPStatus.OK:
        yield Seen(rules.STATUS, f"status {answer.got.status} on what is accepted, not 200")
    row = answer.ask.row
    if not row.enveloped and isinstance(answer.value, dict) and "resultInfo" in answer.value:
        yield Seen(rules.ENVELOPE, "a payload inside an envelope, where the payload alone is due")
        return
    yield from _fits(answer, f"{SCHEME}responses/{row.name}.json")


def refusal(answer: Answer, also: Collection[int]) -> Iterator[Seen]:
    """What holds of the answer to a call that is refused; `also` are codes that may come beside those of the row."""
    row, code = answer.ask.row, answer.code
    assert code is not None
    yield from _status(row, answer.got.status)
    if row.name == "submit_order" and isinstance(answer.value, dict) and "data" in answer.value:
        schema = "refused_order"
    else:
        schema = "error" if row.enveloped else "bare_error"
    yield from _fits(answer, f"{SCHEME}responses/{schema}.json")
    if code not in also and code not in {judged.code for judged in row.codes}:
        yield Seen(rules.UNLISTED_CODE, f"code {code} is none of {row.name}'s; found {answer}")
    message = (answer.outcome or {}).get("message")
    meaning = _CODES[code].meaning if code in _CODES else None
    if meaning is not None and isinstance(message, str) and not message.startswith(meaning):
        yield Seen(rules.MEANING, f'message of {code}: "{cut(message)}" does not begin with "{meaning}"')
    if row.name == "submit_order" and code not in _KEY_CODES:
        with_data = isinstance(answer.value, dict) and "data" in answer.value
        yield _reading("order.rejected_answer", "code_and_data" if with_data else "code")


def no_outcome(answer: Answer) -> Iterator[Seen]:
    """What is wrong with an answer in JSON of which there is no telling whether it accepts or refuses."""
    if answer.outcome is None:
        yield Seen(rules.ENVELOPE, f"there is no resultInfo, where {{resultInfo, data}} is due; found {answer}")
        return
    # Where the outcome itself is wrong, its own schema says why.
    violations = explain(f"{SCHEME}objects/ResultInfo.json", dict(answer.outcome))
    yield Seen(rules.SHAPE, f"resultInfo: {_told(violations) or 'no outcome'}; found {answer}")


def _status(row: Endpoint, status: int) -> Iterator[Seen]:
    if status not in (HTTPStatus.OK, HTTPStatus.BAD_REQUEST):
        yield Seen(rules.STATUS, f"status {status} on a refusal with a code, not 200 or 400")
        return
    usual = "200" if row.enveloped else "400"
    options = {str(int(status)), *(("split",) if str(int(status)) == usual else ())}
    yield Seen(None, "", (("http.error_status", frozenset(options)),))


def _reading(key: str, *options: str) -> Seen:
    return Seen(None, "", ((key, frozenset(options)),))


def _fits(answer: Answer, schema_id: str) -> Iterator[Seen]:
    """Whether an answer fits its schema under some reading; and under which."""
    value = answer.value
    keys = sorted(choices_of(schema_id))
    if answer.ask.row.name == "get_block" and answer.ask.fields.get("id") != NO_BLOCK:
        # Of a block that is there something must be told.
        keys = [key for key in keys if key != "block.unknown_id"]
    combinations: list[tuple[Option, ...]] = [
        tuple(zip(keys, options, strict=True)) for options in product(*(BY_KEY[key].options for key in keys))
    ]
    fitting = [options for options in combinations if checker(schema_id, options)(value)]
    if not fitting:
        # A field too many is told, and does not hide what the others are.
        violations = min((explain(schema_id, value, options) for options in combinations), key=_weight)
        extra = [violation for violation in violations if violation.rule == "additionalProperties"]
        grave = [violation for violation in violations if violation.rule != "additionalProperties"]
        if extra:
            where = ", ".join(violation.field for violation in extra[:_LISTED_MAX])
            yield Seen(rules.EXTRA_FIELD, f"{where}: there is a field that the spec does not show; found {answer}")
        if grave or not violations:
            yield Seen(rules.SHAPE, f"{_told(grave)}; found {answer}")
        return
    for index, key in enumerate(keys):
        options = frozenset(combination[index][1] for combination in fitting)
        if len(options) < len(BY_KEY[key].options):
            yield Seen(None, "", ((key, options),))


def _weight(violations: Collection[Violation]) -> tuple[int, int]:
    extra = sum(violation.rule == "additionalProperties" for violation in violations)
    return len(violations) - extra, extra


def _told(violations: Collection[Violation]) -> str:
    told = [violation.detail for violation in violations]
    more = f" and {len(told) - _LISTED_MAX} more" if len(told) > _LISTED_MAX else ""
    return "; ".join(told[:_LISTED_MAX]) + more
