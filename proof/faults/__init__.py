"""Faults: kills, full disks, damaged stores, crowds, clocks that jump, poor surroundings.

All faults befall the installed command. `python -m proof.faults` causes all faults, drawn from a
seed. The variable FAULTS sets the number of kills; the numbers of other faults are proportional.
"""
