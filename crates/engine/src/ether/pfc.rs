//! Priority-based flow control (PFC, IEEE 802.1Q clause 36; its frame: IEEE 802.3 annex 31D). A switch whose
//! buffer fills with frames of one priority from one neighbour pauses that priority at the neighbour.
//!
//! A switch counts the octets in its buffer by incoming link and priority. If a frame raises a count above
//! XOFF, the switch sends a pause of this priority over the opposite link. When the count falls to XON, the
//! switch ends the pause. Before a pause expires, after half of its duration, the switch sends it again. A
//! PFC frame precedes all waiting frames and interrupts none. The neighbour begins no frame of the paused
//! priority later than its response time after the arrival of the pause.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::frame::{GAP, Info, PREAMBLE, SHORTEST, on_line};
use super::line::OctetClock;
use super::notice::{Due, Notice};
use super::pause::QUANTUM;
use crate::kernel::{Ps, Rate};
use crate::net::LinkPlan;

/// PFC of a network. Octets are those of frames, from header to FCS.
#[derive(Clone, Debug, PartialEq)]
pub struct PfcConfig {
    /// Priorities under PFC, 0 to 7.
    pub priorities: Vec<u8>,
    /// XOFF: the number of octets of one priority from one link above which the other end of the link is
    /// paused.
    pub xoff: u64,
    /// XON: the number of octets at which the pause ends, at most `xoff`.
    pub xon: u64,
    /// Octets of buffer above `xoff`; if absent, the octets that [`headroom`] returns.
    pub headroom: Option<u64>,
    /// Duration of a pause in quanta of 512 bit times.
    pub quanta: u16,
    /// Time from the arrival of a pause after which no frame of its priority begins.
    pub response: Ps,
}

/// Least quanta of a pause that is sent again before it expires. Half of its duration covers the end of the
/// frame in service and the PFC frame. `longest` is the octets of the longest frame.
pub fn least_quanta(longest: u32) -> u16 {
    let octets = 2 * (on_line(longest) + on_line(SHORTEST));
    u16::try_from(octets.div_ceil(QUANTUM)).unwrap_or(u16::MAX)
}

/// Maximum octets of frames that arrive over `link` once its count has reached XOFF. The frame that raises
/// the count above XOFF is included. `back` carries the pause. `longest` and `longest_back` are octets of the
/// longest frames on both links.
///
/// The pause waits for a frame that `back` has just begun. Its own 72 octets and the propagation follow, then
/// the response time. Frames that arrive after XOFF began up to one propagation time of `link` earlier. So
/// the other end of `link` may send frame after frame for the sum of these times. At the last instant it may
/// begin one more frame.
pub fn headroom(
    (link, longest): (&LinkPlan, u32),
    (back, longest_back): (&LinkPlan, u32),
    response: Ps,
) -> u64 {
    let told = OctetClock::new(back.rate);
    let wait = told.ceil(on_line(longest_back.max(SHORTEST))) + told.ceil(PREAMBLE + SHORTEST);
    let span = wait + back.delay + response + link.delay;
    // The line first carries the interframe gap behind the frame that raises the count above XOFF.
    let octets = octets_in(span, link.rate).saturating_sub(GAP.into());
    let frame = u64::from(on_line(longest));
    let (whole, rest) = (octets / frame, octets % frame);
    let rest = if rest >= u64::from(on_line(SHORTEST)) {
        rest - u64::from(PREAMBLE + GAP)
    } else {
        0
    };
    (whole + 2) * u64::from(longest) + rest
}

/// Octets that a line of `rate` sends in `span`, rounded up.
fn octets_in(span: Ps, rate: Rate) -> u64 {
    let thousandths = u128::from(span.0) * u128::from(rate.0);
    thousandths.div_ceil(8_000_000_000_000_000) as u64
}

/// Count of the octets of one priority from one link that a switch holds.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    held: u64,
    most: u64,
    /// Time at which the switch must send the pause again; `None` without a pause.
    again_at: Option<Ps>,
}

/// A link that leads to a switch.
#[derive(Clone, Debug)]
pub struct Ingress {
    /// Most octets of one priority: XOFF plus headroom.
    pub room: u64,
    /// Port of the opposite link.
    pub back: u32,
    /// Half of the duration of a pause.
    pub half: Ps,
    counts: [Count; 8],
}

impl Ingress {
    /// A link over which no frame has arrived yet.
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

/// PFC at a switch: the octets from each link, and the pauses that the switch has sent.
#[derive(Clone, Debug)]
pub struct Ingresses {
    /// A bit for each priority under PFC.
    priorities: u8,
    xoff: u64,
    xon: u64,
    quanta: u16,
    links: Vec<Ingress>,
    /// For each label the incoming link of its frames.
    link_of: Vec<u32>,
    /// Pauses to send again, in order of time, with their links and priorities. A pause that has ended stays
    /// in the list until its time.
    again: VecDeque<(Ps, u32, u8)>,
}

impl Ingresses {
    /// PFC at a switch without frames. `link_of` gives for each label the incoming link of its frames.
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
    /// True if the buffer has room for a frame with this label.
    pub fn admits(&self, label: u32, info: Info) -> bool {
        let link = &self.links[self.link_of[label as usize] as usize];
        let held = link.counts[info.priority() as usize].held;
        held + u64::from(info.octets()) <= link.room
    }
    /// Counts a frame with this label that arrives at `now`. Returns the pause that is due, if any.
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
        // Times are not in order of insertion, as links of different rates have pauses of different
        // durations.
        let place = self.again.partition_point(|(other, ..)| *other <= at);
        self.again.insert(place, (at, number, priority));
        Due {
            port: link.back,
            priority,
            notice: Notice::Pause(true, self.quanta),
        }
    }
    /// Removes a frame with this label from its count, since the frame has left. Returns the end of the pause
    /// if it is due.
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
    /// Time at which a pause must be sent again; `NEVER` without pauses.
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
    /// Most octets of one priority that the switch has held so far from the opposite link of `port`.
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
