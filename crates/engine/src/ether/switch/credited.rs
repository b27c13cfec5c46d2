//! Credit control (FCVC) at a switch: frames of channels with buffer accounts, and credits that the ports
//! return.

use super::Switch;
use crate::ether::arriving::Arriving;
use crate::ether::frame::Packet;
use crate::ether::lanes::Passed;
use crate::ether::port::Outside;
use crate::ether::transport::{Frame, Links};
use crate::kernel::Ps;

/// Kind of event at a port.
enum Change {
    /// A frame arrives on the channel with this index at the port.
    Frame(u32, Arriving),
    /// Credit arrives: the index of the channel at the port, and the limit up to which the channel may send.
    Credit(u32, u32),
    /// A transmission ends, or the port has credit to send.
    None,
}

impl Switch {
    /// Processes a frame that arrives at a switch under credit control (FCVC).
    pub(super) fn arrive_credited(
        &mut self,
        Frame { at, label, info }: Frame,
        packet: Packet,
        links: &mut Links,
    ) {
        let route = &self.routes[label as usize];
        let Some((_, slot)) = self.account(label).copied() else {
            return;
        };
        let change = match packet {
            Packet::Credit { limit } => Change::Credit(slot, limit),
            _ => {
                let frame = Arriving {
                    route: label,
                    label: route.label,
                    info,
                    packet,
                    slot: None,
                };
                Change::Frame(slot, frame)
            }
        };
        self.change(route.port as usize, at, change, links);
    }

    /// Processes the end of a transmission at a port under credit control, at `now`.
    pub(super) fn advance_credited(&mut self, port: usize, now: Ps, links: &mut Links) {
        self.change(port, now, Change::None, links);
    }

    /// Advances a port to `now` and applies `change`. If credit is due for the frame that the port has just
    /// forwarded, the port that feeds the opposite link of this frame's incoming link sends the credit.
    /// There, too, a transmission may end at the same instant.
    fn change(&mut self, port: usize, now: Ps, change: Change, links: &mut Links) {
        let mut next = Some((port, change));
        while let Some((number, change)) = next.take() {
            let port = &mut self.ports[number];
            let mut outside = Outside {
                out: links.outlet(port.link),
                memory: None,
                drops: &mut self.drops,
                log: self.log.as_deref_mut(),
                trails: &mut self.trails,
            };
            port.advance(now, &mut outside);
            match change {
                Change::Frame(slot, frame) => {
                    port.arrive_credited(now, (slot, frame), &mut outside);
                }
                Change::Credit(slot, limit) => port.on_credit(now, slot, limit, &mut outside),
                Change::None => port.begin_if_free(now, &mut outside),
            }
            let forwarded = port.take_forwarded();
            self.clocks.set(number, port.next_due(true));
            if let Some(Passed { route, octets }) = forwarded
                && let Some(accounts) = &mut self.accounts
            {
                let account = &mut accounts[route as usize].0;
                if let Some(credit) = account.forward(octets) {
                    let back = account.back as usize;
                    self.ports[back].give(credit);
                    next = Some((back, Change::None));
                }
            }
        }
    }
}
