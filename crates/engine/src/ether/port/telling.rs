//! Telemetry at a port of a switch: what the port writes into the packets that leave.

use super::{Outside, Port};
use crate::ether::arriving::Arriving;
use crate::ether::frame::{Info, Packet, on_line};
use crate::ether::hosted::on_the_line;
use crate::ether::roce::packet;
use crate::ether::roce::telemetry::{Hop, Trail};
use crate::kernel::Ps;

impl Port {
    /// Puts a frame with telemetry onto the link, whose first bit leaves at `start`. A packet with
    /// data gets the telemetry of this hop.
    #[cold]
    pub(super) fn occupy_telling(
        &mut self,
        start: Ps,
        mut frame: Arriving,
        outside: &mut Outside<'_>,
    ) {
        let mut trail = Trail::default();
        if let Packet::Roce(packet) = &mut frame.packet {
            trail = outside.trails.release(packet).unwrap_or_default();
            if packet.kind == packet::Kind::Data {
                trail.push(self.hop(start, frame.info));
            }
        }
        frame.info = frame.info.with_hops(trail.hops().len());
        let at = self.carry_frame(start, &frame, outside);
        for hop in trail.hops() {
            outside.out.link.push_further(at, &Packet::Hop(*hop));
        }
    }
    /// The telemetry of this hop for a packet whose transmission starts at `start`. The queues still
    /// count the packet.
    fn hop(&self, start: Ps, info: Info) -> Hop {
        let held = self.queues.iter().map(|queue| on_the_line(queue.held));
        Hop {
            at: start,
            sent: self.begun,
            waiting: held.sum::<u64>() - u64::from(on_line(info.octets())),
        }
    }
}
