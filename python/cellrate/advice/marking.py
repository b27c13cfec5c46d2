"""Control schemes of switches that only mark cells."""

WITHOUT_A_RATE = frozenset({"efci", "becn", "rrm-p", "rrm-pd", "rrm-pd-plus", "rrm-pid"})
"""The control schemes that only mark cells, and write no explicit rate into RM cells."""
