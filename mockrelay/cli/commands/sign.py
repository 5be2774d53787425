"""`mockrelay sign`."""

from __future__ import annotations

from typing import TextIO

import click

from mockrelay.cli.options import DEFAULT_PORT, http_url, option


@click.command()
@click.argument("endpoint")
@option("--scenario", default="default", show_default=True, metavar="NAME|FILE", help="Whose accounts and keys.")
@option("--account", metavar="NAME|ID", help="Who signs. [default: the account that the body names]")
@option(
    "--url",
    default=f"http://127.0.0.1:{DEFAULT_PORT}",
    show_default=True,
    callback=http_url,
    help="The base address that the client is given, /w/NAME included: some signatures cover it.",
)
@option(
    "--json",
    "body_file",
    type=click.File(encoding="utf-8"),
    default="-",
    envvar=None,
    metavar="FILE|-",
    help="The body to sign, without signatures; by default what comes in.",
)
@option("--scheme", type=click.Choice(("both", "eddsa", "ecdsa")), help="With which keys, where there is a choice.")
@option("--family", type=click.Choice(("python", "javascript")), help="Whose way of signing on layer 2.")
@option(
    "--form",
    metavar="FORM",
    help="How the owner signs: typed, personal, bare; a gen-2 transfer: memo, no_memo, memo_two_blanks, "
    "no_memo_two_blanks.",
)
@option("--curl", "as_curl", is_flag=True, help="A command that sends it, in place of JSON.")
def sign(
    endpoint: str,
    scenario: str,
    account: str | None,
    url: str,
    body_file: TextIO,
    *,
    as_curl: bool,
    **how: str | None,
) -> None:
    """Sign the body of a request to ENDPOINT (a name of `mockrelay spec`) with the keys of a scenario's account."""
    from mockrelay.cli import signing

    signing.check_endpoint(endpoint)
    body = signing.body_of(body_file)
    given = {name: value for name, value in how.items() if value is not None}
    request = signing.signed(scenario, account, endpoint, body, url, given)
    click.echo(signing.as_curl(request) if as_curl else signing.as_json(request))
