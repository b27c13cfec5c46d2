//! Receiver credits at the receiver of a flow: when a pull is due, and how many packets it allows.

use crate::kernel::Ps;

/// State of the pulls of one flow at its receiver.
#[derive(Clone, Debug)]
pub struct Puller {
    /// Number of packets of the transfer, which the first packet states.
    packets: u64,
    /// First window in packets. A pull is due while fewer packets than this are allowed and have not arrived.
    window: u64,
    /// Number of packets that a pull allows.
    pull: u64,
    /// Number of packets that are allowed since the start; a packet that is sent again because it was trimmed counts
    /// again.
    allowed: u64,
    /// Time between two packets at the rate of pulls, in picoseconds.
    packet_ps: f64,
    /// Number of packets that arrived trimmed and were asked for again. Each needs further credit.
    trimmed: u64,
    /// True if a pull waits for the interface.
    waits: bool,
}

impl Puller {
    /// The pulls of a transfer of `packets` packets. `window` is the first window in packets, `pull` the packets that a
    /// pull allows, and `packet_ps` the time between two packets in picoseconds.
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
    /// True if a further pull is due. `come` is the number of packets that have arrived, trimmed packets included: those
    /// in order, or all under selective resend. No pull is due before the first packet.
    pub fn wants(&self, come: u64) -> bool {
        let is_within = self.allowed.saturating_sub(come) < self.window;
        come > 0 && self.allowed < self.most() && is_within
    }
    /// Number of packets that the source sends; packets that arrived trimmed count again.
    fn most(&self) -> u64 {
        self.packets.saturating_add(self.trimmed)
    }
    /// Counts a packet that arrived trimmed and is asked for again.
    pub fn on_trimmed(&mut self) {
        self.trimmed += 1;
    }
    /// Makes a pull wait for the interface, and allows its packets. Returns the time until the host may send another
    /// pull.
    pub fn pull(&mut self) -> Ps {
        let before = self.allowed;
        self.allowed = before.saturating_add(self.pull).min(self.most());
        self.waits = true;
        // The rate of pulls is never exceeded, since the time is rounded up.
        let time = (self.allowed - before) as f64 * self.packet_ps;
        Ps(libm::ceil(time) as u64)
    }
    /// Makes the last pull wait for the interface again.
    pub fn repeat(&mut self) {
        self.waits = true;
    }
    /// True if a pull waits for the interface.
    pub fn waits(&self) -> bool {
        self.waits
    }
    /// Removes the waiting pull and returns the number of packets that it allows since the start; `None` if no pull
    /// waits.
    pub fn poll(&mut self) -> Option<u64> {
        core::mem::take(&mut self.waits).then_some(self.allowed)
    }
}
