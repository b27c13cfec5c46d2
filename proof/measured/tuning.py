"""Tunes the scenarios of docs/evidence/tuning.md again: `python -m proof.measured.tuning`.

The commands are those of the page. The reports, out/tuning-N/NAME-tuned.html, have the tables and
pictures of the page.
"""

from __future__ import annotations

import re
import shlex
import subprocess

from proof.campaign import COMMAND, EVIDENCE, ROOT, end_with

LINE = re.compile(r"^`cellrate (tune .*)`$", re.MULTILINE)


def main() -> int:
    """Runs the commands; returns the exit code of the first command that fails, or 0."""
    page = (EVIDENCE / "tuning.md").read_text(encoding="utf-8")
    for number, line in enumerate(LINE.findall(page), start=1):
        out = ROOT / "out" / f"tuning-{number}"
        command = [str(COMMAND), *shlex.split(line), "--out", str(out)]
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        if code:
            return code
    return 0


if __name__ == "__main__":
    end_with(main)
