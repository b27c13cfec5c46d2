"""Offered load of uncontrolled TCP sources in slow start, round trip by round trip."""


def load_per_cycle(initial_load: float, cycles: int) -> list[float]:
    """Load in each of `cycles` round trips as a share of the link.

    Kalyanaraman 97 section 8.14.2 item 4. Every acknowledgement lets two segments go in slow start,
    and they come at the rate at which segments leave the bottleneck: load(i+1) = load(i) +
    min(load(i), 1), that is doubling until the link is full and then one link rate more each time.

    Raises:
        ValueError: If the initial load is not positive or `cycles` is below 1.
    """
    if initial_load <= 0 or cycles < 1:
        raise ValueError("the initial load and the number of cycles must be positive")
    loads = [initial_load]
    while len(loads) < cycles:
        loads.append(loads[-1] + min(loads[-1], 1.0))
    return loads
