"""The command line. Each command imports what it needs when it runs, so that `--help` only costs click.

Exit codes: 0 fine, 1 findings, 2 usage or configuration, 3 cannot bind. Each option can be given as `MOCKRELAY_NAME`; those
of `sweep` and `replay` that no other command has as `MOCKRELAY_SWEEP_NAME` and `MOCKRELAY_REPLAY_NAME`.
"""

from __future__ import annotations

import click

import mockrelay
from mockrelay.cli.commands.check import check
from mockrelay.cli.commands.coverage import coverage
from mockrelay.cli.commands.facts import openapi, show_scenarios, spec, validate
from mockrelay.cli.commands.replay import replay
from mockrelay.cli.commands.serve import serve
from mockrelay.cli.commands.sign import sign
from mockrelay.cli.commands.sweep import sweep
from mockrelay.cli.commands.wait import wait


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(mockrelay.__version__, prog_name="mockrelay")
def main() -> None:
    """A stateful test double of a layer-2 exchange relayer."""


for _command in (serve, spec, show_scenarios, validate, openapi, sign, check, replay, sweep, coverage, wait):
    main.add_command(_command)
