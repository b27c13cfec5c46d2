//! Priority-based flow control at a port of a switch: the port obeys pauses and sends pauses.

use alloc::boxed::Box;

use super::{Outside, Port};
use crate::ether::arriving::Arriving;
use crate::ether::frame::{Info, Packet};
use crate::ether::log::Cause;
use crate::ether::pause::Order;
use crate::ether::pfc::Pausing;
use crate::kernel::Ps;

/// Queue number of PFC frames, which wait in no queue. No port has a queue with this number.
const NO_QUEUE: usize = u8::MAX as usize;

impl Port {
    /// Sets up PFC at the port.
    pub fn set_pausing(&mut self, pausing: Pausing) {
        self.pausing = Some(Box::new(pausing));
        self.ahead = None;
    }
    /// PFC; `None` without it.
    pub fn pausing(&self) -> Option<&Pausing> {
        self.pausing.as_deref()
    }
    /// The frame that the port has just forwarded, with its label at the switch; `None` after the first call.
    pub fn take_gone(&mut self) -> Option<(u32, Info)> {
        self.pausing.as_mut()?.gone.take()
    }
    /// Makes the port send a pause of `priority`, or the end of the pause. The port must have been advanced
    /// to `now`.
    pub fn tell(&mut self, now: Ps, priority: u8, is_paused: bool, outside: &mut Outside<'_>) {
        if let Some(pausing) = &mut self.pausing {
            let quanta = pausing.quanta;
            let order = pausing.order.get_or_insert(Order {
                quanta,
                ..Order::default()
            });
            order.set(priority, is_paused);
        }
        self.go_on(now, outside);
    }
    /// Obeys an order that arrives at `now`. The port must have been advanced to `now`.
    pub fn obey(&mut self, now: Ps, order: Order, outside: &mut Outside<'_>) {
        if let Some(pausing) = &mut self.pausing {
            pausing.pauses.take(now, order);
        }
        self.go_on(now, outside);
    }
    fn go_on(&mut self, now: Ps, outside: &mut Outside<'_>) {
        if self.serving.is_none() {
            self.carry = 0;
            self.begin_next(now, outside);
        }
    }
    /// Drops a frame that arrives at `now`, for which the buffer has no room. The port must have been
    /// advanced to `now`.
    pub fn refuse(&mut self, now: Ps, frame: Arriving, outside: &mut Outside<'_>) {
        let number = self.queue_of[frame.info.priority() as usize] as usize;
        let arrived = &mut self.queues[number].counts.arrived;
        *arrived = super::with(*arrived, frame.info.octets());
        self.drop((now, Cause::Overflow), number, frame, outside);
    }
    /// True if the limits of queues do not apply to a frame, since its priority is under PFC.
    pub(super) fn is_lossless(&self, info: Info) -> bool {
        let priorities = self
            .pausing
            .as_ref()
            .map_or(0, |pausing| pausing.priorities);
        priorities >> info.priority() & 1 == 1
    }
    /// Begins the service of a waiting order. Returns false without one.
    pub(super) fn begin_order(&mut self, start: Ps, outside: &mut Outside<'_>) -> bool {
        let Some(pausing) = &mut self.pausing else {
            return false;
        };
        let Some(order) = pausing.order.take() else {
            return false;
        };
        pausing.orders_sent += 1;
        let frame = Arriving {
            route: 0,
            label: pausing.label,
            info: Info::pause(),
            packet: Packet::Pause(order),
            slot: None,
        };
        self.serve(start, NO_QUEUE, frame, outside);
        if let Some(pausing) = &mut self.pausing {
            pausing.in_service = None;
        }
        true
    }
    /// True if the priority of a frame is paused at the instant `at`.
    pub(super) fn is_paused(&self, info: Info, at: Ps) -> bool {
        let mut pausing = self.pausing.iter();
        pausing.any(|pausing| pausing.pauses.holds(info.priority(), at))
    }
    /// Time at which the first pause ends that stops the first frame of a queue, while the line is free;
    /// `NEVER` without such a pause.
    #[cold]
    pub(super) fn resumes_at(&self) -> Ps {
        let Some(pausing) = self.pausing.as_ref().filter(|_| self.serving.is_none()) else {
            return Ps::NEVER;
        };
        let heads = self.queues.iter().filter_map(|queue| queue.waiting.front());
        let ends = heads.map(|head| pausing.pauses.ends_at(head.frame.info.priority()));
        ends.min().unwrap_or(Ps::NEVER)
    }
}
