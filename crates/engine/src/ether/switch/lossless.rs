//! Priority-based flow control at a switch: counts of the octets in its buffer, and orders from port to port.

use alloc::boxed::Box;

use super::{SPRAYED, Switch};
use crate::ether::arriving::Arriving;
use crate::ether::frame::{Info, Packet};
use crate::ether::pause::Order;
use crate::ether::pfc::{Due, Lossless};
use crate::ether::port::Outside;
use crate::ether::transport::{Frame, Links};
use crate::kernel::{Ps, Tournament};

/// Kind of event at a port.
enum Change {
    /// A frame arrives.
    Frame(Arriving),
    /// A frame arrives for which the buffer has no room.
    Refused(Arriving),
    /// An order arrives that begins or ends a pause.
    Order(Order),
    /// The port must send a pause of this priority (true), or the end of the pause (false).
    Told(u8, bool),
    /// A service or a pause ends.
    None,
}

impl Switch {
    /// Sets up PFC at the switch.
    pub fn set_lossless(&mut self, lossless: Lossless) {
        self.lossless = Some(Box::new(lossless));
        self.is_plain = false;
        // The last clock is the time at which a pause must be sent again.
        self.clocks = Tournament::new(self.ports.len() + 1);
    }
    /// PFC; `None` without it.
    pub fn lossless(&self) -> Option<&Lossless> {
        self.lossless.as_deref()
    }

    /// Processes a frame that arrives at a switch with PFC.
    pub(super) fn arrive_lossless(
        &mut self,
        Frame { at, label, info }: Frame,
        packet: Packet,
        links: &mut Links,
    ) {
        if let Packet::Pause(order) = packet {
            return self.act(label as usize, at, Change::Order(order), links);
        }
        let route = &self.routes[label as usize];
        debug_assert!(
            route.port != SPRAYED,
            "a checked plan sprays no frames under PFC"
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
        let mut change = Change::Frame(arriving);
        if let Some(lossless) = self
            .lossless
            .as_mut()
            .filter(|lossless| lossless.covers(info))
        {
            if lossless.admits(label, info) {
                due = lossless.take(at, label, info);
            } else {
                change = Change::Refused(arriving);
            }
        }
        self.act(port, at, change, links);
        self.tell(at, due, links);
    }

    /// Ends services and pauses at a port. Number `ports.len()` sends the due pauses again.
    pub(super) fn advance_lossless(&mut self, number: usize, now: Ps, links: &mut Links) {
        if number < self.ports.len() {
            return self.act(number, now, Change::None, links);
        }
        while let Some(due) = self
            .lossless
            .as_mut()
            .and_then(|lossless| lossless.again(now))
        {
            self.tell(now, Some(due), links);
        }
        self.note_again();
    }

    fn tell(&mut self, now: Ps, due: Option<Due>, links: &mut Links) {
        let Some(due) = due else { return };
        let change = Change::Told(due.priority, due.is_paused);
        self.act(due.port as usize, now, change, links);
        self.note_again();
    }

    /// Sets the time at which a pause must be sent again.
    fn note_again(&mut self) {
        let again = self
            .lossless
            .as_ref()
            .map_or(Ps::NEVER, |lossless| lossless.next_again());
        self.clocks.set(self.ports.len(), again);
    }

    /// Advances a port to `now` and applies the event. A frame that has left the port or was dropped may end
    /// a pause. Then the port of the opposite link sends the end of the pause.
    fn act(&mut self, number: usize, now: Ps, change: Change, links: &mut Links) {
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
            Change::Order(order) => port.obey(now, order, &mut outside),
            Change::Told(priority, is_paused) => {
                port.tell(now, priority, is_paused, &mut outside);
            }
            Change::None => {}
        }
        let gone = port.take_gone();
        self.clocks.set(number, port.next_due(true));
        // The refused frame is the last drop. PFC has not counted it.
        let counted = self.drops.len() - usize::from(is_refused);
        let dropped = self.drops[..counted].iter();
        let dropped: alloc::vec::Vec<(u32, Info)> = dropped
            .map(|dropped| (dropped.route, dropped.info))
            .collect();
        if !self.drops.is_empty() {
            self.note_drops(number);
        }
        for (label, info) in gone.into_iter().chain(dropped) {
            let lossless = self
                .lossless
                .as_mut()
                .filter(|lossless| lossless.covers(info));
            let due = lossless.and_then(|lossless| lossless.release(label, info));
            self.tell(now, due, links);
        }
    }
}
