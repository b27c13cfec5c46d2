"""`python -m proof.oracles [--bless] [NAME ...]`: all of them, or those named."""

import sys
from importlib import import_module

from proof.oracles import ORACLES


def main(arguments: list[str]) -> int:
    """Runs the oracles named; 1 if one of them does not agree."""
    bless = "--bless" in arguments
    names = [name for name in arguments if name != "--bless"] or list(ORACLES)
    unknown = [name for name in names if name not in ORACLES]
    if unknown:
        known = ", ".join(ORACLES)
        sys.stderr.write(f"unknown: {', '.join(unknown)}; there are {known}\n")
        return 2
    try:
        agreed = [import_module(ORACLES[name]).ORACLE.run(bless=bless) for name in names]
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        return 130
    return int(not all(agreed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
