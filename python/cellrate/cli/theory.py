"""`cellrate theory`: closed forms of the literature, each with its own command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import cyclopts
from cyclopts import Parameter

from cellrate.cli import formula_tables
from cellrate.cli.efci_cycle import efci_cycle
from cellrate.cli.feasible_region import feasible_region
from cellrate.cli.formula_command import command_of
from cellrate.cli.max_min import max_min
from cellrate.cli.options import Json
from cellrate.common.json_text import json_text
from cellrate.common.problems import choose
from cellrate.theory.catalogue import CATALOGUE

app = cyclopts.App(
    name="theory",
    help="Compute a closed form of the literature; without NAME, list all with their equations.",
    help_format="plaintext",
)
# Formulas whose commands have more than the formula's parameters: a scenario file, a picture.
COMMANDS: dict[str, Callable[..., None]] = {
    "efci-cycle": efci_cycle,
    "feasible-region": feasible_region,
    "max-min": max_min,
}
for formula in CATALOGUE:
    app.command(COMMANDS.get(formula.name) or command_of(formula), name=formula.name)


@app.default
def list_formulas(
    *names: Annotated[
        str, Parameter(name="NAME", allow_leading_hyphen=True, help="A formula and its options.")
    ],
    json: Json = False,
) -> None:
    """List all formulas with their equations."""
    known = [formula.name for formula in CATALOGUE]
    if names:  # not the name of a formula, whose command would have run instead
        choose(names[0], known, "formula")
    elif json:
        sys.stdout.write(json_text(known))
    else:
        formula_tables.show_catalogue(CATALOGUE)
