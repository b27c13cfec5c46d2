"""`python -m proof.oracles [--bless] [NAME ...]`: all of them, or those named."""

import sys
from importlib import import_module

from proof.oracles import ORACLES


def main(arguments: list[str]) -> int:
    """Runs the oracles named and tells how many failed."""
    bless = "--bless" in arguments
    names = [name for name in arguments if name != "--bless"] or list(ORACLES)
    unknown = [name for name in names if name not in ORACLES]
    if unknown:
        known = ", ".join(ORACLES)
        sys.stderr.write(f"unknown: {', '.join(unknown)}; there are {known}\n")
        return 2
    return sum(not import_module(ORACLES[name]).ORACLE.run(bless=bless) for name in names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
