//! An event-driven server, which reports the departures that cause other events. Strict priority
//! among queues; the channels of a queue may be served round-robin, each as far as its credit
//! allows.

mod channel;
mod counts;
mod queue;
mod reports;

use alloc::vec::Vec;

use self::channel::Channel;
use self::queue::{Lane, Queue};
use super::{
    Arrival, ChannelSettings, Context, CreditCounts, CreditedServer, Departure, Line, Message,
    NEVER_TOLD, PromptSettings, Queued, Server,
};
use crate::atm::cell::{Body, CELL_UNITS, Cell, Info};
use crate::atm::errors::Errors;
use crate::atm::hec::Fate;
use crate::atm::transport::Outlet;
use crate::credit::{Purpose, Sender};
use crate::kernel::{Ps, Ring};

/// The cell in service: a cell of a channel, or a cell of the credit protocol.
#[derive(Clone, Copy)]
enum InService {
    /// A cell of a channel, from the queue with the index `queue`. `matters` is true if the node must process the
    /// departure as soon as the cell has left.
    Cell {
        queue: u32,
        slot: u32,
        cell: Queued,
        lost: bool,
        matters: bool,
    },
    /// A cell of the credit protocol.
    Message { purpose: Purpose, lost: bool },
}

/// An event-driven server, for ports where some departures have immediate effects: a credit follows, or the link
/// has lost the cell. Other departures are processed at the next call, or when the next service starts. In
/// round-robin order a channel sends one cell. Then, if the channel may send another cell, it waits behind all
/// other channels that may send.
#[derive(Clone)]
pub struct PromptServer {
    line: Line,
    queues: Vec<Queue>,
    channels: Vec<Channel>,
    messages: Ring<Message>,
    /// Messages that enter the server at a later time, sorted by this time and then by rank. `to_come_at` is the
    /// time of the first message, `NEVER` if the list is empty.
    to_come: Ring<(Ps, u32, Message)>,
    to_come_at: Ps,
    records_per_cell: usize,
    records_before: u32,
    label: u32,
    errors: Option<Errors>,
    /// True if the server never reports a departure.
    tells_nobody: bool,
    /// True if a departure is reported as soon as its service has started.
    tells_ahead: bool,
    /// Number of waiting cells whose departures will be reported. Used only if departures are reported at their
    /// start.
    telling: u64,
    in_service: Option<InService>,
    departure: Option<Departure>,
    free_at: Ps,
    carry: u64,
    /// Earliest time of the next service start, which is not before a cell has arrived or got credit, even if the
    /// line is free earlier.
    ready_at: Ps,
    /// Number of cells and messages that may be served now. A channel in round-robin order counts
    /// once.
    ready: u64,
    /// One bit for each queue, set if one of its cells may be served. The lowest bit is the queue
    /// of the highest priority.
    occupied: u32,
    counts: CreditCounts,
    watched: Option<u32>,
    rm_first: bool,
}

impl PromptServer {
    /// A server of the queues and channels of `settings`. The control scheme gets the departures of
    /// queue `watched`. With `rm_first` a queue serves its RM cells before its other cells, unless
    /// its channels are served round-robin.
    ///
    /// # Panics
    /// If there are more than 31 queues.
    pub fn new(
        line: Line,
        watched: Option<usize>,
        rm_first: bool,
        settings: PromptSettings,
    ) -> PromptServer {
        assert!(settings.by_turns.len() < 32, "a bit for each queue");
        let never_told = |channel: &ChannelSettings| channel.told_every == NEVER_TOLD;
        let tells_nobody = settings.errors.is_none() && settings.channels.iter().all(never_told);
        let channel = |ChannelSettings {
                           queue,
                           rm_queue,
                           sender,
                           told_every,
                           ..
                       }: ChannelSettings| Channel {
            queue,
            rm_queue,
            sender,
            told_every,
            untold: 0,
            come: 0,
            lane: Lane::default(),
            here: 0,
            longest: 0,
            waits: false,
        };
        let queue = |by_turns: bool| Queue {
            turns: by_turns.then(Ring::default),
            ..Queue::default()
        };
        PromptServer {
            line,
            queues: settings.by_turns.into_iter().map(queue).collect(),
            channels: settings.channels.into_iter().map(channel).collect(),
            messages: Ring::default(),
            to_come: Ring::default(),
            to_come_at: Ps::NEVER,
            records_per_cell: settings.records_per_cell,
            records_before: settings.records_before as u32,
            label: settings.label,
            errors: settings.errors,
            tells_nobody,
            tells_ahead: settings.tells_ahead,
            telling: 0,
            in_service: None,
            departure: None,
            free_at: Ps::ZERO,
            carry: 0,
            ready_at: Ps::ZERO,
            ready: 0,
            occupied: 0,
            counts: CreditCounts::default(),
            watched: watched.map(|queue| queue as u32),
            rm_first,
        }
    }
    /// Counts one more cell or message that may be served from `now` on.
    #[inline]
    fn note_ready(&mut self, now: Ps) {
        if self.ready == 0 {
            self.ready_at = now;
        }
        self.ready += 1;
    }
    /// Moves the messages that have entered the server by `now` to the list of messages that wait to be sent.
    fn receive_messages(&mut self, now: Ps) {
        while self.to_come_at <= now
            && let Some((at, _, message)) = self.to_come.pop()
        {
            self.messages.push(message);
            self.note_ready(at);
            self.to_come_at = self.to_come.front().map_or(Ps::NEVER, |(at, ..)| *at);
        }
    }
    /// Appends the channel with index `slot` to the round-robin order of its queue, if the channel may send and
    /// is not in this order yet.
    #[inline]
    fn queue_up(&mut self, now: Ps, slot: u32) {
        let channel = &mut self.channels[slot as usize];
        if channel.waits || !channel.is_ready() {
            return;
        }
        channel.waits = true;
        let queue = channel.queue;
        if let Some(turns) = &mut self.queues[queue as usize].turns {
            turns.push(slot);
        }
        self.occupied |= 1 << queue;
        self.note_ready(now);
    }

    /// Counts a cell of the channel with index `slot` that arrives at `now`; `is_data` is false for an RM cell.
    /// Returns the index of the cell's queue, the queue, and the channel.
    #[inline(always)]
    fn count_arrival(
        &mut self,
        now: Ps,
        slot: u32,
        is_data: bool,
    ) -> (u32, &mut Queue, &mut Channel) {
        let channel = &mut self.channels[slot as usize];
        let index = if is_data {
            channel.queue
        } else {
            channel.rm_queue
        };
        let queue = &mut self.queues[index as usize];
        queue.stays.arrive(now);
        queue.length += 1;
        queue.longest = queue.longest.max(queue.length);
        self.telling += u64::from(channel.count_come());
        (index, queue, channel)
    }

    /// Puts a cell of the channel with index `slot` into its queue at `now`. The server must have been advanced
    /// to `now`.
    #[inline(always)]
    fn add(&mut self, now: Ps, slot: u32, cell: Queued, body: Option<&Body>) {
        let comes_first = self.rm_first && !cell.info.is_data();
        let (index, queue, channel) = self.count_arrival(now, slot, cell.info.is_data());
        let by_turns = queue.turns.is_some();
        let lane = match by_turns {
            true => &mut channel.lane,
            false if comes_first => &mut queue.first,
            false => &mut queue.fifo,
        };
        lane.push(cell, slot, body);
        if by_turns {
            self.queue_up(now, slot)
        } else {
            self.occupied |= 1 << index;
            self.note_ready(now)
        }
    }

    /// Does the work of [`CreditedServer::push_alone`] for a cell whose service may have to wait.
    #[inline(always)]
    fn push_behind(&mut self, arrival: &Arrival, context: &mut Context<'_, Outlet<'_>>) -> bool {
        let now = context.now;
        self.advance(context);
        let (queue, telling) = (self.channels[arrival.slot as usize].queue, self.telling);
        let is_first = self.ready == 0;
        let waits = self.next_start() > now;
        let comes_behind = !self.tells_ahead && waits && self.comes_behind(queue);
        self.add(now, arrival.slot, arrival.cell, None);
        if !comes_behind {
            self.advance(&mut context.at(Ps(now.0 + 1)));
        }
        match self.tells_ahead {
            true => is_first || self.telling != telling || self.departure.is_some(),
            false => !comes_behind,
        }
    }

    /// True if departures are reported at their start and the last cell served belongs to the channel with index
    /// `slot`.
    #[inline(always)]
    fn served_last(&self, slot: u32) -> bool {
        let is_last = |last| matches!(last, InService::Cell { slot: of, .. } if of == slot);
        self.tells_ahead && self.in_service.is_some_and(is_last)
    }

    /// Does the work of [`CreditedServer::push_alone`] for a cell whose service begins at once,
    /// directly after a cell of the same channel ([`PromptServer::served_last`]). Returns true if
    /// the departure of the cell must be reported.
    ///
    /// The result is exact. In the general path, the lengths of queue and channel and the number of departures to
    /// be reported would rise by one and fall by one. So only times and the counts of passed cells change. The
    /// cell in service is still a cell of this channel, and all reports about the cell before it have been made.
    /// Under credit control there is neither ABR nor a control scheme: a channel has one queue, and no scheme
    /// gets the queue's departures.
    #[inline(always)]
    fn serve_again(
        &mut self,
        slot: u32,
        cell: Queued,
        context: &mut Context<'_, Outlet<'_>>,
    ) -> bool {
        let now = context.now;
        let channel = &mut self.channels[slot as usize];
        if let Some(sender) = &mut channel.sender {
            sender.send(CELL_UNITS);
        }
        debug_assert!(channel.queue == channel.rm_queue && self.watched.is_none());
        let told = channel.count_alone();
        let queue = &mut self.queues[channel.queue as usize];
        queue.stays.leave(self.free_at);
        queue.stays.arrive(now);
        queue.departed += 1;
        let lost = self.put_on_link(cell, None, context);
        debug_assert!(
            !lost,
            "departures over a link with losses are not reported ahead"
        );
        if let Some(cells) = told {
            self.report(slot, cell, lost, cells);
        }
        told.is_some()
    }

    #[inline(always)]
    fn complete(&mut self) {
        match self.in_service.take() {
            None => {}
            Some(InService::Message { purpose, lost }) => self.counts.count(purpose, lost),
            Some(InService::Cell {
                queue,
                slot,
                cell,
                lost,
                ..
            }) => {
                let queue = &mut self.queues[queue as usize];
                queue.stays.leave(self.free_at);
                queue.length -= 1;
                queue.departed += 1;
                let channel = &mut self.channels[slot as usize];
                channel.here -= 1;
                if self.tells_ahead {
                    return;
                }
                let told = channel.count_untold();
                if lost || told.is_some() {
                    self.report(slot, cell, lost, told.unwrap_or(0));
                }
            }
        }
    }

    /// Stores the departure of the cell in service for the node; `slot` is the index of the cell's channel at the
    /// port. `cells` is the number of departed cells that have not been reported yet.
    fn report(&mut self, slot: u32, Queued { info, label }: Queued, lost: bool, cells: u32) {
        debug_assert!(
            self.departure.is_none(),
            "the node was not told of a departure"
        );
        self.departure = Some(Departure {
            at: self.free_at,
            slot,
            info,
            label,
            lost,
            cells,
        });
    }

    /// Does the work of [`Server::advance`] if the cell in service leaves by `now`.
    #[inline(never)]
    fn complete_until(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        let now = context.now;
        while self.free_at <= now {
            self.complete();
            let start = self.next_start();
            if start >= now {
                return;
            }
            if self.to_come_at <= start {
                self.receive_messages(start);
            }
            self.start(&mut context.at(start));
        }
    }

    #[inline(always)]
    fn start(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        let index = self.occupied.trailing_zeros();
        if self.records_before <= index && !self.messages.is_empty() {
            return self.start_message(context);
        }
        let Some(queue) = self.queues.get_mut(index as usize) else {
            return;
        };
        let (found, bodies, is_last) = match &mut queue.turns {
            None => {
                self.ready -= 1;
                let is_last = queue.fifo.cells.len() + queue.first.cells.len() == 1;
                let lane = match queue.first.cells.is_empty() {
                    true => &mut queue.fifo,
                    false => &mut queue.first,
                };
                (lane.cells.pop(), &mut lane.bodies, is_last)
            }
            Some(turns) => {
                let Some(slot) = turns.pop() else { return };
                let channel = &mut self.channels[slot as usize];
                let found = channel.lane.cells.pop();
                if let Some(sender) = &mut channel.sender {
                    sender.send(CELL_UNITS);
                }
                channel.waits = channel.is_ready();
                if channel.waits {
                    turns.push(slot);
                } else {
                    self.ready -= 1;
                }
                (found, &mut channel.lane.bodies, turns.is_empty())
            }
        };
        if is_last {
            self.occupied &= !(1 << index);
        }
        let Some((cell, slot)) = found else { return };
        let place = (index, slot);
        // Few cells have a body. The branch keeps the copy of a body off the path of all other
        // cells.
        if cell.info.has_body() {
            let body = bodies.pop();
            return self.serve_next(place, cell, body.as_ref(), context);
        }
        self.serve_next(place, cell, None, context)
    }

    /// Starts the service of a cell that has waited in the queue `index`; `slot` is the index of
    /// its channel at the port.
    #[inline(always)]
    fn serve_next(
        &mut self,
        (index, slot): (u32, u32),
        mut cell: Queued,
        body: Option<&Body>,
        context: &mut Context<'_, Outlet<'_>>,
    ) {
        if self.watched == Some(index) {
            let length = self.queues[index as usize].length;
            context.show_start(&mut cell.info, length);
        }
        self.serve((index, slot), cell, body, context);
    }

    /// Starts the service of a cell of the queue `queue`; `slot` is the index of its channel at the port.
    #[inline(always)]
    fn serve(
        &mut self,
        (queue, slot): (u32, u32),
        cell: Queued,
        body: Option<&Body>,
        context: &mut Context<'_, Outlet<'_>>,
    ) {
        let lost = self.put_on_link(cell, body, context);
        let channel = &mut self.channels[slot as usize];
        let matters = match self.tells_ahead {
            true => {
                if let Some(cells) = channel.count_untold() {
                    self.telling -= 1;
                    self.report(slot, cell, lost, cells);
                }
                false
            }
            false => lost || channel.tells_next(),
        };
        self.in_service = Some(InService::Cell {
            queue,
            slot,
            cell,
            lost,
            matters,
        });
    }

    fn start_message(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        let Some(first) = self.messages.pop() else {
            return;
        };
        self.ready -= 1;
        let sender = |slot: u32| {
            self.channels[slot as usize]
                .sender
                .unwrap_or(Sender::new(0))
        };
        let mut cell = first.cell(sender);
        if cell.purpose == Purpose::Credit {
            for _ in 1..self.records_per_cell {
                let Some(Message::Credit(record)) = self.messages.front().copied() else {
                    break;
                };
                self.messages.pop();
                self.ready -= 1;
                cell.push(record);
            }
        }
        let queued = Queued {
            label: self.label,
            info: Info::credit(),
        };
        let lost = self.put_on_link(queued, Some(&Body::Credit(cell)), context);
        self.in_service = Some(InService::Message {
            purpose: cell.purpose,
            lost,
        });
    }

    /// Starts the service of a cell by putting it on the link. Returns true if the link will lose
    /// the cell.
    #[inline(always)]
    fn put_on_link(
        &mut self,
        cell: Queued,
        body: Option<&Body>,
        context: &mut Context<'_, Outlet<'_>>,
    ) -> bool {
        let at = context.now;
        if at > self.free_at {
            self.carry = 0;
        }
        (self.free_at, self.carry) = self.line.clock.complete(at, self.carry);
        let errors = self.errors.as_mut();
        let fate = errors.map_or(Fate::Whole, |errors| {
            errors.meet(cell.info, cell.label, self.free_at)
        });
        if fate != Fate::Lost {
            let cell = Cell {
                at: self.free_at + self.line.delay,
                label: cell.label,
                info: cell.info,
            };
            match fate {
                Fate::Errored => {
                    let body = body.map(|body| body.errored());
                    context.out.push(cell, body.as_ref());
                }
                _ => context.out.push(cell, body),
            }
        }
        fate == Fate::Lost
    }
}

/// Removes the channel with index `slot` from a round-robin order.
fn remove(turns: &mut Ring<u32>, slot: u32) {
    for _ in 0..turns.len() {
        if let Some(waiting) = turns.pop().filter(|waiting| *waiting != slot) {
            turns.push(waiting);
        }
    }
}

impl Server for PromptServer {
    type Credited = PromptServer;
    fn credited(&self) -> Option<&PromptServer> {
        Some(self)
    }
    fn credited_mut(&mut self) -> Option<&mut PromptServer> {
        Some(self)
    }
    #[inline]
    fn queue_length(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        self.advance(context);
        self.queues[queue].length
    }
    #[inline]
    fn surely_shorter(&self, _now: Ps, queue: usize, limit: u64) -> bool {
        self.queues[queue].length < limit
    }
    fn push(
        &mut self,
        arrival: &Arrival,
        body: Option<&Body>,
        context: &mut Context<'_, Outlet<'_>>,
    ) {
        let now = context.now;
        self.advance(context);
        self.add(now, arrival.slot, arrival.cell, body);
    }
    #[inline(always)]
    fn advance(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        let now = context.now;
        // If the cell in service has not left, there is nothing to process.
        if self.free_at <= now {
            self.complete_until(context);
        }
    }
    /// Time of the next event: a departure that must be reported, the end of a service whose
    /// departure the node must process, or the start of a service with such an end.
    #[inline]
    fn next_event(&self) -> Ps {
        match (&self.departure, &self.in_service) {
            (Some(departure), _) => departure.at,
            (None, Some(InService::Cell { matters: true, .. })) => self.free_at,
            _ => self.next_start_that_matters(),
        }
    }
}

impl CreditedServer for PromptServer {
    #[inline]
    fn push_alone(&mut self, arrival: &Arrival, context: &mut Context<'_, Outlet<'_>>) -> bool {
        let now = context.now;
        let (slot, mut cell) = (arrival.slot, arrival.cell);
        let is_idle = self.free_at <= now && self.ready == 0 && self.to_come_at > now;
        if !is_idle || !self.channels[slot as usize].has_credit() {
            return self.push_behind(arrival, context);
        }
        // No other cell could be served before this one, so this cell need not wait either.
        if self.served_last(slot) {
            return self.serve_again(slot, cell, context);
        }
        self.complete();
        let watched = self.watched;
        let (index, queue, channel) = self.count_arrival(now, slot, true);
        if let Some(sender) = &mut channel.sender {
            sender.send(CELL_UNITS);
        }
        if watched == Some(index) {
            context.show_start(&mut cell.info, queue.length);
        }
        self.serve((index, slot), cell, None, context);
        // No cell waits, so no later service start can affect the node.
        !self.tells_ahead || self.departure.is_some()
    }
    #[inline]
    fn take_departure(&mut self) -> Option<Departure> {
        self.departure.take()
    }
    #[inline]
    fn take_departure_ahead(&mut self) -> Option<Departure> {
        match self.tells_ahead {
            true => self.departure.take(),
            false => None,
        }
    }
    #[inline]
    fn tells_nobody(&self) -> bool {
        self.tells_nobody
    }
    #[inline]
    fn tells_next(&self) -> bool {
        self.departure.is_some()
            || matches!(self.in_service, Some(InService::Cell { matters: true, .. }))
    }
    #[inline]
    fn next_start(&self) -> Ps {
        let ready_at = if self.ready == 0 {
            Ps::NEVER
        } else {
            self.ready_at
        };
        self.free_at.max(ready_at.min(self.to_come_at))
    }
    fn tell_at(&mut self, at: Ps, rank: u32, message: Message) {
        self.to_come.push((at, rank, message));
        // Few ports send messages to this port, and each port in order of time, so the loop passes few entries.
        for newer in 1..self.to_come.len() {
            let before = *self.to_come.before_newest_mut(newer);
            if (before.0, before.1) <= (at, rank) {
                break;
            }
            *self.to_come.before_newest_mut(newer) = (at, rank, message);
            *self.to_come.before_newest_mut(newer - 1) = before;
        }
        self.to_come_at = self.to_come_at.min(at);
    }
    fn tell(&mut self, message: Message, context: &mut Context<'_, Outlet<'_>>) {
        let now = context.now;
        self.advance(context);
        self.messages.push(message);
        self.note_ready(now);
    }
    fn set_limit(&mut self, slot: u32, limit: u32, context: &mut Context<'_, Outlet<'_>>) {
        let now = context.now;
        self.advance(context);
        let channel = &mut self.channels[slot as usize];
        let Some(sender) = &mut channel.sender else {
            return;
        };
        sender.set_limit(limit);
        if channel.waits && !sender.allows(CELL_UNITS) {
            // A reduction of credit has removed the channel from the round-robin order.
            channel.waits = false;
            if let Some(turns) = &mut self.queues[channel.queue as usize].turns {
                remove(turns, slot);
                if turns.is_empty() {
                    self.occupied &= !(1 << channel.queue);
                }
            }
            self.ready -= 1;
        }
        self.queue_up(now, slot);
    }
    fn take_untold(&mut self, slot: u32, context: &mut Context<'_, Outlet<'_>>) -> u32 {
        self.advance(context);
        core::mem::take(&mut self.channels[slot as usize].untold)
    }
    fn queued_of(&self, slot: u32) -> u64 {
        self.channels[slot as usize].here as u64
    }
    fn longest_of(&self, slot: u32) -> u64 {
        self.channels[slot as usize].longest as u64
    }
    fn sender(&self, slot: u32) -> Option<Sender> {
        self.channels[slot as usize].sender
    }
    fn credit_counts(&self) -> CreditCounts {
        self.counts
    }
}
