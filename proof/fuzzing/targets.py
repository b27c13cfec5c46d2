"""The fuzz targets and how each is run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
INPUTS = ROOT / "fuzz"
"""Seeds, regressions, and the targets in Rust."""
BUILT = ROOT / "target" / "fuzz"


@cache
def host() -> str:
    """The platform that the nightly toolchain is of, as a target triple.

    Raises:
        FileNotFoundError: There is no nightly toolchain.
    """
    command = ["rustc", "+nightly", "-vV"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    found = re.search(r"^host: (.+)$", told.stdout, re.MULTILINE)
    if told.returncode != 0 or found is None:
        raise FileNotFoundError(
            "fuzzing needs a nightly toolchain: rustup toolchain install nightly"
        )
    return found[1]


@dataclass(frozen=True)
class Target:
    """A reader under attack.

    Attributes:
        name: Of the target, its seeds, its corpus.
        language: `rust` or `python`.
        longest: Longest input in bytes.
        words: Whether the words of scenarios and studies are put into inputs (`dictionary`).
    """

    name: str
    language: str
    longest: int = 4096
    words: bool = False

    def command(self, python_path: str) -> list[str]:
        """Command that runs the target, without the options of libFuzzer.

        Args:
            python_path: Directory in which Python finds Atheris.
        """
        if self.language == "rust":
            return [str(BUILT / host() / "release" / self.name)]
        code = (
            f"import sys; sys.path.append({python_path!r}); from proof.fuzzing import atheris_run"
        )
        return [sys.executable, "-c", f"{code}; atheris_run.main({self.name!r})"]


TARGETS = (
    Target("quantity", "rust", longest=64),
    Target("scenario", "rust", words=True),
    Target("overrides", "rust", longest=512, words=True),
    Target("study", "rust", words=True),
    Target("transport_stream", "rust", longest=16384),
    Target("rate_table", "rust"),
    Target("outcome", "rust"),
    Target("store", "rust"),
    Target("rm_cell", "rust", longest=256),
    Target("reassembly", "rust", longest=1024),
    Target("two_engines", "rust", longest=512, words=True),
    Target("graphml", "python"),
    Target("graph_parts", "python", longest=512),
    Target("parquet_trace", "python"),
    Target("parquet_parts", "python", longest=256),
    Target("data_set", "python"),
    Target("data_set_metadata", "python", longest=64),
    Target("path_pattern", "python", longest=32),
    Target("study_file", "python", words=True),
    Target("expression", "python", longest=1024),
)


def build() -> None:
    """Builds the targets in Rust, with AddressSanitizer, debug assertions and overflow checks.

    Raises:
        FileNotFoundError: There is no nightly toolchain.
        subprocess.CalledProcessError: They do not build.
    """
    cargo_fuzz = ROOT / "target" / "tools" / "bin" / "cargo-fuzz"
    command = [str(cargo_fuzz), "build", "--target", host(), "--target-dir", str(BUILT)]
    environment = os.environ | {"RUSTUP_TOOLCHAIN": "nightly"}
    subprocess.run(command, cwd=INPUTS, env=environment, check=True)  # noqa: S603
