//! Priority-based flow control (PFC, IEEE 802.1Q clause 36; its frame: IEEE 802.3 annex 31D): a switch whose
//! buffer fills with frames of a priority from one neighbour pauses that priority at the neighbour.
//!
//! A switch counts the octets that it holds, by the link over which they came and by priority. If a frame
//! takes a count above XOFF, the switch sends a pause for the priority over the opposite link; a count that
//! falls to XON ends the pause. A pause that lasts is sent again after half of its time, before it expires.
//! The frame with the pause comes before all others and interrupts none. The neighbour begins no frame of a
//! paused priority later than its response time after the pause has arrived.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::frame::{GAP, Info, PREAMBLE, Packet, SHORTEST, on_line};
use super::line::OctetClock;
use super::plan::{Plan, PlanError};
use crate::kernel::{Ps, Rate};
use crate::net::{LinkPlan, opposites};

/// Octets of a line in a quantum, the unit of pauses: 512 bits (IEEE 802.3 annex 31B.2).
const QUANTUM: u32 = 64;

/// PFC of a network. Octets are those of frames, from header to FCS.
#[derive(Clone, Debug, PartialEq)]
pub struct PfcConfig {
    /// Priorities under PFC, 0 to 7.
    pub priorities: Vec<u8>,
    /// Octets of a priority from one link above which the link's other end is paused.
    pub xoff: u64,
    /// Octets down to which the count falls before the pause ends, at most `xoff`.
    pub xon: u64,
    /// Room above `xoff`; if absent, that of [`headroom`].
    pub headroom: Option<u64>,
    /// Time of a pause in quanta of 512 bit times.
    pub quanta: u16,
    /// Time from the arrival of a pause until no frame of its priority begins any more.
    pub response: Ps,
}

/// Checks that nothing in a plan, which is right otherwise, contradicts PFC.
pub(super) fn check(plan: &Plan) -> Result<(), PlanError> {
    let fault = plan.pfc.as_ref().and_then(|config| fault(plan, config));
    fault.map_or(Ok(()), |fault| Err(PlanError(format!("pfc: {fault}"))))
}

fn fault(plan: &Plan, config: &PfcConfig) -> Option<String> {
    let mut switches = plan.nodes.iter().filter_map(|node| node.switch.as_ref());
    let mut channels = plan.channels();
    let backs = opposites(&plan.links);
    let mut used = plan.channels().flat_map(|channel| plan.links_of(channel));
    let least = least_quanta(longest(plan));
    Some(if config.priorities.is_empty() {
        "no priority".into()
    } else if let Some(priority) = config.priorities.iter().find(|priority| **priority > 7) {
        format!("priority {priority}; the highest is 7")
    } else if config.xon > config.xoff {
        format!("xon of {} octets is above xoff", config.xon)
    } else if config.quanta < least {
        format!("a pause of {} quanta; at least {least}", config.quanta)
    } else if plan.fcvc.is_some() {
        "credit beside pauses".into()
    } else if switches.any(|switch| switch.memory.is_some()) {
        "a shared memory beside pauses".into()
    } else if channels.any(|channel| !plan.sprayed(channel).is_empty()) {
        "pauses need one path for each channel".into()
    } else if let Some(link) = used.find(|link| backs[**link].is_none()) {
        format!(
            "link {} has no way back for its pauses",
            plan.links[*link].name
        )
    } else {
        return None;
    })
}

/// Octets of the longest frame of a plan.
pub fn longest(plan: &Plan) -> u32 {
    let packets = plan.flows.iter().map(|flow| flow.longest_packet() as u32);
    plan.framing.frame(packets.max().unwrap_or(0))
}

/// Least quanta of a pause that is sent again before it expires: in half of its time the frame in service
/// ends and the pause is sent.
pub fn least_quanta(longest: u32) -> u16 {
    let octets = 2 * (on_line(longest) + on_line(SHORTEST));
    u16::try_from(octets.div_ceil(QUANTUM)).unwrap_or(u16::MAX)
}

/// Octets of frames that arrive after the count of `link` has risen to XOFF, at most, the frame that takes it
/// above XOFF included. `back` carries the pause; `longest` and `longest_back` are octets of the longest
/// frames on both.
///
/// The pause waits for a frame that `back` has just begun, takes its own 72 octets and the propagation, and
/// acts after the response time. Since the propagation of `link` before, its other end may have begun one
/// frame after the other, and one begins at the last instant.
pub fn headroom(
    (link, longest): (&LinkPlan, u32),
    (back, longest_back): (&LinkPlan, u32),
    response: Ps,
) -> u64 {
    let told = OctetClock::new(back.rate);
    let wait = told.ceil(on_line(longest_back.max(SHORTEST))) + told.ceil(PREAMBLE + SHORTEST);
    let span = wait + back.delay + response + link.delay;
    // The gap behind the frame that takes the count above XOFF is on the line first.
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

/// Octets of a line of `rate` in `span`, rounded up.
fn octets_in(span: Ps, rate: Rate) -> u64 {
    let thousandths = u128::from(span.0) * u128::from(rate.0);
    thousandths.div_ceil(8_000_000_000_000_000) as u64
}

/// Priorities that a frame pauses or resumes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// A bit for each priority that the frame is about.
    pub priorities: u8,
    /// A bit for each of them that is paused; the others go on.
    pub paused: u8,
    /// Time of the pauses in quanta.
    pub quanta: u16,
}

impl Order {
    /// Adds a pause of `priority`, or its end.
    pub fn set(&mut self, priority: u8, is_paused: bool) {
        let bit = 1 << priority;
        self.priorities |= bit;
        self.paused = self.paused & !bit | if is_paused { bit } else { 0 };
    }
    /// The frame that carries it.
    pub fn frame(self) -> (Info, Packet) {
        (Info::pause(), Packet::Pause(self))
    }
}

/// Pauses of the priorities of a line.
#[derive(Clone, Debug)]
pub struct Pauses {
    clock: OctetClock,
    response: Ps,
    /// For each priority the last instant at which a frame may begin, and the first after it.
    spans: [(Ps, Ps); 8],
    /// Picoseconds of the pauses before, by priority.
    past: [u64; 8],
}

impl Pauses {
    /// The pauses of a line of `rate` that obeys after `response`.
    pub fn new(rate: Rate, response: Ps) -> Pauses {
        Pauses {
            clock: OctetClock::new(rate),
            response,
            spans: [(Ps::ZERO, Ps::ZERO); 8],
            past: [0; 8],
        }
    }
    /// True if no frame of `priority` may begin at `at`.
    #[inline]
    pub fn holds(&self, priority: u8, at: Ps) -> bool {
        let (last, next) = self.spans[priority as usize];
        last < at && at < next
    }
    /// First instant after the pause of `priority`.
    #[inline]
    pub fn ends_at(&self, priority: u8) -> Ps {
        self.spans[priority as usize].1
    }
    /// An order arrives at `now`.
    pub fn take(&mut self, now: Ps, order: Order) {
        let end = now + self.clock.ceil(u32::from(order.quanta) * QUANTUM);
        for priority in (0..8).filter(|priority| order.priorities >> priority & 1 == 1) {
            let span = &mut self.spans[priority];
            if order.paused >> priority & 1 == 0 {
                span.1 = span.1.min(now);
            } else if now < span.1 {
                // The pause that has been sent again.
                span.1 = end;
            } else {
                self.past[priority] += span.1.saturating_sub(span.0).0;
                *span = (now.saturating_add(self.response), end);
            }
        }
    }
    /// Picoseconds up to `now` in which no frame of a priority might begin, summed over the priorities.
    pub fn paused_ps(&self, now: Ps) -> u64 {
        let present = self
            .spans
            .iter()
            .map(|(last, next)| now.min(*next).saturating_sub(*last).0);
        present.sum::<u64>() + self.past.iter().sum::<u64>()
    }
}

/// A count of what a switch holds of one priority from one link.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    held: u64,
    most: u64,
    /// Time at which the pause must be sent again; `None` without a pause.
    again_at: Option<Ps>,
}

/// A link that leads to a switch.
#[derive(Clone, Debug)]
pub struct Ingress {
    /// Most octets of a priority, XOFF and headroom.
    pub room: u64,
    /// Port that leads back.
    pub back: u32,
    /// Half of the time of a pause.
    pub half: Ps,
    counts: [Count; 8],
}

impl Ingress {
    /// A link over which nothing has come.
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

/// PFC at a switch: what it holds from each link, and the pauses that it has sent.
#[derive(Clone, Debug)]
pub struct Lossless {
    /// A bit for each priority under PFC.
    priorities: u8,
    xoff: u64,
    xon: u64,
    links: Vec<Ingress>,
    /// By label: the link of its frames.
    link_of: Vec<u32>,
    /// Pauses to send again, by time: link and priority. One that has ended stays until its time.
    again: VecDeque<(Ps, u32, u8)>,
}

/// A pause, or its end, that a port must send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The port.
    pub port: u32,
    /// The priority.
    pub priority: u8,
    /// True for a pause.
    pub is_paused: bool,
}

impl Lossless {
    /// PFC at a switch without frames.
    pub fn new(config: &PfcConfig, links: Vec<Ingress>, link_of: Vec<u32>) -> Lossless {
        Lossless {
            priorities: config
                .priorities
                .iter()
                .fold(0, |bits, priority| bits | 1 << priority),
            xoff: config.xoff,
            xon: config.xon,
            links,
            link_of,
            again: VecDeque::new(),
        }
    }
    /// True for a frame of a priority under PFC.
    #[inline]
    pub fn covers(&self, info: Info) -> bool {
        self.priorities >> info.priority() & 1 == 1
    }
    /// True if there is room for a frame with this label.
    pub fn admits(&self, label: u32, info: Info) -> bool {
        let link = &self.links[self.link_of[label as usize] as usize];
        let held = link.counts[info.priority() as usize].held;
        held + u64::from(info.octets()) <= link.room
    }
    /// A frame with this label has come at `now`. Returns the pause that is due.
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
        // Links of different rates have different times.
        let place = self.again.partition_point(|(other, ..)| *other <= at);
        self.again.insert(place, (at, number, priority));
        Due {
            port: link.back,
            priority,
            is_paused: true,
        }
    }
    /// A frame with this label has gone. Returns the end of the pause if it is due.
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
            is_paused: false,
        })
    }
    /// Time at which a pause must be sent again.
    pub fn next_again(&self) -> Ps {
        self.again.front().map_or(Ps::NEVER, |(at, ..)| *at)
    }
    /// A pause that must be sent again at `now`.
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
    /// Most octets that the switch has held of one priority from the link that `port` leads back to.
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
