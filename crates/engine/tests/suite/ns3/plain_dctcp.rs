//! cwnd of DCTCP from the acknowledgements of a run, computed in a simple way from RFC 8257 section
//! 3.3, as the engine or as ns-3 decides. No packet is lost and each is acknowledged alone.

use crate::support::one_way::trace::{Event, Row};

const MSS: u64 = 1_000;

/// The simulator whose rules the plain DCTCP follows where the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Engine,
    Ns3,
}

/// Checks cwnd after each acknowledgement of `rows`; `marked` are the packets with CE. Returns the
/// number of acknowledgements.
pub fn check(name: &str, rows: &[Row], marked: &[u64], by: By) -> usize {
    let (mut cwnd, mut ssthresh, mut alpha) = (MSS, u64::MAX, 1.0);
    let (mut una, mut sent, mut count) = (0, 0, 0);
    let (mut acked, mut echoed, mut window_end) = (0, 0, 0);
    let mut reduced_at: Option<u64> = None;
    let mut acks = 0;
    for row in rows {
        if row.event == Event::Send {
            sent = sent.max(row.packet + 1);
            continue;
        }
        assert_eq!(row.packet, una + 1, "{name}: one packet is acknowledged");
        una = row.packet;
        let ece = marked.contains(&(una - 1));
        let may_reduce = reduced_at.is_none_or(|end| una > end);
        let before = alpha;
        acked += 1;
        echoed += ece as u64;
        // RFC 8257 3.3 step 4 stops at an acknowledgement of WindowEnd; ns-3 does not.
        if una > window_end || (una == window_end && by == By::Ns3) {
            alpha = alpha * (1.0 - 1.0 / 16.0) + echoed as f64 / acked as f64 / 16.0;
            (window_end, acked, echoed) = (sent, 0, 0);
        }
        if ece && may_reduce {
            // ns-3 reduces the window before the acknowledgement counts in the estimate.
            let alpha = if by == By::Ns3 { before } else { alpha };
            cwnd = ((1.0 - alpha / 2.0) * cwnd as f64) as u64;
            (ssthresh, reduced_at) = (cwnd, Some(sent));
        }
        let is_reducing = reduced_at.is_some_and(|end| una <= end);
        match by {
            // RFC 3168 6.1.2: no growth with ECN-Echo. RFC 5681: slow start, then MSS^2 / cwnd.
            By::Engine if ece => {}
            By::Engine if cwnd < ssthresh => cwnd += MSS,
            By::Engine => cwnd += (MSS * MSS / cwnd).max(1),
            // For a round trip after a reduction ns-3 does not open the window; then it adds whole
            // packets, as Linux does.
            By::Ns3 if is_reducing => {}
            By::Ns3 if cwnd < ssthresh => cwnd = (cwnd + MSS).min(ssthresh),
            By::Ns3 => {
                let packets = cwnd / MSS;
                // More may have been counted in a larger window.
                if count >= packets {
                    (cwnd, count) = (cwnd + MSS, 0);
                }
                count += 1;
                if count >= packets {
                    (cwnd, count) = (cwnd + MSS, count - packets);
                }
            }
        }
        let found = cwnd as f64 / MSS as f64;
        let is_near = (found - row.cwnd).abs() < 0.0011;
        assert!(is_near, "{name}, {by:?}: {found} after {row:?}");
        acks += 1;
    }
    acks
}
