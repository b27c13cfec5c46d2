"""`cellrate completion`: prints a completion script."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from cyclopts import Parameter


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(name="SHELL", help="The shell.")], /
) -> None:
    """Print a script that completes commands and options in a shell.

    bash reads it from ~/.local/share/bash-completion/completions/cellrate, zsh from a file
    _cellrate in a directory of $fpath, fish from ~/.config/fish/completions/cellrate.fish.
    """
    from cellrate.cli.parser import app

    sys.stdout.write(app.generate_completion(shell=shell))
