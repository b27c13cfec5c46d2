"""The control schemes that only mark cells, and write no explicit rate into RM cells."""

WITHOUT_A_RATE = frozenset({"efci", "rrm-p", "rrm-pd", "rrm-pd-plus", "rrm-pid"})
