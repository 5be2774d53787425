"""`mockrelay sign`: a request signed with the keys of a scenario's account, for a relayer that started from the scenario."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

import click

from mockrelay.cli.options import DEFAULT_PORT, PROFILE, CliError, completed_by, http_url, option, relay_of
from mockrelay.cli.output import output_options, put

if TYPE_CHECKING:
    from mockrelay.relay import Relay
    from mockrelay.testing import HowSigned, Signed


@click.command()
@click.argument("endpoint", shell_complete=completed_by("endpoints"))
@option(
    "--scenario",
    default="default",
    show_default=True,
    metavar="NAME|FILE",
    shell_complete=completed_by("scenarios"),
    help="The scenario of the account.",
)
@option(
    "--profile",
    type=PROFILE,
    help="The profile of the relayer.  [default: the scenario's; live for an endpoint that only live has]",
)
@option(
    "--account",
    metavar="NAME|ID",
    shell_complete=completed_by("accounts"),
    command="sign",
    old={"MOCKRELAY_ACCOUNT": None},
    help="The account that signs.  [default: the one in the body]",
)
@option(
    "--url",
    default=f"http://127.0.0.1:{DEFAULT_PORT}",
    show_default=True,
    callback=http_url,
    help="The relayer's address that the client uses, with /w/NAME if it has that: some signatures cover it.",
)
@option(
    "--body",
    "body_file",
    type=click.File(encoding="utf-8"),
    default="-",
    envvar=None,
    old={"--json": None},
    metavar="FILE|-",
    help="The JSON body to sign, without signatures.  [default: standard input]",
)
@option(
    "--scheme",
    type=click.Choice(("both", "eddsa", "ecdsa")),
    command="sign",
    old={"MOCKRELAY_SCHEME": None},
    help="The keys that sign, where the kind of request allows several.",
)
@option(
    "--family",
    type=click.Choice(("python", "javascript")),
    command="sign",
    old={"MOCKRELAY_FAMILY": None},
    help="The client library whose way of signing on layer 2 is followed.",
)
@option(
    "--form",
    metavar="FORM",
    command="sign",
    old={"MOCKRELAY_FORM": None},
    help="The form of the owner's signature: typed, personal or bare; for a transfer of generation 2: memo, no_memo, "
    "memo_two_blanks or no_memo_two_blanks.",
)
@output_options("sign", "json", "curl", old={"--curl": "curl", "MOCKRELAY_CURL": "curl"})
def sign(
    endpoint: str,
    scenario: str,
    profile: str | None,
    account: str | None,
    url: str,
    body_file: TextIO,
    output_format: str,
    output: Path | None,
    **how: str | None,
) -> None:
    """Sign the body of a request to ENDPOINT. ENDPOINT is a name of `mockrelay spec`; the keys are those of an account of
    the scenario. The output is the whole request, as JSON or as a curl command that sends it.
    """
    _check_endpoint(endpoint)
    body = _body(body_file)
    # With this option keys are real and owners are the addresses of their keys.
    relay = relay_of(scenario, "frozen", {"signature.scheme": "protocol"}, profile=profile or _only_profile(endpoint))
    request = _signed(
        relay, account, endpoint, body, url, {name: value for name, value in how.items() if value is not None}
    )
    put(_curl(request) if output_format == "curl" else _json(request), output)


def _body(file: TextIO) -> dict[str, Any]:
    """The body in a file. Raises CliError where it is not a JSON object."""
    source = f"--body {file.name}"
    try:
        text = file.read()
        if not text.strip():
            raise CliError(
                f"{source} holds no JSON, since it is empty; meant: the body to sign, on standard input or in --body FILE"
            )
        value = json.loads(text)
    except UnicodeDecodeError as error:
        raise CliError(f"{source}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise CliError(f"{source} holds no JSON: {error}") from None
    if not isinstance(value, dict):
        raise CliError(f"{source} holds no JSON object, which a body is")
    return value


def _check_endpoint(endpoint: str) -> None:
    """CliError for a name that is not an endpoint with signed requests."""
    from mockrelay.control.signable import SIGNABLE
    from mockrelay.spec.endpoints import BY_NAME
    from mockrelay.suggest import nearest

    if endpoint not in SIGNABLE:
        reason = "is not signed" if endpoint in BY_NAME else "is not an endpoint"
        raise CliError(f"{endpoint!r} {reason}; meant: {nearest(endpoint, tuple(SIGNABLE))}")


def _only_profile(endpoint: str) -> str | None:
    """The profile of an endpoint that no other one has; None for what all have."""
    from mockrelay.spec.endpoint import LIVE, SPEC
    from mockrelay.spec.profiles import PROFILES

    return None if PROFILES[SPEC].row_of(endpoint) else LIVE


def _signed(
    relay: Relay, account: str | None, endpoint: str, body: dict[str, Any], url: str, how: Mapping[str, str]
) -> Signed:
    """The request as the account's client would send it to the relayer at `url`. Raises CliError."""
    from mockrelay.signing.fields import find
    from mockrelay.spec.callers import CALLERS
    from mockrelay.spec.endpoints import ALL_ENDPOINTS
    from mockrelay.testing import ControlError, RelayerHandle

    named_in = (CALLERS[row.id].path for row in ALL_ENDPOINTS if row.name == endpoint)
    signer = find(body, *named_in) if account is None else account
    try:
        if not isinstance(signer, (str, int)):
            raise CliError("the body does not say whose request it is: give --account")
        return RelayerHandle.of(relay, url).account(signer).sign(endpoint, body, url=url, **cast("HowSigned", how))
    except ControlError as error:
        raise CliError(str(error)) from None


def _json(request: Signed) -> str:
    """The request as a JSON object."""
    head = {"method": request.method, "url": request.url, "headers": request.headers}
    return json.dumps({**head, "body": request.body, "text": request.text}, indent=2)


def _curl(request: Signed) -> str:
    """The command that sends the request, for a POSIX shell."""
    headers = (word for name, value in request.headers.items() for word in ("--header", f"{name}: {value}"))
    # Raw data: the text is sent exactly as it is, since the signature may cover it.
    return shlex.join(("curl", "--request", request.method, *headers, "--data-raw", request.text, request.url))
