//! A switch: a table of virtual channels, timers, relays (virtual sources and destinations), and output ports.

mod branches;
mod relays;

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::branch::BranchPoint;
use super::credited::{Prompt, instants};
use super::event::{Event, What};
use super::log::Log;
use super::plan::SwitchChange;
use super::policed::Policed;
use super::relay::Relay;
use super::transport::Inbox;
use super::transport::Links;
use super::transport::{Arrived, Batch};
use crate::atm::cell::{Body, Cell, Info, Kind};
use crate::atm::port::{Arrival, Port};
use crate::atm::server::{Queued, Server};
use crate::atm::transport::{Link, Outlet};
use crate::discard::Cause;
use crate::kernel::{Ps, Tournament, prefetch};
use crate::net::channel::ChannelId;

/// Entry for a channel in the table of a switch. The labels (VPI/VCI) of arriving cells are indices
/// into the table.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// Index of the output port. An index beyond the last port refers to a relay (virtual destination and
    /// source), an index beyond the last relay to a policer, and an index beyond the last policer to a branch point.
    pub port: u32,
    /// Index of the link that the output port feeds. Stored here so that the link of a cell is
    /// known before the port has been read.
    pub link: u32,
    /// Index of the channel among all channels of the output port.
    pub slot: u32,
    /// Index of the channel among the channels with ABR cells at the output port. The control scheme of this port
    /// uses this index.
    pub control_slot: u32,
    /// Index of the output port's queue for the channel's data cells.
    pub queue: u8,
    /// Label (VPI/VCI) of the channel's cells on the outgoing link.
    pub label: u32,
    /// Index of the port of the opposite channel of the same flow, and index of the opposite channel at that port. The
    /// control scheme of that port marks backward RM cells that pass through this route.
    pub opposite: Option<(u32, u32)>,
    /// The channel of this entry.
    pub channel: ChannelId,
    /// True if the control scheme controls the class of the channel's data. RM cells are always controlled.
    pub controlled: bool,
    /// Index of the output port's queue for the channel's RM cells. There are at most as many
    /// queues as classes, so one byte holds the index.
    pub rm_queue: u8,
}

impl Route {
    /// A data cell of the channel, as it arrives at the output port.
    #[inline]
    pub(super) fn arrival(&self, info: Info) -> Arrival {
        Arrival {
            slot: self.slot,
            control_slot: self.control_slot,
            queue: self.queue.into(),
            controlled: self.controlled,
            cell: Queued {
                label: self.label,
                info,
            },
        }
    }
    /// An RM cell of the channel, as it arrives at the output port.
    #[inline]
    fn rm_arrival(&self, info: Info) -> Arrival {
        Arrival {
            queue: self.rm_queue.into(),
            controlled: true,
            ..self.arrival(info)
        }
    }
}

/// A channel for which the switch may generate backward RM cells.
#[derive(Clone, Copy, Debug)]
pub struct Notified {
    /// Label (VPI/VCI) of the channel's cells.
    pub label: u32,
    /// Label (VPI/VCI) of the cells of the opposite channel, to which the backward RM cells belong.
    pub opposite: u32,
    /// Index of the output port of the opposite channel.
    pub port: u32,
    /// Number of backward RM cells generated since the start of the run.
    pub generated: u64,
}

/// Least number of ports with which the switch prefetches memory. With so many ports, most ports are outside the
/// nearest cache when their next cell arrives.
const WIDE: usize = 64;
/// For the cell that is this number of cells later, the switch prefetches the port and the link.
const FAR: usize = 8;
/// For the cell that is this number of cells later, the switch prefetches the memory in the ring buffer of its
/// link. The link itself is in the cache by then.
const NEAR: usize = 4;

/// A switch, which forwards cells from incoming links through output ports.
#[derive(Clone)]
pub struct Switch<S> {
    /// Output ports, each with the index of the link that the port feeds.
    pub ports: Vec<(Port<S>, u32)>,
    /// Entries of the channels through the switch, by label (VPI/VCI) of the arriving cells.
    pub table: Vec<Route>,
    /// Relays (virtual destinations and sources) of channels whose ABR loop ends at the switch. The
    /// two relays of a flow follow one another.
    pub relays: Vec<Relay>,
    /// Policers of channels that enter the network at the switch.
    pub policed: Vec<Policed>,
    /// Branch points of point-to-multipoint channels.
    pub branch_points: Vec<BranchPoint>,
    /// For each channel with the dynamic GCRA: label (VPI/VCI) of the opposite channel's cells, and index of the
    /// channel's policer. In the order of the labels.
    pub feedback: Vec<(u32, u32)>,
    /// The channels whose control scheme may generate backward RM cells, in the order of the labels.
    pub notified: Vec<Notified>,
    /// Log of the events of this switch.
    pub log: Log,
    /// Earliest possible times of timers: first for the control scheme of each port, then for each relay. A
    /// scheme may move its timer to a later time; then a call at the earlier time has no effect.
    pub(super) timers: Tournament,
    /// State of an event-driven switch, which processes each event at the time of the event; `None` for
    /// other switches.
    prompt: Option<Box<Prompt>>,
    backlog: Backlog,
    /// True if [`Switch::forward_singly`] may forward a cell. This is so if the switch has relays, or ports for
    /// which [`Port::takes_singly`] is true.
    takes_singly: bool,
}

/// Ports that wait for a call of [`Port::advance`]. `has` is true for each port in the list.
#[derive(Clone)]
struct Backlog {
    ports: Vec<u32>,
    has: Vec<bool>,
}

impl Backlog {
    /// Adds a port to the list if the port is not in the list yet.
    #[inline]
    fn note(&mut self, port: u32) {
        if !core::mem::replace(&mut self.has[port as usize], true) {
            self.ports.push(port);
        }
    }
}

impl<S: Server> Switch<S> {
    /// A switch at time zero, before its first event.
    pub fn new(
        mut ports: Vec<(Port<S>, u32)>,
        table: Vec<Route>,
        relays: Vec<Relay>,
        policed: Vec<Policed>,
        log: Log,
        prompt: Option<Box<Prompt>>,
    ) -> Switch<S> {
        let takes_singly =
            !relays.is_empty() || ports.iter_mut().any(|(port, _)| port.takes_singly());
        let mut timers = Tournament::new(ports.len() + relays.len());
        for (i, (port, _)) in ports.iter().enumerate() {
            timers.set(i, port.wake_at());
        }
        for (i, relay) in (ports.len()..).zip(&relays) {
            timers.set(i, relay.wake_at());
        }
        let backlog = Backlog {
            ports: Vec::new(),
            has: alloc::vec![false; ports.len()],
        };
        Switch {
            ports,
            table,
            relays,
            policed,
            branch_points: Vec::new(),
            feedback: Vec::new(),
            notified: Vec::new(),
            log,
            timers,
            prompt,
            backlog,
            takes_singly,
        }
    }

    /// True if the switch is event-driven: if it processes each event at the time of the event.
    pub fn is_prompt(&self) -> bool {
        self.prompt.is_some()
    }

    /// Time of the earliest timer or service start in the switch.
    #[inline]
    pub fn next_event(&self) -> Ps {
        if let Some(prompt) = &self.prompt {
            return self.timers.first().0.min(prompt.next_due(&self.ports));
        }
        let starts = self
            .backlog
            .ports
            .iter()
            .map(|port| self.ports[*port as usize].0.next_event());
        starts.fold(self.timers.first().0, Ps::min)
    }

    /// Processes all events before `horizon`. At one instant timers come first, then arrivals, then
    /// service starts.
    #[inline(never)]
    pub fn turn(&mut self, inbox: &mut Inbox, links: &mut Links, horizon: Ps) {
        if let Some(prompt) = self.prompt.take() {
            self.prompt = Some(instants::turn(self, prompt, inbox, links, horizon));
            return;
        }
        if let Some(mut link) = inbox.take_only(links) {
            self.drain(&mut link, links, horizon);
            inbox.put_only(link, links);
        } else {
            while let Some(batch) = inbox.take_batch(horizon, links) {
                self.take_batch(&batch, inbox, links);
                inbox.give_back(batch);
            }
            if inbox.is_drawn() {
                self.merge::<true>(horizon, inbox, links);
            } else {
                self.merge::<false>(horizon, inbox, links);
            }
        }
        if self.timers.first().0 < horizon {
            self.wake_until(Ps(horizon.0 - 1), links);
        }
        self.advance(horizon, links);
    }

    /// Forwards the cells that arrive before `horizon`, for a switch with a single incoming link.
    ///
    /// Each kind of loop is a function of its own, so that the compiler can keep its variables in
    /// registers.
    #[inline(never)]
    fn drain(&mut self, link: &mut Link, links: &mut Links, horizon: Ps) {
        loop {
            let limit = horizon.min(self.timers.first().0);
            let sent = self.forward_plainly(link.stretch(), |cell| *cell, limit, links);
            link.discard(sent);
            if link.begins_stamped() && self.drain_stamped(link, limit, links) {
                continue;
            }
            if self.takes_singly {
                let sent = self.forward_singly(link.stretch(), |cell| *cell, limit, links);
                if sent > 0 {
                    link.discard(sent);
                    continue;
                }
            }
            let arrival = link.next_arrival();
            if arrival >= horizon {
                return;
            }
            self.wake_until(arrival, links);
            let Some((cell, _)) = link.pop() else {
                return;
            };
            if cell.info.has_body() {
                let mut body = link.pop_record(cell.info);
                self.forward(cell, Some(&mut body), links);
            } else {
                self.forward(cell, None, links);
            }
        }
    }

    /// Forwards cells with stamps (sending times) of a single incoming link that arrive before `limit`, as
    /// [`Switch::forward_stamped`] does. Returns false if no such cell has arrived.
    #[inline(never)]
    fn drain_stamped(&mut self, link: &mut Link, limit: Ps, links: &mut Links) -> bool {
        let (cells, stamps) = link.stamped_stretch();
        let sent = self.forward_stamped(cells, |cell| *cell, |_| stamps.pop(), limit, links);
        link.discard(sent);
        sent > 0
    }

    /// Forwards all cells of a sorted batch of arrivals.
    #[inline(never)]
    fn take_batch(&mut self, batch: &Batch, inbox: &Inbox, links: &mut Links) {
        let mut rest = batch.arrivals();
        loop {
            let limit = self.timers.first().0;
            let sent = self.forward_plainly(rest, |arrived| arrived.unit, limit, links);
            rest = &rest[sent..];
            let Some((arrived, behind)) = rest.split_first() else {
                return;
            };
            let Arrived {
                unit: cell, input, ..
            } = arrived;
            if cell.info.is_stamped() {
                let sent = self.take_stamped(rest, batch, limit, links);
                if sent > 0 {
                    rest = &rest[sent..];
                    continue;
                }
            } else if self.takes_singly && !cell.info.has_body() {
                let sent = self.forward_singly(rest, |arrived| arrived.unit, limit, links);
                if sent > 0 {
                    rest = &rest[sent..];
                    continue;
                }
            }
            self.wake_until(cell.at, links);
            if cell.info.is_stamped() {
                let mut stamp = Body::Stamp(batch.stamp(arrived));
                self.forward(*cell, Some(&mut stamp), links);
            } else if cell.info.has_body() {
                let mut body = inbox.record(*input as usize, cell.info, links);
                self.forward(*cell, Some(&mut body), links);
            } else {
                self.forward(*cell, None, links);
            }
            rest = behind;
        }
    }

    /// Forwards cells with stamps (sending times) of a batch that arrive before `limit`, as
    /// [`Switch::forward_stamped`] does.
    #[inline(never)]
    fn take_stamped(
        &mut self,
        cells: &[Arrived],
        batch: &Batch,
        limit: Ps,
        links: &mut Links,
    ) -> usize {
        let stamp = |arrived: &Arrived| Some(batch.stamp(arrived));
        self.forward_stamped(cells, |arrived| arrived.unit, stamp, limit, links)
    }

    /// Forwards the cells that arrive before `horizon`, merged from several incoming links one by
    /// one.
    #[inline(never)]
    fn merge<const DRAWN: bool>(&mut self, horizon: Ps, inbox: &mut Inbox, links: &mut Links) {
        let begin = inbox.first();
        let mut cells = 0;
        loop {
            let (arrival, input) = inbox.next::<DRAWN>();
            if arrival >= horizon {
                break;
            }
            self.wake_until(arrival, links);
            let Some(cell) = inbox.receive(input, links) else {
                break;
            };
            if self.forward_plainly(&[cell], |cell| *cell, Ps::NEVER, links) == 0 {
                if cell.info.has_body() {
                    let mut body = inbox.record(input, cell.info, links);
                    self.forward(cell, Some(&mut body), links);
                } else if !self.takes_singly
                    || self.forward_singly(&[cell], |cell| *cell, Ps::NEVER, links) == 0
                {
                    self.forward(cell, None, links);
                }
            }
            cells += 1;
        }
        if cells > 0 {
            inbox.note_merged(cells, horizon - begin);
        }
    }

    /// Forwards cells without bodies (data cells that do not end a PDU) that arrive before `limit`. Ends at the
    /// first cell whose port may refuse the cell or does not compute departures ahead of time. Returns the number
    /// of cells forwarded.
    #[inline(always)]
    fn forward_plainly<T>(
        &mut self,
        cells: &[T],
        cell: impl Fn(&T) -> Cell,
        limit: Ps,
        links: &mut Links,
    ) -> usize {
        self.forward_rows::<T, false>(cells, cell, |_| None, limit, links)
    }

    /// Forwards cells with stamps (sending times) as [`Switch::forward_plainly`] forwards cells without bodies.
    /// `stamp` returns the stamp of a forwarded cell.
    fn forward_stamped<T>(
        &mut self,
        cells: &[T],
        cell: impl Fn(&T) -> Cell,
        stamp: impl FnMut(&T) -> Option<Ps>,
        limit: Ps,
        links: &mut Links,
    ) -> usize {
        self.forward_rows::<T, true>(cells, cell, stamp, limit, links)
    }

    /// Forwards plain cells (data cells that do not end a PDU) that arrive before `limit`. The cells all have
    /// stamps (`STAMPED`) or all have none. Returns the number of cells forwarded.
    ///
    /// Consecutive cells for one port are passed to the port together. The result is the same as cell by cell,
    /// because no table entry, other port or timer acts between these cells.
    #[inline(always)]
    fn forward_rows<T, const STAMPED: bool>(
        &mut self,
        cells: &[T],
        cell: impl Fn(&T) -> Cell,
        mut stamp: impl FnMut(&T) -> Option<Ps>,
        limit: Ps,
        links: &mut Links,
    ) -> usize {
        let (table, ports) = (&self.table[..], &mut self.ports[..]);
        let is_wide = ports.len() >= WIDE;
        let (links, fresh) = links.parts();
        let route = |cell: &Cell| &table[cell.label as usize];
        let is_plain = |cell: &Cell| cell.at < limit && cell.info.is_of_row::<STAMPED>();
        let mut sent = 0;
        while let Some(first) = cells.get(sent).map(&cell).filter(is_plain) {
            let Route {
                port: number, link, ..
            } = *route(&first);
            if is_wide {
                let label = |ahead: usize| cells.get(sent + ahead).map(|one| cell(one).label);
                ask_ahead([label(FAR), label(NEAR)], table, ports, links);
            }
            let Some((port, _)) = ports.get_mut(number as usize) else {
                return sent;
            };
            let out = &mut Outlet {
                link: &mut links[link as usize],
                number: link,
                fresh,
            };
            let goes_along = |cell: &Cell| is_plain(cell) && route(cell).port == number;
            let next = cells.get(sent + 1).map(&cell);
            if !next.is_some_and(|next| goes_along(&next)) {
                if !port.arrive_express(first.at, &route(&first).arrival(first.info), out) {
                    return sent;
                }
                if STAMPED && let Some(stamp) = stamp(&cells[sent]) {
                    out.link.push_stamp(stamp);
                }
                sent += 1;
                continue;
            }
            let Some(mut row) = port.row(out) else {
                return sent;
            };
            for arrived in &cells[sent..] {
                let cell = cell(arrived);
                if !goes_along(&cell) || !row.arrive(cell.at, &route(&cell).arrival(cell.info)) {
                    break;
                }
                if STAMPED && let Some(stamp) = stamp(arrived) {
                    row.stamp(stamp);
                }
            }
            let count = row.close();
            out.note(count);
            if count == 0 {
                return sent;
            }
            sent += count;
        }
        sent
    }

    /// Forwards cells without bodies that arrive before `limit`, one by one. Ends at the first cell that a port
    /// may refuse or that a virtual source cannot send at once. Returns the number of cells forwarded.
    #[inline(never)]
    fn forward_singly<T>(
        &mut self,
        cells: &[T],
        cell: impl Fn(&T) -> Cell,
        mut limit: Ps,
        links: &mut Links,
    ) -> usize {
        let mut sent = 0;
        for cell in cells.iter().map(cell) {
            if cell.at >= limit || cell.info.has_body() {
                break;
            }
            let route = &self.table[cell.label as usize];
            let number = route.port as usize;
            let Some((port, link)) = self.ports.get_mut(number) else {
                let relay = number - self.ports.len();
                if relay >= self.relays.len() {
                    break;
                }
                let Some(next) = self.pass(relay, cell, links) else {
                    break;
                };
                // The next transmission of the virtual source comes before later arrivals.
                limit = limit.min(next);
                sent += 1;
                continue;
            };
            let out = &mut links.outlet(*link);
            if !port.arrive_singly(cell.at, &route.arrival(cell.info), out) {
                break;
            }
            if port.next_event().is_scheduled() {
                self.backlog.note(route.port);
            }
            sent += 1;
        }
        sent
    }

    /// Processes the timers up to and at `now`. At one instant timers come before arrivals.
    #[inline(always)]
    pub(super) fn wake_until(&mut self, now: Ps, links: &mut Links) {
        while self.timers.first().0 <= now {
            let (at, port) = self.timers.first();
            self.wake(at, port, links);
        }
    }

    /// Processes the service starts and ends before `now`, and the service ends at `now`, at all
    /// ports that need a call of [`Port::advance`].
    pub fn advance(&mut self, now: Ps, links: &mut Links) {
        let mut i = 0;
        while i < self.backlog.ports.len() {
            let index = self.backlog.ports[i] as usize;
            let (port, link) = &mut self.ports[index];
            port.advance(now, &mut links.outlet(*link));
            if port.next_event().is_scheduled() {
                i += 1;
            } else {
                self.backlog.has[index] = false;
                self.backlog.ports.swap_remove(i);
            }
        }
    }

    /// Replaces the settings of every output port from `now` on. Queues and the states of control
    /// schemes are kept.
    pub fn change(&mut self, now: Ps, to: &SwitchChange, links: &mut Links) {
        for (index, (port, link)) in self.ports.iter_mut().enumerate() {
            let policies = (&to.control, &to.discard);
            port.change(now, to.buffer, policies, &mut links.outlet(*link));
            self.timers.set(index, port.wake_at());
        }
    }

    #[inline(never)]
    fn wake(&mut self, now: Ps, index: usize, links: &mut Links) {
        if index >= self.ports.len() {
            return self.run_relay(now, index - self.ports.len(), links);
        }
        let (port, link) = &mut self.ports[index];
        if port.wake_at() == now {
            port.wake(now, &mut links.outlet(*link));
        }
        self.timers.set(index, port.wake_at());
    }

    #[inline(never)]
    pub(super) fn forward(&mut self, cell: Cell, body: Option<&mut Body>, links: &mut Links) {
        let port = self.table[cell.label as usize].port as usize;
        if port < self.ports.len() {
            self.send(port, cell, body, links);
        } else {
            self.forward_specially(port - self.ports.len(), cell, body, links);
        }
    }

    /// Forwards a cell of a channel with a relay, a policer or a branch point. `special` is the index of this element;
    /// policers are counted after the relays, branch points after the policers.
    fn forward_specially(
        &mut self,
        special: usize,
        mut cell: Cell,
        mut body: Option<&mut Body>,
        links: &mut Links,
    ) {
        let Some(policed) = special.checked_sub(self.relays.len()) else {
            return self.receive(special, cell, body.as_deref(), links);
        };
        if let Some(point) = policed.checked_sub(self.policed.len()) {
            return self.branch(point, cell, body, links);
        }
        let policed = &mut self.policed[policed];
        let Some(info) = policed.police(cell.at, cell.info, &mut body) else {
            let Route { channel, link, .. } = self.table[cell.label as usize];
            let loss = Event::loss(cell.at, (channel, link), Cause::Policed, cell.info);
            return self.log.add(loss);
        };
        cell.info = info;
        let onward = policed.onward as usize;
        match onward.checked_sub(self.ports.len()) {
            None => self.send(onward, cell, body, links),
            Some(relay) => self.receive(relay, cell, body.as_deref(), links),
        }
    }

    /// Index of the relay of the channel whose cells arrive with `label`; `None` without a relay.
    pub fn relay_of(&self, label: u32) -> Option<usize> {
        let port = self.table[label as usize].port as usize;
        let onward = self
            .policer_of(label)
            .map_or(port, |policed| policed.onward as usize);
        let relay = onward.checked_sub(self.ports.len())?;
        (relay < self.relays.len()).then_some(relay)
    }

    /// Policer of the channel whose cells arrive with `label`; `None` if the channel is not policed here.
    pub fn policer_of(&self, label: u32) -> Option<&Policed> {
        let port = self.table[label as usize].port as usize;
        let index = port.checked_sub(self.ports.len() + self.relays.len())?;
        self.policed.get(index)
    }

    /// Forwards a cell through the output port with the index `port`.
    #[inline(always)]
    fn send(&mut self, port: usize, cell: Cell, mut body: Option<&mut Body>, links: &mut Links) {
        let now = cell.at;
        let is_data = cell.info.is_data();
        if !is_data && cell.info.kind() == Kind::Brm {
            self.mark(now, cell.label, &mut body, links);
            self.tell_policer(now, cell.label, body.as_deref());
        } else if !is_data && !self.notified.is_empty() {
            self.notify(port, cell, body.as_deref(), links);
        }
        self.put(port, cell, body, links);
    }

    /// Does the work of [`Switch::send`] for a cell that no control scheme of another port acts on.
    #[inline(always)]
    fn put(&mut self, port: usize, cell: Cell, body: Option<&mut Body>, links: &mut Links) {
        let now = cell.at;
        let route = &self.table[cell.label as usize];
        let arrival = if cell.info.is_data() {
            route.arrival(cell.info)
        } else {
            route.rm_arrival(cell.info)
        };
        let (number, link) = (port as u32, route.link);
        let port = &mut self.ports[port].0;
        let refused = port.arrive(now, arrival, body, &mut links.outlet(link));
        if port.next_event().is_scheduled() {
            self.backlog.note(number);
        }
        if let Some(cause) = refused {
            let place = (route.channel, link);
            self.log.add(Event::loss(now, place, cause, cell.info));
        }
    }

    /// Passes a forward RM cell to the control scheme of its output port, which has the index `port`. Sends the
    /// backward RM cell that the scheme generates.
    #[inline(never)]
    fn notify(&mut self, port: usize, cell: Cell, body: Option<&Body>, links: &mut Links) {
        let (Some(Body::Rm(rm)), Some(index)) = (body, self.notified_at(cell.label)) else {
            return;
        };
        let (port, link) = &mut self.ports[port];
        let Route {
            channel,
            control_slot,
            ..
        } = self.table[cell.label as usize];
        let out = &mut links.outlet(*link);
        let Some(generated) = port.generate(cell.at, control_slot, rm, out) else {
            return;
        };
        // The log assigns the cell to the channel whose rate it controls.
        self.log.add(Event {
            at: cell.at,
            channel,
            link: Some(*link),
            what: What::Mark { er: generated.er },
        });
        let notified = &mut self.notified[index];
        notified.generated += 1;
        let port = notified.port as usize;
        let cell = Cell {
            label: notified.opposite,
            info: Info::rm(Kind::Brm, false),
            ..cell
        };
        self.send(port, cell, Some(&mut Body::Rm(generated)), links);
    }

    /// Index of the channel whose cells arrive with `label` among the [`Switch::notified`].
    fn notified_at(&self, label: u32) -> Option<usize> {
        let label_of = |notified: &Notified| notified.label;
        self.notified.binary_search_by_key(&label, label_of).ok()
    }

    /// Number of backward RM cells that the switch has generated for the channel whose cells arrive with `label`.
    pub fn generated_for(&self, label: u32) -> u64 {
        let index = self.notified_at(label);
        index.map_or(0, |index| self.notified[index].generated)
    }

    /// Passes a backward RM cell to the policer of the opposite channel, if this policer follows the channel's rate.
    fn tell_policer(&mut self, now: Ps, label: u32, body: Option<&Body>) {
        let found = self
            .feedback
            .binary_search_by_key(&label, |(label, _)| *label);
        if let (Ok(index), Some(Body::Rm(rm))) = (found, body) {
            let (_, policed) = self.feedback[index];
            self.policed[policed as usize].take_feedback(now, rm);
        }
    }

    /// Passes a backward RM cell to the control scheme of the opposite channel's port, which may
    /// mark the cell.
    #[inline(never)]
    fn mark(&mut self, now: Ps, label: u32, body: &mut Option<&mut Body>, links: &mut Links) {
        let Route {
            opposite, channel, ..
        } = self.table[label as usize];
        let (Some(Body::Rm(rm)), Some((port, slot))) = (body, opposite) else {
            return;
        };
        let before = *rm;
        let (port, link) = &mut self.ports[port as usize];
        port.pass_backward(now, slot, rm, &mut links.outlet(*link));
        if *rm != before {
            // The log assigns the mark to the channel whose rate the mark controls: the opposite of the cell's
            // channel.
            let what = What::Mark { er: rm.er };
            self.log.add(Event {
                at: now,
                channel: channel.reverse(),
                link: Some(*link),
                what,
            });
        }
    }
}

/// Prefetches the port and the link of the cell with the label `far`. Also prefetches, for the cell with the
/// label `near`, the memory in the ring buffer of its link.
#[inline(always)]
fn ask_ahead<S>(
    [far, near]: [Option<u32>; 2],
    table: &[Route],
    ports: &[(Port<S>, u32)],
    links: &[Link],
) {
    let route = |label: u32| &table[label as usize];
    if let Some(Route { port, link, .. }) = far.map(route)
        && let Some((port, _)) = ports.get(*port as usize)
    {
        prefetch::<3, _>(port);
        prefetch::<1, _>(&links[*link as usize]);
    }
    if let Some(Route { link, .. }) = near.map(route) {
        links[*link as usize].prefetch_tail();
    }
}
