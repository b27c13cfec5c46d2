"""Writers of the committed pages that hold formulas and advice against runs."""
