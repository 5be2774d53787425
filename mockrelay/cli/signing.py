"""`mockrelay sign`: a request signed with the keys of a scenario's account, to be sent to a relayer that started from it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any, TextIO, cast

from mockrelay.cli.options import CliError
from mockrelay.cli.serving import relay_of
from mockrelay.control.sign import SIGNABLE
from mockrelay.core.wording import nearest
from mockrelay.signing.fields import find
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.testing import ControlError, HowSigned, Relayer, Signed

_SENDERS = ("accountId", "sender", "fromAccountId", "minterId", "transfer.payerId")
"""Where bodies say whose request they are."""


def body_of(file: TextIO) -> dict[str, Any]:
    """The body that a file holds. Raises CliError where it is no JSON object."""
    source = f"--json {file.name}"
    try:
        text = file.read()
        if not text.strip():
            raise CliError(
                f"{source} holds no JSON, since it is empty: the body to sign comes in, or is in --json FILE"
            )
        value = json.loads(text)
    except UnicodeDecodeError as error:
        raise CliError(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise CliError(f"{source} holds no JSON: {error}") from None
    if not isinstance(value, dict):
        raise CliError(f"{source} holds no JSON object, which a body is")
    return value


def check_endpoint(endpoint: str) -> None:
    """CliError for what is not an endpoint whose requests are signed."""
    if endpoint not in SIGNABLE:
        reason = "is not signed" if endpoint in BY_NAME else "is no endpoint"
        raise CliError(f"{endpoint!r} {reason}; meant: {nearest(endpoint, tuple(SIGNABLE))}")


def signed(
    scenario: str, account: str | None, endpoint: str, body: dict[str, Any], url: str, how: Mapping[str, str]
) -> Signed:
    """The request as the account's client would send it to the relayer at `url`; the account is, where none is named,
    the one that the body says. Raises CliError.
    """
    # Keys are real, owners are their addresses, as in a relayer that verifies signatures.
    relay = relay_of(scenario, "frozen", {"signature.scheme": "protocol"})
    who = find(body, *_SENDERS) if account is None else account
    try:
        if not isinstance(who, (str, int)):
            raise CliError("the body does not say whose request it is: give --account")
        return Relayer.of(relay, url).account(who).sign(endpoint, body, url=url, **cast("HowSigned", how))
    except ControlError as error:
        raise CliError(str(error)) from None


def as_json(request: Signed) -> str:
    """All that is to be sent, as a JSON object."""
    shown = {"method": request.method, "url": request.url, "headers": request.headers}
    return json.dumps({**shown, "body": request.body, "text": request.text}, indent=2)


def as_curl(request: Signed) -> str:
    """The command that sends it, for a shell of POSIX."""
    headers = (word for name, value in request.headers.items() for word in ("--header", f"{name}: {value}"))
    # Raw data: the text goes out to the letter, since the signature may cover it.
    return shlex.join(("curl", "--request", request.method, *headers, "--data-raw", request.text, request.url))
