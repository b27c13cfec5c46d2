//! Flow credits (ExpressPass) at a port of a switch: they have a queue of their own, behind a token bucket, and
//! precede all data.

use alloc::boxed::Box;

use super::{Dropped, NO_QUEUE, Outside, Port};
use crate::ether::arriving::Arriving;
use crate::ether::limiter::Limiter;
use crate::ether::log::Cause;
use crate::kernel::Ps;

impl Port {
    /// Gives the port a queue and a token bucket for the flow credits that leave by it.
    pub fn set_limiter(&mut self, limiter: Limiter<Arriving>) {
        self.limiter = Some(Box::new(limiter));
        (self.ahead, self.resumes) = (None, true);
    }
    /// The queue of flow credits; `None` if no flow credits leave by this port.
    pub fn limiter(&self) -> Option<&Limiter<Arriving>> {
        self.limiter.as_deref()
    }
    /// Processes a flow credit that arrives at `now`; it is dropped if the queue of flow credits is full. The port
    /// must have been advanced to `now`.
    pub(super) fn arrive_limited(&mut self, now: Ps, frame: Arriving, outside: &mut Outside<'_>) {
        let limiter = self.limiter.as_mut();
        if !limiter.is_some_and(|limiter| limiter.push(frame)) {
            return outside.drops.push(Dropped {
                at: now,
                route: frame.route,
                info: frame.info,
                packet: frame.packet,
                cause: Cause::CreditLimit,
            });
        }
        if self.serving.is_none() {
            self.carry = 0;
            self.begin_next(now, outside);
        }
    }
    /// Starts the transmission of the first flow credit. Returns false if no credit may pass.
    pub(super) fn begin_limited(&mut self, start: Ps, outside: &mut Outside<'_>) -> bool {
        let limiter = self.limiter.as_mut();
        let credit = limiter.and_then(|limiter| limiter.take(start));
        if let Some(frame) = credit {
            self.serve(start, NO_QUEUE, &frame, outside);
        }
        credit.is_some()
    }
    /// Earliest start of the transmission of the first flow credit; `NEVER` without a credit.
    pub(super) fn limited_at(&self) -> Ps {
        let opens = self
            .limiter
            .as_ref()
            .map_or(Ps::NEVER, |limiter| limiter.opens_at());
        match self.serving {
            Some(_) => opens.max(self.free_at),
            None => opens,
        }
    }
}
