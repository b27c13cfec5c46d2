"""Prints the first run of every experiment with its golden digest, for the tests of the lab."""

from __future__ import annotations

import json
import sys

from cellrate.papers.collection import all_papers, papers_root
from cellrate.papers.runs import job_of, run_ids


def runs() -> list[dict[str, object]]:
    """For each run experiment, scenario, overrides and the digest from the golden table."""
    found: list[dict[str, object]] = []
    for paper in all_papers():
        lines = (papers_root() / paper.id / "golden.txt").read_text(encoding="utf-8").splitlines()
        digests: dict[str, str] = {}
        for line in lines:
            words = line.split()
            if words[:1] == ["run"]:
                digest = next(word for word in words[2:] if _is_digest(word))
                digests.setdefault(words[1], digest)
        for experiment in paper.experiments:
            if experiment.id not in digests:
                continue
            _, variant, point = run_ids(experiment)[0]
            job = job_of(paper, variant, point, seed=1)
            found.append(
                {
                    "name": experiment.id,
                    "text": job.text,
                    "set": [*job.overrides, "run.seed=1"],
                    "digest": digests[experiment.id],
                }
            )
    return found


def _is_digest(word: str) -> bool:
    return len(word) == 16 and set(word) <= set("0123456789abcdef")


if __name__ == "__main__":
    json.dump(runs(), sys.stdout)
