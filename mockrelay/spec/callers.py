"""Whose call it is: the field that names the account, and the codes where that account is none or another's."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoint import Endpoint
from mockrelay.spec.endpoints import ALL_ENDPOINTS
from mockrelay.spec.request_kinds import SUBMISSIONS

UNKNOWN_ACCOUNT = (C.ORDER_ACCOUNT_ID_INVALID, C.REQUEST_SENDER_INVALID, C.USER_NOT_FOUND, C.AUTH_ACCOUNT_ID_INVALID)
"""Codes for an account that does not exist: of these the first that a row lists is the row's."""
ACCOUNT_OF_ANOTHER = (C.AUTH_ACCOUNT_ID_INVALID, C.REQUEST_SENDER_INVALID)
"""Codes for an account that is not the key's, likewise."""


class NamedAccount(NamedTuple):
    """How a call names its account."""

    fields: tuple[str, ...]
    """Where: the way to a field with its id, or its owner's address."""
    unknown: C | None
    """The code where there is no such account; None: that of a malformed request."""
    of_another: C | None
    """The code where it is not the API key's; None: that of a malformed request."""

    @property
    def path(self) -> str:
        """The way to the field, as it is written in messages."""
        return ".".join(self.fields)


_BY_OWNER = frozenset({"create_collection"})
"""Endpoints whose calls name the account by its owner."""


def _path_of(row: Endpoint) -> str:
    if row.id in SUBMISSIONS:
        return SUBMISSIONS[row.id][1].body.account
    return "owner" if row.name in _BY_OWNER else "accountId"


def _named_by(row: Endpoint) -> NamedAccount:
    unknown = (code for code in UNKNOWN_ACCOUNT if code in row.listed_codes)
    of_another = (code for code in ACCOUNT_OF_ANOTHER if code in row.listed_codes)
    return NamedAccount(tuple(_path_of(row).split(".")), next(unknown, row.shape), next(of_another, row.shape))


CALLERS: Mapping[str, NamedAccount] = MappingProxyType({row.id: _named_by(row) for row in ALL_ENDPOINTS})
"""By the id of a row; of use where its requests name an account."""
