"""`cellrate compare`: compares alternatives and tests their differences against chance."""

from __future__ import annotations

import functools
import inspect
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from cellrate.cli.answering import hand_over
from cellrate.cli.from_function import made_from
from cellrate.cli.one_run import job_of
from cellrate.cli.options import Fresh, Json, Workers, seeds_from
from cellrate.cli.places import kept_results, own_paths, place_of, warn_of_damage
from cellrate.cli.progress import ProgressBar
from cellrate.common.problems import BadInput, warn
from cellrate.functions import deciding
from cellrate.simulation import source
from cellrate.simulation.runner import Job, run_each

if TYPE_CHECKING:
    from cellrate._core import Store
    from cellrate.simulation.run_types import StreamRunner
    from cellrate.studies.compare import Comparison
    from cellrate.studies.compare.of_scenario import ScenarioOptions


def _require_level(_: object, level: float) -> None:
    """Checks that a confidence level is a share.

    Raises:
        ValueError: The level is not between 0 and 1.
    """
    if not 0.0 < level < 1.0:
        raise ValueError("It must be above 0 and below 1.")


@made_from(
    deciding.compare,
    deciding.compare_data,
    order=(
        *("vary", "measures", "overrides", "seeds", "first_seed", "factor", "where", "baseline"),
        *("level", "better", "all_pairs", "average"),
    ),
    vary="Alternatives, as in control.scheme=efci,erica. A second --vary adds conditions under "
    "which the alternatives are compared. The last part of a path is enough if only one key has "
    "it.",
    measures="throughput (over Ethernet goodput), loss, queue, queue_delay, fairness, an "
    "expression over a run, or NAME=EXPRESSION; repeatable.",
)
def compare(
    first: Annotated[
        str,
        Parameter(
            name="FILE",
            allow_leading_hyphen=True,
            help="Scenario (- is standard input) or directory of a study's data set; with STUDY "
            "or --factor also the file of a study that ran.",
        ),
    ],
    second: Annotated[
        Path | None, Parameter(name="STUDY", help="Another study, to compare with the first.")
    ] = None,
    /,
    *,
    level: Annotated[
        float,
        Parameter(validator=_require_level, help="Joint confidence level of all differences."),
    ] = 0.95,
    all_pairs: Annotated[
        bool,
        Parameter(
            negative="",
            help="Show all pairs of alternatives, not only the pairs with the best one.",
        ),
    ] = False,
    json: Json = False,
    out: Annotated[Path, Parameter(help="Directory for figure and kept results.")] = Path("out"),
    workers: Workers = None,
    fresh: Fresh = False,
    **options: Any,  # noqa: ANN401  of the functions
) -> int:
    """Compare alternatives: which is best, by how much, and whether that may be chance.

    Every alternative of a scenario runs with the same seeds, hence the same random numbers, and is
    compared seed by seed. Two studies are matched on the factors that both have; a single study is
    compared along --factor. Each measure ranks the alternatives; no difference between alternatives
    that share a letter is real. A difference is called real if its interval leaves out zero; the
    intervals of all pairs, measures and conditions hold together (Bonferroni).

    OUT receives NAME-compared.png, .svg and .pdf: the differences with these intervals. Finished
    runs are kept in OUT/results. A run that fails is reported with its command and left out.
    """
    from cellrate.studies.compare.of_scenario import ScenarioOptions
    from cellrate.studies.compare.of_studies import StudyOptions, compare_studies

    settings, where, factor = options["overrides"], tuple(options["where"]), options["factor"]
    vary, measures, better = (tuple(options[name]) for name in ("vary", "measures", "better"))
    baseline, average = options["baseline"], options["average"]
    failed = False
    wanted: StudyOptions | ScenarioOptions
    if Path(first).is_dir() or second is not None or factor is not None:
        usual = inspect.signature(deciding.compare).parameters
        of_runs = {
            "--vary": vary,
            "--set": settings,
            "--seeds": options["seeds"] != usual["seeds"].default,
            "--first-seed": options["first_seed"] != usual["first_seed"].default,
            "--workers": workers is not None,
            "--fresh": fresh,
        }
        if idle := [name for name, is_given in of_runs.items() if is_given]:
            raise BadInput(
                f"{first} is a study, whose runs are finished; leave out {' and '.join(idle)}"
            )
        wanted = StudyOptions(measures, factor, where, baseline, level, average, better)
        given = [Path(first)] if second is None else [Path(first), second]
        places = [place_of(study) for study in given]
        comparison, units = compare_studies(places, wanted)
        name = "-".join(place.resolve().name for place in places)
        kept_results(out, fresh=True)
    elif where:
        raise BadInput(f"{first} is not the directory of a study: --where selects runs of a study")
    else:
        seeds = seeds_from(options["first_seed"], options["seeds"])
        wanted = ScenarioOptions(vary, measures, seeds, baseline, level, average, better)
        kept = kept_results(out, fresh=fresh)
        job = job_of(first, settings)
        comparison, failed = _of_scenario(job, wanted, kept, workers)
        name, units = source.stem(job.path), dict(comparison.units)
    endings = ["-compared.png", "-compared.svg", "-compared.pdf"]
    asked = ["compare", first, second, settings, wanted, all_pairs]
    stem = own_paths(out, name, endings, asked)[0].with_suffix("")
    _write_and_show(comparison, units, stem, all_pairs=all_pairs, json=json)
    return 1 if failed else 0


def _of_scenario(
    base: Job, options: ScenarioOptions, store: Store | None, workers: int | None
) -> tuple[Comparison, bool]:
    """Runs the alternatives of a scenario; returns the comparison, and True if a run failed."""
    from cellrate.studies.compare.of_scenario import compare_scenario

    with ProgressBar("comparing") as progress:

        def runner_of(total: int) -> StreamRunner:
            return functools.partial(
                run_each, workers=workers, store=store, watch=lambda done: progress(done, total)
            )

        def note(text: str) -> None:
            sys.stderr.write(f"note: {text}\n")

        for text in _sources_shared(base, options):
            note(text)
        comparison, failed = compare_scenario(base, options, runner_of, note, progress.failed)
    warn(comparison.warnings)
    warn_of_damage(store)
    return comparison, failed


def _sources_shared(base: Job, options: ScenarioOptions) -> Iterator[str]:
    """A note if all alternatives use the same RIF and RDF, though some mark and others write ER."""
    from cellrate.advice.choosing.candidates import BY_MARKS, MARKED_RIF
    from cellrate.advice.marking import WITHOUT_A_RATE
    from cellrate.simulation.network import Network
    from cellrate.studies.compare.of_scenario import varied

    factors = varied(base, list(options.vary))
    if any(factor.path.endswith(".rif") for factor in factors):
        return
    schemes = {
        level.value
        for factor in factors
        if factor.path.endswith("control.scheme")
        for level in factor.levels
    }
    marking = schemes & WITHOUT_A_RATE
    if not marking or marking == schemes:
        return
    scenario, own = base.scenario(), [f"{key}={value}" for key, value in BY_MARKS.items()]
    if scenario.link_layer == "ethernet":
        groups = tomllib.loads(scenario.resolved())["flow"]
        controls = [one["rate_control"] for one in groups if "rate_control" in one]
        sources = [(one["rif"], one["rdf"]) for one in controls]
        units, table = "packets", "rate_control"
    else:
        flows = Network.of_scenario(scenario).flows
        sources = [(flow.abr.rif, flow.abr.rdf) for flow in flows if flow.abr is not None]
        units, table = "cells", "abr"
    rif, rdf = max(sources, default=(0.0, 0.0))
    if rif > MARKED_RIF:
        yield (
            f"all schemes have the scenario's sources, RIF {rif:g} and RDF {rdf:g}; "
            f"`cellrate choose` gives schemes that only mark {units} "
            f"({', '.join(sorted(marking))}) "
            f"{' and '.join(f'{table}.{key}' for key in own)}"
        )


def _write_and_show(
    comparison: Comparison, units: dict[str, str], stem: Path, *, all_pairs: bool, json: bool
) -> None:
    from cellrate.simulation.figures import FORMATS, save
    from cellrate.studies.compare.figure import differences
    from cellrate.studies.compare.report import as_json, report

    hand_over(
        json=json,
        as_json=lambda: as_json(comparison, units),
        report=lambda: report(comparison, units, all_pairs=all_pairs),
        written=save(differences(comparison, units, all_pairs=all_pairs), stem, tuple(FORMATS)),
    )
