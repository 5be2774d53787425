"""What an endpoint is: one row of the endpoint tables, and the words of its columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from mockrelay.spec.codes import Code as C

SPEC = "spec"
"""The profile of the specification."""
LIVE = "live"
"""The profile of the forms that published clients use beside it."""


class KeyHeader(StrEnum):
    """What the spec says of `X-API-KEY` on an endpoint (spec, Authentication 1, 2 and 7)."""

    REQUIRED = "required"
    """Required, by the general rule or by name."""
    NOT_LISTED = "not listed"
    """Other headers are listed, this one is not: never asked for."""
    NOT_SHOWN = "not shown"
    """The spec shows no headers at all: the choice `auth.key_on_silent` decides."""


class SignatureHeader(StrEnum):
    """What `X-API-SIG` carries where an endpoint requires it (spec, Authentication 2)."""

    ECDSA = "ECDSA"
    EDDSA = "EdDSA"


class Step(StrEnum):
    """A step of judging a call."""

    FAULTS = "scripted faults"
    RATE_LIMIT = "rate limit"
    KEY = "API key"
    ACCOUNT = "account"
    """Whether the account that the call names exists and is the key's."""
    SIGNATURE_HEADER = "signature header"
    """Whether there is a signature where one is required."""
    SIGNATURE = "signature"
    """Whether it is right."""
    SHAPE = "shape"
    """Whether the call has a violation without a code of its own."""
    TYPES = "types"
    """Whether a field is of a wrong type, whatever its code, or missing: what cannot be read cannot be signed either."""
    RULES = "rules"
    """The endpoint's own rules, in which all steps are judged that do not come before them; then its action."""


RULES_JUDGE_SIGNATURES = (Step.FAULTS, Step.RATE_LIMIT, Step.KEY, Step.SIGNATURE_HEADER, Step.SHAPE, Step.RULES)
"""The order of the specification, whose codes have the signature among an endpoint's rules."""
SIGNATURE_BEFORE_RULES = (
    *(Step.FAULTS, Step.RATE_LIMIT, Step.SHAPE, Step.TYPES, Step.KEY, Step.ACCOUNT, Step.SIGNATURE_HEADER),
    *(Step.SIGNATURE, Step.RULES),
)
"""The order in which nothing is said of a request before it is known whose it is."""


class Judged(NamedTuple):
    """A code in the row of an endpoint."""

    code: C
    listed: bool
    """True where the spec's error table lists the code for the endpoint, False where the code is mockrelay's own decision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One row: how an endpoint is reached, what it asks for and which codes it answers."""

    section: str
    """The endpoint's number in the spec; of a row of another profile the letter and number of its description."""
    name: str
    """Its name in scenarios, faults, the journal and reports."""
    method: str
    path: str
    key: KeyHeader
    public: bool
    """True for what relayers are seen to answer without a key (choice `auth.key_on_unlisted`)."""
    signature: SignatureHeader | None
    enveloped: bool
    """True: `{resultInfo, data}`; False: the payload alone (spec, Conventions 3)."""
    per_second: int | None
    """The spec's rate limit in requests a second; None where it shows none."""
    nft: bool
    """True for the endpoints that the spec's error table leaves out ("NFT-specific calls")."""
    shape: C | None
    """The code of a malformed request; None: the choice `nft.error_code` decides."""
    codes: tuple[Judged, ...]

    @property
    def listed_codes(self) -> tuple[C, ...]:
        """The codes that the spec's error table lists for this endpoint, in order of judgement."""
        return tuple(judged.code for judged in self.codes if judged.listed)

    limit_status: int | None = None
    """The HTTP status of a call too many; None: the choice `rate.status` decides."""
    steps: tuple[Step, ...] = RULES_JUDGE_SIGNATURES
    """How its calls are judged, in order."""
    profile: str = SPEC
    """The profile that brings it; those that build on that one have it too."""
    form: str = ""
    """Of a row that has the requests of an endpoint in another form: that form's name. Faults, limits, the journal and
    reports go by the endpoint's name, whatever the form.
    """
    body_signatures: tuple[str, ...] = ()
    """Fields of the body of which each may carry the signature in place of the header."""
    recognized_by: frozenset[str] = frozenset()
    """Fields of a body by any of which the form is recognized. A form without them replaces the endpoint's row in its
    profile.
    """
    like: str = ""
    """The id of a row of bare answers, of one that has its requests, its rules and in an envelope its payload."""
    upgrades: bool = False
    """Whether a success is answered 101 and turns the connection into a WebSocket."""
    id: str = field(init=False)
    """The name, and the form where it has one: by it, schemas, actions and signed bodies are found."""

    def __post_init__(self) -> None:
        """Make the id."""
        object.__setattr__(self, "id", row_id(self.name, self.form))

    def __repr__(self) -> str:
        return f"<{self.id} {self.method} {self.path}>"

    def __hash__(self) -> int:
        return hash(self.id)


def row_id(name: str, form: str) -> str:
    """The id of an endpoint's row in a form; the empty form is its first one."""
    return f"{name}_{form}" if form else name


def listed(*codes: C) -> tuple[Judged, ...]:
    """Codes that the spec's error table lists for an endpoint."""
    return tuple(Judged(code, True) for code in codes)


def ours(*codes: C) -> tuple[Judged, ...]:
    """Codes that the spec lists for no such endpoint, and that are answered all the same."""
    return tuple(Judged(code, False) for code in codes)
