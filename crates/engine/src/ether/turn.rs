//! Processing of a node: its own events and arriving frames, in order of time.

use super::frame::Packet;
use super::roce::telemetry::Trail;
use super::transport::{Arrivals, Frame, Inbox, Links};
use crate::kernel::Ps;

/// A node as [`turn`] sees it: components with event times, and arrivals.
pub trait Components {
    /// Time of the first event of all components, and the index of the component that has it.
    fn first_due(&self) -> (Ps, usize);
    /// Processes the event of a component at `now`.
    fn event(&mut self, component: usize, now: Ps, links: &mut Links);
    /// Keeps the telemetry of the packet that arrives next.
    fn keep(&mut self, packet: &mut Packet, trail: Trail);
    /// Drops a frame with an errored bit, which arrives by `link`.
    fn refuse(&mut self, link: u32, frame: Frame, packet: Packet);
    /// Processes an arriving frame with its packet.
    fn arrive(&mut self, frame: Frame, packet: Packet, links: &mut Links);
}

/// Processes all events before `horizon`. At one instant the events of components come first, in order of
/// their indices. Arrivals follow, in the order of the inbox.
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
            let mut packet = arrivals.record(frame.info, links);
            if frame.info.has_telemetry() {
                let mut trail = Trail::default();
                for _ in 0..frame.info.hops() {
                    if let Packet::Hop(hop) = arrivals.record(frame.info, links) {
                        trail.push(hop);
                    }
                }
                if !frame.info.is_errored() {
                    node.keep(&mut packet, trail);
                }
            }
            if frame.info.is_errored() {
                node.refuse(arrivals.link(), frame, packet);
                continue;
            }
            node.arrive(frame, packet, links);
        }
    }
    arrivals.end();
}
