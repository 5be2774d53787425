"""`mockrelay openapi`: the OpenAPI documents as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from mockrelay.cli.options import PROFILE, option
from mockrelay.cli.output import output_options, put

APIS = ("relayer", "control")


@click.command()
@click.argument("api", type=click.Choice(APIS), default=APIS[0], metavar="[" + "|".join(APIS) + "]")
@option(
    "--profile",
    type=PROFILE,
    default="spec",
    show_default=True,
    help="The profile of the relayer's document; the control API is the same in all.",
)
@output_options("openapi", "json", "yaml", old={"--yaml": "yaml", "MOCKRELAY_YAML": "yaml"})
def openapi(api: str, profile: str, output_format: str, output: Path | None) -> None:
    """Print an OpenAPI 3.1 document. The default is that of the relayer API, `control` is that of the control API."""
    from mockrelay.openapi import control_document, relayer_document

    text = json.dumps(relayer_document(profile) if api == "relayer" else control_document(), indent=2)
    put(_yaml(json.loads(text)) if output_format == "yaml" else text, output)


def _yaml(value: Any) -> str:
    """A JSON value as YAML without anchors, which not every reader knows, and with texts of several lines as blocks."""
    import yaml

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

        def represent_str(self, data: str) -> yaml.ScalarNode:
            style = "|" if "\n" in data else None
            return self.represent_scalar("tag:yaml.org,2002:str", data, style=style)

    Dumper.add_representer(str, Dumper.represent_str)
    return str(yaml.dump(value, Dumper=Dumper, sort_keys=False, width=120))
