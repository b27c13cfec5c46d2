//! PFC or CBFC at a port of a switch: the port obeys frames of PFC or CBFC from the other end of its link, and sends such
//! frames there.

use alloc::boxed::Box;

use super::{NO_QUEUE, Outside, Port};
use crate::ether::arriving::Arriving;
use crate::ether::frame::{Info, Packet};
use crate::ether::log::Cause;
use crate::ether::lossless::PortGate;
use crate::ether::notice::Due;
use crate::kernel::Ps;

impl Port {
    /// Sets up PFC or CBFC at the port.
    pub fn set_gate(&mut self, gate: PortGate) {
        self.gate = Some(Box::new(gate));
        (self.ahead, self.resumes) = (None, true);
    }
    /// State of PFC or CBFC; `None` without both.
    pub fn gate(&self) -> Option<&PortGate> {
        self.gate.as_deref()
    }
    /// Priorities whose first packets PFC or CBFC holds back at `now`, each with the time since which none of its packets
    /// could begin.
    pub fn standing(&self, now: Ps) -> impl Iterator<Item = (u8, Ps)> {
        let heads = self.queues.iter().filter_map(|queue| queue.waiting.front());
        heads.filter_map(move |head| {
            let priority = head.frame.info.priority();
            let since = self.gate.as_ref()?.gate.held_since(priority, now)?;
            Some((priority, since))
        })
    }
    /// Label at the switch and header word of the frame that the port has just forwarded; `None` at each further call.
    pub fn take_gone(&mut self) -> Option<(u32, Info)> {
        self.gate.as_mut()?.gone.take()
    }
    /// Makes the port send a pause, the end of a pause, or freed credits. The port must have been advanced to `now`.
    pub fn tell(&mut self, now: Ps, due: Due, outside: &mut Outside<'_>) {
        if let Some(gate) = &mut self.gate {
            gate.notices.add(due);
        }
        self.go_on(now, outside);
    }
    /// Processes a frame of PFC or CBFC that arrives at `now`. The port must have been advanced to `now`.
    pub fn obey(&mut self, now: Ps, packet: &Packet, outside: &mut Outside<'_>) {
        if let Some(gate) = &mut self.gate {
            gate.gate.take(now, packet);
        }
        self.go_on(now, outside);
    }
    fn go_on(&mut self, now: Ps, outside: &mut Outside<'_>) {
        if self.serving.is_none() {
            self.carry = 0;
            self.begin_next(now, outside);
        }
    }
    /// Drops a frame that arrives at `now` and does not fit into the buffer. The port must have been advanced to `now`.
    pub fn refuse(&mut self, now: Ps, frame: &mut Arriving, outside: &mut Outside<'_>) {
        let number = self.queue_of[frame.info.priority() as usize] as usize;
        let arrived = &mut self.queues[number].counts.arrived;
        *arrived = super::with(*arrived, frame.info.octets());
        self.drop((now, Cause::Overflow), number, frame, outside);
    }
    /// True if the limits of queues do not apply to a frame, since its priority is under PFC or CBFC.
    pub(super) fn is_lossless(&self, info: Info) -> bool {
        let priorities = self.gate.as_ref().map_or(0, |gate| gate.priorities);
        priorities >> info.priority() & 1 == 1
    }
    /// Starts the transmission of the frame of PFC or CBFC that waits. Returns false if none waits.
    pub(super) fn begin_notice(&mut self, start: Ps, outside: &mut Outside<'_>) -> bool {
        let Some(gate) = &mut self.gate else {
            return false;
        };
        let Some((info, packet)) = gate.notices.take() else {
            return false;
        };
        gate.notices_sent += 1;
        let frame = Arriving {
            route: 0,
            label: gate.label,
            info,
            packet,
            slot: None,
        };
        self.serve(start, NO_QUEUE, &frame, outside);
        true
    }
    /// Earliest time at which a flow credit may be sent, or, while the line is free, at which the gate may open for the
    /// first frame of a queue. `NEVER` without such a time.
    #[cold]
    pub(super) fn resumes_at(&self) -> Ps {
        self.opens_at().min(self.limited_at())
    }
    fn opens_at(&self) -> Ps {
        let Some(gate) = self.gate.as_ref().filter(|_| self.serving.is_none()) else {
            return Ps::NEVER;
        };
        let heads = self.queues.iter().filter_map(|queue| queue.waiting.front());
        let opens = heads.map(|head| gate.gate.opens_at(head.frame.info.priority()));
        opens.min().unwrap_or(Ps::NEVER)
    }
}
