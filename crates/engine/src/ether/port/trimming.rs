//! Trimming: a RoCE packet with data that does not fit into its queue is cut to its headers, which wait in another queue. So
//! the receiver learns at once which packet is lost.
//!
//! The rules follow the switches of the public simulator of the Ultra Ethernet Consortium (uet-htsim), with one difference.
//! There a coin decides whether the arriving packet or the newest packet of the queue is cut; here the arriving packet is
//! cut. In both the frame of the headers has 64 octets.

use super::{Outside, Port, without};
use crate::ether::arriving::Arriving;
use crate::ether::frame::{Ecn, Info, Packet};
use crate::ether::roce::packet::{Kind, NO_TELEMETRY};

impl Port {
    /// Gives each queue the limit of `buffer` octets, and the queue of trimmed packets twice this limit, as in uet-htsim.
    pub(super) fn set_limits(&mut self, buffer: u64) {
        let of_trimmed = self
            .trimming
            .map(|one| self.queue_of[usize::from(one.priority)]);
        for (number, queue) in self.queues.iter_mut().enumerate() {
            let times = if of_trimmed == Some(number as u8) {
                2
            } else {
                1
            };
            queue.limit = buffer.saturating_mul(times);
        }
    }
    /// True if the port trims packets that do not fit into their queue.
    pub fn trims(&self) -> bool {
        self.trimming.is_some()
    }
    /// Trims a frame that does not fit into queue `number`, and returns the queue of the trimmed frame. `None` if the frame
    /// cannot be trimmed. The frame had the ECN code point `came` when it arrived.
    #[cold]
    pub(super) fn trim(
        &mut self,
        number: usize,
        frame: &mut Arriving,
        came: Ecn,
        outside: &mut Outside<'_>,
    ) -> Option<usize> {
        let trimming = self.trimming?;
        let Packet::Roce(packet) = &mut frame.packet else {
            return None;
        };
        if packet.kind != Kind::Data {
            return None;
        }
        // The telemetry of the packet describes a queue that the packet has not crossed.
        outside.trails.release(packet);
        (packet.kind, packet.trail) = (Kind::Trimmed, NO_TELEMETRY);
        let counts = &mut self.queues[number].counts;
        counts.arrived = without(counts.arrived, frame.info.octets());
        counts.trimmed += 1;
        let info = Info::roce(trimming.octets, trimming.priority);
        frame.info = if came == Ecn::Ce { info.marked() } else { info };
        Some(self.queue_of[usize::from(trimming.priority)].into())
    }
}
