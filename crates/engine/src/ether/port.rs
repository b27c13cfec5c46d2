//! An output port of a switch: queues by class, the service of one frame after the other.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::frame::{GAP, Info, PREAMBLE, Packet};
use super::line::OctetClock;
use super::transport::{Frame, Outlet};
use crate::kernel::{Ps, Rate};

/// Frames in a queue: their octets, from header to FCS, and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Octets.
    pub octets: u64,
    /// Frames.
    pub packets: u64,
}

impl Held {
    fn add(&mut self, octets: u32) {
        self.octets += octets as u64;
        self.packets += 1;
    }
    fn remove(&mut self, octets: u32) {
        self.octets -= octets as u64;
        self.packets -= 1;
    }
}

/// Counters of a queue since the start of the run.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueCounts {
    /// Frames and octets that arrived, dropped ones included.
    pub arrived: Held,
    /// Frames and octets dropped.
    pub dropped: Held,
    /// Frames that the port marked.
    pub marked: u64,
    /// Integral of the octets held over time, in octets times picoseconds.
    pub octet_ps: u128,
    /// Integral of the frames held over time, in frames times picoseconds.
    pub packet_ps: u128,
}

/// A frame that waits.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    label: u32,
    info: Info,
    packet: Packet,
}

/// A queue of a port.
#[derive(Clone, Debug)]
struct Queue {
    /// Most octets that it may hold, the frame in service included; `u64::MAX` without a limit.
    limit: u64,
    waiting: VecDeque<Waiting>,
    /// The frame in service counts until its gap has passed.
    held: Held,
    most: Held,
    counts: QueueCounts,
    /// Instant up to which the integrals have been computed.
    since: Ps,
}

impl Queue {
    fn new(limit: u64) -> Queue {
        Queue {
            limit,
            waiting: VecDeque::new(),
            held: Held::default(),
            most: Held::default(),
            counts: QueueCounts::default(),
            since: Ps::ZERO,
        }
    }
    /// Extends the integrals to `now`.
    fn integrate(&mut self, now: Ps) {
        let span = (now.0 - self.since.0) as u128;
        self.counts.octet_ps += span * self.held.octets as u128;
        self.counts.packet_ps += span * self.held.packets as u128;
        self.since = now;
    }
    fn enter(&mut self, now: Ps, octets: u32) {
        self.integrate(now);
        self.held.add(octets);
        self.most.octets = self.most.octets.max(self.held.octets);
        self.most.packets = self.most.packets.max(self.held.packets);
    }
    fn leave(&mut self, now: Ps, octets: u32) {
        self.integrate(now);
        self.held.remove(octets);
    }
}

/// Settings of a port.
#[derive(Clone, Debug)]
pub struct PortSettings {
    /// Rate of the line.
    pub rate: Rate,
    /// Propagation delay of the link.
    pub delay: Ps,
    /// Link that the port feeds.
    pub link: u32,
    /// For each queue its most octets, `u64::MAX` without a limit; the first queue is served first.
    pub limits: Vec<u64>,
    /// For each priority of frames its queue.
    pub queue_of: [u8; 8],
}

/// An output port. It serves one frame at a time and does not interrupt a service. All that happens at
/// one instant happens in the order completion, then arrivals.
#[derive(Clone, Debug)]
pub struct Port {
    clock: OctetClock,
    delay: Ps,
    /// Link that the port feeds.
    pub link: u32,
    queues: Vec<Queue>,
    queue_of: [u8; 8],
    /// Queue and octets of the frame in service.
    serving: Option<(u8, u32)>,
    /// End of the last service, its gap included, and the fraction of a picosecond behind it.
    free_at: Ps,
    carry: u64,
    /// Octets on the line since the start, with preambles and gaps, those of the present service included.
    begun: u64,
    /// Frames whose service has begun.
    sent: u64,
}

impl Port {
    /// A port without frames.
    pub fn new(settings: PortSettings) -> Port {
        Port {
            clock: OctetClock::new(settings.rate),
            delay: settings.delay,
            link: settings.link,
            queues: settings.limits.into_iter().map(Queue::new).collect(),
            queue_of: settings.queue_of,
            serving: None,
            free_at: Ps::ZERO,
            carry: 0,
            begun: 0,
            sent: 0,
        }
    }

    /// Instant at which the next service begins; `NEVER` if no frame waits.
    #[inline]
    pub fn next_start(&self) -> Ps {
        let waits = self.serving.is_some() && self.queues.iter().any(|q| !q.waiting.is_empty());
        if waits { self.free_at } else { Ps::NEVER }
    }

    /// Completes all services that end at `now` or before, and begins those that follow.
    #[inline]
    pub fn advance(&mut self, now: Ps, out: &mut Outlet<'_>) {
        while let Some((queue, octets)) = self.serving
            && self.free_at <= now
        {
            self.serving = None;
            self.queues[queue as usize].leave(self.free_at, octets);
            let next = self.queues.iter().position(|q| !q.waiting.is_empty());
            if let Some(next) = next
                && let Some(frame) = self.queues[next].waiting.pop_front()
            {
                self.serve(self.free_at, next, frame, out);
            }
        }
    }

    /// A frame arrives at `now`. Returns false if its queue refuses it.
    #[inline]
    pub fn arrive(
        &mut self,
        now: Ps,
        label: u32,
        info: Info,
        packet: Packet,
        out: &mut Outlet<'_>,
    ) -> bool {
        self.advance(now, out);
        let number = self.queue_of[info.priority() as usize] as usize;
        let (queue, octets) = (&mut self.queues[number], info.octets());
        queue.counts.arrived.add(octets);
        if queue.held.octets + octets as u64 > queue.limit {
            queue.counts.dropped.add(octets);
            return false;
        }
        queue.enter(now, octets);
        let frame = Waiting {
            label,
            info,
            packet,
        };
        if self.serving.is_none() {
            self.carry = 0;
            self.serve(now, number, frame, out);
        } else {
            queue.waiting.push_back(frame);
        }
        true
    }

    /// Begins the service of a frame at `start`.
    fn serve(&mut self, start: Ps, queue: usize, frame: Waiting, out: &mut Outlet<'_>) {
        let octets = frame.info.octets();
        let (last_bit, _) = self.clock.after(start, self.carry, PREAMBLE + octets);
        let on_line = PREAMBLE + octets + GAP;
        (self.free_at, self.carry) = self.clock.after(start, self.carry, on_line);
        self.serving = Some((queue as u8, octets));
        self.begun += on_line as u64;
        self.sent += 1;
        let at = last_bit + self.delay;
        let unit = Frame {
            at,
            label: frame.label,
            info: frame.info,
        };
        out.push(unit, Some(&frame.packet));
    }

    /// Number of queues.
    pub fn queue_count(&self) -> usize {
        self.queues.len()
    }
    /// Counters of a queue, its integrals up to `now`; services until then must have been completed.
    pub fn counts(&mut self, queue: usize, now: Ps) -> QueueCounts {
        self.queues[queue].integrate(now);
        self.queues[queue].counts
    }
    /// What a queue holds.
    pub fn held(&self, queue: usize) -> Held {
        self.queues[queue].held
    }
    /// The most that a queue has held since the last [`Port::forget_most`].
    pub fn most(&self, queue: usize) -> Held {
        self.queues[queue].most
    }
    /// Forgets the most that queues have held.
    pub fn forget_most(&mut self) {
        for queue in &mut self.queues {
            queue.most = queue.held;
        }
    }
    /// Limit of a queue in octets; `u64::MAX` if there is none.
    pub fn limit(&self, queue: usize) -> u64 {
        self.queues[queue].limit
    }
    /// Time up to `now` in which the line has sent frames with preambles and gaps, in picoseconds.
    pub fn busy_ps(&self, now: Ps) -> f64 {
        self.clock.time_of(self.begun) - self.free_at.saturating_sub(now).0 as f64
    }
    /// Frames whose service has begun.
    pub fn sent(&self) -> u64 {
        self.sent
    }
    /// Payload bytes of the segments of TCP that wait for their service, with the labels of their frames.
    pub fn waiting(&self) -> impl Iterator<Item = (u32, Packet)> {
        let waiting = self.queues.iter().flat_map(|queue| &queue.waiting);
        waiting.map(|frame| (frame.label, frame.packet))
    }
    /// Frames that wait, and bytes of their storage.
    pub fn storage(&self) -> (u64, usize) {
        let frames = self.queues.iter().map(|q| q.waiting.len() as u64).sum();
        let bytes = self
            .queues
            .iter()
            .map(|q| q.waiting.capacity() * size_of::<Waiting>());
        (frames, bytes.sum())
    }
}
