"""`cellrate theory`: closed forms of the literature, each with its own command."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import cyclopts
from cyclopts import Parameter

from cellrate.cli import formula_command
from cellrate.cli.efci_commands import efci_cycle, feasible_region
from cellrate.cli.one_run import job_of
from cellrate.cli.options import Json, Settings
from cellrate.common.document import Table, columns, rows
from cellrate.common.problems import BadInput, choose
from cellrate.common.terminal import say, show_parts
from cellrate.common.to_json import json_text
from cellrate.simulation.network import Network, fair_shares
from cellrate.theory.assumptions import AssumptionError
from cellrate.theory.catalogue import CATALOGUE
from cellrate.theory.cell_conversions import CELL_BITS
from cellrate.theory.max_min import FORMULA, Fairness

ABOUT = {parameter.name: parameter.about for parameter in FORMULA.parameters}


def max_min(
    file: Annotated[
        str | None, Parameter(name="FILE", help="Scenario, whose ABR flows are used instead.")
    ] = None,
    /,
    *,
    settings: Settings = [],  # noqa: B006  cyclopts never changes it
    links: Annotated[str | None, Parameter(help=ABOUT["links_bits_per_second"])] = None,
    flows: Annotated[str | None, Parameter(help=ABOUT["flows"])] = None,
    mcr: Annotated[str | None, Parameter(help=ABOUT["mcr_bits_per_second"])] = None,
    pcr: Annotated[str | None, Parameter(help=ABOUT["pcr_bits_per_second"])] = None,
    weights: Annotated[str | None, Parameter(help=ABOUT["weights"])] = None,
    fairness: Annotated[Fairness, Parameter(help=ABOUT["fairness"])] = "mcr-plus-share",
    json: Json = False,
) -> None:
    """Max-min fair rates of flows over a graph of links, or of a scenario's ABR flows.

    rate = MCR + w s, max(MCR, w s) or MCR s, by the fairness; at most PCR. The
    share s rises until a link is full; w is the weight.

    With FILE, the mean rates of sources of higher priority are subtracted from the links' rates.
    """
    given = {
        "links_bits_per_second": links,
        "flows": flows,
        "mcr_bits_per_second": mcr,
        "pcr_bits_per_second": pcr,
        "weights": weights,
    }
    options = {name: text for name, text in given.items() if text is not None}
    if file is None:
        if links is None or flows is None:
            raise BadInput("max-min needs --links and --flows, or a scenario FILE")
        options["fairness"] = fairness
        results = formula_command.compute(FORMULA, options)
        formula_command.show(FORMULA, options, results, json=json)
        return
    if options:
        raise BadInput(
            "a scenario FILE has its own links and flows; leave out --links and the like"
        )
    _show_scenario(file, settings, fairness, json=json)


def _show_scenario(file: str, settings: list[str], fairness: Fairness, *, json: bool) -> None:
    job = job_of(file, settings)
    job.scenario().require_point_to_point()
    name, network = job.path, Network.of_scenario(job.scenario())
    try:
        shares = fair_shares(network, fairness)
    except AssumptionError as error:
        raise BadInput(f"{name}: {error} (capacity and rates in cells/s)") from error
    except ValueError as error:
        raise BadInput(f"{name}: {error}") from error

    def bits(values: dict[str, float]) -> dict[str, float]:
        return {key: value * CELL_BITS for key, value in values.items()}

    results: dict[str, object] = {
        "rates_bits_per_second": bits(shares.rates),
        "bottlenecks": shares.bottlenecks,
        "loads_bits_per_second": bits(shares.loads),
        "advertised_bits_per_second": bits(shares.advertised),
    }
    if json:
        sys.stdout.write(json_text(results))
    else:
        formula_command.show_results(FORMULA, {"fairness": fairness}, results)
        if network.until_first_change is not None:
            say(f"These shares are of the network as it begins: {network.until_first_change}.")
        if fairness != "max-of-mcr-and-share" and any(
            flow.abr and flow.abr.mcr_cells_per_second for flow in network.flows
        ):
            say(
                "The control schemes do not read MCR, and sources keep ACR at MCR or above: in "
                "runs shares are nearer to `--fairness max-of-mcr-and-share`."
            )
        if any(port.switch.control.get("target_utilisation", 1) != 1 for port in network.ports):
            say(
                "These shares are of the links' whole rates. Switches here allocate less, by their "
                "`target_utilisation`: `cellrate explain` shares that."
            )


app = cyclopts.App(
    name="theory",
    help="Compute a closed form of the literature; without NAME, list all with their equations.",
    help_format="plaintext",
)
# Formulas whose commands have more options than the parameters: a scenario file, a picture.
COMMANDS: dict[str, Callable[..., None]] = {
    "efci-cycle": efci_cycle,
    "feasible-region": feasible_region,
    "max-min": max_min,
}
for formula in CATALOGUE:
    app.command(
        COMMANDS.get(formula.name) or formula_command.command_of(formula), name=formula.name
    )


@app.default
def list_formulas(
    *names: Annotated[
        str, Parameter(name="NAME", allow_leading_hyphen=True, help="A formula and its options.")
    ],
    json: Json = False,
) -> None:
    """List all formulas with their equations."""
    known = [formula.name for formula in CATALOGUE]
    if names:  # no formula has this name: its command would have run
        choose(names[0], known, "formula")
    elif json:
        sys.stdout.write(json_text(known))
    else:
        found = rows(
            (formula.name, formula.about, formula.equation, formula.source) for formula in CATALOGUE
        )
        show_parts((Table(columns("formula", "gives", "equation", "source"), found),))
        say("cellrate theory NAME --help shows the parameters of a formula.")
