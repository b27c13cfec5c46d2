//! Bit errors on links: the sending end of a link draws which frames have an errored bit, and the receiver drops these
//! frames by their frame check sequence (FCS, IEEE 802.3 clause 3.2.9).
//!
//! Only the bits from header to FCS are drawn, since no check covers the preamble. An errored frame passes the CRC-32 by
//! chance with a probability of 2^-32, which is not modelled.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;

use super::frame::{Info, PREAMBLE, on_line};
use super::line::OctetClock;
use super::llr::Retry;
use super::transport::Frame;
use crate::kernel::{Digest, Ps};
use crate::net::LinkPlan;
use crate::net::bit_errors::BitErrors;

/// The sending end of a link that has bit errors, link-level retry, or both.
#[derive(Clone, Debug)]
pub struct Erring {
    errors: Option<BitErrors>,
    retry: Option<Retry>,
}

/// A frame as the sending end has put it onto its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Header word of the frame, with a flag if it arrives with an errored bit.
    pub info: Info,
    /// Time at which its last bit leaves.
    pub last_bit: Ps,
    /// Time from which on the line may send the next frame: picoseconds, and the fraction of a picosecond.
    pub free: (Ps, u64),
}

impl Erring {
    /// The sending end of `link` in a run with `seed`, with link-level retry if `retry` is given; `None` if the link has
    /// neither bit errors nor retry.
    pub fn new(link: &LinkPlan, seed: u64, retry: Option<Retry>) -> Option<Box<Erring>> {
        let errors = link.errors.as_ref();
        let errors = errors.and_then(|errors| errors.of_link(seed, &link.name));
        let acts = errors.is_some() || retry.is_some();
        acts.then(|| Box::new(Erring { errors, retry }))
    }
    /// Link-level retry; `None` without it.
    pub fn retry(&self) -> Option<&Retry> {
        self.retry.as_ref()
    }

    /// Sends a frame whose preamble begins at the time `start.0` plus the fraction `start.1` of a picosecond. Under
    /// link-level retry a frame with an errored bit is sent again.
    #[cold]
    pub fn send(&mut self, clock: &OctetClock, start: (Ps, u64), info: Info) -> Sent {
        let (octets, mut begin, mut tries) = (info.octets(), start, 0);
        loop {
            let until = |octets: u32| clock.after(begin.0, begin.1, octets).0;
            let (first_bit, last_bit) = (until(PREAMBLE), until(PREAMBLE + octets));
            let bits = u64::from(octets) * 8;
            let errors = self.errors.as_mut();
            let is_hit = errors.is_some_and(|errors| errors.hit((first_bit, last_bit), bits));
            tries += 1;
            let again = |retry: &mut Retry| retry.again(last_bit, tries);
            if is_hit && let Some(again) = self.retry.as_mut().and_then(again) {
                begin = (again, 0);
                continue;
            }
            let mut free = clock.after(begin.0, begin.1, on_line(octets));
            if let Some(retry) = &mut self.retry {
                let has_room = retry.keep(last_bit, octets);
                if has_room > free.0 {
                    free = (has_room, 0);
                }
                let (at_once, _) = clock.after(start.0, start.1, on_line(octets));
                retry.note(free.0 - at_once);
            }
            return Sent {
                info: if is_hit { info.errored() } else { info },
                last_bit,
                free,
            };
        }
    }
}

/// Label that stands for frames of no flow: pauses, and credits of links.
const NO_FLOW: u32 = u32::MAX;

/// Frames that a node has dropped by their FCS.
#[derive(Clone, Debug, Default)]
pub struct FcsErrors {
    /// Number of frames and payload bytes, by incoming link and label.
    lost: BTreeMap<(u32, u32), (u64, u64)>,
    digest: Digest,
}

impl FcsErrors {
    /// Counts an errored frame with `payload` bytes that arrives by `link`. Returns true if the frame belongs to a flow.
    pub fn add(&mut self, link: u32, frame: Frame, payload: u64) -> bool {
        let Frame { at, label, info } = frame;
        let of_flow = !info.is_of_link() && !info.is_credit();
        let label = if of_flow { label } else { NO_FLOW };
        let (packets, bytes) = self.lost.entry((link, label)).or_default();
        *packets += 1;
        *bytes += payload;
        self.digest.add(at.0 ^ info.bits() << 32);
        of_flow
    }
    /// The dropped frames of flows: label, number of frames, and payload bytes. A label may occur several times.
    pub fn of_flows(&self) -> impl Iterator<Item = (u32, u64, u64)> {
        let lost = self.lost.iter();
        let lost = lost.filter(|((_, label), _)| *label != NO_FLOW);
        lost.map(|((_, label), (packets, bytes))| (*label, *packets, *bytes))
    }
    /// Number of dropped frames by incoming link, frames of no flow included. A link occurs once for each label.
    pub fn by_link(&self) -> impl Iterator<Item = (u32, u64)> {
        let lost = self.lost.iter();
        lost.map(|((link, _), (packets, _))| (*link, *packets))
    }
    /// Hash of all dropped frames; `None` without such frames.
    pub fn digest(&self) -> Option<Digest> {
        (!self.lost.is_empty()).then_some(self.digest)
    }
}
