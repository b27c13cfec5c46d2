//! Credit control at a switch: frames of channels with accounts, and credit that passes between ports.

use super::Switch;
use crate::ether::arriving::Arriving;
use crate::ether::frame::Packet;
use crate::ether::lanes::Passed;
use crate::ether::port::Outside;
use crate::ether::transport::{Frame, Links};
use crate::kernel::Ps;

/// An event at a port.
enum Change {
    /// A frame of the channel of this number arrives.
    Frame(u32, Arriving),
    /// The channel of this number gets credit up to a limit.
    Credit(u32, u32),
    /// A service ends, or credit waits.
    None,
}

impl Switch {
    /// A frame arrives at a switch with credit control.
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

    /// Advances a port with credit control to `now`.
    pub(super) fn advance_credited(&mut self, port: usize, now: Ps, links: &mut Links) {
        self.change(port, now, Change::None, links);
    }

    /// Advances a port to `now`, at which something happens to it. Credit for the frame that it has
    /// forwarded goes to the port that leads back, at which at the same time a service may end.
    fn change(&mut self, port: usize, now: Ps, change: Change, links: &mut Links) {
        let mut next = Some((port, change));
        while let Some((number, change)) = next.take() {
            let port = &mut self.ports[number];
            let mut outside = Outside {
                out: links.outlet(port.link),
                memory: None,
                drops: &mut self.drops,
                log: self.log.as_deref_mut(),
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
