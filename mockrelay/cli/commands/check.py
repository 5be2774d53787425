"""`mockrelay check`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from mockrelay.cli.options import EXIT_FINDINGS, CliError, http_url, option

_FILE = click.Path(dir_okay=False, path_type=Path)
_FORMS = ("json", "junit", "sarif")


@click.command()
@click.argument("url", callback=http_url)
@option("--token", help="What a mockrelay's control API asks for.")
@option(
    "--everything",
    is_flag=True,
    envvar="MOCKRELAY_CHECK_EVERYTHING",
    help="Send submissions to any relayer: wrong ones.",
)
@option(
    "--account",
    "account_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    envvar="MOCKRELAY_CHECK_ACCOUNT",
    help='Whose account is asked for: JSON with "accountId", "owner", "apiKey".',
)
@option("--api-key", envvar="MOCKRELAY_CHECK_API_KEY", help="The account's API key.")
@option("--account-id", type=click.IntRange(min=0), envvar="MOCKRELAY_CHECK_ACCOUNT_ID", help="The account's id.")
@option("--owner", envvar="MOCKRELAY_CHECK_OWNER", help="The address of the account's owner.")
@option("--market", envvar="MOCKRELAY_CHECK_MARKET", help="The market to look at.  [default: the first that is found]")
@option("--only", envvar="MOCKRELAY_CHECK_ONLY", metavar="ENDPOINT", help="Check this endpoint alone.")
@option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0.1, max=600),
    default=10.0,
    show_default=True,
    envvar="MOCKRELAY_CHECK_TIMEOUT",
    help="How many seconds an answer may take.",
)
@option(
    "--report",
    "report_dir",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="MOCKRELAY_CHECK_REPORT",
    help="Write the report there, in every form.",
)
@option("--json", type=_FILE, envvar="MOCKRELAY_CHECK_JSON", help="Write the report as JSON.")
@option("--junit", type=_FILE, envvar="MOCKRELAY_CHECK_JUNIT", help="Write each check as a JUnit test case.")
@option("--sarif", type=_FILE, envvar="MOCKRELAY_CHECK_SARIF", help="Write the findings as SARIF 2.1.0.")
def check(url: str, report_dir: Path | None, timeout_s: float, **given: Any) -> None:
    """Hold the relayer at URL to the spec.

    A mockrelay is checked whole, in a fresh world that is removed afterwards. Any other relayer is only read, within the
    rate limits of the spec. Exit code 0: no findings; 1: some; 2: no relayer answers, or the command is wrong.
    """
    from mockrelay.check import Wish
    from mockrelay.cli import checking

    account = checking.account_of(given["account_file"], given)
    wish = Wish(account, given["token"], given["everything"], given["only"], given["market"])
    outcome = checking.checked(url, int(timeout_s * 1000), wish, sys.stderr)
    stranger = checking.stranger(url, outcome)
    click.echo("" if stranger else checking.text(url, outcome), nl=False)
    files = {name: given[name] for name in _FORMS if given[name] is not None}
    checking.write(outcome, files, report_dir, url)
    if stranger:
        raise CliError(stranger)
    if outcome.found:
        sys.exit(EXIT_FINDINGS)
