"""`mockrelay sweep`."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from mockrelay.cli.options import (
    EXIT_FINDINGS,
    EXIT_STOPPED,
    CliError,
    ClockWord,
    Command,
    Setting,
    key_options,
    option,
)

if TYPE_CHECKING:
    from mockrelay.cli.sweeping import Only, Plan, Swept


class Part(click.ParamType):  # type: ignore[type-arg]  # generic in the newest click only
    """A key of the choices table, the beginning of several, or an option of one."""

    name = "KEY[=OPTION]"
    envvar_list_splitter: ClassVar[str] = ","

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Only:
        """The part; fails with what was meant."""
        from mockrelay.cli.sweeping import Only
        from mockrelay.core.wording import nearest
        from mockrelay.spec.choices import BY_KEY

        if isinstance(value, Only):
            return value
        key, equals, given = str(value).partition("=")
        if not equals and any(known.startswith(f"{key}.") for known in BY_KEY):
            return Only(key)
        if key not in BY_KEY:
            self.fail(f"there is no choice {key!r}; meant: {nearest(key, BY_KEY)}", param, ctx)
        if equals and given not in BY_KEY[key].options:
            self.fail(f"{key} has no option {given!r}; meant: {key_options(BY_KEY[key].options)}", param, ctx)
        return Only(key, given if equals else None)


def _file(name: str, text: str) -> Callable[[Command], Command]:
    path = click.Path(dir_okay=False, path_type=Path)
    return option(f"--{name}", f"{name}_file", type=path, envvar=f"MOCKRELAY_SWEEP_{name.upper()}", help=text)


def _variables(ctx: click.Context, param: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if not name or "=" in name:
            raise click.BadParameter(
                f"{name!r} is no name of a variable; meant: a name alone, such as API_URL", ctx, param
            )
    return names


def _seconds(ctx: click.Context, param: click.Parameter, timeout_s: float | None) -> float | None:
    if timeout_s is not None and not timeout_s <= threading.TIMEOUT_MAX:
        raise click.BadParameter(f"{timeout_s:g} is no time; meant: seconds, such as 90", ctx, param)
    return timeout_s


@click.command(context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND ARGS...")
@option("--scenario", metavar="NAME|FILE", help="What each relayer starts with.  [default: default]")
@option("--clock", type=ClockWord(), help="How the relayers' time goes by.  [default: real]")
@option("--limits", type=click.Choice(("spec", "off")), help="Rate limits, where they are not as the scenario says.")
@option("--set", "settings", type=Setting(), multiple=True, help="A reading that holds in all runs; once for each.")
@option(
    "--only",
    type=Part(),
    multiple=True,
    envvar="MOCKRELAY_SWEEP_ONLY",
    help="Only this choice, this option, or (as `rate`) the choices that begin so; once for each.",
)
@option("--pairs", is_flag=True, envvar="MOCKRELAY_SWEEP_PAIRS", help="Then each pair of options of two choices.")
@option(
    "--all",
    "every",
    is_flag=True,
    envvar="MOCKRELAY_SWEEP_ALL",
    help="Also readings of which it is known that they change nothing for the command.",
)
@option(
    "--deviations/--no-deviations",
    default=True,
    show_default=True,
    envvar="MOCKRELAY_SWEEP_DEVIATIONS",
    help="Whether readings against the letter of the spec are tried.",
)
@option(
    "--env",
    "env_names",
    multiple=True,
    metavar="NAME",
    callback=_variables,
    envvar="MOCKRELAY_SWEEP_ENV",
    help="A variable that gets the relayer's address, beside MOCKRELAY_URL; {url} in ARGS is the address, too.",
)
@option(
    "--own-relayers",
    is_flag=True,
    envvar="MOCKRELAY_SWEEP_OWN_RELAYERS",
    help="The command makes its relayers itself: it gets the readings in MOCKRELAY_SET, and no address.",
)
@option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    envvar="MOCKRELAY_SWEEP_JOBS",
    help="How many runs go on at once.",
)
@option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0, min_open=True),
    callback=_seconds,
    envvar="MOCKRELAY_SWEEP_TIMEOUT",
    help="How many seconds a run may take.  [default: 10 times the first one, at least 60]",
)
@option("--fail-fast", is_flag=True, envvar="MOCKRELAY_SWEEP_FAIL_FAST", help="Stop at the first that is not survived.")
@_file("json", "Write everything there as JSON.")
@_file("junit", "Write a test case for each reading there, for CI.")
@option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="MOCKRELAY_SWEEP_OUTPUT",
    help="A folder for what each run prints.",
)
def sweep(command: tuple[str, ...], scenario: str | None, clock: str | None, limits: str | None, **given: Any) -> None:
    """Run a test command once under each reading of the spec, and tell which ones it survives.

    Each run has a relayer of its own, whose address is in MOCKRELAY_URL. Exit code 0: nothing failed; 1: some did;
    2: the command fails even with the defaults, or cannot be run.
    """
    if given["own_relayers"] and (scenario or clock or limits or given["env_names"]):
        raise CliError("--own-relayers leaves scenario, clock, limits and address to the command: give none of them")
    found = shutil.which(command[0])
    if found is None:
        raise CliError(f"there is no command {command[0]!r} that can be run")
    from mockrelay.cli import serving
    from mockrelay.cli.progress import Progress
    from mockrelay.cli.sweeping import Children, Plan, Sweep
    from mockrelay.cli.sweeping.children import stopped_by_signals

    files = {"json": given.pop("json_file"), "junit": given.pop("junit_file")}
    given["settings"] = dict(given["settings"])
    plan = Plan((found, *command[1:]), limits=limits, clock=clock or "real", **given)
    children = Children()
    relay = serving.relay_of(scenario or "default", plan.clock, dict(plan.settings), limits)
    _check_files(plan.output, files)
    base = dict(relay.world.choices)
    progress = Progress(sys.stderr)
    with stopped_by_signals(children.stop):
        swept = Sweep(plan, relay.scenario, base, os.environ, children, progress).run()
    _tell(plan, base, swept, files)


def _check_files(output: Path | None, files: dict[str, Path | None]) -> None:
    """Fail before an hour of runs, and not after it, where there is no place for what they come to."""
    for name, path in files.items():
        if path is not None and not path.parent.is_dir():
            raise CliError(f"--{name} {path}: there is no folder {path.parent}")
    if output is not None:
        try:
            output.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CliError(f"--output {output}: {error.strerror or error}") from None


def _tell(plan: Plan, base: dict[str, str], swept: Swept, files: dict[str, Path | None]) -> None:
    from mockrelay.cli.sweeping import Verdict, telling

    texts = {"json": telling.as_json(plan, base, swept), "junit": telling.as_junit(swept)}
    click.echo(telling.table(swept))
    for name, path in files.items():
        if path is not None:
            try:
                path.write_text(texts[name], encoding="utf-8")
            except OSError as error:
                raise CliError(f"--{name} {path}: {error.strerror or error}") from None
    if swept.interrupted:
        sys.exit(EXIT_STOPPED)
    # What could not be run is not known to be survived.
    if any(run.lost or run.verdict is Verdict.NOT_RUN for run in swept.runs):
        sys.exit(EXIT_FINDINGS)
