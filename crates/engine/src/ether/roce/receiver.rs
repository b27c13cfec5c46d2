//! The receiving end (responder) of a flow over RoCE: it accepts packets, and sends acknowledgements, negative
//! acknowledgements and congestion notifications.

use alloc::boxed::Box;
use alloc::collections::VecDeque;

use super::control::Notifier;
use super::control::puller::Puller;
use super::pacer::Pacer;
use super::packet::{Kind, RocePacket};
use super::reporter::Reporter;
use super::selective::Kept;
use super::telemetry::Trail;
use super::{Resend, RoceConfig};
use crate::kernel::Ps;

/// The receiving end of a flow over RoCE: acknowledges packets, asks for missing packets, and sends CNPs.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// Number of the packet that is expected next in order.
    expected: u64,
    /// True from a negative acknowledgement until the missing packet arrives. In this time no second one is sent.
    has_told: bool,
    /// The acknowledgement, positive or negative, that waits for the interface.
    answer: Option<Kind>,
    /// True if a CNP waits for the interface.
    cnp: bool,
    /// Number of the first packet that arrived trimmed, ahead of a missing packet; `u64::MAX` without such a packet, as
    /// always under selective resend.
    cut_ahead: u64,
    /// Pulls of receiver credits; `None` without receiver credits.
    puller: Option<Puller>,
    /// Packets that arrived ahead of the expected one; `None` without selective resend.
    kept: Option<Box<Kept>>,
    /// Reports on packets accepted; `None` if the rate control needs no reports.
    reporter: Option<Box<Reporter>>,
    notifier: Notifier,
    /// Pacer of the credits of ExpressPass; `None` without ExpressPass.
    pacer: Option<Box<Pacer>>,
    /// True if acknowledgements have space for telemetry.
    has_telemetry: bool,
    /// Telemetry of the last packet that arrived. Every acknowledgement returns it.
    trail: Trail,
    /// Telemetry of the acknowledgements that the interface has polled and not sent yet.
    leaving: VecDeque<Trail>,
    /// Payload bytes accepted in order.
    pub delivered: u64,
    /// Payload bytes that switches have cut off packets that arrived trimmed.
    pub cut: u64,
    /// Payload bytes that arrived again, or ahead of a missing packet, and were discarded.
    pub discarded: u64,
    /// Number of CNPs sent.
    pub cnps: u64,
}

impl Receiver {
    /// A receiver before the first packet, with `pacer` for credits under ExpressPass, and `puller` for pulls under receiver
    /// credits.
    pub fn new(config: &RoceConfig, pacer: Option<Pacer>, puller: Option<Puller>) -> Receiver {
        Receiver {
            expected: 0,
            has_told: false,
            answer: None,
            cnp: false,
            cut_ahead: u64::MAX,
            puller,
            kept: (config.resend == Resend::Selective).then(Box::default),
            reporter: config
                .control
                .has_reports()
                .then(|| Box::new(Reporter::new(config.ack_every))),
            notifier: config.control.notifier(),
            pacer: pacer.map(Box::new),
            has_telemetry: config.control.has_telemetry(),
            trail: Trail::default(),
            leaving: VecDeque::new(),
            delivered: 0,
            cut: 0,
            discarded: 0,
            cnps: 0,
        }
    }

    /// Processes a packet of the source that arrives at `now`, marked or not, with its telemetry.
    pub fn receive(&mut self, now: Ps, packet: &RocePacket, marked: bool, trail: Option<&Trail>) {
        if let Some(trail) = trail {
            self.trail = *trail;
        }
        if let Some(pacer) = &mut self.pacer {
            match packet.kind {
                Kind::Request => return pacer.begin(now),
                Kind::Stop => return pacer.stop(now),
                Kind::Credited => pacer.on_answer(now, packet.trail),
                _ => {}
            }
        }
        if marked && self.notifier.notifies(now) {
            self.cnp = true;
        }
        let payload = u64::from(packet.payload);
        let is_trimmed = packet.kind == Kind::Trimmed;
        if is_trimmed {
            self.cut += payload;
        }
        if self.kept.is_some() {
            return self.receive_selectively(packet, marked);
        }
        if packet.psn == self.expected && !is_trimmed {
            self.expected += 1;
            self.delivered += payload;
            self.has_told = false;
            // An answer that waits says that this packet is missing, so it becomes an acknowledgement.
            let waits = self.answer.is_some();
            let answers = match &mut self.reporter {
                Some(reporter) => {
                    let taken = (self.expected, self.expected, false);
                    reporter.on_taken(packet, marked, taken);
                    waits
                }
                None => packet.asks || waits,
            };
            self.answer = answers.then_some(Kind::Ack);
            if self.expected == self.cut_ahead {
                self.name_missing();
            }
            return;
        }
        if !is_trimmed {
            self.discarded += payload;
        }
        if packet.psn < self.expected {
            // The packet has arrived before: the acknowledgement or the last pull may have been lost.
            if let Some(puller) = &mut self.puller {
                puller.repeat();
            }
            self.answer = self.answer.or(Some(Kind::Ack));
        } else if is_trimmed && packet.psn > self.expected {
            // The headers of the trimmed packet have overtaken packets before it.
            self.cut_ahead = self.cut_ahead.min(packet.psn);
        } else if !self.has_told {
            self.name_missing();
        }
    }
    /// Makes a negative acknowledgement wait, which names the expected packet. The source sends again from this packet on.
    fn name_missing(&mut self) {
        (self.has_told, self.cut_ahead) = (true, u64::MAX);
        self.answer = Some(Kind::Nak);
    }

    /// Processes a packet with data, or its trimmed headers, under selective resend.
    fn receive_selectively(&mut self, packet: &RocePacket, marked: bool) {
        let Some(kept) = &mut self.kept else { return };
        if !kept.lacks(packet.psn, self.expected) {
            if packet.kind != Kind::Trimmed {
                self.discarded += u64::from(packet.payload);
            }
            // The packet has arrived before: the acknowledgement or the last pull may have been lost.
            if let Some(puller) = &mut self.puller {
                puller.repeat();
            }
            match &mut self.reporter {
                Some(reporter) => reporter.report(packet, marked, (self.expected, kept.taken())),
                None => self.answer = Some(Kind::Ack),
            }
        } else if packet.kind == Kind::Trimmed {
            kept.ask(packet.psn);
            if let Some(puller) = &mut self.puller {
                puller.on_trimmed();
            }
        } else {
            let fills = kept.has_gap();
            let (packets, bytes) = kept.take(packet.psn, packet.payload, self.expected);
            self.expected += packets;
            self.delivered += bytes;
            if let Some(reporter) = &mut self.reporter {
                let taken = (self.expected, kept.taken(), kept.has_gap());
                reporter.on_taken(packet, marked, taken);
            } else if packet.asks || fills {
                // The last packet of a transfer asks for an acknowledgement, and may have arrived long before the packet
                // that fills the gap.
                self.answer = Some(Kind::Ack);
            }
        }
    }

    /// Removes and returns the packet to send next, at `now`; CNPs come first.
    pub fn poll(&mut self, now: Ps) -> Option<RocePacket> {
        if core::mem::take(&mut self.cnp) {
            self.cnps += 1;
            return Some(RocePacket::empty(Kind::Cnp, 0, now));
        }
        if let Some(psn) = self.kept.as_mut().and_then(|kept| kept.poll()) {
            return Some(RocePacket::empty(Kind::Again, psn, now));
        }
        if let Some(limit) = self.puller.as_mut().and_then(Puller::poll) {
            return Some(RocePacket::empty(Kind::Pull, limit, now));
        }
        if let Some(report) = self.reporter.as_mut().and_then(|reporter| reporter.poll()) {
            return Some(report);
        }
        let kind = self.answer.take()?;
        let mut answer = RocePacket::empty(kind, self.expected, now);
        if self.has_telemetry {
            answer.trail = 0;
            self.leaving.push_back(self.trail);
        }
        Some(answer)
    }
    /// Time of the next credit of ExpressPass; `NEVER` without ExpressPass, or if no credit is needed.
    #[inline]
    pub fn next_credit(&self) -> Ps {
        self.pacer.as_ref().map_or(Ps::NEVER, |pacer| pacer.next())
    }
    /// Makes a credit due, if the time of [`Receiver::next_credit`] has come at `now`.
    pub fn wake(&mut self, now: Ps) {
        if let Some(pacer) = &mut self.pacer {
            pacer.wake(now);
        }
    }
    /// Removes and returns the number of the credit that is due.
    pub fn take_due(&mut self) -> Option<u32> {
        self.pacer.as_mut()?.take_due()
    }
    /// The credit of ExpressPass with the number `number`, which leaves at `now`.
    pub fn credit(&self, now: Ps, number: u32) -> RocePacket {
        RocePacket {
            trail: number,
            ..RocePacket::empty(Kind::Credit, self.expected, now)
        }
    }
    /// Pacer of the credits of ExpressPass; `None` without ExpressPass.
    pub fn pacer(&self) -> Option<&Pacer> {
        self.pacer.as_deref()
    }
    /// Number of hops in the telemetry of the acknowledgement polled last.
    pub fn hops(&self) -> usize {
        self.leaving.back().map_or(0, |trail| trail.hops().len())
    }
    /// Removes and returns the telemetry of the oldest acknowledgement that has been polled and has not left.
    pub fn take_trail(&mut self) -> Option<Trail> {
        self.leaving.pop_front()
    }
    /// True if an acknowledgement, a report, a CNP, a pull, or a request for a trimmed packet waits for the interface.
    pub fn waits(&self) -> bool {
        let pulls = self.puller.as_ref().is_some_and(Puller::waits);
        let asks = self.kept.as_ref().is_some_and(|kept| kept.waits());
        let reports = self
            .reporter
            .as_ref()
            .is_some_and(|reporter| reporter.waits());
        self.cnp || pulls || asks || reports || self.answer.is_some()
    }
    /// True if the receiver has packets to pull.
    pub fn wants_to_pull(&self) -> bool {
        let mut puller = self.puller.iter();
        let kept = self.kept.as_ref();
        let come = kept.map_or(self.expected, |kept| kept.come());
        puller.any(|puller| puller.wants(come))
    }
    /// Payload bytes that wait for earlier bytes.
    pub fn held(&self) -> u64 {
        self.kept.as_ref().map_or(0, |kept| kept.held)
    }
    /// Makes a pull. Returns the time until the host may send another pull; `None` without receiver credits.
    pub fn pull(&mut self) -> Option<Ps> {
        self.puller.as_mut().map(Puller::pull)
    }
    /// Priority of CNPs, if a CNP waits; otherwise `None`.
    pub fn urgent(&self) -> Option<u8> {
        self.cnp.then_some(self.notifier.priority)
    }
    /// Priority of CNPs.
    pub fn cnp_priority(&self) -> u8 {
        self.notifier.priority
    }
}
