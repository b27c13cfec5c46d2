//! A host: the endpoints of its flows, and its network interfaces.

mod credited;
mod gated;
mod limited;
mod pulling;

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::cbfc::Buffers;
use super::collective::Steps;
use super::endpoint::Endpoint;
use super::ends::Ends;
use super::errors::{Erring, FcsErrors};
use super::frame::{Info, PREAMBLE, Packet, on_line};
use super::limiter::Limiter;
use super::line::OctetClock;
use super::log::{Cause, Kind};
use super::lossless::HostGate;
use super::plan::change::FlowChange;
use super::pulls::Pulls;
use super::roce::telemetry::Trail;
use super::switch::payload;
use super::tap::Leaving;
use super::transport::{Frame, Links};
use super::turn::Components;
use crate::kernel::{Ps, Tournament};
use crate::net::LinkPlan;

/// A network interface. It stores no frames. When its line is free, it asks the endpoints for a frame, round
/// robin. The frames of a TCP burst follow each other.
#[derive(Clone)]
pub struct Interface {
    clock: OctetClock,
    delay: Ps,
    /// Index of the link that the interface feeds.
    pub link: u32,
    free_at: Ps,
    carry: u64,
    /// Frames sent since the start of the run.
    sent: u64,
    /// Bit errors and link-level retry of the link; `None` without both.
    pub(super) erring: Option<Box<Erring>>,
    /// Endpoints that may have a frame, in the order in which the interface asks them (round robin).
    round: VecDeque<u32>,
    /// State of PFC or CBFC; `None` without PFC and CBFC.
    pub gated: Option<Box<HostGate>>,
    /// Queue of flow credits (ExpressPass), each with the index of its endpoint and its number; `None` if no
    /// flow credits leave by this interface.
    pub limiter: Option<Box<Limiter<(u32, u32)>>>,
    /// Captured frames that have left; `None` without capture.
    pub(super) tap: Option<Vec<Leaving>>,
}

impl Interface {
    /// An interface that feeds the link `plan`, whose index is `link`.
    pub fn new(plan: &LinkPlan, link: u32, erring: Option<Box<Erring>>) -> Interface {
        Interface {
            clock: OctetClock::new(plan.rate),
            delay: plan.delay,
            link,
            free_at: Ps::ZERO,
            carry: 0,
            sent: 0,
            erring,
            round: VecDeque::new(),
            gated: None,
            limiter: None,
            tap: None,
        }
    }
    /// Frames sent since the start of the run.
    pub fn sent(&self) -> u64 {
        self.sent
    }
    /// Time at which the line is free for the next frame. `NEVER` if no endpoint may have a frame.
    fn next_start(&self) -> Ps {
        if self.round.is_empty() {
            Ps::NEVER
        } else {
            self.free_at
        }
    }
    /// True if the line is free, no endpoint waits for it, and nothing but the line holds frames back.
    #[inline]
    fn is_idle(&self, now: Ps) -> bool {
        self.round.is_empty()
            && self.free_at <= now
            && self.gated.is_none()
            && self.limiter.is_none()
    }
    /// Sends a frame at `now`; the line must be free. Returns the time at which the frame arrives.
    fn transmit(
        &mut self,
        now: Ps,
        (info, packet): (Info, Packet),
        label: u32,
        links: &mut Links,
    ) -> Ps {
        if self.free_at < now {
            self.carry = 0;
        }
        let (octets, carry) = (info.octets(), self.carry);
        self.sent += 1;
        let (mut last_bit, _) = self.clock.after(now, carry, PREAMBLE + octets);
        (self.free_at, self.carry) = self.clock.after(now, carry, on_line(octets));
        let mut arriving = info;
        if let Some(erring) = &mut self.erring {
            let sent = erring.send(&self.clock, (now, carry), info);
            (self.free_at, self.carry) = sent.free;
            (arriving, last_bit) = (sent.info, sent.last_bit);
        }
        if let Some(tap) = &mut self.tap {
            tap.push(Leaving {
                at: last_bit,
                label,
                info,
                packet,
            });
        }
        let at = last_bit + self.delay;
        let frame = Frame {
            at,
            label,
            info: arriving,
        };
        links.outlet(self.link).push(frame, Some(&packet));
        at
    }
}

/// A host, at which flows begin and end. At one instant the events of interfaces precede those of endpoints,
/// both in order of their numbers.
#[derive(Clone)]
pub struct Host {
    /// Endpoints of flows; the label of an arriving frame is an index into this list.
    pub endpoints: Vec<Endpoint>,
    /// Network interfaces.
    pub interfaces: Vec<Interface>,
    /// State of credit control (FCVC); `None` without credit control.
    credited: Option<Box<Ends>>,
    /// Buffers of CBFC at the receiving ends of the host's links; `None` without CBFC.
    buffers: Option<Box<Buffers>>,
    /// Flows that await other flows; `None` without such flows.
    steps: Option<Box<Steps>>,
    /// Telemetry of the packet that arrived last.
    arriving: Trail,
    /// State of the pulls (receiver credits) that the host sends.
    pulls: Pulls,
    /// Frames that arrived with an errored bit.
    pub(super) errors: FcsErrors,
    /// Times of the next events of the interfaces, then of the endpoints, then of the pacer of pulls.
    clocks: Tournament,
}

impl Host {
    /// A host in its initial state.
    pub fn new(endpoints: Vec<Endpoint>, interfaces: Vec<Interface>) -> Host {
        let mut clocks = Tournament::new(interfaces.len() + endpoints.len() + 1);
        for (number, endpoint) in endpoints.iter().enumerate() {
            clocks.set(interfaces.len() + number, endpoint.wake_at());
        }
        Host {
            endpoints,
            interfaces,
            credited: None,
            buffers: None,
            steps: None,
            arriving: Trail::default(),
            pulls: Pulls::default(),
            errors: FcsErrors::default(),
            clocks,
        }
    }

    /// Puts the endpoints under credit control (FCVC).
    pub fn set_credit(&mut self, ends: Ends) {
        self.credited = Some(Box::new(ends));
    }
    /// State of credit control (FCVC); `None` without credit control.
    pub fn credited(&self) -> Option<&Ends> {
        self.credited.as_deref()
    }

    /// Makes flows of the host await other flows, as `steps` says.
    pub(super) fn set_steps(&mut self, steps: Steps) {
        for number in 0..self.endpoints.len() {
            if steps.waits(number) {
                self.endpoints[number].await_others();
                self.note_wake(number);
            }
        }
        self.steps = Some(Box::new(steps));
    }
    /// Flows that await other flows; `None` without such flows.
    pub(super) fn steps(&self) -> Option<&Steps> {
        self.steps.as_deref()
    }
    /// Starts the flows that await nothing more after an event of endpoint `number`.
    #[cold]
    fn release(&mut self, number: usize, now: Ps) {
        let Some(steps) = &mut self.steps else { return };
        for (follower, begin) in steps.on_event((number, &self.endpoints[number]), now) {
            self.endpoints[follower].begin_at(begin);
            self.note_wake(follower);
        }
    }

    /// Time of the next event of an endpoint or interface.
    #[inline]
    pub fn next_event(&self) -> Ps {
        self.clocks.first().0
    }

    /// Makes an endpoint an end of a path at a router.
    pub(super) fn become_router(&mut self, number: usize) {
        self.endpoints[number].become_router();
        self.note_wake(number);
    }

    /// Applies other settings of an endpoint from `now` on. All events before `now` have been processed.
    pub(super) fn change(&mut self, now: Ps, number: usize, to: &FlowChange) {
        let endpoint = &mut self.endpoints[number];
        endpoint.change(now, to);
        let component = self.interfaces.len() + number;
        self.clocks.set(component, endpoint.wake_at().max(now));
    }

    /// Begins a RoCE sender whose first rate depends on the number of other active senders of the host.
    #[cold]
    fn begin_by_others(&mut self, number: usize, now: Ps) {
        let active = self.endpoints.iter().filter(|one| one.is_active());
        let others = active.count() as u64;
        if let Some(sender) = self.endpoints[number].begins_by_others(now) {
            sender.begin(now, others);
        }
    }

    /// Puts an endpoint into the round robin of its interface, since it may have a frame.
    fn offer(&mut self, number: usize, now: Ps, links: &mut Links) {
        if self.steps.is_some() {
            self.release(number, now);
        }
        let endpoint = &mut self.endpoints[number];
        let port = endpoint.port as usize;
        if let Some(interface) = self.interfaces.get_mut(port) {
            if !endpoint.in_round && self.credited.is_none() && interface.is_idle(now) {
                return self.send_alone(number as u32, port, now, links);
            }
            if !endpoint.in_round {
                endpoint.in_round = true;
                interface.round.push_back(number as u32);
            } else if interface.gated.is_some() {
                self.release_urgent(port, number);
            }
            self.take_due_credit(port, number);
            self.begin(port, now, links);
        }
        self.note_wake(number);
    }

    /// Sends the next frame of an endpoint by an idle interface. No other endpoint has a frame, so the round robin
    /// would choose the same frame.
    fn send_alone(&mut self, number: u32, port: usize, now: Ps, links: &mut Links) {
        let endpoint = &mut self.endpoints[number as usize];
        if let Some(frame) = endpoint.poll(now) {
            endpoint.in_round = endpoint.may_have_more();
            if endpoint.in_round {
                self.interfaces[port].round.push_back(number);
            }
            self.transmit_of((number, port), frame, now, links);
            let next = self.interfaces[port].next_start();
            if next != self.clocks.get(port) {
                self.clocks.set(port, next);
            }
        }
        self.note_wake(number as usize);
    }

    /// Sends the next frame of an interface at once if its line is free; otherwise schedules it for the time
    /// at which the line is free.
    fn begin(&mut self, port: usize, now: Ps, links: &mut Links) {
        let free_at = self.interfaces[port].free_at;
        if free_at <= now {
            self.send(port, now, links);
        } else {
            self.clocks.set(port, free_at);
        }
    }

    /// Sends the next frame of an interface, if there is one. The line must be free.
    fn send(&mut self, port: usize, now: Ps, links: &mut Links) {
        if self.credited.is_some() {
            return self.send_credited(port, now, links);
        }
        if self.interfaces[port].gated.is_some() {
            return self.send_gated(port, now, links);
        }
        if self.interfaces[port].limiter.is_some() {
            return self.send_limited(port, now, links);
        }
        self.send_next(port, now, links);
        self.clocks.set(port, self.interfaces[port].next_start());
    }

    /// Asks the endpoints round robin, until one has a frame and may send it, and sends this frame.
    fn send_next(&mut self, port: usize, now: Ps, links: &mut Links) {
        while let Some(number) = self.interfaces[port].round.pop_front() {
            if self.keeps(port, number, now) {
                continue;
            }
            let endpoint = &mut self.endpoints[number as usize];
            let frame = endpoint.poll(now);
            endpoint.in_round = frame.is_some() && endpoint.may_have_more();
            let goes_on = endpoint.in_round;
            self.note_wake(number as usize);
            if goes_on {
                self.put_back(port, number);
            }
            if let Some(frame) = frame
                && self.passes(port, number, frame, now)
            {
                self.transmit_of((number, port), frame, now, links);
                break;
            }
        }
    }

    /// Sends a frame of an endpoint at `now`; the line must be free.
    fn transmit_of(
        &mut self,
        (number, port): (u32, usize),
        frame: (Info, Packet),
        now: Ps,
        links: &mut Links,
    ) {
        let label = self.endpoints[number as usize].label;
        let at = self.interfaces[port].transmit(now, frame, label, links);
        if frame.0.has_telemetry() {
            self.send_telemetry((number, port), at, links);
        }
    }

    /// Puts the telemetry that a frame of an endpoint returns onto the link, behind the frame, which arrives
    /// at `at`.
    #[cold]
    fn send_telemetry(&mut self, (number, port): (u32, usize), at: Ps, links: &mut Links) {
        let trail = self.endpoints[number as usize].take_trail();
        let out = links.outlet(self.interfaces[port].link);
        for hop in trail.iter().flat_map(Trail::hops) {
            out.link.push_further(at, &Packet::Hop(*hop));
        }
    }

    /// Puts an endpoint that has sent a frame back into the round robin. If its next frame belongs to the
    /// same TCP burst, the endpoint comes first.
    fn put_back(&mut self, port: usize, number: u32) {
        let round = &mut self.interfaces[port].round;
        if self.endpoints[number as usize].continues_burst() {
            round.push_front(number);
        } else {
            round.push_back(number);
        }
    }

    /// Updates the time of an endpoint's next event.
    fn note_wake(&mut self, number: usize) {
        let component = self.interfaces.len() + number;
        let wake = self.endpoints[number].wake_at();
        if wake != self.clocks.get(component) {
            self.clocks.set(component, wake);
        }
    }
}

impl Components for Host {
    #[inline]
    fn first_due(&self) -> (Ps, usize) {
        self.clocks.first()
    }
    #[inline]
    fn event(&mut self, component: usize, now: Ps, links: &mut Links) {
        match component.checked_sub(self.interfaces.len()) {
            None => self.send(component, now, links),
            Some(number) if number == self.endpoints.len() => self.pull(now, links),
            Some(number) => {
                if self.endpoints[number].begins_by_others(now).is_some() {
                    self.begin_by_others(number, now);
                }
                self.endpoints[number].wake(now);
                self.offer(number, now, links);
            }
        }
    }
    fn keep(&mut self, _packet: &mut Packet, trail: Trail) {
        self.arriving = trail;
    }
    #[cold]
    fn refuse(&mut self, link: u32, frame: Frame, packet: Packet) {
        if self.errors.add(link, frame, payload(&packet))
            && let Some(log) = &mut self.endpoints[frame.label as usize].log
        {
            let kind = Kind::Loss(Cause::BitErrors);
            log.at_port(frame.at, (0, link), kind, &packet);
        }
    }
    #[inline]
    fn arrive(&mut self, frame: Frame, packet: Packet, links: &mut Links) {
        let number = frame.label as usize;
        if self.credited.is_some() {
            return self.arrive_credited(frame, packet, links);
        }
        if frame.info.is_of_link() {
            return self.obey(number, frame.at, &packet, links);
        }
        if self.buffers.is_some() {
            self.free(frame.label, frame.info, frame.at, links);
        }
        self.endpoints[number].arrive(frame.at, (frame.info, &packet), &self.arriving);
        self.enrol(number, frame.at);
        self.offer(number, frame.at, links);
    }
}
