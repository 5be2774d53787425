"""What must hold of every answer, whatever the call: transport, envelope, schema, outcome; and the options that it shows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from http import HTTPStatus
from itertools import product
from typing import NamedTuple

from mockrelay.check import rules
from mockrelay.check.answer import Answer, cut
from mockrelay.client.facts import NO_BLOCK
from mockrelay.spec.choices import BY_KEY
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoint import Endpoint
from mockrelay.spec.lint_rules import Rule
from mockrelay.wire.compile import checker
from mockrelay.wire.explain import explain
from mockrelay.wire.schemas import SCHEME, Option, choices_of

_CODES = {int(code): code for code in Code}
_LISTED_MAX = 3
_KEY_CODES = (Code.AUTH_KEY_EMPTY, Code.AUTH_KEY_INVALID)


class Observation(NamedTuple):
    """Something about an answer: a rule that it breaks, or options of choices that it shows."""

    rule: Rule | None
    reason: str
    options: Mapping[str, Collection[str]] = {}
    """By the key of a choice the options under which such an answer comes."""


def transport(answer: Answer) -> Iterator[Observation]:
    """Whether there is a whole answer in JSON."""
    response = answer.response
    if response.problem is not None:
        yield Observation(rules.NO_ANSWER, response.problem)
        if response.status == 0:
            return
    media_type = response.headers.get("content-type", "")
    if media_type.partition(";")[0].strip().lower() != "application/json":
        yield Observation(rules.CONTENT_TYPE, f"Content-Type: {cut(media_type) or 'none'}, not application/json")
    length = response.headers.get("content-length")
    if length is not None and response.problem is None and length != str(len(response.body)):
        yield Observation(rules.LENGTH, f"Content-Length: {cut(length)}, the body has {len(response.body)} bytes")
    if response.problem is None and answer.json_problem is not None:
        yield Observation(rules.NOT_JSON, f"the body is not JSON: {cut(answer.json_problem)}; found {answer}")


def success(answer: Answer) -> Iterator[Observation]:
    """What holds of the answer to a call that is accepted."""
    if answer.response.status != HTTPStatus.OK:
        yield Observation(rules.STATUS, f"status {answer.response.status} on what is accepted, not 200")
    yield Observation(None, "", {"http.date": ("relayer" if "date" in answer.response.headers else "none",)})
    row = answer.row
    if not row.enveloped and isinstance(answer.value, dict) and "resultInfo" in answer.value:
        yield Observation(rules.ENVELOPE, "a payload inside an envelope, where the payload alone is due")
        return
    yield from _fits(answer, f"{SCHEME}responses/{row.name}.json")


def refusal(answer: Answer, also: Collection[int]) -> Iterator[Observation]:
    """What holds of the answer to a call that is refused; `also` are codes that may come beside those of the row."""
    row, code = answer.row, answer.code
    assert code is not None
    yield from _status(row, answer.response.status)
    if row.name == "submit_order" and isinstance(answer.value, dict) and "data" in answer.value:
        schema = "refused_order"
    else:
        schema = "error" if row.enveloped else "bare_error"
    yield from _fits(answer, f"{SCHEME}responses/{schema}.json")
    if code not in also and code not in {judged.code for judged in row.codes}:
        yield Observation(rules.UNLISTED_CODE, f"code {code} is none of {row.name}'s; found {answer}")
    message = (answer.outcome or {}).get("message")
    meaning = _CODES[code].meaning if code in _CODES else None
    if meaning is not None and isinstance(message, str) and not message.startswith(meaning):
        yield Observation(rules.MEANING, f'message of {code}: "{cut(message)}" does not begin with "{meaning}"')
    if row.name == "submit_order" and code not in _KEY_CODES:
        with_data = isinstance(answer.value, dict) and "data" in answer.value
        yield Observation(None, "", {"order.rejected_answer": ("code_and_data" if with_data else "code",)})


def no_outcome(answer: Answer) -> Iterator[Observation]:
    """What is wrong with an answer in JSON that shows neither acceptance nor refusal."""
    if answer.outcome is None:
        yield Observation(rules.ENVELOPE, f"there is no resultInfo, where {{resultInfo, data}} is due; found {answer}")
        return
    # Where the outcome itself is wrong, its own schema says why.
    violations = explain(f"{SCHEME}objects/ResultInfo.json", dict(answer.outcome))
    yield Observation(
        rules.SHAPE, f"resultInfo: {_listed([each.detail for each in violations]) or 'no outcome'}; found {answer}"
    )


def _status(row: Endpoint, status: int) -> Iterator[Observation]:
    if status not in (HTTPStatus.OK, HTTPStatus.BAD_REQUEST):
        yield Observation(rules.STATUS, f"status {status} on a refusal with a code, not 200 or 400")
        return
    usual = "200" if row.enveloped else "400"
    options = {str(int(status)), *(("split",) if str(int(status)) == usual else ())}
    yield Observation(None, "", {"http.error_status": options})


def _fits(answer: Answer, schema_id: str) -> Iterator[Observation]:
    """Whether an answer fits its schema under some options of choices; and under which."""
    value = answer.value
    keys = sorted(choices_of(schema_id))
    if answer.row.name == "get_block" and answer.call.fields.get("id") != NO_BLOCK:
        # The answer about a block that exists must have content.
        keys = [key for key in keys if key != "block.unknown_id"]
    combinations: list[tuple[Option, ...]] = [
        tuple(zip(keys, options, strict=True)) for options in product(*(BY_KEY[key].options for key in keys))
    ]
    fitting = [options for options in combinations if checker(schema_id, options)(value)]
    if not fitting:
        # A field too many is a finding of its own, and does not hide the others.
        violations = min(
            (explain(schema_id, value, options) for options in combinations),
            key=lambda found: _weight([each.rule for each in found]),
        )
        extra = [violation for violation in violations if violation.rule == "additionalProperties"]
        grave = [violation for violation in violations if violation.rule != "additionalProperties"]
        if extra:
            where = ", ".join(violation.field for violation in extra[:_LISTED_MAX])
            yield Observation(
                rules.EXTRA_FIELD, f"{where}: there is a field that the spec does not show; found {answer}"
            )
        if grave or not violations:
            yield Observation(rules.SHAPE, f"{_listed([each.detail for each in grave])}; found {answer}")
        return
    for index, key in enumerate(keys):
        options = frozenset(combination[index][1] for combination in fitting)
        if len(options) < len(BY_KEY[key].options):
            yield Observation(None, "", {key: options})


def _weight(keywords: list[str]) -> tuple[int, int]:
    """How much is wrong with an answer, by the keywords that it violates; a field too many weighs least."""
    extra = keywords.count("additionalProperties")
    return len(keywords) - extra, extra


def _listed(details: list[str]) -> str:
    more = f" and {len(details) - _LISTED_MAX} more" if len(details) > _LISTED_MAX else ""
    return "; ".join(details[:_LISTED_MAX]) + more
