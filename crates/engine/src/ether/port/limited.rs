//! Flow credits (ExpressPass) at a port of a switch: a queue of their own under a token bucket, before all data.

use alloc::boxed::Box;

use super::{Dropped, NO_QUEUE, Outside, Port};
use crate::ether::arriving::Arriving;
use crate::ether::limiter::Limiter;
use crate::ether::log::Cause;
use crate::kernel::Ps;

impl Port {
    /// Limits the flow credits that leave here.
    pub fn set_limiter(&mut self, limiter: Limiter<Arriving>) {
        self.limiter = Some(Box::new(limiter));
        (self.ahead, self.resumes) = (None, true);
    }
    /// The queue of flow credits; `None` if none leave here.
    pub fn limiter(&self) -> Option<&Limiter<Arriving>> {
        self.limiter.as_deref()
    }
    /// A flow credit arrives at `now`, and is lost if the queue of credits is full. The port must have been advanced.
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
    /// Begins the service of the first flow credit. Returns false without a credit that may pass.
    pub(super) fn begin_limited(&mut self, start: Ps, outside: &mut Outside<'_>) -> bool {
        let limiter = self.limiter.as_mut();
        let credit = limiter.and_then(|limiter| limiter.take(start));
        if let Some(frame) = credit {
            self.serve(start, NO_QUEUE, frame, outside);
        }
        credit.is_some()
    }
    /// Earliest start of the service of the first flow credit; `NEVER` without a credit.
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
