"""4.3BSD Reno (RFC 2001) as a class; twin of `recovery = "reno"`."""

from __future__ import annotations

from dataclasses import dataclass

from cellrate.schemes import Connection


@dataclass
class Reno:
    """Fast retransmit and fast recovery."""

    def on_new_ack(self, tcp: Connection) -> None:
        tcp.grow()

    def on_third_duplicate(self, tcp: Connection) -> str:
        tcp.ssthresh = tcp.half()  # RFC 2001 section 4, step 1
        tcp.cwnd = tcp.ssthresh + 3 * tcp.mss
        return "oldest"

    def on_further_duplicate(self, tcp: Connection) -> None:
        tcp.cwnd += tcp.mss  # RFC 2001 section 4, step 2

    def on_recovered(self, tcp: Connection) -> None:
        tcp.cwnd = min(tcp.cwnd, tcp.ssthresh)  # RFC 2001 section 4, step 3
