//! The turn of a node: its own events and the frames that arrive at it, in the order of time.

use super::frame::Packet;
use super::transport::{Arrivals, Frame, Inbox, Links};
use crate::kernel::Ps;

/// A node as its turn sees it: components with clocks, and arrivals.
pub trait Components {
    /// The component that has something to do first, and when.
    fn first_due(&self) -> (Ps, usize);
    /// Does what a component has to do `now`.
    fn event(&mut self, component: usize, now: Ps, links: &mut Links);
    /// Takes a frame that arrives, with its packet.
    fn arrive(&mut self, frame: Frame, packet: Packet, links: &mut Links);
}

/// Processes everything before `horizon`; at one instant events in the order of the components, then
/// arrivals in the order of the inbox.
#[inline]
pub fn turn(node: &mut impl Components, inbox: &mut Inbox, links: &mut Links, horizon: Ps) {
    if inbox.is_drawn() {
        turn_in_order::<true>(node, inbox, links, horizon);
    } else {
        turn_in_order::<false>(node, inbox, links, horizon);
    }
}

fn turn_in_order<const DRAWN: bool>(
    node: &mut impl Components,
    inbox: &mut Inbox,
    links: &mut Links,
    horizon: Ps,
) {
    let mut arrivals = Arrivals::<DRAWN>::new(inbox, links, horizon);
    loop {
        let (due, component) = node.first_due();
        let next = arrivals.next();
        if due.min(next) >= horizon {
            break;
        }
        if due <= next {
            node.event(component, due, links);
        } else if let Some(frame) = arrivals.take(links) {
            let packet = arrivals.record(frame.info, links);
            node.arrive(frame, packet, links);
        }
    }
    arrivals.end();
}
