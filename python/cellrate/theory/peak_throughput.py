"""Greatest TCP throughput through an ABR link."""


def peak_throughput(
    bits_per_second: float,
    segment_bytes: int,
    *,
    target_utilisation: float = 1.0,
    overhead_bytes: int = 56,
    nrm: int = 32,
    startup_share: float = 1.0,
) -> float:
    """Bits of TCP payload per second: the product of factors of Kalyanaraman 97 section 8.9.

    link * target utilisation * 48/53 * segment/(segment + overhead) * (Nrm-1)/Nrm * start-up share.
    Padding to whole cells is not among the factors.
    """
    cells = 48 / 53
    headers = segment_bytes / (segment_bytes + overhead_bytes)
    rm_cells = (nrm - 1) / nrm
    return bits_per_second * target_utilisation * cells * headers * rm_cells * startup_share
