"""The command line. Each command imports what it needs when it runs, so that `--help` only costs click.

Exit codes: 0 fine, 1 findings, 2 usage or configuration, 3 cannot bind. Each option can be given as `MOCKRELAY_NAME`.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, NoReturn, TextIO

import click

import mockrelay

EXIT_FINDINGS, EXIT_CONFIG, EXIT_CANNOT_BIND = 1, 2, 3
DEFAULT_PORT = 4627
FACTS = ("endpoints", "codes", "limits", "choices", "transitions")
APIS = ("relayer", "control")

Command = Callable[..., None]


def _option(*names: str, **settings: Any) -> Callable[[Command], Command]:
    """An option that can also be given as an environment variable, named after its long form."""
    long_form = next(name for name in names if name.startswith("--"))
    settings.setdefault("envvar", "MOCKRELAY_" + long_form[2:].replace("-", "_").upper())
    return click.option(*names, **settings)


class Setting(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click only
    """`KEY=VALUE` of the choices table. In `MOCKRELAY_SET` a comma stands between two."""

    name = "KEY=VALUE"
    envvar_list_splitter: ClassVar[str] = ","
    _separator = " (--set is given once for each; in MOCKRELAY_SET a comma stands between two)"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The pair; fails with the nearest key and its options, or with the options of a key."""
        from mockrelay.core.choosing import UnknownChoice, check_choices
        from mockrelay.spec.choices import BY_KEY

        if isinstance(value, tuple):
            return value
        key, equals, option = str(value).partition("=")
        if not equals:
            self.fail(f"{value!r} is not KEY=VALUE{self._separator}", param, ctx)
        try:
            check_choices({key: option})
        except UnknownChoice as error:
            near = BY_KEY.get(error.meant)
            options = f" ({key_options(near.options)})" if near else ""
            several = self._separator if "=" in option else ""
            self.fail(f"{error}{options}{several}. `mockrelay spec choices` lists all.", param, ctx)
        return key, option


class ClockWord(click.ParamType):  # type: ignore[type-arg]  # see above
    """`real`, `frozen`, or how many of the relayer's seconds go by in one."""

    name = "real|frozen|RATE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word as it is, once it is known to be one."""
        from mockrelay.clock import Clock

        try:
            Clock(0, float({"real": 1, "frozen": 0}.get(value, value)))
        except ValueError:
            self.fail(
                f"{value!r} is not real, frozen or a rate: a number of 0 or more (60: a minute a second)", param, ctx
            )
        return str(value)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(mockrelay.__version__, prog_name="mockrelay")
def main() -> None:
    """A stateful test double of a layer-2 exchange relayer."""


@main.command()
@_option("-H", "--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@_option(
    "-p",
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="0 takes a free port.",
)
@_option(
    "--scenario",
    default="default",
    show_default=True,
    metavar="NAME|FILE",
    help="What the relayer starts with: a packaged scenario, or a YAML file.",
)
@_option("--clock", type=ClockWord(), default="real", show_default=True, help="How the relayer's time goes by.")
@_option(
    "--set",
    "settings",
    type=Setting(),
    multiple=True,
    help="A reading where the spec is silent; once for each. In MOCKRELAY_SET a comma stands between two.",
)
@_option(
    "--limits",
    type=click.Choice(("spec", "off")),
    help="Rate limits, where they are not to be as the scenario says.",
)
@_option(
    "--ready-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write url, port, pid, scenario and accounts there as JSON while connections are accepted.",
)
@_option("--token", help="What the control API asks for; needed to listen beyond loopback.")
@_option(
    "--cors",
    default="any",
    show_default=True,
    metavar="any|none|ORIGIN[,ORIGIN]",
    help="Whose pages may use the API from a browser. The control API is never open to them.",
)
@_option(
    "--worlds",
    "worlds_max",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    metavar="N",
    help="How many further relayers may be made under /w/NAME/.",
)
@_option(
    "--log",
    "log_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Append a line for each request: relayer's time in ms, method, target, status.",
)
@_option(
    "--record",
    "record_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write each call there before it is answered, and the answer: a record, with secrets as they were sent.",
)
@_option(
    "--resume",
    "resume_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Start where a record ends, and go on writing it.",
)
@click.pass_context
def serve(
    ctx: click.Context,
    host: str,
    port: int,
    scenario: str,
    clock: str,
    settings: tuple[tuple[str, str], ...],
    limits: str | None,
    ready_file: Path | None,
    token: str | None,
    cors: str,
    worlds_max: int,
    log_file: Path | None,
    record_file: Path | None,
    resume_file: Path | None,
) -> None:
    """Serve a relayer until SIGINT or SIGTERM."""
    if resume_file is not None:
        _refuse_beside_resume(ctx)
    from mockrelay.cli.signals import StopSignals

    stop = StopSignals()
    # What a start makes stays: looking for garbage in it takes a tenth of the start. `serving.run` turns it on again.
    gc.disable()
    from mockrelay.cli import serving

    for warning in serving.misspelt(os.environ, _environment_names()):
        click.echo(f"mockrelay: {warning}", err=True)
    if token == "":
        _fail(EXIT_CONFIG, "--token is empty: give it a value or leave it out")
    try:
        origins = serving.origins_of(cors)
        made = None if resume_file is not None else serving.relay_of(scenario, clock, dict(settings), limits)
        serving.check_ready_file(ready_file)
        sock = serving.bound(host, port, token)
        start = serving.start_of(made, record_file, resume_file)
        serving.run(
            start,
            sock,
            token=token,
            cors=origins,
            worlds_max=worlds_max,
            ready_file=ready_file,
            log_file=log_file,
            when_asked=stop.when_asked,
        )
        stop.over()
    except serving.CannotBindError as error:
        _fail(EXIT_CANNOT_BIND, str(error))
    except serving.ConfigError as error:
        _fail(EXIT_CONFIG, str(error))


@main.command()
@click.argument("what", type=click.Choice(FACTS), default="endpoints", metavar="[" + "|".join(FACTS) + "]")
@_option("--json", "as_json", is_flag=True, help="One JSON list in place of a table.")
def spec(what: str, *, as_json: bool) -> None:
    """Show the facts that the relayer keeps to."""
    from mockrelay.cli import facts

    click.echo(facts.as_json(what) if as_json else facts.as_table(what))


@main.command("scenarios")
@click.argument("source", required=False, metavar="[NAME|FILE]")
@_option("--schema", is_flag=True, help="The JSON Schema of scenario files, for editors.")
@_option("--json", "as_json", is_flag=True, help="JSON in place of a table, or of YAML.")
def show_scenarios(source: str | None, *, schema: bool, as_json: bool) -> None:
    """List the packaged scenarios, or show a scenario as one document with all that it extends."""
    from mockrelay.cli import scenarios
    from mockrelay.scenario import ScenarioError

    if schema and source is not None:
        _fail(EXIT_CONFIG, f"--schema is for all scenarios: leave out {source}")
    try:
        if schema:
            click.echo(scenarios.schema())
        elif source is None:
            click.echo(scenarios.listed(as_json=as_json))
        else:
            click.echo(scenarios.whole(source, as_json=as_json))
    except ScenarioError as error:
        _fail(EXIT_CONFIG, str(error))


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@_option("--json", "as_json", is_flag=True, help="A JSON list in place of lines, for editors and CI.")
def validate(files: tuple[str, ...], *, as_json: bool) -> None:
    """Check scenario files with all that they extend. Exit code 0: all are right; 2: some are not."""
    from mockrelay.cli import scenarios

    found = scenarios.verdicts(files)
    click.echo(scenarios.told(found, as_json=as_json))
    if not all(verdict["ok"] for verdict in found):
        sys.exit(EXIT_CONFIG)


@main.command()
@click.argument("which", type=click.Choice(APIS), default=APIS[0], metavar="[" + "|".join(APIS) + "]")
@_option("--yaml", "as_yaml", is_flag=True, help="YAML in place of JSON.")
def openapi(which: str, *, as_yaml: bool) -> None:
    """Write the OpenAPI 3.1 document of the relayer API or of the control API."""
    from mockrelay.cli import documents

    click.echo(documents.text_of(which, as_yaml=as_yaml))


def _http_url(ctx: click.Context, param: click.Parameter, url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise click.BadParameter(f"{url!r} is not http://HOST:PORT", ctx, param)
    return url.rstrip("/")


@main.command()
@click.argument("endpoint")
@_option("--scenario", default="default", show_default=True, metavar="NAME|FILE", help="Whose accounts and keys.")
@_option("--account", metavar="NAME|ID", help="Who signs. [default: the account that the body names]")
@_option(
    "--url",
    default=f"http://127.0.0.1:{DEFAULT_PORT}",
    show_default=True,
    callback=_http_url,
    help="The base address that the client is given, /w/NAME included: some signatures cover it.",
)
@_option(
    "--json",
    "body_file",
    type=click.File(encoding="utf-8"),
    default="-",
    envvar=None,
    metavar="FILE|-",
    help="The body to sign, without signatures; by default what comes in.",
)
@_option("--scheme", type=click.Choice(("both", "eddsa", "ecdsa")), help="With which keys, where there is a choice.")
@_option("--family", type=click.Choice(("python", "javascript")), help="Whose way of signing on layer 2.")
@_option(
    "--form",
    metavar="FORM",
    help="How the owner signs: typed, personal, bare; a gen-2 transfer: memo, no_memo, memo_two_blanks, "
    "no_memo_two_blanks.",
)
@_option("--curl", "as_curl", is_flag=True, help="A command that sends it, in place of JSON.")
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
    from mockrelay.cli.serving import ConfigError

    try:
        body = signing.body_of(body_file.read(), f"--json {body_file.name}")
        given = {name: value for name, value in how.items() if value is not None}
        request = signing.signed(scenario, account, endpoint, body, url, given)
    except (ConfigError, UnicodeDecodeError) as error:
        _fail(EXIT_CONFIG, str(error))
    click.echo(signing.as_curl(request) if as_curl else signing.as_json(request))


def _environment_names() -> set[str]:
    """All environment variables that mean something to mockrelay."""
    options = [option for command in main.commands.values() for option in command.params]
    return {"MOCKRELAY_URL"} | {str(option.envvar) for option in options if option.envvar}


def _refuse_beside_resume(ctx: click.Context) -> None:
    """A record says itself how its relayer started."""
    for name, option in (
        ("scenario", "--scenario"),
        ("clock", "--clock"),
        ("settings", "--set"),
        ("limits", "--limits"),
        ("record_file", "--record"),
    ):
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            _fail(EXIT_CONFIG, f"{option} beside --resume: the record says how its relayer started and is written on")


@main.command()
@click.argument("url", callback=_http_url)
@_option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    help="How many seconds to wait.",
)
@_option("--token", help="The server's token, if it was started with one.")
def wait(url: str, timeout_s: float, token: str | None) -> None:
    """Wait until the server at URL answers. Exit code 0: it does; 1: it did not in time."""
    from mockrelay.cli import waiting

    problem = waiting.wait(url, int(timeout_s * 1000), token)
    if problem is not None:
        _fail(EXIT_FINDINGS, problem)


def key_options(options: tuple[str, ...]) -> str:
    """The options of a choice, as a part of a sentence."""
    return "one of " + ", ".join(options)


def _fail(exit_code: int, problem: str) -> NoReturn:
    click.echo(f"mockrelay: {problem}", err=True)
    sys.exit(exit_code)
