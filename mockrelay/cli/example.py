"""`mockrelay example`: a right call to an endpoint, and its answer."""

from __future__ import annotations

from pathlib import Path

import click

from mockrelay.cli.options import DEFAULT_PORT, FILE, PROFILE, CliError, completed_by, http_url, option
from mockrelay.cli.output import put


@click.command()
@click.argument("endpoint", shell_complete=completed_by("endpoints"))
@option(
    "--as",
    "--format",
    "output_format",
    type=click.Choice(("curl", "json", "python", "js")),
    default="curl",
    show_default=True,
    command="example",
    help="The form of the call.",
)
@option(
    "--profile",
    type=PROFILE,
    help="The profile of the relayer.  [default: spec; live for an endpoint that only live has]",
)
@option(
    "--url",
    default=f"http://127.0.0.1:{DEFAULT_PORT}",
    show_default=True,
    callback=http_url,
    help="The relayer's address that the call is sent to: some signatures cover it.",
)
@option(
    "--output",
    type=FILE,
    command="example",
    metavar="FILE",
    help="Write the output to this file; print nothing.",
)
def example(endpoint: str, output_format: str, profile: str | None, url: str, output: Path | None) -> None:
    """Print a right call to ENDPOINT, and its answer. ENDPOINT is a name of `mockrelay spec` or of the profile live; of an
    endpoint that takes bodies of several forms also a form's id, such as submit_order_gen3. The call is signed where the
    endpoint has signatures; the answer is that of the default scenario or, in the profile live, of live_v3, whose clock
    stands still. The same every time.
    """
    from mockrelay.openapi.call_forms import FORMS
    from mockrelay.openapi.right_calls import right_call

    put(FORMS[output_format](right_call(endpoint, url, profile=_profile_of(endpoint, profile))), output)


def _profile_of(endpoint: str, wanted: str | None) -> str:
    """The profile of the call: the one that is wanted, or the first that has the endpoint. Raises CliError."""
    from mockrelay.openapi.right_calls import rows_of
    from mockrelay.spec.endpoints import BY_NAME
    from mockrelay.spec.profiles import PROFILES
    from mockrelay.suggest import nearest

    rows = {name: rows_of(profile) for name, profile in PROFILES.items()}
    having = [name for name, served in rows.items() if endpoint in served]
    row = BY_NAME.get(endpoint)
    if row is not None and row.upgrades:
        raise CliError(f"{endpoint!r} opens a WebSocket, which is no single call; meant: `mockrelay guide websockets`")
    if not having:
        names = dict.fromkeys(name for served in rows.values() for name in served)
        raise CliError(f"{endpoint!r} is not an endpoint; meant: {nearest(endpoint, names)}")
    if wanted is not None and wanted not in having:
        raise CliError(f"--profile {wanted}: it does not have {endpoint!r}; meant: --profile {having[0]}")
    return wanted or having[0]
