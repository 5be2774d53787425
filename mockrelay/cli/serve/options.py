"""The options of `mockrelay serve`."""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mockrelay.cli.options import (
    DEFAULT_PORT,
    EXISTING_FILE,
    EXISTING_FOLDER,
    FILE,
    LIMITS,
    PROFILE,
    ClockRate,
    Command,
    KeyOption,
    OwnType,
    completed_by,
    option,
)
from mockrelay.cli.output import output_dir_option

if TYPE_CHECKING:
    from mockrelay.web.hosted import WorldLimits


WORLDS_MAX = 100


class Worlds(OwnType):
    """`N` or `explicit`: how many worlds there may be, and whether each has to be made before it is used."""

    name = "N|explicit"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, bool]:
        """The two."""
        if isinstance(value, tuple):
            return value
        value = str(value)
        if value == "explicit":
            return WORLDS_MAX, True
        if not value.isascii() or not value.isdecimal() or len(value) > 9:
            self.fail(f"{value!r} is not a number of worlds, nor `explicit`", param, ctx)
        return int(value), False

    def written(self, value: tuple[int, bool]) -> str | int:
        """The number or the word."""
        number, is_explicit = value
        return "explicit" if is_explicit else number


class Span(OwnType):
    """A duration such as `30m`, in seconds."""

    name = "DURATION"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number of seconds, above 0."""
        from mockrelay.core.units import duration_ms

        if isinstance(value, float):
            return value
        ms = duration_ms(value)
        if not ms:
            self.fail(f"{value!r} is not a duration above 0, such as 30m or 1h30m (units ms, s, m, h, d)", param, ctx)
        return ms / 1000

    def written(self, value: float) -> str:
        """The duration in its largest unit."""
        from mockrelay.core.units import duration_text, seconds_ms

        return duration_text(seconds_ms(value))


class ServeOptions(NamedTuple):
    """The options as they were given."""

    host: str
    port: int
    scenario: str
    clock: str
    choices: tuple[tuple[str, str], ...]
    limits: str | None
    profile: str | None
    token: str | None
    public_url: str | None
    trust_proxy: bool
    tls: str | None
    tls_cert: Path | None
    tls_key: Path | None
    cors: str
    control_cors: str
    allow_files: Path | None
    worlds: tuple[int, bool]
    worlds_idle: float | None
    ready_file: Path | None
    log_file: Path | None
    log_format: str
    record_file: Path | None
    resume_file: Path | None
    overwrite: bool
    on_record_failure: str
    stop_at_eof: bool
    open_page: bool
    output_dir: Path | None
    fail_on: str | None

    @property
    def world_limits(self) -> WorldLimits:
        """Which worlds the server has."""
        from mockrelay.web.hosted import WorldLimits

        return WorldLimits(*self.worlds, self.worlds_idle)


_OPTIONS = (
    option("-H", "--host", default="127.0.0.1", show_default=True, help="The address to listen on."),
    option(
        "-p",
        "--port",
        type=click.IntRange(0, 65535),
        default=DEFAULT_PORT,
        show_default=True,
        help="The port to listen on; 0 takes a free one.",
    ),
    option(
        "--scenario",
        default="default",
        show_default=True,
        metavar="NAME|FILE",
        shell_complete=completed_by("scenarios"),
        help="The scenario that the relayer starts with: a packaged one, or a YAML file.",
    ),
    option(
        "--clock",
        type=ClockRate(),
        default="real",
        show_default=True,
        metavar="real|frozen|RATE",
        help="The relayer's clock. RATE is how many of its seconds pass in one: 60 makes a minute of every second.",
    ),
    option(
        "--set",
        "choices",
        type=KeyOption(),
        multiple=True,
        help="An option of a choice; repeat it for several. In MOCKRELAY_SET a comma separates two.",
    ),
    option("--limits", type=LIMITS, help="The rate limits: those of the spec, or none.  [default: the scenario's]"),
    option(
        "--profile",
        type=PROFILE,
        help="What is served: the specification alone, or with what published clients need beside it.  [default: the scenario's]",
    ),
    option(
        "--token",
        help="The token that the control API asks for; needed to listen beyond loopback. `auto` makes one and prints it.",
    ),
    option(
        "--public-url",
        metavar="URL",
        help="The address that clients call, such as https://relayer.test:8443: it is printed, and it is what they sign.",
    ),
    option(
        "--trust-proxy",
        is_flag=True,
        help="Take the address that a client called from X-Forwarded-Proto and X-Forwarded-Host. Only behind a proxy that sets them.",
    ),
    option(
        "--tls",
        type=click.Choice(("self-signed",)),
        help="Serve HTTPS with a new certificate of a new authority, whose certificate is written beside the ready file.",
    ),
    option("--tls-cert", type=EXISTING_FILE, help="Serve HTTPS with this certificate, or chain of certificates (PEM)."),
    option("--tls-key", type=EXISTING_FILE, help="The private key of the certificate (PEM, without a password)."),
    option(
        "--cors",
        default="any",
        show_default=True,
        metavar="any|none|ORIGIN[,ORIGIN]",
        help="The origins whose pages may use the API in a browser.",
    ),
    option(
        "--control-cors",
        default="none",
        show_default=True,
        metavar="none|ORIGIN[,ORIGIN]",
        help="The origins whose pages may use the control API in a browser: it may do anything to the relayers.",
    ),
    option(
        "--allow-files",
        type=EXISTING_FOLDER,
        metavar="DIR",
        help="Let the control API's `reset` read scenario files in this folder. Without it no file is read.",
    ),
    option(
        "--worlds",
        type=Worlds(),
        default=str(WORLDS_MAX),
        show_default=True,
        metavar="N|explicit",
        help="The number of further relayers under /w/NAME/, each made when it is first asked; `explicit`: only by POST worlds.",
    ),
    option(
        "--worlds-idle",
        type=Span(),
        metavar="DURATION",
        help="Remove a world after so long without a request (30m, 1h30m); its report stays.",
    ),
    option(
        "--ready-file",
        type=FILE,
        help="Write url, port, pid, scenario and accounts to this file as JSON while connections are accepted.",
    ),
    option(
        "--log",
        "log_file",
        type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
        metavar="FILE|-",
        help="Append a line for each request to this file, or print it (`-`).",
    ),
    option(
        "--log-format",
        type=click.Choice(("text", "json")),
        default="text",
        show_default=True,
        help="The lines of --log: the relayer's time in ms, method, target and status, or JSON with all that is known.",
    ),
    option(
        "--record",
        "record_file",
        type=FILE,
        help="Record each call in this file before it is answered, and the answer. Secrets are recorded as they were sent.",
    ),
    option(
        "--resume", "resume_file", type=EXISTING_FILE, help="Start in the state of a record's end, and continue it."
    ),
    option("--overwrite", is_flag=True, help="Let --record replace what is in its file."),
    option(
        "--on-record-failure",
        type=click.Choice(("refuse", "continue")),
        default="refuse",
        show_default=True,
        help="Whether a call that cannot be recorded is refused with 503 and changes nothing, or is carried out unrecorded.",
    ),
    option("--stop-at-eof", is_flag=True, help="Stop too when standard input ends: with whoever started the server."),
    option("--open", "open_page", is_flag=True, help="Open the page of the relayer in a browser."),
    output_dir_option(
        "",
        "At the end, write a report to this folder: findings about the clients, and coverage; as text, JSON, JUnit and SARIF.",
        old={"--report": None, "MOCKRELAY_REPORT": None},
    ),
    option(
        "--fail-on",
        type=click.Choice(("error", "warning", "note", "problem")),
        help="Exit with 1 at the end for findings of this level or a heavier one, and for problems; `problem`: for problems alone.",
    ),
)


def serve_options(function: Command) -> Command:
    """Give a command all options of `ServeOptions`, in their order."""
    return reduce(lambda command, add: add(command), reversed(_OPTIONS), function)
