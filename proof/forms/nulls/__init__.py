"""Observations that the tests of `proof.forms` would make of a right simulator, drawn without it.

Each module draws the observations of many runs from the model behind a closed form, with numpy's
random numbers: their spread shows how far a mean may lie from theory by chance, and tests upon
them how often a test alarms.
"""
