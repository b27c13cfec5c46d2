//! Priority-based flow control at a host. A host obeys pauses. It sends no pauses, since it takes every frame
//! at once.

use alloc::boxed::Box;

use super::Host;
use crate::ether::pause::{Order, Pauses};
use crate::ether::pfc::Paused;
use crate::ether::transport::Links;
use crate::kernel::Ps;

impl Host {
    /// Obeys an order that arrives at `now` for an interface.
    pub(super) fn obey(&mut self, port: usize, now: Ps, order: Order, links: &mut Links) {
        if let Some(paused) = &mut self.interfaces[port].paused {
            paused.pauses.take(now, order);
        }
        self.send_pausable(port, now, links);
    }

    /// Sends the next frame of an endpoint whose priority is not paused, if the line of the interface is
    /// free.
    pub(super) fn send_pausable(&mut self, port: usize, now: Ps, links: &mut Links) {
        self.put_kept_back(port, now);
        if self.interfaces[port].free_at <= now {
            self.send_next(port, now, links);
        }
        let interface = &self.interfaces[port];
        let kept = interface.paused.iter().flat_map(|paused| {
            let kept = (0_u8..8).filter(|priority| !paused.kept[*priority as usize].is_empty());
            kept.map(|priority| paused.pauses.ends_at(priority))
        });
        let next = kept.min().unwrap_or(Ps::NEVER).min(interface.next_start());
        self.clocks.set(port, next);
    }

    /// Puts endpoints whose pause has ended back into the round.
    fn put_kept_back(&mut self, port: usize, now: Ps) {
        let interface = &mut self.interfaces[port];
        let Some(paused) = &mut interface.paused else {
            return;
        };
        for priority in 0_u8..8 {
            if !paused.pauses.holds(priority, now) {
                interface.round.append(&mut paused.kept[priority as usize]);
            }
        }
    }

    /// Keeps an endpoint out of the round if its priority is paused. Returns true if the priority is paused.
    pub(super) fn keeps(&mut self, port: usize, number: u32, now: Ps) -> bool {
        let Some(paused) = &mut self.interfaces[port].paused else {
            return false;
        };
        let priority = self.endpoints[number as usize].priority();
        let holds = paused.pauses.holds(priority, now);
        if holds {
            paused.kept[priority as usize].push_back(number);
        }
        holds
    }
    /// Puts an endpoint with a CNP back into the round, if the pause of another priority has kept it out. An
    /// acknowledgement waits behind a CNP only while the priority of CNPs is paused.
    pub(super) fn release_urgent(&mut self, port: usize, number: usize) {
        let (interface, endpoint) = (&mut self.interfaces[port], &self.endpoints[number]);
        let Some(paused) = &mut interface.paused else {
            return;
        };
        let (next, usual) = (endpoint.priority(), endpoint.usual_priority());
        if next == usual {
            return;
        }
        let kept = &mut paused.kept[usual as usize];
        if let Some(place) = kept.iter().position(|other| *other == number as u32) {
            kept.remove(place);
            interface.round.push_back(number as u32);
        }
    }
    /// The interfaces under PFC: the link of each, and its pauses.
    pub fn pauses(&self) -> impl Iterator<Item = (u32, &Pauses)> {
        let interfaces = self.interfaces.iter();
        interfaces.filter_map(|interface| {
            let paused = interface.paused.as_ref()?;
            Some((interface.link, &paused.pauses))
        })
    }
    /// Sets up PFC at an interface.
    pub fn set_pausing(&mut self, port: usize, pauses: Pauses) {
        self.interfaces[port].paused = Some(Box::new(Paused::new(pauses)));
    }
}
