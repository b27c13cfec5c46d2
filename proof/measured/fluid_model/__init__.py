"""Compares the fluid model of EFCI with the simulator and writes the evidence page."""
