"""Controls by marks: those of switches that write no rate, and those of sources over RoCE."""

WITHOUT_A_RATE = frozenset({"efci", "becn", "rrm-p", "rrm-pd", "rrm-pd-plus", "rrm-pid"})
"""The control schemes that only mark cells, and write no explicit rate into RM cells."""
OVER_ROCE = frozenset({"dcqcn", "nscc"})
"""The controls of sources over RoCE that react to marks of packets."""
