"""The campaign: every recovery with eight seeds, every form of packet."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cellrate import __version__

from proof.oracles.tool import found_or_installed
from proof.oracles.tshark import campaign
from proof.oracles.tshark.cases import SETTINGS, WAITING, cells, lossy
from proof.oracles.tshark.findings import Findings
from proof.oracles.tshark.reading import version

RESULTS = Path(__file__).parents[2] / "results" / "tshark.json"
SEEDS = range(1, 9)


class Oracle:
    """tshark."""

    def run(self, *, bless: bool) -> bool:
        """Captures and compares everything; whether nothing disagrees.

        Args:
            bless: Without meaning here: nothing of tshark's is kept.
        """
        del bless
        # Its package asks who may capture from an interface; nobody here does.
        os.environ.setdefault("DEBIAN_FRONTEND", "noninteractive")
        package = found_or_installed("tshark", "tshark")
        found = Findings()
        cases: list[tuple[str, Callable[[Path], Findings]]] = []
        for seed in SEEDS:
            case = lossy(seed=seed)
            cases.append((case.name, partial(campaign.connections, case)))
        for form in SETTINGS:
            case = cells(form)
            cases.append((case.name, partial(campaign.cells, case)))
        cases += [(asked.case.name, partial(campaign.waiting, asked)) for asked in WAITING]
        for number, (name, examine) in enumerate(cases, 1):
            sys.stdout.write(f"tshark: {name} ({number} of {len(cases)})\n")
            sys.stdout.flush()
            with tempfile.TemporaryDirectory() as directory:
                found.add(name, examine(Path(directory) / "taken"))
        for line in (*found.table(), *found.disagreements):
            sys.stdout.write(f"{line}\n")
        self._keep(found, len(cases), package)
        return not found.disagreements

    def _keep(self, found: Findings, cases: int, package: str) -> None:
        kept = {
            "tool": f"tshark {version()}",
            "package": package,
            "cellrate": __version__,
            "runs": cases,
            "agreed": dict(sorted(found.counts.items())),
            "disagreement_count": len(found.disagreements),
            "disagreements": found.disagreements,
        }
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8", newline="\n")
