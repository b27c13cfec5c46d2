"""Campaigns that try to break what cellrate promises, each longer than a test may be.

`make oracles`, `make fuzz`, `make mutants` and `make faults` run them; `results` keeps what
they found.
"""
