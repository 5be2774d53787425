"""The profiles: which rows a relayer serves, how it reads requests, and which options hold where nobody sets one.

`spec` is the specification and nothing else. `live` adds what published clients use beside it: further endpoints, and
requests in the loose forms that those clients send.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mockrelay.spec.choices import ALL_CHOICES, BY_KEY
from mockrelay.spec.endpoint import LIVE, SPEC, Endpoint
from mockrelay.spec.endpoints import ALL_ENDPOINTS, BY_NAME
from mockrelay.spec.lint_rules import (
    CONTENT_TYPE,
    NUMBER_FOR_STRING,
    REPEATED_PARAMETER,
    SHORT_VALIDITY,
    STRING_FOR_NUMBER,
    UNKNOWN_FIELD,
    Rule,
)
from mockrelay.spec.request_kinds import FeeKind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profile:
    """One profile. Profiles are compared by identity; each name has one."""

    name: str
    routes: Mapping[tuple[str, str], Endpoint]
    """Its rows by method and path."""
    forms: Mapping[str, tuple[Endpoint, ...]]
    """By endpoint the rows of further forms, each recognized by its fields."""
    methods: Mapping[str, tuple[str, ...]]
    """The methods of each path."""
    options: Mapping[str, str]
    """By choice, the option that holds in it where the choice's own default does not."""
    defaults: Mapping[str, str]
    """By choice that it has, the option that holds where nobody sets one."""
    fee_defaults: Mapping[FeeKind, FeeKind]
    """Whose fees a kind of request has where a scenario gives none for it."""
    signed_hosts: tuple[str, ...]
    """Addresses that a client may have signed in place of the one that it called: those of the relayer that it was made for."""
    silent_rules: frozenset[Rule]
    """Rules of findings that clients are not held to."""
    reads_loosely: bool
    """Whether requests may have the loose forms that `wire/loose` reads."""

    @property
    def has_sockets(self) -> bool:
        """Whether it serves WebSockets."""
        return any(row.upgrades for row in self.routes.values())

    def __repr__(self) -> str:
        return f"<profile {self.name}>"

    def row_of(self, name: str, fields: Collection[str] = ()) -> Endpoint | None:
        """The row of an endpoint for a request with these fields; None where the profile does not serve it."""
        base = BY_NAME[name]
        row = self.routes.get((base.method, base.path))
        return None if row is None else self.in_form(row, fields)

    def in_form(self, row: Endpoint, fields: Collection[str]) -> Endpoint:
        """The row of the form that a request with these fields has, for one that reached `row`."""
        for form in self.forms.get(row.name, ()):
            if not form.recognized_by.isdisjoint(fields):
                return form
        return row


_LIVE_OPTIONS = {
    "account.key_text": "decimal",
    "auth.key_on_unlisted": "ignore_all",
    "block.unknown_id": "103011",
    "candles.empty": "flat",
    "candles.order": "descending",
    "depth.level_above": "highest",
    "gas_price.unit": "wei",
    "hash.scheme": "protocol",
    "http.numbers": "lenient",
    "order.valid_since_future": "activate",
    "order_id.json": "number",
    "request.repeat": "always_idempotent",
    "signature.scheme": "protocol",
    "storage_id.space": "shared",
    "transfer.fee_token": "any",
}


_LIVE_SILENT = frozenset(
    {
        *(CONTENT_TYPE, UNKNOWN_FIELD, REPEATED_PARAMETER, NUMBER_FOR_STRING, STRING_FOR_NUMBER),
        SHORT_VALIDITY,
    }
)
_LIVE_HOSTS = ("https://api3.loopring.io", "https://api.loopring.io", "https://uat2.loopring.io")


def _profile(
    name: str,
    *,
    builds_on: tuple[str, ...] = (),
    options: Mapping[str, str] = MappingProxyType({}),
    fee_defaults: Mapping[FeeKind, FeeKind] = MappingProxyType({}),
    signed_hosts: tuple[str, ...] = (),
    silent_rules: frozenset[Rule] = frozenset(),
    reads_loosely: bool = False,
) -> Profile:
    rows = [row for row in ALL_ENDPOINTS if row.profile in (name, *builds_on)]
    wrong = [key for key, option in options.items() if option not in BY_KEY[key].options]
    assert not wrong, f"{name}: {wrong} are not choices with these options"
    paths = dict.fromkeys(row.path for row in rows)
    defaults = {choice.key: choice.default for choice in ALL_CHOICES if choice.profile in (name, *builds_on)}
    # The row of a form that no field tells comes later than the one that it replaces.
    routes = {(row.method, row.path): row for row in rows if not row.recognized_by}
    forms = {row.name: tuple(form for form in rows if form.recognized_by and form.name == row.name) for row in rows}
    assert reads_loosely or not any(forms.values()), (
        f"{name}: forms are told apart only where requests are read loosely"
    )
    return Profile(
        name=name,
        routes=MappingProxyType(routes),
        forms=MappingProxyType({endpoint: others for endpoint, others in forms.items() if others}),
        methods=MappingProxyType(
            {path: tuple(dict.fromkeys(row.method for row in rows if row.path == path)) for path in paths}
        ),
        options=MappingProxyType(dict(options)),
        defaults=MappingProxyType({**defaults, **options}),
        fee_defaults=fee_defaults,
        signed_hosts=signed_hosts,
        silent_rules=silent_rules,
        reads_loosely=reads_loosely,
    )


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        SPEC: _profile(SPEC),
        LIVE: _profile(
            LIVE,
            builds_on=(SPEC,),
            options=_LIVE_OPTIONS,
            fee_defaults=MappingProxyType({FeeKind.ACCOUNT_UPDATE: FeeKind.WITHDRAWAL}),
            signed_hosts=_LIVE_HOSTS,
            silent_rules=_LIVE_SILENT,
            reads_loosely=True,
        ),
    }
)
