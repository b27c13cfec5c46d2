"""Mean bandwidth that sources of higher priority leave."""

from __future__ import annotations

import numpy as np

from cellrate.theory.assumptions import require, require_at_least, require_positive
from cellrate.theory.cell_conversions import CELL_BYTES, PAYLOAD_BYTES
from cellrate.theory.formula import Formula, Numbers, plain


def guaranteed_bandwidth_bits_per_second(
    guaranteed_sources: Numbers,
    peak_bits_per_second: Numbers,
    burstiness: Numbers,
    *,
    cell_tax: Numbers = CELL_BYTES / PAYLOAD_BYTES,
) -> Numbers:
    """Mean rate of ON-OFF sources in cells: number * peak / burstiness * cell tax.

    Args:
        guaranteed_sources: Number N_g of sources.
        peak_bits_per_second: Rate B_pg of a source in its bursts.
        burstiness: Peak over mean, b_g.
        cell_tax: Bits on the link for each bit of the source: 53/48 for full cells, 1 if the peak
            counts cell headers already.

    Raises:
        AssumptionError: The burstiness or the tax is below 1, or another argument is not above 0.
    """
    require_positive(
        guaranteed_sources=guaranteed_sources, peak_bits_per_second=peak_bits_per_second
    )
    require_at_least(1, burstiness=burstiness, cell_tax=cell_tax)
    mean = np.asarray(peak_bits_per_second) / np.asarray(burstiness)
    return plain(np.asarray(guaranteed_sources) * mean * np.asarray(cell_tax))


def available_bandwidth_bits_per_second(
    link_bits_per_second: Numbers,
    guaranteed_sources: Numbers,
    peak_bits_per_second: Numbers,
    burstiness: Numbers,
    *,
    cell_tax: Numbers = CELL_BYTES / PAYLOAD_BYTES,
) -> Numbers:
    """Mean rate B_av that guaranteed sources leave of a link, cell headers included.

    Gerla, Pazos and Signore 1995, sections III.A and IV. The paper prints 13.6, 25 and 34.6 Mbit/s
    for a burstiness of 1.1, 1.2 and 1.3. These follow if 14 sources fill a link of 150 Mbit/s
    exactly, with a peak of 150/14 Mbit/s including cell headers. The peak in the paper's text, 10
    Mbit/s of user data with a tax of 53/48, leaves 9.5, 21.2 and 31.1 Mbit/s.

    Args:
        link_bits_per_second: Rate of the link, cell headers included.
        guaranteed_sources: Number N_g of sources.
        peak_bits_per_second: Rate B_pg of a source in its bursts.
        burstiness: Peak over mean, b_g.
        cell_tax: Bits on the link for each bit of the source.

    Raises:
        AssumptionError: The burstiness or the tax is below 1, another argument is not above 0, or
            the sources' mean rate exceeds the link.
    """
    require_positive(link_bits_per_second=link_bits_per_second)
    taken = guaranteed_bandwidth_bits_per_second(
        guaranteed_sources, peak_bits_per_second, burstiness, cell_tax=cell_tax
    )
    link = np.asarray(link_bits_per_second)
    enough = "the guaranteed sources' mean rate must not exceed the link"
    require(link >= taken, "link_bits_per_second", link, enough)
    return plain(link - taken)


FORMULA = Formula(
    name="available-bandwidth",
    about="mean bandwidth that guaranteed ON-OFF sources leave over",
    equation="B_av = C - N_g B_pg / b_g tax",
    source="Gerla, Pazos and Signore 1995, sections III.A and IV",
    results={
        "available_bits_per_second": available_bandwidth_bits_per_second,
        "guaranteed_bits_per_second": guaranteed_bandwidth_bits_per_second,
    },
)
