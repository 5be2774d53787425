"""The lint rules: what a client should not do, although much of it is accepted, and what to do instead.

Some follow from the spec's fields and limits, some from what it says of submitting, polling and repeating. The core, the
wire and the report record findings under these rules; texts, schemas and the table in the guide are derived from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

LEVELS = ("error", "warning", "note")
"""How much a rule weighs, the heaviest first; the words are those of SARIF."""


class Rule(NamedTuple):
    """One rule."""

    id: str
    """Lower-case words with hyphens, such as `seconds-for-milliseconds`; it never changes its meaning."""
    level: str
    """One of `LEVELS`."""
    title: str
    """A sentence: what the client did."""
    fix: str
    """A sentence: what to do instead."""
    fails: bool = False
    """Whether it is a client's mistake beyond doubt, which fails a test that does not allow it."""


POLL_CODE_S = 15
"""Seconds between two polls of getCode, as the spec suggests (spec §28)."""

FOREIGN_PATH = Rule(
    "foreign-path",
    "error",
    "A path was called that the API does not have, or with a method that it does not take.",
    "Call the paths of the spec with their methods; the finding names the nearest.",
    fails=True,
)
CONTENT_TYPE = Rule(
    "wrong-content-type",
    "warning",
    "A body was not declared as JSON.",
    "Send `Content-Type: application/json` with every body (Conventions 1).",
)
UNKNOWN_FIELD = Rule(
    "unknown-field",
    "warning",
    "A field was sent that the endpoint does not have.",
    "Leave it out, or spell it as the spec does, letter case included.",
)
REPEATED_PARAMETER = Rule(
    "repeated-parameter",
    "warning",
    "A parameter of the query was given more than once.",
    "Give each parameter once; a list is one value with commas.",
)
NUMBER_FOR_STRING = Rule(
    "number-for-string",
    "error",
    "A number was sent where the spec has a string.",
    "Put it into quotes: amounts, volumes and signature parts are strings of digits (Conventions 2).",
)
STRING_FOR_NUMBER = Rule(
    "string-for-number",
    "error",
    "A string was sent where the spec has a number.",
    "Send it without quotes: ids, times and bips are numbers.",
)
MILLISECONDS_FOR_SECONDS = Rule(
    "milliseconds-for-seconds",
    "error",
    "A time in milliseconds was sent where seconds are meant.",
    "Divide by 1000: `validSince` and `validUntil` are in seconds (Conventions 4).",
    fails=True,
)
SECONDS_FOR_MILLISECONDS = Rule(
    "seconds-for-milliseconds",
    "error",
    "A time in seconds was sent where milliseconds are meant.",
    "Multiply by 1000: `start` and `end` are in milliseconds (Conventions 4).",
    fails=True,
)
MALFORMED_ADDRESS = Rule(
    "malformed-address",
    "error",
    "What should be an address is none.",
    "Send 0x and 40 hex digits, leading zeros too.",
)
SHAPE = Rule(
    "shape",
    "error",
    "A call has another form than its endpoint asks for.",
    "Send the fields that the spec's tables require, in the form that they show; `mockrelay openapi` has the schemas, "
    "`mockrelay openapi --profile live` those of the calls beside the spec.",
)
BELOW_PRECISION = Rule(
    "amount-below-precision",
    "error",
    "An amount has nothing but digits below its token's precision, so it counts as zero.",
    "Send at least one unit of the last decimal that `precision` allows.",
)
SHORT_VALIDITY = Rule(
    "validity-under-a-month",
    "warning",
    "An order ends less than a month from now.",
    "Set `validUntil` to a month ahead or more (spec §15, Limits).",
)
REUSED_ID = Rule(
    "reused-id",
    "error",
    "An order id or a storage id was sent that another order or request has taken.",
    "Take each id once: ask for the next one, or count them yourself in one place.",
)
REUSED_CLIENT_ID = Rule(
    "reused-client-order-id",
    "warning",
    "A `clientOrderId` was sent that another order of the account has.",
    "Give each order a `clientOrderId` of its own, or the answers cannot be told apart.",
)
FAST_POLLING = Rule(
    "polling-too-fast",
    "warning",
    "getCode was polled faster than the spec suggests.",
    f"Wait {POLL_CODE_S} s between two polls of the same contract (spec §28).",
)
BLIND_RETRY = Rule(
    "post-retried-without-looking",
    "warning",
    "A POST whose outcome was open was sent again, and nothing was read in between.",
    "Read first what became of it: a lost answer does not mean that nothing was done.",
    fails=True,
)
CHANGED_RETRY = Rule(
    "changed-retry-without-looking",
    "error",
    "A POST whose outcome was open was sent again in another form, and nothing was read in between.",
    "Read first what became of it: both may be carried out.",
    fails=True,
)
NO_PAUSE = Rule(
    "no-pause-after-rate-limit",
    "warning",
    "A call was sent again too soon after a refusal by the rate limit, and refused again.",
    "Wait as long as `Retry-After` says, or else until the limit has room.",
)
SIGNATURE = Rule(
    "signature",
    "error",
    "A signature is not right for what was sent.",
    "Sign what is sent, with the key that the account has now. Where a likely cause is found, the finding names it.",
)
APPROVED_HASH = Rule(
    "approved-hash",
    "warning",
    "`hashApproved` is approved on layer 1, but is not a hash of this request.",
    "Approve the hash of the very request that is sent.",
)
TIMELINE = Rule(
    "timeline",
    "note",
    "An entry of the scenario's timeline could not be done when its moment came.",
    "Change the scenario, or have the client do first what the entry needs.",
)
END_NOT_READ = Rule(
    "end-not-read",
    "warning",
    "A repeat was refused because its request had failed, and nothing that shows how it ended was read.",
    "Read a block, or the balance, for the end of a request: 102021 says that it has ended, not how.",
)

SOCKET_GAP = Rule(
    "gap-not-healed",
    "warning",
    "A change of a book was lost on a WebSocket, and the client went on without the whole book.",
    "Compare `startVersion` with the `endVersion` before; where they differ, read the depth or subscribe with `snapshot` again.",
)
SOCKET_NO_PONG = Rule(
    "pong-not-sent",
    "warning",
    "A `ping` of a WebSocket had no `pong` when the next one was due.",
    "Answer each text message `ping` with the text message `pong`; control frames do not count.",
)
SOCKET_TOPICS = Rule(
    "too-many-topics",
    "warning",
    "More than 20 topics were asked for on a WebSocket.",
    "Open a further connection, or drop topics first.",
)
SOCKET_NOT_READ = Rule(
    "pushes-not-read",
    "warning",
    "A WebSocket was subscribed, and what was pushed was not read.",
    "Read messages all the time, and do slow work elsewhere; drop the topics that are of no use.",
)

RULES = (
    *(FOREIGN_PATH, CONTENT_TYPE, UNKNOWN_FIELD, REPEATED_PARAMETER, NUMBER_FOR_STRING, STRING_FOR_NUMBER),
    *(MILLISECONDS_FOR_SECONDS, SECONDS_FOR_MILLISECONDS, MALFORMED_ADDRESS, SHAPE, BELOW_PRECISION, SHORT_VALIDITY),
    *(REUSED_ID, REUSED_CLIENT_ID, FAST_POLLING, BLIND_RETRY, CHANGED_RETRY, NO_PAUSE),
    *(SIGNATURE, APPROVED_HASH, TIMELINE, END_NOT_READ),
    *(SOCKET_GAP, SOCKET_NO_PONG, SOCKET_TOPICS, SOCKET_NOT_READ),
)
BY_ID: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in RULES})


def rule_of(rule_id: str) -> Rule:
    """The rule of this id. A world that an older version has saved may have findings under a rule that is gone."""
    return BY_ID.get(rule_id) or Rule(rule_id, "warning", rule_id, "")


PROBLEM_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "unfired_fault": Rule(
            "unfired-fault",
            "error",
            "A fault that a test armed fired less often than it should.",
            "Make the calls that it is for, or arm it for fewer.",
        ),
        "callback_failed": Rule(
            "callback-failed",
            "error",
            "A `verifier` or `decide` of the user's own raised an exception.",
            "Return an answer in every case.",
        ),
        "record_failed": Rule(
            "record-failed",
            "error",
            "The record can no longer be written.",
            "Give it a file that can be written, with room for all calls.",
        ),
        "inner_failure": Rule(
            "inner-failure",
            "error",
            "mockrelay itself failed on a call.",
            "Report it as a bug: this is never right.",
        ),
    }
)
"""The rules under which reports list problems, by kind. An unknown path is not among them: it is a finding anyway."""
