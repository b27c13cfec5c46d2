"""`python -m proof.oracles [--bless] [NAME ...]`: compares with all other programs, or by name."""

import argparse

from proof.campaign import end_with
from proof.oracles import ns2, ns3
from proof.oracles.tshark import campaign

ORACLES = {"ns2": ns2.ORACLE.run, "ns3": ns3.ORACLE.run, "tshark": campaign.run}


def main() -> int:
    """Runs the named comparisons, or all; 1 if a program does not agree."""
    parser = argparse.ArgumentParser(prog="python -m proof.oracles", description=__doc__)
    parser.add_argument("--bless", action="store_true", help="keep what simulators do now")
    parser.add_argument("names", nargs="*", choices=[*ORACLES, "all"], default="all")
    options = parser.parse_args()
    names = ORACLES if "all" in options.names else options.names
    agreed = [ORACLES[name](bless=options.bless) for name in names]
    return int(not all(agreed))


if __name__ == "__main__":
    end_with(main)
