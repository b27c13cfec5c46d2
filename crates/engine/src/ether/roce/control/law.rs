//! Rate control as the ends of a flow see it: the traits of all algorithms, and the notifier at the receiver.

use alloc::vec::Vec;

use super::puller::Puller;
use crate::ether::roce::telemetry::Hop;
use crate::kernel::{Finding, Ps, Rate};

/// The way of a source's packets, as rate control sees it.
#[derive(Clone, Debug)]
pub struct Way {
    /// Rate of the source's line.
    pub line: Rate,
    /// Rates of the lines behind the switches, in the order of the way.
    pub hops: Vec<Rate>,
    /// Least time from the start of a full packet to its acknowledgement.
    pub round_trip: Ps,
    /// Octets of a full packet on the line.
    pub packet: u32,
    /// Payload of a full packet in octets.
    pub payload: u32,
}

/// A positive or negative acknowledgement, with telemetry.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// Every packet before this one is acknowledged.
    pub acknowledged: u64,
    /// The packet that is sent next.
    pub next: u64,
    /// Telemetry of the acknowledged packet.
    pub hops: &'a [Hop],
}

/// An acknowledgement that completes segments whose round trips are measured.
#[derive(Clone, Copy, Debug)]
pub struct Completion {
    /// The time.
    pub now: Ps,
    /// Time since the last bit of the last packet of the last segment left the source.
    pub rtt: Ps,
    /// Number of segments that the acknowledgement completes.
    pub segments: u64,
}

/// A report of the receiver on a packet that it has taken.
#[derive(Clone, Copy, Debug)]
pub struct Report {
    /// The time.
    pub now: Ps,
    /// Time since the begin of the packet.
    pub rtt: Ps,
    /// True if a switch has marked the packet.
    pub marked: bool,
    /// Packets that the receiver has taken since the last report.
    pub packets: u64,
    /// Octets on the line of the packets that are still on their way.
    pub on_way: f64,
}

/// Rate control of a source. At one instant its timers come before arrivals.
pub trait RateControl {
    /// Present rate in octets/s on the line: frames with their preambles and gaps.
    fn rate(&self) -> f64;
    /// The source begins to send a frame with data, of `octets` on the line.
    #[inline]
    fn on_sent(&mut self, _now: Ps, _octets: u32) {}
    /// Window in octets, counted as on the line (with header, preamble and gap). A packet may begin while fewer octets
    /// are sent and not acknowledged, so the last packet may exceed the window.
    #[inline]
    fn window(&self) -> f64 {
        f64::INFINITY
    }
    /// Packets that credit of the receiver allows, those sent again since they came trimmed counted once more; `u64::MAX`
    /// without such credit.
    #[inline]
    fn limit(&self) -> u64 {
        u64::MAX
    }
    /// Credit of the receiver for `limit` packets arrives.
    fn on_pull(&mut self, _limit: u64) {}
    /// An acknowledgement with telemetry arrives.
    fn on_told(&mut self, _told: &Told<'_>) {}
    /// A CNP arrives.
    fn on_cnp(&mut self, _now: Ps) {}
    /// True if the rate at the start depends on the other sources of the host.
    fn starts_by_others(&self) -> bool {
        false
    }
    /// The source begins beside this many active sources over RoCE of its host.
    fn on_start(&mut self, _others: u64) {}
    /// Segments are acknowledged.
    fn on_completion(&mut self, _completion: &Completion) {}
    /// A report of the receiver arrives.
    fn on_report(&mut self, _report: &Report) {}
    /// The source goes back to a packet that is not acknowledged.
    fn on_loss(&mut self, _now: Ps) {}
    /// The receiver asks for a packet that came trimmed, with `on_way` octets on their way.
    fn on_trimmed(&mut self, now: Ps, _on_way: f64) {
        self.on_loss(now);
    }
    /// Time of the next timer.
    #[inline]
    fn wake_at(&self) -> Ps {
        Ps::NEVER
    }
    /// The time of [`RateControl::wake_at`] has come.
    fn wake(&mut self, _now: Ps) {}
    /// The transfer has ended.
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
    /// True if packets collect telemetry on their way, which acknowledgements take back.
    fn has_telemetry(&self) -> bool {
        false
    }
    /// Packets of `payload` octets in a segment whose round trip is measured; `None` if none is.
    fn segment(&self, _payload: u64) -> Option<u64> {
        None
    }
    /// True if the receiver reports what it has taken, in order or not.
    fn has_reports(&self) -> bool {
        false
    }
    /// The part of a control by receiver credits at the receiver of a transfer of `packets`; `None` without such credits.
    fn puller(&self, _way: &Way, _packets: u64) -> Option<Puller> {
        None
    }
}

/// Sends CNPs for marked packets, at the receiver.
#[derive(Clone, Debug)]
pub struct Notifier {
    /// Least time between CNPs; none is sent without.
    interval: Option<Ps>,
    /// Priority of CNPs.
    pub priority: u8,
    last: Option<Ps>,
}

impl Notifier {
    /// Sends no CNPs.
    pub const NONE: Notifier = Notifier {
        interval: None,
        priority: 0,
        last: None,
    };
    /// Sends CNPs of a priority, at least `interval` apart.
    pub fn new(interval: Ps, priority: u8) -> Notifier {
        Notifier {
            interval: Some(interval),
            priority,
            last: None,
        }
    }
    /// Priority of CNPs; `None` if none is ever sent.
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
