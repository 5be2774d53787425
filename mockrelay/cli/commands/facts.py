"""`mockrelay spec`, `scenarios`, `validate` and `openapi`: what there is to know and to check without a server."""

from __future__ import annotations

import sys

import click

from mockrelay.cli.options import EXIT_CONFIG, CliError, option

FACTS = ("endpoints", "codes", "limits", "choices", "transitions")
APIS = ("relayer", "control")


@click.command()
@click.argument("what", type=click.Choice(FACTS), default="endpoints", metavar="[" + "|".join(FACTS) + "]")
@option("--json", "as_json", is_flag=True, help="One JSON list in place of a table.")
def spec(what: str, *, as_json: bool) -> None:
    """Show the facts that the relayer keeps to."""
    from mockrelay.cli import facts

    click.echo(facts.as_json(what) if as_json else facts.as_table(what))


@click.command("scenarios")
@click.argument("source", required=False, metavar="[NAME|FILE]")
@option("--schema", is_flag=True, help="The JSON Schema of scenario files, for editors.")
@option("--json", "as_json", is_flag=True, help="JSON in place of a table, or of YAML.")
def show_scenarios(source: str | None, *, schema: bool, as_json: bool) -> None:
    """List the packaged scenarios, or show a scenario as one document with all that it extends."""
    from mockrelay.cli import scenarios
    from mockrelay.scenario import ScenarioError

    if schema and source is not None:
        raise CliError(f"--schema is for all scenarios: leave out {source}")
    try:
        if schema:
            click.echo(scenarios.schema())
        elif source is None:
            click.echo(scenarios.listed(as_json=as_json))
        else:
            click.echo(scenarios.whole(source, as_json=as_json))
    except ScenarioError as error:
        raise CliError(str(error)) from None


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@option("--json", "as_json", is_flag=True, help="A JSON list in place of lines, for editors and CI.")
def validate(files: tuple[str, ...], *, as_json: bool) -> None:
    """Check scenario files with all that they extend. Exit code 0: all are right; 2: some are not."""
    from mockrelay.cli import scenarios

    found = scenarios.verdicts(files)
    click.echo(scenarios.told(found, as_json=as_json))
    if not all(verdict["ok"] for verdict in found):
        sys.exit(EXIT_CONFIG)


@click.command()
@click.argument("which", type=click.Choice(APIS), default=APIS[0], metavar="[" + "|".join(APIS) + "]")
@option("--yaml", "as_yaml", is_flag=True, help="YAML in place of JSON.")
def openapi(which: str, *, as_yaml: bool) -> None:
    """Write the OpenAPI 3.1 document of the relayer API or of the control API."""
    from mockrelay.cli import documents

    click.echo(documents.text_of(which, as_yaml=as_yaml))
