"""`mockrelay scenarios`: the packaged scenarios, and any scenario in full."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mockrelay.cli.options import CliError, completed_by, option
from mockrelay.cli.output import aligned, output_options, put


@click.command()
@click.argument("source", required=False, metavar="[NAME|FILE]", shell_complete=completed_by("scenarios"))
@option(
    "--schema",
    is_flag=True,
    command="scenarios",
    old={"MOCKRELAY_SCHEMA": None},
    help="Print the JSON Schema of scenario files, which editors use.",
)
@output_options("scenarios", "text", "json", old={"--json": "json", "MOCKRELAY_JSON": "json"})
def scenarios(source: str | None, output_format: str, output: Path | None, *, schema: bool) -> None:
    """List the packaged scenarios, or print one in full. In full it is one YAML (or JSON) document that has everything
    that the scenario extends.
    """
    from mockrelay.scenario import ScenarioError
    from mockrelay.scenario.editor import editor_schema_text

    if schema and source is not None:
        raise CliError(f"--schema is for all scenarios: leave out {source}")
    as_json = output_format == "json"
    try:
        if schema:
            text = editor_schema_text()
        elif source is None:
            text = _list(as_json=as_json)
        else:
            text = _in_full(source, as_json=as_json)
    except ScenarioError as error:
        raise CliError(str(error)) from None
    put(text, output)


def _list(*, as_json: bool) -> str:
    """The packaged scenarios, each with its description."""
    from mockrelay.scenario import description, shipped

    rows = [{"name": name, "description": description(name)} for name in shipped()]
    return json.dumps(rows, indent=2) if as_json else "\n".join(aligned(rows))


def _in_full(source: str, *, as_json: bool) -> str:
    """A scenario as one document that extends nothing. Raises ScenarioError."""
    from mockrelay.scenario import description, flat, scenario_text

    values = flat(source)
    if as_json:
        return json.dumps(values, indent=2)
    comment = description(source)
    return (f"# {comment}\n" if comment else "") + scenario_text(values)
