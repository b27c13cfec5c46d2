//! Telemetry in packets (in-band network telemetry, INT): what the ports of switches write into a packet with data, and
//! what its acknowledgement takes back. Values are exact: no counter wraps, and nothing is rounded.

use alloc::vec::Vec;

use super::packet::{MOST_HOPS, RocePacket};
use crate::kernel::Ps;

/// The telemetry of a port of a switch, written when the service of a packet begins. The rate of its line is not
/// in it, because this rate does not change and the source has it from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hop {
    /// The time.
    pub at: Ps,
    /// Octets that the line has carried before the packet, with preambles and gaps.
    pub sent: u64,
    /// Octets on the line of the frames that wait at the port behind the packet.
    pub waiting: u64,
}

/// Hops of a packet, in the order of its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    hops: [Hop; MOST_HOPS],
    count: u32,
}

impl Trail {
    /// Adds a hop.
    ///
    /// # Panics
    /// If it has [`MOST_HOPS`]; a checked plan has no such way.
    pub fn push(&mut self, hop: Hop) {
        self.hops[self.count as usize] = hop;
        self.count += 1;
    }
    /// Telemetry of each hop that the packet has crossed, in order.
    pub fn hops(&self) -> &[Hop] {
        &self.hops[..self.count as usize]
    }
}

/// Trails of the packets that are in a switch. A packet has the place of its trail.
#[derive(Clone, Debug, Default)]
pub struct Trails {
    trails: Vec<Trail>,
    free: Vec<u32>,
}

impl Trails {
    /// Keeps a trail; returns its place.
    pub fn keep(&mut self, trail: Trail) -> u32 {
        if let Some(place) = self.free.pop() {
            self.trails[place as usize] = trail;
            return place;
        }
        self.trails.push(trail);
        self.trails.len() as u32 - 1
    }
    /// Takes the trail of a packet that leaves the switch or is lost; `None` if it has no room for telemetry.
    pub fn release(&mut self, packet: &mut RocePacket) -> Option<Trail> {
        if !packet.has_telemetry() {
            return None;
        }
        let place = core::mem::take(&mut packet.trail);
        self.free.push(place);
        Some(self.trails[place as usize])
    }
    /// Number of packets whose telemetry is stored.
    pub fn kept(&self) -> usize {
        self.trails.len() - self.free.len()
    }
}
