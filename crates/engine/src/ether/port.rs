//! An output port of a switch: queues by priority, and the transmission of one frame after the other.

mod credited;
mod gated;
mod limited;
mod telling;
mod trimming;

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::aqm::{Aqm, AqmAlgorithm, Decision, Held};
use super::arriving::Arriving;
use super::errors::Erring;
use super::frame::{Ecn, Info, PREAMBLE, Packet, on_line};
use super::heads::Heads;
use super::hosted::{Hosted, on_the_line};
use super::lanes::Credited;
use super::limiter::Limiter;
use super::line::OctetClock;
use super::line_ends::LineEnds;
use super::log::{Cause, Kind, Log};
use super::lossless::PortGate;
use super::memory::SharedMemory;
use super::plan::change::SwitchChange;
use super::roce::telemetry::Trails;
use super::tap::Leaving;
use super::transport::{Frame, Outlet};
use super::trimming::Trimming;
use crate::control::Control;
use crate::custom::PortFromOutside;
use crate::kernel::{Ps, Rate};
use crate::passing::RateRecord;
use crate::schedule::Schedule;

/// Queue number of frames that wait in no data queue: credit packets of ExpressPass, frames of PFC or CBFC, and
/// credits of FCVC. No queue of a port has this number.
const NO_QUEUE: usize = u8::MAX as usize;

/// Counters of a queue since the start of the run.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueueCounts {
    /// Frames and octets that arrived, dropped ones included.
    pub arrived: Held,
    /// Frames and octets dropped.
    pub dropped: Held,
    /// Frames that active queue management has dropped.
    pub dropped_early: u64,
    /// Packets that found no space in this queue and were cut to their headers. They count as arrived at the queue of
    /// trimmed packets, not here.
    pub trimmed: u64,
    /// Frames that active queue management or the control scheme marked.
    pub marked: u64,
    /// Integral of the queue length in octets over time, in octets times picoseconds.
    pub octet_ps: u128,
    /// Integral of the queue length in frames over time, in frames times picoseconds.
    pub packet_ps: u128,
}

/// A frame that a port has dropped.
#[derive(Clone, Copy, Debug)]
pub struct Dropped {
    /// Time of the drop.
    pub at: Ps,
    /// Label of the frame at the switch.
    pub route: u32,
    /// Header word of the frame.
    pub info: Info,
    /// The packet in the frame.
    pub packet: Packet,
    /// Reason of the drop.
    pub cause: Cause,
}

/// Objects outside a port that it changes.
pub struct Outside<'a> {
    /// The link that the port feeds.
    pub out: Outlet<'a>,
    /// The memory that the ports of the switch share.
    pub memory: Option<&'a mut SharedMemory>,
    /// Frames dropped, in order of time.
    pub drops: &'a mut Vec<Dropped>,
    /// Telemetry of the packets that are in the switch.
    pub trails: &'a mut Trails,
    /// Log of the switch; `None` if events are not logged.
    pub log: Option<&'a mut Log>,
}

impl Outside<'_> {
    /// Logs that the port of `link` has marked a frame.
    fn note_mark(&mut self, at: Ps, frame: &Arriving, link: u32) {
        if let Some(log) = &mut self.log {
            log.at_port(at, (frame.route, link), Kind::Mark, &frame.packet);
        }
    }
}

/// A frame that waits, and the time at which it arrived.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    frame: Arriving,
    since: Ps,
}

/// One queue of an output port: its frames, its active queue management and its counters.
#[derive(Clone, Debug)]
struct Queue {
    /// Greatest number of octets that the queue may hold, the frame in transmission included; `u64::MAX` without a
    /// limit.
    limit: u64,
    aqm: Aqm,
    waiting: VecDeque<Waiting>,
    /// Length of the queue. The frame in transmission counts until its interframe gap has passed.
    held: Held,
    most: Held,
    /// Counters. In the integral, a frame that has left the queue counts with its octets times the time of its stay. A
    /// frame still in the queue counts with its octets times its arrival time, subtracted; the method `counts` adds its
    /// octets times the present time.
    counts: QueueCounts,
}

impl Queue {
    /// Carries out a decision of active queue management; returns false if the frame must be dropped. Instead of a
    /// mark, a frame whose transport does not understand marks is dropped (RFC 3168 section 5).
    #[inline]
    fn passes(decision: Decision, info: &mut Info) -> bool {
        match decision {
            Decision::Pass => true,
            Decision::Drop => false,
            Decision::Mark if info.ecn() == Ecn::NotEct => false,
            Decision::Mark => {
                *info = info.marked();
                true
            }
        }
    }
    fn new(aqm: Aqm) -> Queue {
        Queue {
            limit: u64::MAX,
            aqm,
            waiting: VecDeque::new(),
            held: Held::default(),
            most: Held::default(),
            counts: QueueCounts::default(),
        }
    }
    /// The counters, with the integrals of the queue's lengths up to `now`.
    fn counts(&self, now: Ps) -> QueueCounts {
        let QueueCounts {
            octet_ps,
            packet_ps,
            ..
        } = self.counts;
        QueueCounts {
            octet_ps: octet_ps.wrapping_add(area(self.held.octets, now)),
            packet_ps: packet_ps.wrapping_add(area(self.held.packets, now)),
            ..self.counts
        }
    }
    #[inline]
    fn enter(&mut self, now: Ps, octets: u32) {
        let counts = &mut self.counts;
        counts.octet_ps = counts.octet_ps.wrapping_sub(area(octets.into(), now));
        counts.packet_ps = counts.packet_ps.wrapping_sub(now.0.into());
        self.held = with(self.held, octets);
        self.most.octets = self.most.octets.max(self.held.octets);
        self.most.packets = self.most.packets.max(self.held.packets);
    }
    /// Removes a frame of `octets`, which was sent or dropped.
    #[inline]
    fn depart(&mut self, now: Ps, octets: u32) {
        let counts = &mut self.counts;
        counts.octet_ps = counts.octet_ps.wrapping_add(area(octets.into(), now));
        counts.packet_ps = counts.packet_ps.wrapping_add(now.0.into());
        self.held = without(self.held, octets);
        if self.held.packets == 0 {
            self.aqm.on_empty(now);
        }
    }
}

/// A length times the time since the start of the run.
#[inline]
fn area(length: u64, now: Ps) -> u128 {
    length as u128 * now.0 as u128
}

fn with(held: Held, octets: u32) -> Held {
    Held {
        octets: held.octets + octets as u64,
        packets: held.packets + 1,
    }
}

fn without(held: Held, octets: u32) -> Held {
    Held {
        octets: held.octets - octets as u64,
        packets: held.packets - 1,
    }
}

/// Settings from which an output port is built: line, queues, and the order in which queues are served.
#[derive(Clone, Debug)]
pub struct PortSettings {
    /// Rate of the line.
    pub rate: Rate,
    /// Propagation delay of the link.
    pub delay: Ps,
    /// Index of the link that the port feeds.
    pub link: u32,
    /// Bit errors and link-level retry of the link; `None` if it has neither.
    pub erring: Option<Box<Erring>>,
    /// Greatest length of each queue in octets, `u64::MAX` without a limit. The queue of trimmed packets holds twice as
    /// many octets.
    pub buffer: u64,
    /// Active queue management of each queue.
    pub queues: Vec<Aqm>,
    /// Order in which the queues are served.
    pub schedule: Schedule,
    /// Number of the port's first queue among all queues of the switch.
    pub first_queue: usize,
    /// True if the queues of the switch share a memory.
    pub shares_memory: bool,
    /// For each priority of frames the number of its queue.
    pub queue_of: [u8; 8],
    /// Control scheme of the port; `None` if it has none.
    pub control: Option<Hosted>,
    /// True if packets that carry data and telemetry leave by this port.
    pub has_telemetry: bool,
    /// Form of trimmed frames; `None` if packets that do not fit into a queue are dropped.
    pub trimming: Option<Trimming>,
}

/// An output port. It sends one frame at a time and does not interrupt a frame. At one instant it first calls the
/// timers of active queue management and the control scheme, then ends transmissions, then processes arrivals.
#[derive(Clone, Debug)]
pub struct Port {
    clock: OctetClock,
    delay: Ps,
    /// Index of the link that the port feeds.
    pub link: u32,
    pub(super) erring: Option<Box<Erring>>,
    queues: Vec<Queue>,
    queue_of: [u8; 8],
    schedule: Schedule,
    first_queue: usize,
    control: Option<Box<Hosted>>,
    credited: Option<Box<Credited>>,
    gate: Option<Box<PortGate>>,
    limiter: Option<Box<Limiter<Arriving>>>,
    trimming: Option<Trimming>,
    /// True if frames may have to wait while the line is free, for the end of a pause or for credits: with `gate` or
    /// `limiter`.
    resumes: bool,
    /// True if some queue has active queue management with a timer, or if there is a control scheme.
    has_timers: bool,
    /// Number of frames that wait in all queues.
    waiting: u32,
    /// Queue and octets of the frame in transmission.
    serving: Option<(u8, u32)>,
    /// Ends of the transmissions of frames that went onto the link when they arrived; `None` if frames go onto the link
    /// only when their transmission begins.
    ahead: Option<LineEnds>,
    /// End of the last transmission, interframe gap included: picoseconds, and in `carry` the fraction of a picosecond.
    free_at: Ps,
    carry: u64,
    /// Octets on the line since the start of the run, with preambles and gaps. All octets of the frame in transmission
    /// count, and of frames that went onto the link when they arrived.
    begun: u64,
    /// Number of frames put onto the link since the start of the run. The frame in transmission counts, and frames that
    /// went onto the link when they arrived.
    sent: u64,
    /// Captured frames that have left; `None` without capture.
    pub(super) tap: Option<Vec<Leaving>>,
}

impl Port {
    /// An output port at the start of the run, without frames.
    pub fn new(settings: PortSettings) -> Port {
        let timed = |aqm: &Aqm| matches!(aqm, Aqm::Pie(_));
        let serves_ahead = match (&settings.queues[..], &settings.schedule) {
            ([aqm], schedule) if schedule.is_strict(0) => {
                // The port needs the contents of the queues or of the memory at the start of each transmission.
                let is_known_then = settings.shares_memory || settings.has_telemetry;
                // The waiting time under link-level retry is counted when a transmission starts.
                let erring = settings.erring.as_ref();
                let retries = erring.is_some_and(|erring| erring.retry().is_some());
                let is_known = is_known_then || retries;
                aqm.acts_on_arrival_alone() && settings.control.is_none() && !is_known
            }
            _ => false,
        };
        let mut port = Port {
            clock: OctetClock::new(settings.rate),
            delay: settings.delay,
            link: settings.link,
            erring: settings.erring,
            has_timers: settings.control.is_some() || settings.queues.iter().any(timed),
            control: settings.control.map(Box::new),
            credited: None,
            gate: None,
            limiter: None,
            trimming: settings.trimming,
            resumes: false,
            queues: settings.queues.into_iter().map(Queue::new).collect(),
            queue_of: settings.queue_of,
            schedule: settings.schedule,
            first_queue: settings.first_queue,
            waiting: 0,
            serving: None,
            ahead: serves_ahead.then(LineEnds::default),
            free_at: Ps::ZERO,
            carry: 0,
            begun: 0,
            sent: 0,
            tap: None,
        };
        port.set_limits(settings.buffer);
        port
    }

    /// Instant of the port's next event: a transmission starts, a timer expires, or, if the memory is `shared`, the
    /// present transmission ends. `NEVER` if nothing is due.
    #[inline]
    pub fn next_due(&self, shared: bool) -> Ps {
        let ends = self.serving.is_some() && (shared || self.waiting > 0);
        let mut end = if ends { self.free_at } else { Ps::NEVER };
        if self.may_resume() {
            end = end.min(self.resumes_at());
        }
        if self.has_timers {
            end.min(self.next_timer())
        } else {
            end
        }
    }

    /// False if [`Port::resumes_at`] is `NEVER` for certain.
    #[inline]
    fn may_resume(&self) -> bool {
        self.resumes && (self.limiter.is_some() || self.serving.is_none() && self.waiting > 0)
    }

    fn next_timer(&self) -> Ps {
        let timers = self.queues.iter().map(|queue| queue.aqm.wake_at());
        let control = self.control.iter().map(|control| control.wake_at());
        timers.chain(control).min().unwrap_or(Ps::NEVER)
    }

    /// Processes the port's events up to `now`: ends transmissions, starts the following ones, and calls timers that
    /// have expired.
    #[inline]
    pub fn advance(&mut self, now: Ps, outside: &mut Outside<'_>) {
        if let Some(ahead) = &mut self.ahead {
            let queue = &mut self.queues[0];
            while let Some((end, octets)) = ahead.pop_ended(now) {
                queue.depart(end, octets);
            }
        }
        loop {
            let end = if self.serving.is_some() {
                self.free_at
            } else {
                Ps::NEVER
            };
            if self.has_timers && self.next_timer() <= end.min(now) {
                self.wake(self.next_timer());
            } else if end <= now {
                self.end_service(outside);
            } else if self.may_resume() && self.resumes_at() <= now {
                self.carry = 0;
                self.begin_next(self.resumes_at(), outside);
            } else {
                return;
            }
        }
    }

    fn wake(&mut self, now: Ps) {
        let due = self
            .queues
            .iter_mut()
            .filter(|queue| queue.aqm.wake_at() <= now);
        due.for_each(|queue| queue.aqm.wake(now));
        if let Some(control) = &mut self.control
            && control.wake_at() <= now
        {
            let in_service = self
                .serving
                .filter(|(queue, _)| *queue as usize == control.queue);
            let held = self.queues[control.queue].held;
            control.wake(now, held, in_service.map_or(0, |(_, octets)| octets));
        }
    }

    /// Applies another limit of each queue, and other parameters of active queue management and of the control scheme,
    /// from `now` on. An interval of the scheme that should have ended before `now` ends now.
    pub(super) fn change(&mut self, now: Ps, to: &SwitchChange) {
        self.set_limits(to.buffer);
        for queue in &mut self.queues {
            queue.aqm.change(now, &to.aqm);
        }
        if let Some(control) = &mut self.control {
            let held = self.queues[control.queue].held;
            control.change(now, &to.control, held);
        }
        if self.has_timers && self.next_timer() < now {
            self.wake(now);
        }
    }

    /// Shows the port's control scheme a rate record (the fields of an RM cell) that passes the switch on its way back
    /// to the source at `now`. It belongs to the flow with the index `slot` among the flows under rate control at the
    /// port. The port must have been advanced to `now`.
    pub fn on_backward(&mut self, now: Ps, slot: u32, record: &mut RateRecord) {
        if let Some(control) = &mut self.control {
            control.on_backward(now, slot, record, self.queues[control.queue].held);
        }
    }

    #[inline]
    fn end_service(&mut self, outside: &mut Outside<'_>) {
        if let Some((queue, octets)) = self.serving.take() {
            self.leave(self.free_at, queue as usize, octets, outside);
            if let Some(gate) = &mut self.gate {
                gate.gone = gate.in_service.take();
            }
            self.begin_next(self.free_at, outside);
        }
    }

    /// Removes a frame of `octets`, which was sent or dropped, from queue `number` and from the shared memory.
    #[inline]
    fn leave(&mut self, now: Ps, number: usize, octets: u32, outside: &mut Outside<'_>) {
        let Some(queue) = self.queues.get_mut(number) else {
            return;
        };
        queue.depart(now, octets);
        if let Some(memory) = &mut outside.memory {
            memory.release(self.first_queue + number, octets);
        }
    }

    /// Processes a frame that arrives at `now`; the port must have been advanced to `now`.
    #[inline(always)]
    pub fn arrive(&mut self, now: Ps, frame: &mut Arriving, outside: &mut Outside<'_>) {
        if self.resumes && frame.info.is_flow_credit() {
            return self.arrive_limited(now, *frame, outside);
        }
        let number = self.queue_of[frame.info.priority() as usize] as usize;
        let came = frame.info.ecn();
        if let Some(control) = &mut self.control {
            let held = self.queues[control.queue].held;
            let parts = (&mut frame.info, &mut frame.packet);
            // Frames in a queue of lower strict priority take nothing from the line of the controlled queue.
            if number <= control.queue || !self.schedule.is_strict(control.queue) {
                control.on_arrival(now, frame.slot, parts, held);
            }
        }
        self.enter(now, (number, came), frame, outside);
    }

    /// Puts a frame into queue `number`, or drops or trims it if it does not fit. It arrived with the ECN code point
    /// `came`.
    #[inline]
    fn enter(
        &mut self,
        now: Ps,
        (number, came): (usize, Ecn),
        frame: &mut Arriving,
        outside: &mut Outside<'_>,
    ) {
        let is_lossless = self.is_lossless(frame.info);
        let (queue, octets) = (&mut self.queues[number], frame.info.octets());
        queue.counts.arrived = with(queue.counts.arrived, octets);
        let decision = queue.aqm.on_enqueue(now, octets, queue.held);
        if !Queue::passes(decision, &mut frame.info) {
            queue.counts.dropped_early += 1;
            return self.drop((now, Cause::Early), number, frame, outside);
        }
        let fits = queue.held.octets + octets as u64 <= queue.limit || is_lossless;
        let place = self.first_queue + number;
        let memory = outside.memory.as_deref_mut();
        if !fits
            || memory
                .as_ref()
                .is_some_and(|memory| !memory.admit(place, octets))
        {
            return match self.trim(number, frame, came, outside) {
                Some(number) => self.enter(now, (number, came), frame, outside),
                None => self.drop((now, Cause::Overflow), number, frame, outside),
            };
        }
        if let Some(memory) = memory {
            memory.take(place, octets);
        }
        queue.enter(now, octets);
        // A mark counts only if the frame is not dropped.
        if frame.info.ecn() != came {
            queue.counts.marked += 1;
            outside.note_mark(now, frame, self.link);
        }
        if let Some(ahead) = &self.ahead {
            let is_idle = ahead.is_empty();
            return self.serve_ahead(now, is_idle, frame, outside);
        }
        if self.schedule.notes_arrivals() && queue.waiting.is_empty() {
            self.schedule.on_arrival(number, self.octets_left(now));
        }
        let queue = &mut self.queues[number];
        queue.waiting.push_back(Waiting {
            frame: *frame,
            since: now,
        });
        self.waiting += 1;
        if self.serving.is_none() {
            self.carry = 0;
            self.begin_next(now, outside);
        }
    }

    /// Fixes the transmission time of the frame that arrives at `now`, behind all frames that arrived earlier, and puts
    /// the frame onto the link.
    #[inline]
    fn serve_ahead(&mut self, now: Ps, is_idle: bool, frame: &Arriving, outside: &mut Outside<'_>) {
        if is_idle {
            (self.free_at, self.carry) = (now, 0);
        }
        let octets = frame.info.octets();
        self.occupy_line(self.free_at, frame, outside);
        if let Some(ahead) = &mut self.ahead {
            ahead.push(self.free_at, octets);
        }
    }

    /// Octets of the frame in transmission, preamble and gap included, that the line has not sent yet, rounded up; 0 if
    /// no frame is in transmission, or if its queue has strict priority.
    fn octets_left(&self, now: Ps) -> u64 {
        let shares = |(queue, _): &(u8, u32)| {
            let queue = *queue as usize;
            queue < self.queues.len() && !self.schedule.is_strict(queue)
        };
        let serving = self.serving.filter(shares);
        let left = |(_, octets)| {
            self.clock
                .octets_in(self.free_at - now)
                .min(on_line(octets) as u64)
        };
        serving.map_or(0, left)
    }

    fn drop(
        &mut self,
        (at, cause): (Ps, Cause),
        number: usize,
        frame: &mut Arriving,
        outside: &mut Outside<'_>,
    ) {
        let dropped = &mut self.queues[number].counts.dropped;
        *dropped = with(*dropped, frame.info.octets());
        if let Packet::Roce(packet) = &mut frame.packet {
            outside.trails.release(packet);
        }
        let Arriving {
            route,
            info,
            packet,
            ..
        } = *frame;
        outside.drops.push(Dropped {
            at,
            route,
            info,
            packet,
            cause,
        });
    }

    /// Starts the next transmission at `start`, if a frame waits.
    #[inline]
    fn begin_next(&mut self, start: Ps, outside: &mut Outside<'_>) {
        if self.resumes && (self.begin_notice(start, outside) || self.begin_limited(start, outside))
        {
            return;
        }
        while self.waiting > 0 {
            let Some(number) = self.next_queue(start) else {
                return;
            };
            let queue = &mut self.queues[number];
            let Some(Waiting { mut frame, since }) = queue.waiting.pop_front() else {
                return;
            };
            self.waiting -= 1;
            let (octets, came) = (frame.info.octets(), frame.info.ecn());
            let decision = queue
                .aqm
                .on_dequeue(start, since, without(queue.held, octets));
            let is_served = Queue::passes(decision, &mut frame.info);
            if let Some(control) = &mut self.control
                && is_served
                && frame.slot.is_some()
            {
                frame.info = control.on_service(start, frame.info, queue.held);
            }
            let is_empty = queue.waiting.is_empty();
            if is_served {
                if frame.info.ecn() != came {
                    queue.counts.marked += 1;
                    outside.note_mark(start, &frame, self.link);
                }
                self.schedule.on_service(number, octets);
                self.serve(start, number, &frame, outside);
            } else {
                queue.counts.dropped_early += 1;
                self.drop((start, Cause::Early), number, &mut frame, outside);
                self.leave(start, number, octets, outside);
            }
            if is_empty {
                self.schedule.on_emptied(number);
            }
            if is_served {
                return;
            }
        }
        self.begin_credited(start, outside);
    }

    /// The queue from which the next frame is sent; `None` if no queue may send.
    #[inline]
    fn next_queue(&mut self, start: Ps) -> Option<usize> {
        if let [queue] = &self.queues[..]
            && self.schedule.is_strict(0)
        {
            let Some(gate) = &mut self.gate else {
                return Some(0);
            };
            let first = queue.waiting.front()?.frame.info;
            return gate.gate.allows(first, start).then_some(0);
        }
        let mut heads = Heads::default();
        let gate = &mut self.gate;
        for (head, queue) in heads.iter_mut().zip(&self.queues) {
            let first = queue.waiting.front().map(|waiting| waiting.frame.info);
            let allows = |gate: &mut Box<PortGate>, info| gate.gate.allows(info, start);
            let first = first.filter(|info| gate.as_mut().is_none_or(|gate| allows(gate, *info)));
            *head = first.map_or(0, Info::octets);
        }
        self.schedule.next(&heads)
    }

    /// Starts the transmission of a frame from `queue` at `start`.
    #[inline]
    fn serve(&mut self, start: Ps, queue: usize, frame: &Arriving, outside: &mut Outside<'_>) {
        self.serving = Some((queue as u8, frame.info.octets()));
        if let Some(gate) = &mut self.gate
            && frame.info.is_held_back()
        {
            gate.in_service = Some((frame.route, frame.info));
            gate.gate.pass(frame.info);
        }
        self.occupy_line(start, frame, outside);
    }

    /// Puts a frame whose first bit leaves at `start` onto the link, with its telemetry, if any.
    #[inline]
    fn occupy_line(&mut self, start: Ps, frame: &Arriving, outside: &mut Outside<'_>) {
        if frame.info.has_telemetry() {
            return self.occupy_telling(start, *frame, outside);
        }
        self.carry_frame(start, frame, outside);
    }

    /// Puts a frame whose first bit leaves at `start` onto the link. Returns the time at which it arrives.
    #[inline(always)]
    fn carry_frame(&mut self, start: Ps, frame: &Arriving, outside: &mut Outside<'_>) -> Ps {
        let (octets, carry) = (frame.info.octets(), self.carry);
        let (mut last_bit, _) = self.clock.after(start, carry, PREAMBLE + octets);
        let on_line = on_line(octets);
        (self.free_at, self.carry) = self.clock.after(start, self.carry, on_line);
        let mut info = frame.info;
        if let Some(erring) = &mut self.erring {
            let sent = erring.send(&self.clock, (start, carry), info);
            (self.free_at, self.carry) = sent.free;
            (info, last_bit) = (sent.info, sent.last_bit);
        }
        self.begun += on_line as u64;
        self.sent += 1;
        if let Some(tap) = &mut self.tap {
            tap.push(Leaving {
                at: last_bit,
                label: frame.label,
                info: frame.info,
                packet: frame.packet,
            });
        }
        let unit = Frame {
            at: last_bit + self.delay,
            label: frame.label,
            info,
        };
        outside.out.push(unit, Some(&frame.packet));
        unit.at
    }

    /// The control scheme; `None` if the port has none.
    pub fn control(&self) -> Option<&Control> {
        self.control.as_ref().map(|hosted| hosted.control())
    }
    /// Access of a user-defined control scheme to the port; `None` without such a scheme. The port must have been
    /// advanced to the present time.
    pub(super) fn opened(&mut self) -> Option<PortFromOutside<'_>> {
        let total = |of: fn(&Queue) -> Held| {
            let held = self.queues.iter().map(of);
            held.map(on_the_line).sum::<u64>()
        };
        let arrived = total(|queue| queue.counts.arrived);
        let dropped = total(|queue| queue.counts.dropped);
        let held = total(|queue| queue.held);
        let hosted = self.control.as_mut()?;
        Some(PortFromOutside {
            queue: on_the_line(self.queues[hosted.queue].held),
            departed: arrived - dropped - held,
            dropped,
            scheme: hosted.control_mut().as_any_mut()?,
        })
    }
    /// Number of queues.
    pub fn queue_count(&self) -> usize {
        self.queues.len()
    }
    /// Counters of a queue, with integrals up to `now`; the port must have been advanced to `now`.
    pub fn counts(&self, queue: usize, now: Ps) -> QueueCounts {
        self.queues[queue].counts(now)
    }
    /// Present length of a queue.
    pub fn held(&self, queue: usize) -> Held {
        self.queues[queue].held
    }
    /// Greatest length of a queue since the last call of [`Port::forget_most`].
    pub fn most(&self, queue: usize) -> Held {
        self.queues[queue].most
    }
    /// Sets the greatest length of each queue to its present length.
    pub fn forget_most(&mut self) {
        for queue in &mut self.queues {
            queue.most = queue.held;
        }
    }
    /// Limit of a queue in octets; `u64::MAX` if there is none.
    pub fn limit(&self, queue: usize) -> u64 {
        self.queues[queue].limit
    }
    /// Time up to `now` in which the line has sent frames with preambles and gaps, or has waited for link-level retry,
    /// in picoseconds.
    pub fn busy_ps(&self, now: Ps) -> f64 {
        let (begun, free_at) = match &self.ahead {
            Some(ahead) => (self.begun - ahead.waiting_octets(), ahead.first_end()),
            None => (self.begun, Some(self.free_at)),
        };
        // A line that waits for an answer of link-level retry counts as busy.
        let retry = self.erring.as_ref().and_then(|erring| erring.retry());
        let waited = retry.map_or(0, |retry| retry.waited_ps());
        let begun = self.clock.time_of(begun) + waited as f64;
        begun - free_at.map_or(0, |end| end.saturating_sub(now).0) as f64
    }
    /// Number of frames whose transmission has begun since the start of the run.
    pub fn sent(&self) -> u64 {
        self.sent - self.waiting_on_link() as u64
    }
    /// Number of frames that are on the link already although their transmission has not begun: the last ones on the
    /// link.
    pub fn waiting_on_link(&self) -> usize {
        self.ahead.as_ref().map_or(0, LineEnds::waiting)
    }
    /// Captures the frames that leave from now on. The port must not have sent a frame yet. It then no longer puts
    /// frames onto the link when they arrive, which changes no result.
    pub(super) fn begin_tap(&mut self) {
        assert!(self.sent == 0, "a port is tapped before its first frame");
        (self.tap, self.ahead) = (Some(Vec::new()), None);
    }
    /// Frames that wait in queues of the port, queue by queue, the oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = &Arriving> {
        let waiting = self.queues.iter().flat_map(|queue| &queue.waiting);
        let credited = self.credited.iter().flat_map(|credited| credited.waiting());
        let limited = self.limiter.iter().flat_map(|limiter| limiter.waiting());
        let waiting = waiting.map(|waiting| &waiting.frame).chain(credited);
        waiting.chain(limited)
    }
    /// Number of frames dropped in all queues since the start of the run.
    pub fn dropped(&self) -> u64 {
        let dropped = self.queues.iter().map(|queue| queue.counts.dropped.packets);
        dropped.sum()
    }
    /// Number of frames that wait, and bytes of the simulator's memory that are allocated for them.
    pub fn storage(&self) -> (u64, usize) {
        let credited = self.credited.iter();
        let of_credited: usize = credited.map(|credited| credited.storage()).sum();
        let of_limiter = self.limiter.as_ref().map_or(0, |limiter| limiter.storage());
        let bytes = self
            .queues
            .iter()
            .map(|q| q.waiting.capacity() * size_of::<Waiting>());
        let ahead = self.ahead.as_ref().map_or(0, LineEnds::bytes);
        (
            self.waiting().count() as u64,
            bytes.sum::<usize>() + ahead + of_credited + of_limiter,
        )
    }
}
