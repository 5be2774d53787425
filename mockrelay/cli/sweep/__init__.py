"""`mockrelay sweep`: a test command, run once with each option of each choice."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from mockrelay.cli.options import (
    EXIT_FINDINGS,
    EXIT_STOPPED,
    FILE,
    LIMITS,
    CliError,
    ClockRate,
    KeyOption,
    OwnType,
    completed_by,
    option,
    relay_of,
)
from mockrelay.cli.output import (
    Progress,
    check_parent,
    make_folder,
    output_dir_option,
    output_options,
    put,
    write,
)
from mockrelay.cli.signals import stopped_by_signals

if TYPE_CHECKING:
    from mockrelay.cli.sweep.variations import Only

FILES = {"text": "sweep.txt", "markdown": "sweep.md", "json": "sweep.json", "junit": "sweep.junit.xml"}
"""The formats of the report, each with its file in the folder of `--output-dir`."""


class OnlyPart(OwnType):
    """A key of a choice, the beginning of several keys, or `KEY=OPTION`."""

    name = "KEY[=OPTION]"
    envvar_list_splitter: ClassVar[str] = ","

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> Any:
        """What completes a value."""
        return completed_by("parts")(ctx, param, incomplete)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Only:
        """The part of the choices; fails with the nearest key or the options of the key."""
        from mockrelay.cli.sweep.variations import Only
        from mockrelay.spec.choices import BY_KEY
        from mockrelay.suggest import nearest

        if isinstance(value, Only):
            return value
        key, equals, given = str(value).partition("=")
        if not equals and any(each.startswith(f"{key}.") for each in BY_KEY):
            return Only(key)
        if key not in BY_KEY:
            self.fail(f"there is no choice {key!r}; meant: {nearest(key, BY_KEY)}", param, ctx)
        if equals and given not in BY_KEY[key].options:
            meant = f"one of {', '.join(BY_KEY[key].options)}"
            self.fail(f"{key} has no option {given!r}; meant: {meant}", param, ctx)
        return Only(key, given if equals else None)

    def written(self, value: Only) -> str:
        """The part as it is given."""
        return value.key if value.option is None else f"{value.key}={value.option}"


def _variables(ctx: click.Context, param: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if not name or "=" in name:
            raise click.BadParameter(
                f"{name!r} is not the name of a variable; meant: a name alone, such as API_URL", ctx, param
            )
    return names


def _seconds(ctx: click.Context, param: click.Parameter, timeout_s: float | None) -> float | None:
    if timeout_s is not None and not timeout_s <= threading.TIMEOUT_MAX:
        raise click.BadParameter(f"{timeout_s:g} is not a time; meant: seconds, such as 90", ctx, param)
    return timeout_s


@click.command(context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="[--] COMMAND ARGS...")
@option(
    "--scenario",
    metavar="NAME|FILE",
    shell_complete=completed_by("scenarios"),
    help="The scenario of the relayers.  [default: default]",
)
@option("--clock", type=ClockRate(), metavar="real|frozen|RATE", help="The relayers' clock.  [default: real]")
@option("--limits", type=LIMITS, help="The rate limits: those of the spec, or none.  [default: the scenario's]")
@option(
    "--set", "choices", type=KeyOption(), multiple=True, help="An option that holds in all runs; repeat it for several."
)
@option(
    "--only",
    type=OnlyPart(),
    multiple=True,
    command="sweep",
    help="Only this choice, this option, or (as `rate`) all choices that begin so; repeat it for several.",
)
@option(
    "--pairs",
    is_flag=True,
    command="sweep",
    help="After that, run many options at once, so that each pair of two choices is met.",
)
@option(
    "--all",
    "every",
    is_flag=True,
    command="sweep",
    help="Run options of choices too that the command does not consult with the defaults.",
)
@option(
    "--deviations/--no-deviations",
    default=True,
    show_default=True,
    envvar="MOCKRELAY_SWEEP_DEVIATIONS",
    help="Whether to run options that contradict the spec.",
)
@option(
    "--env",
    "env_names",
    multiple=True,
    metavar="NAME",
    callback=_variables,
    command="sweep",
    help="A variable for the relayer's address, besides MOCKRELAY_URL. {url} in ARGS is replaced by the address too.",
)
@option(
    "--own-relayers",
    is_flag=True,
    command="sweep",
    help="The command makes its relayers itself: it gets the options in MOCKRELAY_SET, and no address.",
)
@option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    command="sweep",
    help="The number of runs at once.",
)
@option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0, min_open=True),
    callback=_seconds,
    command="sweep",
    metavar="SECONDS",
    help="The longest time of a run.  [default: 10 times the first run, at least 60]",
)
@option("--fail-fast", is_flag=True, command="sweep", help="Stop at the first run that fails.")
@output_options("sweep", *FILES, output_type=click.Path(path_type=Path))
@output_dir_option("sweep", "Also write to this folder the output of each run, and the report in every format.", old={})
@option("--json", "json_file", type=FILE, hidden=True, command="sweep")
@option(
    "--junit",
    multiple=True,
    command="sweep",
    metavar="GLOB",
    help="JUnit files that the command writes: they name the tests that failed. The output is read for that otherwise.",
)
def sweep(
    command: tuple[str, ...],
    scenario: str | None,
    output_format: str,
    output: Path | None,
    output_dir: Path | None,
    json_file: Path | None,
    **given: Any,
) -> None:
    """Run a test command once under each option of each choice. The report says which options it survives.

    A choice is a question that the spec leaves open; `mockrelay spec choices` lists them. Each run has a relayer of its own,
    whose address is in MOCKRELAY_URL. Exit code 0: no run failed; 1: some did; 2: the command fails even with the defaults,
    or cannot be run.
    """
    if given["own_relayers"] and (scenario or given["clock"] or given["limits"] or given["env_names"]):
        raise CliError("--own-relayers leaves scenario, clock, limits and address to the command: give none of them")
    if given["junit"] and given["jobs"] > 1:
        raise CliError("--junit beside --jobs: runs at once would write the same files")
    program = shutil.which(command[0])
    if program is None:
        raise CliError(f"there is no command {command[0]!r} that can be run")
    from mockrelay.cli.sweep.all_runs import Sweep
    from mockrelay.cli.sweep.children import Children
    from mockrelay.cli.sweep.one_run import Plan, Verdict
    from mockrelay.cli.sweep.report import format_report

    if output is not None and _is_old_output(output):
        output, output_dir = None, output_dir or output
    given["choices"] = dict(given["choices"])
    given["clock"] = given["clock"] or "real"
    plan = Plan((program, *command[1:]), output_dir=output_dir, **given)
    children = Children()
    relay = relay_of(scenario or "default", plan.clock, plan.choices, plan.limits)
    # `--json FILE` is an old spelling of `--format json --output FILE` that prints the text too.
    files = [("--output", output_format, output), ("--json", "json", json_file)]
    for name, _, path in files:
        check_parent(name, path)
    make_folder("--output-dir", output_dir)
    base = dict(relay.world.choices)
    with stopped_by_signals(children.stop):
        swept = Sweep(plan, relay.scenario, base, os.environ, children, Progress(sys.stderr)).run()
    if output is None:
        put(format_report(swept, output_format, plan, base), None)
    if output_dir is not None:
        # The command may have removed it.
        make_folder("--output-dir", output_dir)
        files += [("--output-dir", name, output_dir / file) for name, file in FILES.items()]
    for name, form, path in files:
        if path is not None:
            write(name, path, format_report(swept, form, plan, base))
    if swept.interrupted:
        sys.exit(EXIT_STOPPED)
    # An option that could not be run is not known to be survived.
    if any(run.failed or run.verdict is Verdict.NOT_RUN for run in swept.runs):
        sys.exit(EXIT_FINDINGS)


def _is_old_output(output: Path) -> bool:
    """Whether `--output` names a folder, as it did before there was `--output-dir`: one that exists, or a name without an
    ending where no `--format` is given.
    """
    source = click.get_current_context().get_parameter_source("output_format")
    return output.is_dir() or (source is click.core.ParameterSource.DEFAULT and not output.suffix)
