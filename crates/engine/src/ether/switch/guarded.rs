//! PFC or CBFC at a switch: counts of what its buffers hold, and frames of PFC or CBFC that its ports send
//! and obey.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{SPRAYED, Switch};
use crate::ether::arriving::Arriving;
use crate::ether::frame::{Info, Packet};
use crate::ether::lossless::Guard;
use crate::ether::notice::Due;
use crate::ether::port::Outside;
use crate::ether::transport::{Frame, Links};
use crate::kernel::{Ps, Tournament};

/// Kind of event at a port.
enum Change<'a> {
    /// A frame arrives.
    Frame(&'a mut Arriving),
    /// A frame arrives that does not fit into the buffer.
    Refused(&'a mut Arriving),
    /// A frame of PFC or CBFC arrives from the other end of the link.
    OfLink(&'a Packet),
    /// The port must send a pause, the end of a pause, or freed credits.
    Told(Due),
    /// A transmission or a pause ends, or credits can be spent.
    None,
}

impl Switch {
    /// Sets up PFC or CBFC at the switch.
    pub fn set_guard(&mut self, guard: Guard) {
        self.guard = Some(Box::new(guard));
        self.is_plain = false;
        // The last clock is the time at which a pause must be sent again.
        self.clocks = Tournament::new(self.ports.len() + 1);
    }
    /// State of PFC or CBFC; `None` without both.
    pub fn guard(&self) -> Option<&Guard> {
        self.guard.as_deref()
    }

    /// Processes a frame that arrives at a switch under PFC or CBFC.
    pub(super) fn arrive_guarded(
        &mut self,
        Frame { at, label, info }: Frame,
        packet: Packet,
        links: &mut Links,
    ) {
        if info.is_of_link() {
            return self.act(label as usize, at, Change::OfLink(&packet), links);
        }
        let route = &self.routes[label as usize];
        debug_assert!(
            route.port != SPRAYED,
            "a checked plan sprays no frames under PFC or CBFC"
        );
        let port = route.port as usize;
        let mut arriving = Arriving {
            route: label,
            label: route.label,
            info,
            packet,
            slot: None,
        };
        if let Some(controlled) = self.controlled.get(label as usize) {
            arriving.slot = controlled.slot;
            self.on_backward(at, controlled.answers, &mut arriving, links);
        }
        let mut due = None;
        let mut is_refused = false;
        if let Some(guard) = self.guard.as_mut().filter(|guard| guard.covers(info)) {
            if guard.admits(label, info) {
                due = guard.take(at, label, info);
            } else {
                is_refused = true;
            }
        }
        let change = if is_refused {
            Change::Refused(&mut arriving)
        } else {
            Change::Frame(&mut arriving)
        };
        self.act(port, at, change, links);
        self.tell(at, due, links);
    }

    /// Processes the end of a transmission or of a pause at port `number`. The number `ports.len()` stands
    /// for the pauses that must be sent again.
    pub(super) fn advance_guarded(&mut self, number: usize, now: Ps, links: &mut Links) {
        if number < self.ports.len() {
            return self.act(number, now, Change::None, links);
        }
        while let Some(due) = self.guard.as_mut().and_then(|guard| guard.again(now)) {
            self.tell(now, Some(due), links);
        }
        self.note_again();
    }

    fn tell(&mut self, now: Ps, due: Option<Due>, links: &mut Links) {
        let Some(due) = due else { return };
        self.act(due.port as usize, now, Change::Told(due), links);
        self.note_again();
    }

    /// Schedules the time at which the next pause must be sent again.
    fn note_again(&mut self) {
        let guard = self.guard.as_ref();
        let again = guard.map_or(Ps::NEVER, |guard| guard.next_again());
        self.clocks.set(self.ports.len(), again);
    }

    /// Advances a port to `now` and applies `change`. A frame that has left the port or was dropped may end
    /// a pause or free credits. Then the port that feeds the opposite link of this frame's incoming link
    /// sends the end of the pause or the credits.
    fn act(&mut self, number: usize, now: Ps, change: Change<'_>, links: &mut Links) {
        let port = &mut self.ports[number];
        let mut outside = Outside {
            out: links.outlet(port.link),
            memory: None,
            drops: &mut self.drops,
            log: self.log.as_deref_mut(),
            trails: &mut self.trails,
        };
        port.advance(now, &mut outside);
        let is_refused = matches!(change, Change::Refused(_));
        match change {
            Change::Frame(frame) => port.arrive(now, frame, &mut outside),
            Change::Refused(frame) => port.refuse(now, frame, &mut outside),
            Change::OfLink(packet) => port.obey(now, packet, &mut outside),
            Change::Told(due) => port.tell(now, due, &mut outside),
            Change::None => {}
        }
        let gone = port.take_gone();
        let due = port.next_due(true);
        if due != self.clocks.get(number) {
            self.clocks.set(number, due);
        }
        let dropped = if self.drops.is_empty() {
            Vec::new()
        } else {
            self.take_drops(number, is_refused)
        };
        for (label, info) in gone.into_iter().chain(dropped) {
            let guard = self.guard.as_mut().filter(|guard| guard.covers(info));
            let due = guard.and_then(|guard| guard.release(label, info));
            self.tell(now, due, links);
        }
    }

    /// Notes the drops of port `number`. Returns labels and header words of the dropped frames that PFC or CBFC has
    /// counted; it has not counted a frame that was just refused, which is the last drop.
    #[cold]
    fn take_drops(&mut self, number: usize, is_refused: bool) -> Vec<(u32, Info)> {
        let counted = self.drops.len() - usize::from(is_refused);
        let dropped = self.drops[..counted].iter();
        let dropped = dropped.map(|one| (one.route, one.info)).collect();
        self.note_drops(number);
        dropped
    }
}
