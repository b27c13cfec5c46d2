"""The simulator against closed forms: M/D/1, N*D/D/1, the Markov fluid, fractional noise.

`tests/test_closed_forms.py` holds one set of seeds against each form; `python -m proof.forms`
repeats those tests with other seeds, and with faults put into the simulator. Control schemes have a
closed form, too: max-min fair rates, on random graphs (`tests/test_fairness.py`, and more here).
"""
