//! Priority-based flow control (PFC, IEEE 802.1Q clause 36; frame format: IEEE 802.3 annex 31D). A switch
//! whose buffer fills with frames of one priority from one neighbour pauses this priority at the neighbour.
//!
//! A switch counts the octets in its buffer by incoming link and priority. If a frame raises a count above
//! XOFF, the switch sends a pause of this priority over the opposite link. When the count falls to XON, the
//! switch ends the pause. After half of the duration of a pause, before it expires, the switch sends the
//! pause again. A PFC frame precedes all waiting frames and interrupts none. After the arrival of a pause and
//! the response time the neighbour begins no frame of the paused priority.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::frame::{GAP, Info, PREAMBLE, SHORTEST, on_line};
use super::line::OctetClock;
use super::notice::{Due, Notice};
use super::pause::QUANTUM;
use crate::kernel::{Ps, Rate};
use crate::net::LinkPlan;

/// Settings of PFC, the same in the whole network. Octets count frames from header to FCS.
#[derive(Clone, Debug, PartialEq)]
pub struct PfcConfig {
    /// Priorities under PFC, 0 to 7.
    pub priorities: Vec<u8>,
    /// XOFF: number of octets of one priority from one link above which the switch pauses the other end of
    /// the link.
    pub xoff: u64,
    /// XON: number of octets at which the switch ends the pause, at most `xoff`.
    pub xon: u64,
    /// Octets of buffer beyond `xoff` for each link and priority; if absent, the octets that [`headroom`]
    /// returns.
    pub headroom: Option<u64>,
    /// Duration of a pause in quanta of 512 bit times.
    pub quanta: u16,
    /// Time after the arrival of a pause from which on no frame of its priority begins.
    pub response: Ps,
}

/// Least duration of a pause in quanta, if the pause is sent again after half of its duration. This half must
/// cover the end of the frame that is being sent, and the PFC frame. The longest frame has `longest` octets.
pub fn least_quanta(longest: u32) -> u16 {
    let octets = 2 * (on_line(longest) + on_line(SHORTEST));
    u16::try_from(octets.div_ceil(QUANTUM)).unwrap_or(u16::MAX)
}

/// Greatest number of octets of frames that arrive over `link` once the count has reached XOFF, the frame
/// that raises the count above XOFF included. The pause returns over the opposite link `back`. The longest
/// frames of `link` and `back` have `longest` and `longest_back` octets.
///
/// The pause waits for a frame that `back` has just begun. The 72 octets of the pause and the propagation
/// follow, then the response time. Frames that arrive after XOFF began up to one propagation time of `link`
/// earlier. So the other end of `link` may send frame after frame for the sum of these times. At the last
/// instant it may begin one more frame.
pub fn headroom(
    (link, longest): (&LinkPlan, u32),
    (back, longest_back): (&LinkPlan, u32),
    response: Ps,
) -> u64 {
    let told = OctetClock::new(back.rate);
    let wait = told.ceil(on_line(longest_back.max(SHORTEST))) + told.ceil(PREAMBLE + SHORTEST);
    let span = wait + back.delay + response + link.delay;
    // The line first carries the interframe gap behind the frame that raises the count above XOFF.
    let octets = OctetClock::new(link.rate)
        .octets_in(span)
        .saturating_sub(GAP.into());
    let frame = u64::from(on_line(longest));
    let (whole, rest) = (octets / frame, octets % frame);
    let rest = if rest >= u64::from(on_line(SHORTEST)) {
        rest - u64::from(PREAMBLE + GAP)
    } else {
        0
    };
    (whole + 2) * u64::from(longest) + rest
}

/// Count of the octets of one priority from one link that a switch holds: now (`held`) and at most so far
/// (`most`).
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    held: u64,
    most: u64,
    /// Time at which the switch must send the pause again; `None` without a pause.
    again_at: Option<Ps>,
}

/// PFC for one link that leads to a switch: settings and counts.
#[derive(Clone, Debug)]
pub struct Ingress {
    /// Greatest number of octets of one priority: XOFF plus headroom.
    pub room: u64,
    /// Number of the port that feeds the opposite link.
    pub back: u32,
    /// Half of the duration of a pause, after which the pause is sent again.
    pub half: Ps,
    counts: [Count; 8],
}

impl Ingress {
    /// PFC for a link over which no frame has arrived yet.
    pub fn new(room: u64, back: u32, (rate, quanta): (Rate, u16)) -> Ingress {
        let half = u32::from(quanta) * QUANTUM / 2;
        Ingress {
            room,
            back,
            half: OctetClock::new(rate).floor(half),
            counts: Default::default(),
        }
    }
}

/// PFC at a switch: the octets held from each link, and the pauses that are in force.
#[derive(Clone, Debug)]
pub struct Ingresses {
    /// A bit for each priority under PFC.
    priorities: u8,
    xoff: u64,
    xon: u64,
    quanta: u16,
    links: Vec<Ingress>,
    /// For each label, the index of the incoming link by which frames with this label arrive.
    link_of: Vec<u32>,
    /// Times at which pauses must be sent again, in order, with the index of the link and the priority of
    /// each pause. A pause that has ended stays in the list until its time.
    again: VecDeque<(Ps, u32, u8)>,
}

impl Ingresses {
    /// PFC at a switch without frames. `link_of` has, for each label, the index of the incoming link of
    /// frames with this label.
    pub fn new(config: &PfcConfig, links: Vec<Ingress>, link_of: Vec<u32>) -> Ingresses {
        Ingresses {
            priorities: config
                .priorities
                .iter()
                .fold(0, |bits, priority| bits | 1 << priority),
            xoff: config.xoff,
            xon: config.xon,
            quanta: config.quanta,
            links,
            link_of,
            again: VecDeque::new(),
        }
    }
    /// True for a frame of a priority under PFC.
    #[inline]
    pub fn covers(&self, info: Info) -> bool {
        info.is_held_back() && self.priorities >> info.priority() & 1 == 1
    }
    /// True if a frame with this label fits into the buffer.
    pub fn admits(&self, label: u32, info: Info) -> bool {
        let link = &self.links[self.link_of[label as usize] as usize];
        let held = link.counts[info.priority() as usize].held;
        held + u64::from(info.octets()) <= link.room
    }
    /// Counts a frame with this label that arrives at `now`. Returns the pause that must be sent now, if any.
    pub fn take(&mut self, now: Ps, label: u32, info: Info) -> Option<Due> {
        let (number, priority) = (self.link_of[label as usize], info.priority());
        let link = &mut self.links[number as usize];
        let count = &mut link.counts[priority as usize];
        count.held += u64::from(info.octets());
        count.most = count.most.max(count.held);
        if count.held <= self.xoff || count.again_at.is_some() {
            return None;
        }
        Some(self.pause(now, number, priority))
    }
    fn pause(&mut self, now: Ps, number: u32, priority: u8) -> Due {
        let link = &mut self.links[number as usize];
        let at = now.saturating_add(link.half);
        link.counts[priority as usize].again_at = Some(at);
        // Times do not come in order, as links of different rates have pauses of different durations.
        let place = self.again.partition_point(|(other, ..)| *other <= at);
        self.again.insert(place, (at, number, priority));
        Due {
            port: link.back,
            priority,
            notice: Notice::Pause(true, self.quanta),
        }
    }
    /// Takes a frame with this label, which has left the switch, off the count. Returns the end of the pause
    /// if it must be sent now.
    pub fn release(&mut self, label: u32, info: Info) -> Option<Due> {
        let (number, priority) = (self.link_of[label as usize], info.priority());
        let link = &mut self.links[number as usize];
        let count = &mut link.counts[priority as usize];
        count.held -= u64::from(info.octets());
        if count.again_at.is_none() || count.held > self.xon {
            return None;
        }
        count.again_at = None;
        Some(Due {
            port: link.back,
            priority,
            notice: Notice::Pause(false, self.quanta),
        })
    }
    /// Time at which the next pause must be sent again; `NEVER` without pauses.
    pub fn next_again(&self) -> Ps {
        self.again.front().map_or(Ps::NEVER, |(at, ..)| *at)
    }
    /// Removes and returns a pause that must be sent again at `now`.
    pub fn again(&mut self, now: Ps) -> Option<Due> {
        while let Some((at, number, priority)) = self.again.front().copied()
            && at <= now
        {
            self.again.pop_front();
            let count = self.links[number as usize].counts[priority as usize];
            if count.again_at == Some(at) {
                return Some(self.pause(now, number, priority));
            }
        }
        None
    }
    /// Octets in the buffer of the switch; `None` unless all priorities are under PFC.
    pub fn held(&self) -> Option<u64> {
        let counts = self.links.iter().flat_map(|link| &link.counts);
        (self.priorities == u8::MAX).then(|| counts.map(|count| count.held).sum())
    }
    /// Greatest number of octets of one priority that the switch has held so far from the link opposite to
    /// the link of `port`.
    pub fn most(&self, port: u32) -> u64 {
        let mut links = self.links.iter().filter(|link| link.back == port);
        let counts = links.next().map(|link| link.counts);
        counts
            .into_iter()
            .flatten()
            .map(|count| count.most)
            .max()
            .unwrap_or(0)
    }
}
