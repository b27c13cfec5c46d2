//! Links that err: the sender of a link draws which frames have an errored bit, and the receiver drops these by their frame
//! check sequence (FCS, IEEE 802.3 clause 3.2.9).
//!
//! The bits from header to FCS count. A preamble has no check of its own. An errored frame passes the CRC-32 by chance with
//! a probability of 2^-32, which is not modelled.

use alloc::collections::BTreeMap;

use super::frame::{Info, Packet};
use super::switch::payload;
use super::transport::Frame;
use super::window::Dropped;
use crate::kernel::{Digest, Ps};
use crate::net::bit_errors::BitErrors;

/// Marks a frame if one of its bits is errored. The bits from header to FCS pass from `first` to `last`.
#[cold]
pub fn pass(errors: &mut BitErrors, info: Info, span: (Ps, Ps)) -> Info {
    if errors.hit(span, u64::from(info.octets()) * 8) {
        info.errored()
    } else {
        info
    }
}

/// Frames of no flow: pauses, and credits of links.
const NO_FLOW: u32 = u32::MAX;

/// Frames that a node has dropped by their FCS.
#[derive(Clone, Debug, Default)]
pub struct FcsErrors {
    /// Frames and payload bytes by incoming link and label.
    lost: BTreeMap<(u32, u32), (u64, u64)>,
    digest: Digest,
}

impl FcsErrors {
    /// Counts an errored frame that arrives by `link`. Returns true if it belongs to a flow.
    pub fn add(&mut self, link: u32, frame: Frame, packet: &Packet) -> bool {
        let Frame { at, label, info } = frame;
        let of_flow = !info.is_of_link() && !info.is_credit();
        let label = if of_flow { label } else { NO_FLOW };
        let (packets, bytes) = self.lost.entry((link, label)).or_default();
        *packets += 1;
        *bytes += payload(packet);
        self.digest.add(at.0 ^ info.bits() << 32);
        of_flow
    }
    /// Dropped frames of flows, by label.
    pub fn of_flows(&self) -> impl Iterator<Item = (u32, Dropped)> {
        let lost = self.lost.iter();
        let lost = lost.filter(|((_, label), _)| *label != NO_FLOW);
        lost.map(|((_, label), (packets, bytes))| {
            let (packets, bytes) = (*packets, *bytes);
            (*label, Dropped { packets, bytes })
        })
    }
    /// Dropped frames by incoming link, those of no flow included. A link has an entry for each label.
    pub fn by_link(&self) -> impl Iterator<Item = (u32, u64)> {
        let lost = self.lost.iter();
        lost.map(|((link, _), (packets, _))| (*link, *packets))
    }
    /// Hash of all dropped frames; `None` without such frames.
    pub fn digest(&self) -> Option<Digest> {
        (!self.lost.is_empty()).then_some(self.digest)
    }
}
