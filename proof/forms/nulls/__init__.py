"""What the tests of `proof.forms` would see of a right simulator, drawn without the simulator.

Each module draws the observations of many runs from the model behind a closed form, with numpy's
random numbers: their spread tells how far a mean may lie from theory by chance, and tests upon
them how often a test alarms.
"""
