//! Telemetry in packets (in-band network telemetry, INT): what the ports of switches write into a packet with data, and
//! what the acknowledgement of this packet takes back. Values are exact: no counter wraps, and nothing is rounded.

use alloc::vec::Vec;

use super::packet::{MOST_HOPS, RocePacket};
use crate::kernel::Ps;

/// Telemetry that a port of a switch writes into a packet when the transmission of the packet begins. The rate of the
/// port's line is left out, because it does not change and the source knows it from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hop {
    /// Time at which the transmission of the packet begins.
    pub at: Ps,
    /// Octets that the line has carried before the packet since the start of the run, with preambles and gaps.
    pub sent: u64,
    /// Octets on the line of the frames that wait at the port behind the packet.
    pub waiting: u64,
}

/// Telemetry of the switches on the path of a packet, in the order of the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    hops: [Hop; MOST_HOPS],
    count: u32,
}

impl Trail {
    /// Adds the telemetry of a switch.
    ///
    /// # Panics
    /// If it already has [`MOST_HOPS`] entries; a checked plan has no path of more switches.
    pub fn push(&mut self, hop: Hop) {
        self.hops[self.count as usize] = hop;
        self.count += 1;
    }
    /// Telemetry of each switch that the packet has crossed, in order.
    pub fn hops(&self) -> &[Hop] {
        &self.hops[..self.count as usize]
    }
}

/// The telemetry of the packets that are in a switch. The field [`RocePacket::trail`] of a packet is an index into it.
#[derive(Clone, Debug, Default)]
pub struct Trails {
    trails: Vec<Trail>,
    free: Vec<u32>,
}

impl Trails {
    /// Stores the telemetry of a packet that enters the switch; returns its index.
    pub fn keep(&mut self, trail: Trail) -> u32 {
        if let Some(place) = self.free.pop() {
            self.trails[place as usize] = trail;
            return place;
        }
        self.trails.push(trail);
        self.trails.len() as u32 - 1
    }
    /// Removes and returns the telemetry of a packet that leaves the switch or is dropped; `None` if the packet has no
    /// space for telemetry.
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
