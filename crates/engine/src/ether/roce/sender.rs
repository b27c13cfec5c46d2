//! The sending end (requester) of a flow over RoCE: it sends packets at the rate of its control. After a loss it sends again
//! from the missing packet on, or the missing packet alone.

mod credited;

use alloc::boxed::Box;
use alloc::collections::VecDeque;

use super::control::{Completion, RateControl, Report, RoceControl, Told, Way};
use super::demand::Demand;
use super::packet::{Kind, NO_TELEMETRY, RocePacket};
use super::reported::Reported;
use super::selective::Again;
use super::telemetry::Trail;
use super::{Resend, RoceConfig};
use crate::ether::frame::{Framing, PREAMBLE};
use crate::ether::line::OctetClock;
use crate::kernel::statistics::TimeIntegral;
use crate::kernel::{Pace, Ps};
use crate::tcp::SenderStats;

/// Sends a flow. The next packet may begin one packet time after the start of the last packet. The packet time is the octets
/// of the last packet on the line, divided by the present rate. A change of the rate at once changes the time of the next
/// packet. Time in which the line is busy is not made up for.
#[derive(Clone, Debug)]
pub struct Sender {
    framing: Framing,
    payload: u64,
    ack_every: u64,
    timeout: Ps,
    /// The field `trail` of new packets: 0 if packets have space for telemetry, otherwise [`NO_TELEMETRY`].
    trail: u32,
    /// Number of bytes of the transfer; `packets` is the number of its packets. Both are `u64::MAX` if the transfer
    /// never ends.
    bytes: u64,
    packets: u64,
    /// Number of the packet that is sent next.
    next: u64,
    /// Number of the first packet that is not acknowledged.
    una: u64,
    /// Number of the first packet that has never been sent.
    most: u64,
    /// True while packets that have never been sent must wait.
    withholds: bool,
    /// Time of the next timeout.
    timer: Ps,
    /// Start of the last packet, and its octets on the line. Before the first packet, the start of the flow, and 0.
    last: (Ps, u32),
    control: RoceControl,
    /// State of the credits of ExpressPass; `None` without ExpressPass.
    demand: Option<Box<Demand>>,
    /// Packets that are sent again under selective resend; `None` under go-back-N.
    again: Option<Box<Again>>,
    /// The number of packets that the receiver has accepted, by its reports (NSCC), and the times at which packets were
    /// last sent. `None` without reports, or under go-back-N.
    reported: Option<Box<Reported>>,
    /// True if the receiver reports the packets that it has accepted.
    has_reports: bool,
    /// Octets on the line of a full packet.
    full: u64,
    /// True before the start of a source whose first rate depends on the other sources of its host.
    awaits_others: bool,
    /// Number of packets of a segment whose round trip is measured; `u64::MAX` if no round trips are measured.
    segment: u64,
    /// Segments on their way without retransmitted packets: the number of the last packet of each segment, and the time of
    /// its last bit.
    ends: VecDeque<(u64, Ps)>,
    clock: OctetClock,
    line: f64,
    /// Pacing at rates below the rate of the line.
    pace: Option<Pace>,
    /// The rate since its last change, in octets/s on the line; `rate` is the integral of the rate over time.
    present: f64,
    rate: TimeIntegral,
    stats: SenderStats,
    /// Number of CNPs received.
    pub cnps: u64,
    /// Number of negative acknowledgements after which the source has sent packets again.
    pub naks: u64,
}

impl Sender {
    /// A source of `bytes` bytes (`u64::MAX`: without end), whose packets take the path `way` and which begins at `start`.
    pub fn new(
        config: &RoceConfig,
        (framing, way): (Framing, &Way),
        bytes: u64,
        start: Ps,
    ) -> Sender {
        let packets = config.packets(bytes);
        let control = config.control.build(way);
        let segment = config.control.segment(config.payload.0);
        let patience = Ps(way.round_trip.0.saturating_mul(2));
        let demand = config.control.credits().map(|_| Demand::new(patience));
        let mut sender = Sender {
            framing,
            payload: config.payload.0,
            ack_every: config.ack_every.into(),
            timeout: config.timeout,
            trail: if config.control.has_telemetry() {
                0
            } else {
                NO_TELEMETRY
            },
            bytes,
            packets,
            next: 0,
            una: 0,
            most: 0,
            withholds: false,
            timer: Ps::NEVER,
            last: (start, 0),
            awaits_others: control.starts_by_others(),
            control,
            demand: demand.map(Box::new),
            again: (config.resend == Resend::Selective).then(Box::default),
            reported: (config.control.has_reports() && config.resend == Resend::Selective)
                .then(Box::default),
            has_reports: config.control.has_reports(),
            full: way.packet.into(),
            segment: segment.unwrap_or(u64::MAX),
            ends: VecDeque::new(),
            clock: OctetClock::new(way.line),
            line: way.line.bits_per_second() / 8.0,
            pace: None,
            present: 0.0,
            rate: TimeIntegral::default(),
            stats: SenderStats::default(),
            cnps: 0,
            naks: 0,
        };
        sender.note_rate(Ps::ZERO);
        sender
    }

    /// Time at which the next timer expires.
    #[inline]
    pub fn next_timer(&self) -> Ps {
        self.timer.min(self.control.wake_at())
    }
    /// Earliest start of the next packet, possibly in the past.
    #[inline]
    pub fn next_packet(&self) -> Ps {
        let (begin, octets) = self.last;
        if let Some(demand) = &self.demand {
            return match self.may_leave(demand) {
                true => begin,
                false => Ps::NEVER,
            };
        }
        if !self.has_next() {
            return Ps::NEVER;
        }
        match self.pace {
            None => begin,
            // The time is rounded up to a whole picosecond, so that the rate is never exceeded.
            Some(pace) => pace.next_of(begin, u32::MAX, octets).0,
        }
    }
    /// True if a packet may follow the last without a gap.
    pub fn follows(&self) -> bool {
        if let Some(demand) = &self.demand {
            return self.may_leave(demand);
        }
        self.pace.is_none() && self.has_next()
    }
    /// True if a packet may be sent, for the first time or again. A packet that is sent again alone takes the place of the
    /// lost one in the window.
    #[inline]
    fn has_next(&self) -> bool {
        match &self.again {
            Some(again) if again.has_any() => {
                again.is_free()
                    || match self.reported {
                        Some(_) => self.is_in_window(),
                        None => !self.lacks_credit(),
                    }
            }
            _ => self.next < self.end() && self.is_in_window(),
        }
    }
    /// True if the window allows a packet: fewer octets than the window are sent and not acknowledged.
    #[inline]
    fn is_in_window(&self) -> bool {
        let window = self.control.window();
        !self.lacks_credit() && (window == f64::INFINITY || (self.in_flight() as f64) < window)
    }
    /// True if the next packet waits for receiver credit.
    #[inline]
    fn lacks_credit(&self) -> bool {
        let paid = self.again.as_ref().map_or(0, |again| again.paid());
        self.next + paid >= self.control.limit()
    }
    /// Octets on the line of the packets that are sent and not acknowledged. With reports and selective resend, of the
    /// packets that the receiver has neither accepted nor asked for again; each then counts as a full packet.
    fn in_flight(&self) -> u64 {
        if let (Some(reported), Some(again)) = (&self.reported, &self.again) {
            let missing = self.next.saturating_sub(reported.taken());
            return missing.saturating_sub(again.waiting()) * self.full;
        }
        if self.next == self.una {
            return 0;
        }
        let on_line = |psn| u64::from(self.framing.on_line(self.data(psn, Ps::ZERO).octets()));
        // All packets of a transfer but the last are full.
        (self.next - 1 - self.una) * on_line(self.una) + on_line(self.next - 1)
    }
    /// The data packet `psn`, as it leaves at `now`.
    fn data(&self, psn: u64, now: Ps) -> RocePacket {
        let left = self.bytes - psn.saturating_mul(self.payload).min(self.bytes);
        RocePacket {
            psn,
            sent: now,
            trail: self.trail,
            payload: left.min(self.payload) as u16,
            kind: match self.demand {
                None => Kind::Data,
                Some(_) => Kind::Credited,
            },
            asks: self.demand.is_none()
                && !self.has_reports
                && (psn + 1).is_multiple_of(self.ack_every)
                || psn + 1 == self.packets
                || self.ends_segment(psn),
        }
    }
    /// True if packet `psn` is the last of a segment whose round trip is measured.
    #[inline]
    fn ends_segment(&self, psn: u64) -> bool {
        self.segment != u64::MAX && (psn + 1).is_multiple_of(self.segment)
    }
    /// Number of the first packet that may not be sent.
    #[inline]
    fn end(&self) -> u64 {
        if self.withholds {
            self.most
        } else {
            self.packets
        }
    }
    /// Makes the packets that have never been sent wait, or no longer. Packets that have been sent may be sent again in both
    /// cases.
    pub fn withhold(&mut self, withhold: bool) {
        self.withholds = withhold;
    }

    /// Sets the start of the flow to `at`.
    pub fn begin_at(&mut self, at: Ps) {
        self.last = (at, 0);
    }

    /// Removes and returns the packet that is due at `now`, if any.
    pub fn poll(&mut self, now: Ps) -> Option<RocePacket> {
        if self.next_packet() > now {
            return None;
        }
        let message = self.demand.as_ref();
        if let Some(kind) = message.and_then(|demand| demand.message(self.next < self.end())) {
            return Some(self.tell(now, kind));
        }
        let again = self.again.as_mut().and_then(|again| again.take());
        let psn = again.unwrap_or(self.next);
        let mut packet = self.data(psn, now);
        if self.has_reports {
            // The receiver does not delay its report if the next packet does not fit into the window.
            let next = (self.in_flight() + 2 * self.full) as f64;
            packet.asks |= psn < self.most || next > self.control.window();
        }
        let credit = self.demand.as_mut().and_then(|demand| demand.spend());
        packet.trail = credit.unwrap_or(packet.trail);
        self.next = self.next.max(psn + 1);
        self.stats.segments_sent += 1;
        if psn < self.most {
            self.stats.segments_retransmitted += 1;
            self.stats.bytes_retransmitted += u64::from(packet.payload);
        } else {
            self.most = self.next;
            self.stats.bytes_sent_once += u64::from(packet.payload);
            if self.ends_segment(psn) {
                let frame = self.framing.frame(packet.octets());
                self.ends
                    .push_back((psn, now + self.clock.ceil(PREAMBLE + frame)));
            }
        }
        if let Some(reported) = &mut self.reported {
            reported.send(psn, self.una, now);
            self.time_oldest(now);
        } else if self.timer == Ps::NEVER {
            self.timer = now.saturating_add(self.patience());
        }
        let octets = self.framing.on_line(packet.octets());
        self.last = (now, octets);
        self.control.on_sent(now, octets);
        self.note_rate(now);
        Some(packet)
    }

    /// Processes the timers that have expired at `now`. Returns true if the retransmission timer has expired.
    pub fn wake(&mut self, now: Ps) -> bool {
        let is_timeout = self.timer <= now;
        if is_timeout {
            self.stats.timeouts += 1;
            self.stats.last_timeout = Some(now);
            self.go_back(now);
            if let Some(demand) = &mut self.demand {
                demand.ask_again();
            }
        }
        if self.control.wake_at() <= now {
            self.control.wake(now);
            self.note_rate(now);
        }
        is_timeout
    }

    /// Processes a packet of the receiver that arrives at `now`, with the telemetry that it takes back.
    pub fn receive(&mut self, now: Ps, packet: &RocePacket, trail: Option<&Trail>) {
        match packet.kind {
            Kind::Data | Kind::Credited | Kind::Trimmed | Kind::Request | Kind::Stop => {}
            Kind::Again => self.on_asked(now, packet.psn),
            Kind::Credit => {
                self.acknowledge(now, packet.psn);
                self.take_credit(now, packet.trail);
            }
            Kind::Pull => {
                self.control.on_pull(packet.psn);
                if self.next == self.una && !self.lacks_credit() {
                    self.timer = Ps::NEVER;
                }
            }
            Kind::Cnp => {
                self.cnps += 1;
                if !self.is_done() {
                    self.control.on_cnp(now);
                    self.note_rate(now);
                }
            }
            Kind::Ack => self.acknowledge(now, packet.psn),
            Kind::Report => self.on_reported(now, packet),
            Kind::Nak => {
                self.acknowledge(now, packet.psn);
                if packet.psn == self.una && self.next > self.una {
                    self.naks += 1;
                    self.go_back(now);
                }
            }
        }
        self.time_oldest(now);
        let hops = trail.map_or(&[][..], Trail::hops);
        if !hops.is_empty() && !self.is_done() {
            self.control.on_told(&Told {
                acknowledged: packet.psn,
                next: self.next,
                hops,
            });
            self.note_rate(now);
        }
    }

    /// Processes an acknowledgement of every packet before `psn`.
    fn acknowledge(&mut self, now: Ps, psn: u64) {
        if psn <= self.una {
            return;
        }
        if let Some(reported) = &mut self.reported {
            reported.acknowledge(psn - self.una);
        }
        self.una = psn;
        self.next = self.next.max(psn);
        if let Some(again) = &mut self.again {
            again.acknowledge(psn);
        }
        let demand = self.demand.as_ref();
        let awaits = demand.is_some_and(|demand| demand.is_unanswered())
            || !self.is_done() && self.lacks_credit();
        self.timer = if self.next > self.una || awaits {
            now.saturating_add(self.patience())
        } else {
            Ps::NEVER
        };
        if self.is_done() {
            self.control.stop();
        }
        self.complete(now);
    }

    /// Processes a report of the receiver.
    fn on_reported(&mut self, now: Ps, packet: &RocePacket) {
        let una = self.una;
        self.acknowledge(now, packet.psn);
        let packets = match &mut self.reported {
            Some(reported) => reported.take(packet.trail),
            None => self.una - una,
        };
        if !self.is_done() {
            self.control.on_report(&Report {
                now,
                rtt: now - packet.sent,
                marked: packet.asks,
                packets,
                on_way: self.in_flight() as f64,
            });
        }
    }

    /// With reports, sets the retransmission timer by the time at which the first unacknowledged packet was last sent. While
    /// this packet does not fit into the window, each arriving packet restarts the timer.
    fn time_oldest(&mut self, now: Ps) {
        let (Some(reported), Some(again)) = (&mut self.reported, &self.again) else {
            return;
        };
        if again.awaits(self.una) {
            reported.defer(now);
        }
        let oldest = reported.oldest();
        let end = |sent: Ps| now.max(sent.saturating_add(self.timeout));
        self.timer = oldest.map_or(Ps::NEVER, end);
    }

    /// Completes the last of the segments that are acknowledged now: the rate control gets its round trip.
    #[inline]
    fn complete(&mut self, now: Ps) {
        let (mut last, mut segments) = (None, 0);
        while let Some((psn, left)) = self.ends.front().copied()
            && psn < self.una
        {
            last = Some(left);
            segments += 1;
            self.ends.pop_front();
        }
        if let Some(left) = last
            && !self.is_done()
        {
            self.control.on_completion(&Completion {
                now,
                rtt: now - left,
                segments,
            });
            self.note_rate(now);
        }
    }

    /// True if the source begins at `now`, and its first rate depends on the number of other active sources of its host.
    #[inline]
    pub fn begins_by_others(&self, now: Ps) -> bool {
        self.awaits_others && self.next_packet() <= now
    }
    /// True if the source has begun, and its transfer has not ended.
    pub fn is_active(&self) -> bool {
        let has_begun = self.most > 0 || self.control.starts_by_others() && !self.awaits_others;
        has_begun && !self.is_done()
    }
    /// Begins the source at `now`; `others` is the number of other active sources of its host.
    pub fn begin(&mut self, now: Ps, others: u64) {
        self.awaits_others = false;
        self.control.on_start(others);
        self.note_rate(now);
    }

    /// Processes the receiver's request for packet `psn`, which arrives at `now`.
    fn on_asked(&mut self, now: Ps, psn: u64) {
        if self.again.is_some() && psn >= self.una {
            self.naks += 1;
            let on_way = self.in_flight() as f64;
            if let Some(again) = &mut self.again {
                again.ask(psn);
            }
            self.control.on_trimmed(now, on_way);
            self.note_rate(now);
            self.ends.clear();
        }
    }

    /// Reports a loss to the rate control. A segment of which a packet is sent again has no round trip, since the
    /// acknowledgement may be of either copy (Karn).
    fn note_loss(&mut self, now: Ps) {
        self.control.on_loss(now);
        self.note_rate(now);
        self.ends.clear();
    }

    /// Makes the first unacknowledged packet the next to be sent. The timer starts again when it is sent.
    fn go_back(&mut self, now: Ps) {
        self.note_loss(now);
        self.timer = Ps::NEVER;
        if let Some(again) = &mut self.again {
            // If all packets are acknowledged, the last pull may have been lost. An old packet makes the receiver send it
            // again.
            let oldest = self.una.min(self.next.saturating_sub(1));
            // With reports each packet has its own timeout.
            let recover = match self.reported {
                Some(_) => oldest,
                None => self.next,
            };
            again.on_timeout(oldest, recover);
            return self.time_oldest(now);
        }
        self.next = self.una;
        if self.lacks_credit() {
            // The last pull may have been lost. An old packet makes the receiver send it again.
            self.next = self.una.saturating_sub(1);
        }
    }

    fn note_rate(&mut self, now: Ps) {
        let rate = self.control.rate();
        if rate == self.present {
            return;
        }
        self.present = rate;
        self.rate.set(now, rate);
        self.pace = if rate < self.line {
            Pace::new(rate)
        } else {
            None
        };
    }

    /// True if the whole transfer is acknowledged.
    pub fn is_done(&self) -> bool {
        self.una >= self.packets
    }
    /// Bytes acknowledged.
    pub fn acked(&self) -> u64 {
        self.una.saturating_mul(self.payload).min(self.bytes)
    }
    /// Number of the first packet that is not acknowledged.
    pub fn una(&self) -> u64 {
        self.una
    }
    /// Counters of the sender since the start of the run.
    pub fn stats(&self) -> &SenderStats {
        &self.stats
    }
    /// Present rate in octets/s on the line.
    pub fn rate(&self) -> f64 {
        self.control.rate()
    }
    /// State of the credits of ExpressPass; `None` without ExpressPass.
    pub fn demand(&self) -> Option<&Demand> {
        self.demand.as_deref()
    }
    /// State of the rate control.
    pub fn control(&self) -> &RoceControl {
        &self.control
    }
    /// Integral of the rate from the start of the run to `now`, in octets/s times picoseconds.
    pub fn rate_ps(&self, now: Ps) -> f64 {
        self.rate.mean(now, Ps(1))
    }
}
