"""The rules of findings: what a relayer did that the spec does not allow, and what is due."""

from __future__ import annotations

from mockrelay.spec.lint_rules import Rule

NO_ANSWER = Rule(
    "no-answer", "error", "A call got no whole answer.", "Answer every call within the time, and to its end."
)
STATUS = Rule(
    "http-status",
    "error",
    "The HTTP status is none that goes with the outcome.",
    "Answer 200 to what is accepted, 200 or 400 to what is refused with a code, and 400 to 499 where there is no such path "
    "or method.",
)
CONTENT_TYPE = Rule(
    "content-type", "error", "An answer is not declared as JSON.", "Send `Content-Type: application/json`."
)
LENGTH = Rule(
    "content-length",
    "error",
    "The headers do not say how long the body is.",
    "Send a Content-Length that is the body's.",
)
NOT_JSON = Rule("not-json", "error", "The body is not JSON.", "Send one JSON value in UTF-8, without NaN or Infinity.")
ENVELOPE = Rule(
    "envelope",
    "error",
    "The answer is not wrapped as the endpoint's answers are.",
    "Version 2 and the order endpoint answer `{resultInfo, data}`, the others their payload alone (Conventions 3).",
)
SHAPE = Rule(
    "shape",
    "error",
    "An answer does not fit its schema.",
    "Send the fields with the types that the spec's tables give them; `mockrelay openapi` shows the schemas.",
)
EXTRA_FIELD = Rule(
    "extra-field",
    "warning",
    "An answer has a field that the spec does not show.",
    "Leave it out, or expect clients that refuse it.",
)
UNLISTED_CODE = Rule(
    "unlisted-code",
    "error",
    "A call was refused with a code that the endpoint does not have.",
    "Answer with a code that is listed for the endpoint (Errors).",
)
WRONG_CODE = Rule(
    "wrong-code",
    "error",
    "A wrong call was refused with another code than its fault has.",
    "Answer with the code whose meaning says what is wrong (Errors).",
)
MEANING = Rule(
    "message",
    "warning",
    "The message of a refusal does not begin with its code's meaning.",
    "Begin `message` with the meaning that the spec gives the code (Errors).",
)
TAKEN = Rule("wrong-call-taken", "error", "A call that is wrong was accepted.", "Refuse it, and change nothing.")
REFUSED = Rule("right-call-refused", "error", "A call that is right was refused.", "Accept it.")
VALUE = Rule(
    "value",
    "error",
    "What an answer says cannot be so.",
    "Let answers agree with the spec, with what was asked for, and with each other.",
)
MEMORY = Rule(
    "memory",
    "error",
    "What is read is not what was written.",
    "Show what was submitted as it was submitted.",
)
CHANGED = Rule(
    "changed-reading",
    "error",
    "Where the spec leaves a choice open, the relayer changes between its options.",
    "Keep to one option: clients are written against it.",
)
DEVIATION = Rule(
    "against-the-letter",
    "warning",
    "The relayer reads the spec against its letter.",
    "Do as the spec says; `mockrelay spec choices` shows what that is.",
)
LIMIT = Rule(
    "limit-too-low",
    "error",
    "A call was refused for its rate that the spec's limit allows.",
    "Allow as many calls a second as the spec lists (Limits).",
)

RULES = (
    NO_ANSWER,
    STATUS,
    CONTENT_TYPE,
    LENGTH,
    NOT_JSON,
    ENVELOPE,
    SHAPE,
    EXTRA_FIELD,
    UNLISTED_CODE,
    WRONG_CODE,
    MEANING,
    TAKEN,
    REFUSED,
    VALUE,
    MEMORY,
    CHANGED,
    DEVIATION,
    LIMIT,
)
