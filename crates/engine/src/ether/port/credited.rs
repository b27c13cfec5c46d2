//! Credit control (FCVC) at a port of a switch.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{NO_QUEUE, Outside, Port};
use crate::credit::Sender;
use crate::ether::arriving::Arriving;
use crate::ether::credit::Credit;
use crate::ether::lanes::{Credited, Passed};
use crate::kernel::Ps;

impl Port {
    /// Puts the channels of the port under credit control. Each has its credit, and the octets on the line
    /// that are reserved for it at this switch.
    pub fn set_credit(&mut self, channels: Vec<(Sender, u64)>) {
        self.credited = Some(Box::new(Credited::new(channels)));
        self.ahead = None;
    }
    /// State of credit control; `None` without credit control.
    pub fn credited(&self) -> Option<&Credited> {
        self.credited.as_deref()
    }
    /// Adds a credit to be returned, which waits for a free line.
    pub fn give(&mut self, credit: Credit) {
        if let Some(credited) = &mut self.credited {
            credited.credits.push_back(credit);
        }
    }
    /// The frame that the port has just forwarded; `None` at each further call.
    pub fn take_forwarded(&mut self) -> Option<Passed> {
        self.credited.as_mut()?.forwarded.take()
    }
    /// Processes a frame that arrives at `now` on the channel with the index `slot` at the port. The port
    /// must have been advanced to `now`. The credit of the previous node guarantees that the frame fits
    /// into the buffer.
    pub fn arrive_credited(
        &mut self,
        now: Ps,
        (slot, frame): (u32, Arriving),
        outside: &mut Outside<'_>,
    ) {
        let (queue, octets) = (&mut self.queues[0], frame.info.octets());
        queue.counts.arrived = super::with(queue.counts.arrived, octets);
        queue.enter(now, octets);
        if let Some(credited) = &mut self.credited {
            credited.take(slot, frame);
        }
        self.begin_if_free(now, outside);
    }
    /// Sets the credit of the channel with the index `slot` at the port to `limit` at `now`. The port must
    /// have been advanced to `now`.
    pub fn on_credit(&mut self, now: Ps, slot: u32, limit: u32, outside: &mut Outside<'_>) {
        if let Some(credited) = &mut self.credited {
            credited.lanes[slot as usize].sender.set_limit(limit);
            credited.offer(slot);
        }
        self.begin_if_free(now, outside);
    }
    /// Starts a transmission at `now` if the line is free.
    pub fn begin_if_free(&mut self, now: Ps, outside: &mut Outside<'_>) {
        if self.serving.is_none() {
            self.carry = 0;
            self.begin_credited(now, outside);
        }
    }
    /// Ends the last transmission, and starts the next one at `start`: a waiting credit, or else a frame
    /// of the next channel by round robin.
    pub(super) fn begin_credited(&mut self, start: Ps, outside: &mut Outside<'_>) {
        let Some(credited) = &mut self.credited else {
            return;
        };
        credited.end_service();
        if let Some(credit) = credited.credits.pop_front() {
            credited.credits_sent += 1;
            let (info, packet) = credit.frame();
            let frame = Arriving {
                route: 0,
                label: credit.label,
                info,
                packet,
                slot: None,
            };
            self.serve(start, NO_QUEUE, &frame, outside);
        } else if let Some(frame) = credited.next() {
            self.serve(start, 0, &frame, outside);
        }
    }
}
