//! The receiving end (responder): takes packets in order, and answers with acknowledgements, negative ones, and
//! congestion notifications.

use alloc::boxed::Box;
use alloc::collections::VecDeque;

use super::RoceConfig;
use super::control::Notifier;
use super::control::rccc::Puller;
use super::pacer::Pacer;
use super::packet::{Kind, RocePacket};
use super::telemetry::Trail;
use crate::kernel::Ps;

/// The receiving end of a flow over RoCE: acknowledges packets, asks for missing packets, and sends CNPs.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// Number of the packet that is taken next.
    expected: u64,
    /// True from a negative acknowledgement on until the missing packet arrives: no other is sent for it.
    has_told: bool,
    /// The acknowledgement that waits for the interface.
    answer: Option<Kind>,
    /// True if a CNP waits.
    cnp: bool,
    /// Receiver credits, if the control has them.
    puller: Option<Puller>,
    notifier: Notifier,
    /// Credits of ExpressPass; `None` without it.
    pacer: Option<Box<Pacer>>,
    /// True if answers have room for telemetry.
    has_telemetry: bool,
    /// Telemetry of the packet that came last; every answer follows it.
    trail: Trail,
    /// Telemetry of the answers that the interface has taken and not sent yet.
    leaving: VecDeque<Trail>,
    /// Bytes taken.
    pub delivered: u64,
    /// Bytes that came again, or before a missing packet, and were not taken.
    pub discarded: u64,
    /// CNPs sent.
    pub cnps: u64,
}

impl Receiver {
    /// A receiver before the first packet, with the pacer of its credits under ExpressPass, or what pulls packets under
    /// receiver credits.
    pub fn new(config: &RoceConfig, pacer: Option<Pacer>, puller: Option<Puller>) -> Receiver {
        Receiver {
            expected: 0,
            has_told: false,
            answer: None,
            cnp: false,
            puller,
            notifier: config.control.notifier(),
            pacer: pacer.map(Box::new),
            has_telemetry: config.control.has_telemetry(),
            trail: Trail::default(),
            leaving: VecDeque::new(),
            delivered: 0,
            discarded: 0,
            cnps: 0,
        }
    }

    /// A packet with data arrives at `now`, marked or not, with its telemetry.
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
        if packet.psn == self.expected {
            self.expected += 1;
            self.delivered += payload;
            self.has_told = false;
            // What waits says that the packet is missing.
            let waits = self.answer.is_some();
            self.answer = (packet.asks || waits).then_some(Kind::Ack);
            return;
        }
        self.discarded += payload;
        if packet.psn < self.expected {
            // It came before: the acknowledgement or the last pull may be lost.
            if let Some(puller) = &mut self.puller {
                puller.repeat();
            }
            self.answer = self.answer.or(Some(Kind::Ack));
        } else if !self.has_told {
            self.has_told = true;
            self.answer = Some(Kind::Nak);
        }
    }

    /// The packet that is next at `now`, a CNP first.
    pub fn poll(&mut self, now: Ps) -> Option<RocePacket> {
        if core::mem::take(&mut self.cnp) {
            self.cnps += 1;
            return Some(RocePacket::empty(Kind::Cnp, 0, now));
        }
        if let Some(limit) = self.puller.as_mut().and_then(Puller::poll) {
            return Some(RocePacket::empty(Kind::Pull, limit, now));
        }
        let kind = self.answer.take()?;
        let mut answer = RocePacket::empty(kind, self.expected, now);
        if self.has_telemetry {
            answer.trail = 0;
            self.leaving.push_back(self.trail);
        }
        Some(answer)
    }
    /// Time of the next credit; `NEVER` without.
    #[inline]
    pub fn next_credit(&self) -> Ps {
        self.pacer.as_ref().map_or(Ps::NEVER, |pacer| pacer.next())
    }
    /// The time of [`Receiver::next_credit`] has come.
    pub fn wake(&mut self, now: Ps) {
        if let Some(pacer) = &mut self.pacer {
            pacer.wake(now);
        }
    }
    /// The number of the credit that is due.
    pub fn take_due(&mut self) -> Option<u32> {
        self.pacer.as_mut()?.take_due()
    }
    /// The credit with a number, which leaves at `now`.
    pub fn credit(&self, now: Ps, number: u32) -> RocePacket {
        RocePacket {
            trail: number,
            ..RocePacket::empty(Kind::Credit, self.expected, now)
        }
    }
    /// Credits of ExpressPass; `None` without it.
    pub fn pacer(&self) -> Option<&Pacer> {
        self.pacer.as_deref()
    }
    /// Hops of the telemetry of the answer that was polled last.
    pub fn hops(&self) -> usize {
        self.leaving.back().map_or(0, |trail| trail.hops().len())
    }
    /// Telemetry of the oldest answer that has not left.
    pub fn take_trail(&mut self) -> Option<Trail> {
        self.leaving.pop_front()
    }
    /// True if an answer waits for the interface.
    pub fn waits(&self) -> bool {
        let pulls = self.puller.as_ref().is_some_and(Puller::waits);
        self.cnp || pulls || self.answer.is_some()
    }
    /// True if it wants to pull packets.
    pub fn wants_to_pull(&self) -> bool {
        let mut puller = self.puller.iter();
        puller.any(|puller| puller.wants(self.expected))
    }
    /// Pulls packets; returns the time until the next pull of the host.
    pub fn pull(&mut self) -> Option<Ps> {
        self.puller.as_mut().map(Puller::pull)
    }
    /// Priority of CNPs, if one waits.
    pub fn urgent(&self) -> Option<u8> {
        self.cnp.then_some(self.notifier.priority)
    }
    /// Priority of CNPs.
    pub fn cnp_priority(&self) -> u8 {
        self.notifier.priority
    }
}
