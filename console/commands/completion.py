"""`trimtab completion`: what a shell reads so that its tab key completes commands and options.

The scripts are the library's. They call `trimtab` with a variable in the environment, which
``console.main`` looks for; names of groups are not completed, because that would ask Kafka.
"""

import os
from enum import StrEnum
from typing import Annotated

import typer

from console.output import write

VARIABLE = "_TRIMTAB_COMPLETE"
"""What the scripts set when they ask."""


class Shell(StrEnum):
    """Those that there is a script for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(
    shell: Annotated[Shell, typer.Argument(show_default=False, help="Whose script.")],
) -> None:
    """Print the script that completes commands and options at the tab key.

    Examples:
      trimtab completion bash > ~/.local/share/bash-completion/completions/trimtab
      trimtab completion zsh > ~/.zfunc/_trimtab
      trimtab completion fish > ~/.config/fish/completions/trimtab.fish
    """
    from typer._completion_shared import get_completion_script  # where it is; typer is pinned

    write(get_completion_script(prog_name="trimtab", complete_var=VARIABLE, shell=shell.value))


def prepare() -> None:
    """If such a script asks, let the library answer it in the place of the command."""
    if VARIABLE not in os.environ:
        return
    from typer._completion_classes import completion_init  # as above

    completion_init()
