"""The simulator against closed forms: M/D/1, N*D/D/1, the Markov fluid, fractional noise.

`tests/test_closed_forms.py` holds one set of seeds against each form. The campaign, `python -m
proof.forms`, repeats those very tests with other seeds, and with draws from the models without the
simulator, to see how often they raise a false alarm, and with a fault put into the simulator, to
see how often they notice.

Control schemes have a closed form, too: max-min fair rates, on random graphs.
`tests/test_fairness.py` holds a few graphs to them, and the campaign more.
"""
