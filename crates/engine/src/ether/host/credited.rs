//! Credit control (FCVC) at a host: it sends frames as far as credit allows, and returns credit for arriving
//! frames.

use super::Host;
use crate::ether::frame::{Info, Packet, on_line};
use crate::ether::transport::{Frame, Links};
use crate::kernel::Ps;

impl Host {
    /// Sends a credit that waits, or else a frame of the first endpoint that has a frame and enough credit.
    /// The line of the interface must be free.
    pub(super) fn send_credited(&mut self, port: usize, now: Ps, links: &mut Links) {
        let Some(credited) = &mut self.credited else {
            return;
        };
        let found = match credited.credits[port].pop_front() {
            Some(credit) => {
                credited.sent += 1;
                Some((credit.frame(), credit.label, None))
            }
            None => self.next_of_round(port, now),
        };
        if let Some((frame, label, number)) = found {
            let at = self.interfaces[port].transmit(now, frame, label, links);
            if let Some(number) = number
                && frame.0.has_telemetry()
            {
                self.send_telemetry((number, port), at, links);
            }
        }
        self.note_start(port);
    }

    /// The next frame with enough credit, asked for round robin, with its label and the index of its
    /// endpoint.
    fn next_of_round(
        &mut self,
        port: usize,
        now: Ps,
    ) -> Option<((Info, Packet), u32, Option<u32>)> {
        while let Some(number) = self.interfaces[port].round.pop_front() {
            let end = &mut self.credited.as_mut()?.ends[number as usize];
            let endpoint = &mut self.endpoints[number as usize];
            let next = end.head.take().or_else(|| endpoint.poll(now));
            let sent = next.filter(|(info, _)| end.sends(on_line(info.octets())));
            if sent.is_none() {
                (end.head, end.waits) = (next, next.is_some());
            }
            // An endpoint that waits for credit returns to the round robin when credit arrives.
            endpoint.in_round = end.waits || sent.is_some() && endpoint.may_have_more();
            let (label, goes_on) = (endpoint.label, sent.is_some() && endpoint.in_round);
            self.note_wake(number as usize);
            if goes_on {
                self.put_back(port, number);
            }
            if let Some(frame) = sent {
                return Some((frame, label, Some(number)));
            }
        }
        None
    }

    /// Schedules the start of the next frame, if there may be one.
    fn note_start(&mut self, port: usize) {
        let interface = &self.interfaces[port];
        let credited = self.credited.as_ref();
        let at = if credited.is_some_and(|credited| !credited.credits[port].is_empty()) {
            interface.free_at
        } else {
            interface.next_start()
        };
        self.clocks.set(port, at);
    }

    /// Processes a frame that arrives at a host with credit control: takes a credit, or returns credit for
    /// the frame.
    pub(super) fn arrive_credited(&mut self, frame: Frame, packet: Packet, links: &mut Links) {
        let (number, now) = (frame.label as usize, frame.at);
        let Some(credited) = &mut self.credited else {
            return;
        };
        let end = &mut credited.ends[number];
        if let Packet::Credit { limit } = packet {
            if end.takes(limit) {
                let port = self.endpoints[number].port as usize;
                self.interfaces[port].round.push_back(number as u32);
                self.begin(port, now, links);
            }
            return;
        }
        let octets = on_line(frame.info.octets());
        let due = end.account.as_mut().and_then(|account| {
            let credit = account.forward(octets)?;
            Some((account.back as usize, credit))
        });
        if let Some((back, credit)) = due {
            credited.credits[back].push_back(credit);
            self.begin(back, now, links);
        }
        self.endpoints[number].arrive(now, (frame.info, &packet), &self.arriving);
        self.enrol(number, now);
        self.offer(number, now, links);
    }
}
