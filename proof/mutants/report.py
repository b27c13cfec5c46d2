"""Results of the campaigns, as a file and as a table."""

import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from scipy import stats

from proof.mutants.campaign import Campaign, Mutant
from proof.mutants.verdicts import CAUGHT, SURVIVED, TIMED_OUT, UNVIABLE, Verdict

REASONS = Path(__file__).with_name("survivors.toml")
RESULTS = Path(__file__).parents[1] / "results" / "mutants.json"


def wilson(hits: int, tries: int) -> tuple[float, float]:
    """Wilson's score interval of a share at 95 % (Wilson 1927)."""
    interval = stats.binomtest(hits, tries).proportion_ci(0.95, method="wilson")
    return float(interval.low), float(interval.high)


def survivor(mutant: Mutant, verdict: Verdict, reasons: list[dict[str, str]]) -> dict[str, str]:
    """Place of a surviving mutant, its change, and the reason why it survives if that is known."""
    found = {
        "where": f"{mutant.file}:{mutant.line}",
        "code": mutant.code,
        "mutation": verdict.change or mutant.mutation,
    }
    known = [
        one["reason"]
        for one in reasons
        if one["file"] == mutant.file
        and (one["code"], one["mutation"]) == (found["code"], found["mutation"])
    ]
    return found | {"reason": known[0] if known else ""}


def summary(campaign: Campaign, part: str) -> dict[str, Any]:
    """The figures of one campaign."""
    reasons = tomllib.loads(REASONS.read_text()).get(part, [])
    verdicts = campaign.verdicts.by_name
    names = [name for name in campaign.names if name in verdicts]
    fates = Counter(verdicts[name].fate for name in names)
    viable = len(names) - fates[UNVIABLE]
    survivors = [name for name in names if verdicts[name].fate == SURVIVED]
    low, high = wilson(len(survivors), viable)
    at_first = sum(verdicts[name].once_survived for name in names)
    spent = [sum(column) for column in zip(*campaign.verdicts.costs, strict=True)]
    return {
        "tool": campaign.tool.version,
        "mutants": len(campaign.mutants),
        "drawn": len(campaign.names),
        "seed": campaign.seed,
        "tried": len(names),
        "caught": fates[CAUGHT],
        "timed_out": fates[TIMED_OUT],
        "unviable": fates[UNVIABLE],
        "survived": len(survivors),
        "survived_when_drawn": at_first,
        "survivors_percent": round(100 * len(survivors) / viable, 2),
        "interval_percent": [round(100 * low, 2), round(100 * high, 2)],
        "interval": "Wilson, 95 %",
        "interval_percent_when_drawn": [round(100 * end, 2) for end in wilson(at_first, viable)],
        "processor_seconds_per_mutant": round(spent[1] / spent[0], 1) if spent else None,
        "survivors": sorted(
            (survivor(campaign.mutants[name], verdicts[name], reasons) for name in survivors),
            key=lambda one: one["where"],
        ),
    }


def written(part: str, found: dict[str, Any]) -> None:
    """Puts one campaign's figures beside those of the others."""
    RESULTS.parent.mkdir(exist_ok=True)
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    kept[part] = found
    text = json.dumps(dict(sorted(kept.items())), indent=2, ensure_ascii=False)
    RESULTS.write_text(text + "\n")


def table(part: str, found: dict[str, Any]) -> str:
    """A short table of the results of a campaign."""
    low, high = found["interval_percent"]
    lines = [
        f"{part}: {found['drawn']} of {found['mutants']} mutants by {found['tool']}",
        f"  seed {found['seed']}",
        f"  tried {found['tried']}",
        f"  caught {found['caught']}, out of time {found['timed_out']}",
        f"  do not compile {found['unviable']}, survived {found['survived']}",
        f"  survivors {found['survivors_percent']} % ({low} to {high} %, {found['interval']})",
        f"  survived the tests as they were when drawn: {found['survived_when_drawn']}",
        f"  {found['processor_seconds_per_mutant']} s of processor time per mutant",
    ]
    for one in found["survivors"]:
        lines.append(f"  {one['where']}: {one['code']}")
        lines.append(f"    {one['mutation']}: {one['reason'] or 'NO REASON KNOWN'}")
    return "\n".join(lines)
