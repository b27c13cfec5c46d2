//! Flow control by priority (PFC or CBFC) at a host. A host obeys the nodes at the other ends of its links. It sends no
//! pauses, since it consumes every frame at once; for the same reason it returns the credits of a frame when the frame
//! arrives.

use alloc::boxed::Box;

use super::Host;
use crate::ether::cbfc::Buffers;
use crate::ether::frame::{Info, Packet};
use crate::ether::lossless::{Gate, HostGate};
use crate::ether::notice::{Due, Notice};
use crate::ether::transport::Links;
use crate::kernel::Ps;

impl Host {
    /// Processes a frame of PFC or CBFC that arrives at `now` at an interface.
    pub(super) fn obey(&mut self, port: usize, now: Ps, packet: &Packet, links: &mut Links) {
        if let Some(gated) = &mut self.interfaces[port].gated {
            gated.gate.take(now, packet);
        }
        self.send_gated(port, now, links);
    }

    /// Counts a frame that arrives at `now` with this label, and returns credits of CBFC if they are due.
    pub(super) fn free(&mut self, label: u32, info: Info, now: Ps, links: &mut Links) {
        let buffers = self.buffers.as_mut();
        let Some(buffers) = buffers.filter(|buffers| buffers.covers(info)) else {
            return;
        };
        buffers.take(label, info);
        let Some((port, priority, freed)) = buffers.release(label, info) else {
            return;
        };
        if let Some(gated) = &mut self.interfaces[port as usize].gated {
            gated.notices.add(Due {
                port,
                priority,
                notice: Notice::Freed(freed),
            });
        }
        self.begin(port as usize, now, links);
    }

    /// Sends the next frame that may be sent, if the line of the interface is free. The order is: frames of PFC or CBFC,
    /// flow credits, frames that have waited for credits of CBFC, frames of endpoints whose priority is not held back.
    pub(super) fn send_gated(&mut self, port: usize, now: Ps, links: &mut Links) {
        self.put_kept_back(port, now);
        let is_free = self.interfaces[port].free_at <= now;
        if is_free
            && !self.send_notices(port, now, links)
            && !self.send_credit(port, now, links)
            && !self.send_head(port, now, links)
        {
            self.send_next(port, now, links);
        }
        let interface = &mut self.interfaces[port];
        let next = interface.next_gated(now).min(interface.next_credit());
        self.clocks.set(port, next);
    }

    fn send_notices(&mut self, port: usize, now: Ps, links: &mut Links) -> bool {
        let interface = &mut self.interfaces[port];
        let found = interface.gated.as_mut().and_then(|gated| {
            let frame = gated.notices.take()?;
            Some((frame, gated.label))
        });
        let Some((frame, label)) = found else {
            return false;
        };
        interface.transmit(now, frame, label, links);
        true
    }

    fn send_head(&mut self, port: usize, now: Ps, links: &mut Links) -> bool {
        let gated = self.interfaces[port].gated.as_mut();
        let Some((number, info, packet)) = gated.and_then(|gated| gated.take_head(now)) else {
            return false;
        };
        self.transmit_of((number, port), (info, packet), now, links);
        self.put_kept_back(port, now);
        true
    }

    /// Puts the endpoints whose priority is no longer held back into the round robin again.
    fn put_kept_back(&mut self, port: usize, now: Ps) {
        let interface = &mut self.interfaces[port];
        let Some(gated) = &mut interface.gated else {
            return;
        };
        gated.put_back(now, &mut interface.round);
    }

    /// Takes an endpoint out of the round robin if its priority is held back. Returns true in this case.
    pub(super) fn keeps(&mut self, port: usize, number: u32, now: Ps) -> bool {
        let Some(gated) = &mut self.interfaces[port].gated else {
            return false;
        };
        let priority = self.endpoints[number as usize].priority();
        let holds = gated.keeps(priority, now);
        if holds {
            gated.keep(priority, number);
        }
        holds
    }
    /// Passes a frame of an endpoint through the gate of its interface. Returns false if the frame must wait for credits of
    /// CBFC.
    pub(super) fn passes(
        &mut self,
        port: usize,
        number: u32,
        frame: (Info, Packet),
        now: Ps,
    ) -> bool {
        let Some(gated) = &mut self.interfaces[port].gated else {
            return true;
        };
        gated.passes(number, frame, now)
    }
    /// Puts an endpoint with a CNP to send back into the round robin, if it was taken out because the priority of its other
    /// packets is held back. An acknowledgement behind a CNP waits only while the priority of CNPs is held back.
    pub(super) fn release_urgent(&mut self, port: usize, number: usize) {
        let (interface, endpoint) = (&mut self.interfaces[port], &self.endpoints[number]);
        let Some(gated) = &mut interface.gated else {
            return;
        };
        let (next, usual) = (endpoint.priority(), endpoint.usual_priority());
        if next == usual {
            return;
        }
        if gated.take_kept(usual, number as u32) {
            interface.round.push_back(number as u32);
        }
    }
    /// The interfaces under PFC or CBFC: the index of the link and the gate of each.
    pub fn gates(&self) -> impl Iterator<Item = (u32, &Gate)> {
        let interfaces = self.interfaces.iter();
        interfaces.filter_map(|interface| Some((interface.link, &interface.gated.as_ref()?.gate)))
    }
    /// Sets up PFC or CBFC at an interface. `label` is the label of the frames of PFC or CBFC that the interface sends.
    pub fn set_gate(&mut self, port: usize, gate: Gate, label: u32) {
        self.interfaces[port].gated = Some(Box::new(HostGate::new(gate, label)));
    }
    /// Sets up the buffers of CBFC at the receiving ends of the host's links.
    pub fn set_buffers(&mut self, buffers: Buffers) {
        self.buffers = Some(Box::new(buffers));
    }
}

impl super::Interface {
    /// Time of the interface's next event under PFC or CBFC. All events up to `now` have been processed.
    fn next_gated(&mut self, now: Ps) -> Ps {
        let (next, free_at) = (self.next_start(), self.free_at);
        let Some(gated) = &mut self.gated else {
            return next;
        };
        // This also adds the credits that can be spent by now, so only credits that come later can still open the gate.
        let has_head = gated.has_head(now);
        let opens = gated.opens_at();
        let waits = has_head || gated.notices.wait();
        let next = next.min(if waits { free_at } else { Ps::NEVER });
        next.min(opens)
    }
}
