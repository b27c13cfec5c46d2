//! The part of receiver credits at the receiver of a flow: when a pull is due, and what it allows.

use crate::kernel::Ps;

/// Pulls of one flow at its receiver.
#[derive(Clone, Debug)]
pub struct Puller {
    /// Packets of the transfer, as the first packet says.
    packets: u64,
    /// Packets of the first window. A pull is due while fewer are allowed and have not arrived.
    window: u64,
    /// Packets of a pull.
    pull: u64,
    /// Packets that are allowed, those sent again since they came trimmed counted once more.
    allowed: u64,
    /// Time of a packet at the rate of pulls, in picoseconds.
    packet_ps: f64,
    /// Packets that came trimmed and were asked for. Each needs credit again.
    trimmed: u64,
    /// True if a pull waits for the interface.
    waits: bool,
}

impl Puller {
    /// Pulls of a transfer of `packets` with a window of packets, some packets at once, each for a time in picoseconds.
    pub fn new(packets: u64, window: u64, pull: u64, packet_ps: f64) -> Puller {
        Puller {
            packets,
            window,
            pull,
            allowed: window,
            packet_ps,
            trimmed: 0,
            waits: false,
        }
    }
    /// True if a further pull is due when `come` packets, above 0, have come in order, or under selective resend at all,
    /// trimmed ones included.
    pub fn wants(&self, come: u64) -> bool {
        let is_within = self.allowed.saturating_sub(come) < self.window;
        come > 0 && self.allowed < self.most() && is_within
    }
    /// Packets that the source sends, those that came trimmed twice.
    fn most(&self) -> u64 {
        self.packets.saturating_add(self.trimmed)
    }
    /// A packet that came trimmed is asked for.
    pub fn on_trimmed(&mut self) {
        self.trimmed += 1;
    }
    /// Allows the packets of a pull; returns the time until the next pull of the host.
    pub fn pull(&mut self) -> Ps {
        let before = self.allowed;
        self.allowed = before.saturating_add(self.pull).min(self.most());
        self.waits = true;
        // The rate of pulls is never exceeded.
        let time = (self.allowed - before) as f64 * self.packet_ps;
        Ps(libm::ceil(time) as u64)
    }
    /// The last pull waits once more.
    pub fn repeat(&mut self) {
        self.waits = true;
    }
    /// True if a pull waits for the interface.
    pub fn waits(&self) -> bool {
        self.waits
    }
    /// The first packet that the waiting pull does not allow; `None` if no pull waits.
    pub fn poll(&mut self) -> Option<u64> {
        core::mem::take(&mut self.waits).then_some(self.allowed)
    }
}
