//! Flow credits (ExpressPass) at a host: they have a queue of their own at the interface, behind a token bucket, and precede
//! all data.

use super::{Host, Interface};
use crate::ether::transport::Links;
use crate::kernel::Ps;

impl Host {
    /// Puts the flow credit of an endpoint, if one is due, into the queue of its interface. A full queue drops it.
    #[inline]
    pub(super) fn take_due_credit(&mut self, port: usize, number: usize) {
        if let Some(limiter) = &mut self.interfaces[port].limiter
            && let Some(credit) = self.endpoints[number].take_due_credit()
        {
            // The queue counts the credits that it drops.
            let _is_kept = limiter.push((number as u32, credit));
        }
    }

    /// Sends the next frame that may be sent, if the line of the interface is free: a flow credit, or else a frame of the
    /// next endpoint.
    pub(super) fn send_limited(&mut self, port: usize, now: Ps, links: &mut Links) {
        if self.interfaces[port].free_at <= now && !self.send_credit(port, now, links) {
            self.send_next(port, now, links);
        }
        let interface = &self.interfaces[port];
        let next = interface.next_start().min(interface.next_credit());
        self.clocks.set(port, next);
    }

    pub(super) fn send_credit(&mut self, port: usize, now: Ps, links: &mut Links) -> bool {
        let limiter = self.interfaces[port].limiter.as_mut();
        let Some((number, credit)) = limiter.and_then(|limiter| limiter.take(now)) else {
            return false;
        };
        let frame = self.endpoints[number as usize].credit(now, credit);
        if let Some(frame) = frame {
            self.transmit_of((number, port), frame, now, links);
        }
        frame.is_some()
    }
}

impl Interface {
    /// Earliest start of the next flow credit; `NEVER` without a waiting credit.
    pub(super) fn next_credit(&self) -> Ps {
        let limiter = self.limiter.as_ref();
        let opens = limiter.map_or(Ps::NEVER, |limiter| limiter.opens_at());
        opens.max(self.free_at)
    }
}
