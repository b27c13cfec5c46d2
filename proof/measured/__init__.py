"""Writers of the committed pages that compare formulas and advice with runs."""
