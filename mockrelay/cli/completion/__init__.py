"""`mockrelay completion`: the script by which a shell completes commands, options and their values."""

from __future__ import annotations

import click

VARIABLE = "_MOCKRELAY_COMPLETE"
"""The variable by which a script asks the command line for completions: click's name for it."""

_BASH = r"""_mockrelay_completion() {
    # Bash takes a word apart at `=` and `:`, so the words are read from the line, and of a completion only the last part is given.
    local IFS=$' \t\n' line=${COMP_LINE:0:$COMP_POINT} current="" prefix response type value
    local -a words
    read -r -a words <<< "$line"
    if [[ $line == *[[:space:]] ]]; then words+=(""); fi
    current=${words[${#words[@]}-1]}
    if [[ $current == *[=:]* && $COMP_WORDBREAKS == *=* ]]; then prefix=${current%"${current##*[=:]}"}; fi
    IFS=$'\n'
    response=$(env COMP_WORDS="${words[*]}" COMP_CWORD=$((${#words[@]}-1)) VARIABLE=bash_complete "$1")
    COMPREPLY=()
    while IFS=',' read -r type value; do
        if [[ $type == plain ]]; then
            value=${value#"$prefix"}
            COMPREPLY+=("${value// /\\ }")
        fi
    done <<< "$response"
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}
complete -o default -F _mockrelay_completion mockrelay
""".replace("VARIABLE", VARIABLE)
"""Without completions bash falls back to the names of files."""


@click.command()
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script for a shell, by which it completes commands, options and values. Values are scenarios, choices and their
    options, endpoints, codes, accounts and pages. For instance, in ~/.bashrc: `source <(mockrelay completion bash)`.
    """
    from click.shell_completion import get_completion_class

    if shell == "bash":
        click.echo(_BASH, nl=False)
        return
    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(ctx.find_root().command, {}, "mockrelay", VARIABLE).source(), nl=False)
