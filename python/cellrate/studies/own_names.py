"""Names of the columns that calculations add to a table of runs.

Each has a space, and so is neither a name nor a dotted path: no factor and no measure of a study
can be called so.
"""

VALUE = "the value"
MEAN = "the mean"
SPREAD = "the standard deviation"
LOW = "the lower end"
HIGH = "the upper end"
COUNT = "the count"
RUNS = "the runs"
