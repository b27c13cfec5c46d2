//! Rate control of RoCE in the form that the ends of a flow use: the traits of all algorithms, and the notifier at the
//! receiver.

use alloc::vec::Vec;

use super::puller::Puller;
use crate::ether::roce::telemetry::Hop;
use crate::kernel::{Finding, Ps, Rate};

/// The path of a source's packets, with what rate control needs of it.
#[derive(Clone, Debug)]
pub struct Way {
    /// Rate of the source's line.
    pub line: Rate,
    /// Rates of the lines behind the switches, in the order of the path.
    pub hops: Vec<Rate>,
    /// Least time from the start of a full packet to its acknowledgement.
    pub round_trip: Ps,
    /// Octets of a full packet on the line.
    pub packet: u32,
    /// Payload of a full packet in octets.
    pub payload: u32,
}

/// A positive or negative acknowledgement that takes telemetry back.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// Number of the packet before which every packet is acknowledged.
    pub acknowledged: u64,
    /// Number of the packet that is sent next.
    pub next: u64,
    /// Telemetry of the packet that the acknowledgement answers, one entry for each switch.
    pub hops: &'a [Hop],
}

/// An acknowledgement that completes segments whose round trips are measured.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    /// Time at which the acknowledgement arrives.
    pub now: Ps,
    /// Time since the last bit of the last packet of the last segment left the source.
    pub rtt: Ps,
    /// Number of segments that the acknowledgement completes.
    pub segments: u64,
}

/// A report of the receiver on a data packet that it has accepted.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// Time at which the report arrives.
    pub now: Ps,
    /// Time since the packet began to leave the source.
    pub rtt: Ps,
    /// True if a switch has marked the packet.
    pub marked: bool,
    /// Number of packets that the receiver has accepted since the last report.
    pub packets: u64,
    /// Octets, with headers, preambles and gaps, of the packets that were sent and that the receiver has neither
    /// accepted nor asked for again.
    pub on_way: f64,
}

/// Rate control of a source. At one instant its timers are called before arrivals are processed.
pub trait RateControl {
    /// Present rate in octets/s on the line: frames with preambles and gaps.
    fn rate(&self) -> f64;
    /// Must be called when the source begins to send a frame with data, of `octets` on the line.
    #[inline]
    fn on_sent(&mut self, _now: Ps, _octets: u32) {}
    /// Window in octets on the line (with headers, preamble and gap). A packet may begin while fewer octets are sent and
    /// not acknowledged, so the last packet may exceed the window.
    #[inline]
    fn window(&self) -> f64 {
        f64::INFINITY
    }
    /// Number of packets that receiver credit allows since the start; a packet that is sent again because it was trimmed
    /// counts again. `u64::MAX` without receiver credit.
    #[inline]
    fn limit(&self) -> u64 {
        u64::MAX
    }
    /// Processes a pull, which allows `limit` packets since the start.
    fn on_pull(&mut self, _limit: u64) {}
    /// Processes an acknowledgement with telemetry.
    fn on_told(&mut self, _told: &Told<'_>) {}
    /// Processes a CNP that arrives at `now`.
    fn on_cnp(&mut self, _now: Ps) {}
    /// True if the rate at the start depends on the number of other active sources of the host.
    fn starts_by_others(&self) -> bool {
        false
    }
    /// Must be called when the source begins. `others` is the number of other active sources over RoCE of the host.
    fn on_start(&mut self, _others: u64) {}
    /// Processes an acknowledgement that completes segments.
    fn on_completion(&mut self, _completion: &Completion) {}
    /// Processes a report of the receiver.
    fn on_report(&mut self, _report: &Report) {}
    /// Must be called when the source goes back to a packet that is not acknowledged.
    fn on_loss(&mut self, _now: Ps) {}
    /// Processes the receiver's request for a packet that arrived trimmed. `on_way` is the number of octets on their way.
    fn on_trimmed(&mut self, now: Ps, _on_way: f64) {
        self.on_loss(now);
    }
    /// Time at which the next timer expires; `NEVER` without a timer.
    #[inline]
    fn wake_at(&self) -> Ps {
        Ps::NEVER
    }
    /// Processes the timer that [`RateControl::wake_at`] returned, at this time.
    fn wake(&mut self, _now: Ps) {}
    /// Must be called when the transfer has ended.
    fn stop(&mut self) {}
}

/// Interface of the parameters of every rate control of RoCE: a check against the line of the source.
pub trait RateControlParameters {
    /// Findings about the parameters of a source on a line of `line`.
    fn check(&self, line: Rate) -> Vec<Finding>;
    /// The part of the rate control at the receiver, which sends CNPs or returns telemetry.
    fn notifier(&self) -> Notifier;
    /// Symbol of the rate in the paper.
    fn rate_symbol(&self) -> &'static str {
        "R"
    }
    /// True if packets with data collect telemetry, which acknowledgements take back.
    fn has_telemetry(&self) -> bool {
        false
    }
    /// Number of packets in a segment whose round trip is measured, if a packet has `payload` octets; `None` if no round
    /// trips are measured.
    fn segment(&self, _payload: u64) -> Option<u64> {
        None
    }
    /// True if the receiver reports the packets that it has accepted, in order or not.
    fn has_reports(&self) -> bool {
        false
    }
    /// The part of receiver credits at the receiver of a transfer of `packets`, over the path `way`; `None` without
    /// receiver credits.
    fn puller(&self, _way: &Way, _packets: u64) -> Option<Puller> {
        None
    }
}

/// Sends CNPs for marked packets, at the receiver.
#[derive(Clone, Debug)]
pub struct Notifier {
    /// Least time between CNPs; `None` if no CNPs are sent.
    interval: Option<Ps>,
    /// Priority of CNPs.
    pub priority: u8,
    last: Option<Ps>,
}

impl Notifier {
    /// A notifier that sends no CNPs.
    pub const NONE: Notifier = Notifier {
        interval: None,
        priority: 0,
        last: None,
    };
    /// A notifier that sends CNPs of a priority, at least `interval` apart.
    pub fn new(interval: Ps, priority: u8) -> Notifier {
        Notifier {
            interval: Some(interval),
            priority,
            last: None,
        }
    }
    /// Priority of CNPs; `None` if no CNPs are sent.
    pub fn cnp_priority(&self) -> Option<u8> {
        self.interval.map(|_| self.priority)
    }
    /// True if a CNP is due for the marked packet that arrives at `now`.
    pub fn notifies(&mut self, now: Ps) -> bool {
        let Some(interval) = self.interval else {
            return false;
        };
        let is_due = self.last.is_none_or(|last| now - last >= interval);
        if is_due {
            self.last = Some(now);
        }
        is_due
    }
}
