"""Faults: kills, full disks, damaged stores, crowds, clocks that jump, poor surroundings.

Everything goes through the installed command. `python -m proof.faults` does it all, from a seed;
FAULTS is how many kills there are, and in proportion of everything else.
"""
