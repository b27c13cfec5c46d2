"""Compares the simulator with closed forms: M/D/1, N*D/D/1, the Markov fluid, fractional noise.

`tests/test_closed_forms.py` compares runs of one set of seeds with each form. `python -m
proof.forms` repeats these tests with other seeds, and with errors put into the scenarios. Control
schemes have a closed form, too: max-min fair rates, on random graphs (`tests/test_fairness.py`,
and more graphs here).
"""
