//! The plain server of the reference engine: each end of a service is an event, and nothing is computed ahead of
//! time.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use super::{
    Arrival, BuildServer, ChannelOrder, Context, CreditCounts, CreditedServer, Departure, Line,
    Message, PortOrder, PromptSettings, Queued, Server, ServerCounts, ServerSettings,
};
use crate::atm::cell::{Body, CELL_UNITS, Cell, Info};
use crate::atm::hec::Fate;
use crate::atm::transport::Outlet;
use crate::credit::{Purpose, Sender};
use crate::kernel::{Ps, ServiceRate};
use crate::policing::{Buckets, Contract};
use crate::schedule::channels::CELL_OCTETS;

#[derive(Clone)]
struct Waiting {
    slot: u32,
    cell: Queued,
    body: Option<Body>,
    at: Ps,
    /// True until the shaper of the channel has released the cell.
    is_held: bool,
}

/// The cell in service: a cell of a queue, or a cell of the credit protocol.
#[derive(Clone)]
struct Service {
    queue: Option<usize>,
    waiting: Waiting,
    done: Ps,
    lost: bool,
}

/// State of a channel at a port under credit control.
#[derive(Clone, Copy, Default)]
struct Channel {
    /// Index of the queue for the channel's data cells; `rm_queue` is the index for its RM cells.
    queue: usize,
    rm_queue: usize,
    sender: Option<Sender>,
    /// Place of the channel in the round-robin order: the number of the event at which the channel last became
    /// able to send, or last sent. `None` if the channel may not send.
    since: Option<u64>,
    here: u64,
    longest: u64,
}

/// Serves queues in strict priority or by weight, event by event. A cell leaves its queue when its service ends,
/// and only then enters the link. The code is simple on purpose, and shares only the interface and
/// the counters of credit control with the other servers.
#[derive(Clone)]
pub struct EagerServer {
    line: Line,
    queues: Vec<VecDeque<Waiting>>,
    in_service: Option<Service>,
    /// End of the last service, and the fraction of a picosecond that the next service inherits.
    last: (Ps, u64),
    departed: u64,
    integrals: Vec<(u128, Ps)>,
    longest: Vec<u64>,
    accepted: Vec<u64>,
    watched: Option<usize>,
    rm_first: bool,
    orders: Option<PortOrder>,
    /// For each queue and lane, the shaper.
    shapers: Vec<Vec<Option<Buckets>>>,
    /// Time since which cells wait although no cell is in service.
    idle_since_arrival: Ps,
    numbers: u64,
    prompt: Option<PromptSettings>,
    channels: Vec<Channel>,
    messages: VecDeque<Message>,
    departure: Option<Departure>,
    counts: CreditCounts,
}

impl EagerServer {
    fn length(&self, queue: usize) -> u64 {
        let serving = self
            .in_service
            .as_ref()
            .is_some_and(|service| service.queue == Some(queue));
        self.queues[queue].len() as u64 + serving as u64
    }
    fn account(&mut self, now: Ps) {
        for queue in 0..self.queues.len() {
            let length = self.length(queue) as u128;
            let (sum, since) = &mut self.integrals[queue];
            *sum += (now.0 - since.0) as u128 * length;
            *since = now;
        }
    }
    fn finish(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        let Some(Service { done, .. }) = self.in_service else {
            return;
        };
        self.account(done);
        let Some(Service {
            waiting: Waiting {
                slot, cell, body, ..
            },
            lost,
            ..
        }) = self.in_service.take()
        else {
            return;
        };
        self.departed += 1;
        let label = cell.label;
        if let Some(Body::Credit(cell)) = body {
            self.counts.count(cell.purpose, lost);
        } else if self.prompt.is_some() {
            self.channels[slot as usize].here -= 1;
            self.departure = Some(Departure {
                at: done,
                slot,
                info: cell.info,
                label,
                lost,
                cells: 1,
            });
        }
        if !lost {
            let cell = Cell {
                at: done + self.line.delay,
                label,
                info: cell.info,
            };
            context.out.push(cell, body.as_ref());
        }
    }

    fn takes_turns(&self, queue: usize) -> bool {
        self.prompt
            .as_ref()
            .is_some_and(|prompt| prompt.by_turns[queue])
    }
    /// Position in `queue` of the cell to be served next; `None` if no cell of the queue may be
    /// served.
    fn next_of(&self, queue: usize) -> Option<usize> {
        if !self.takes_turns(queue) {
            let is_rm = |waiting: &Waiting| !waiting.cell.info.is_data();
            let first_rm = if self.rm_first {
                self.queues[queue].iter().position(is_rm)
            } else {
                None
            };
            return first_rm.or(self.queues[queue].iter().position(|cell| !cell.is_held));
        }
        let place = |waiting: &Waiting| self.channels[waiting.slot as usize].since;
        let first = self.queues[queue].iter().filter_map(place).min()?;
        self.queues[queue]
            .iter()
            .position(|waiting| place(waiting) == Some(first))
    }
    /// Returns what [`EagerServer::next_of`] returns, at the start of a service, and counts the service in the
    /// [`Schedule`](crate::schedule::Schedule) of the queue's channels, if there is one.
    fn take_next_of(&mut self, queue: usize) -> Option<usize> {
        let Some(orders) = &mut self.orders else {
            return self.next_of(queue);
        };
        let ChannelOrder {
            schedule,
            lanes,
            contracts,
        } = &mut orders.channels[queue];
        // The lane of each cell; `None` for a held cell.
        let lane = |cell: &Waiting| (!cell.is_held).then_some(lanes[cell.slot as usize] as usize);
        let cells: Vec<Option<usize>> = self.queues[queue].iter().map(lane).collect();
        if cells.iter().all(Option::is_none) {
            return None;
        }
        let mut heads = alloc::vec![0; contracts.len()];
        for lane in cells.iter().flatten() {
            heads[*lane] = CELL_OCTETS;
        }
        let next = schedule.next(&heads)?;
        schedule.on_service(next, CELL_OCTETS);
        if cells.iter().filter(|lane| **lane == Some(next)).count() == 1 {
            schedule.on_emptied(next);
        }
        cells.iter().position(|lane| *lane == Some(next))
    }
    /// The queues, in the order in which the line looks for a cell at the start of a service. If queues have weights, one
    /// queue at most, whose service is counted.
    fn queues_in_turn(&mut self) -> Vec<usize> {
        let classes = self
            .orders
            .as_mut()
            .and_then(|orders| orders.classes.as_mut());
        let Some(schedule) = classes else {
            return (0..=self.queues.len()).collect();
        };
        let ready = |queue: &VecDeque<Waiting>| queue.iter().filter(|cell| !cell.is_held).count();
        let ready: Vec<usize> = self.queues.iter().map(ready).collect();
        let heads = ready.iter();
        let heads: Vec<u32> = heads
            .map(|cells| if *cells > 0 { CELL_OCTETS } else { 0 })
            .collect();
        let next = schedule.next(&heads);
        if let Some(queue) = next {
            schedule.on_service(queue, CELL_OCTETS);
            if ready[queue] == 1 {
                schedule.on_emptied(queue);
            }
        }
        next.into_iter().collect()
    }
    /// Tells the [`Schedule`](crate::schedule::Schedule)s of the queue's channels and of the queues, if there are any, that
    /// a cell may be served of a channel without other such cells in the queue, or of a queue without other such cells.
    fn note_arrival(&mut self, now: Ps, slot: u32, queue: usize) {
        let left_of = |service: &Service| self.line.clock.parts_in(service.done - now, CELL_OCTETS);
        let Some(orders) = &mut self.orders else {
            return;
        };
        if let Some(classes) = &mut orders.classes
            && self.queues[queue].iter().all(|cell| cell.is_held)
        {
            // The cells of strict queues are no part of the service that the others share.
            let shares = |service: &&Service| {
                let queue = service.queue;
                queue.is_some_and(|queue| !classes.is_strict(queue))
            };
            let left = self.in_service.as_ref().filter(shares).map_or(0, left_of);
            classes.on_arrival(queue, left);
        }
        let order = &mut orders.channels[queue];
        let lane = order.lanes[slot as usize];
        let mut others = self.queues[queue].iter().filter(|other| !other.is_held);
        if others.any(|other| order.lanes[other.slot as usize] == lane) {
            return;
        }
        let serving = self.in_service.iter();
        let mut serving = serving.filter(|service| service.queue == Some(queue));
        let left = serving.next().map_or(0, left_of);
        order.schedule.on_arrival(lane as usize, left);
    }
    /// The shaper of the channel with index `slot` in `queue`, if it has one.
    fn shaper(&mut self, slot: u32, queue: usize) -> Option<&mut Buckets> {
        let order = &self.orders.as_ref()?.channels[queue];
        let lane = order.lanes[slot as usize] as usize;
        self.shapers[queue][lane].as_mut()
    }
    /// Time of the next release of a held cell, its queue, and its place there.
    fn next_release(&self) -> Option<(Ps, usize, usize)> {
        let orders = self.orders.as_ref()?;
        let mut next: Option<(Ps, usize, usize)> = None;
        for (queue, cells) in self.queues.iter().enumerate() {
            for (lane, shaper) in self.shapers[queue].iter().enumerate() {
                let lanes = &orders.channels[queue].lanes;
                let is_next =
                    |cell: &Waiting| cell.is_held && lanes[cell.slot as usize] == lane as u32;
                let Some((shaper, place)) = shaper.as_ref().zip(cells.iter().position(is_next))
                else {
                    continue;
                };
                let at = shaper.earliest().max(cells[place].at);
                if next.is_none_or(|(other, _, _)| at < other) {
                    next = Some((at, queue, place));
                }
            }
        }
        next
    }
    fn release(&mut self, (at, queue, place): (Ps, usize, usize)) {
        let slot = self.queues[queue][place].slot;
        self.note_arrival(at, slot, queue);
        if let Some(shaper) = self.shaper(slot, queue) {
            shaper.count(at, CELL_UNITS);
        }
        self.note(at, |server| server.queues[queue][place].is_held = false);
    }
    /// True if messages of credit control are served before the cells of `queue`.
    fn messages_come_before(&self, queue: usize) -> bool {
        !self.messages.is_empty()
            && self
                .prompt
                .as_ref()
                .is_some_and(|prompt| prompt.records_before == queue)
    }
    /// Updates the place of a channel in the round-robin order.
    fn place(&mut self, slot: u32) {
        let channel = self.channels[slot as usize];
        let waits = self.queues[channel.queue]
            .iter()
            .any(|waiting| waiting.slot == slot);
        let may = waits
            && channel
                .sender
                .is_none_or(|sender| sender.allows(CELL_UNITS));
        self.numbers += 1;
        let since = channel.since.or(Some(self.numbers)).filter(|_| may);
        self.channels[slot as usize].since = since;
    }

    fn begin(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        let now = context.now;
        for queue in self.queues_in_turn() {
            if self.messages_come_before(queue) {
                return self.begin_message(now);
            }
            if queue < self.queues.len()
                && let Some(place) = self.take_next_of(queue)
            {
                let length = self.length(queue);
                let Some(mut waiting) = self.queues[queue].remove(place) else {
                    return;
                };
                if self.watched == Some(queue) {
                    context.show_start(&mut waiting.cell.info, length);
                }
                if self.takes_turns(queue) {
                    let channel = &mut self.channels[waiting.slot as usize];
                    if let Some(sender) = &mut channel.sender {
                        sender.send(CELL_UNITS);
                    }
                    channel.since = None;
                    self.place(waiting.slot);
                }
                return self.serve(now, Some(queue), waiting);
            }
        }
    }
    fn begin_message(&mut self, now: Ps) {
        let (Some(first), Some(prompt)) = (self.messages.pop_front(), &self.prompt) else {
            return;
        };
        let mut cell = first.cell(|slot| {
            self.channels[slot as usize]
                .sender
                .unwrap_or(Sender::new(0))
        });
        while cell.purpose == Purpose::Credit
            && cell.records().count() < prompt.records_per_cell
            && let Some(Message::Credit(record)) = self.messages.front().copied()
        {
            self.messages.pop_front();
            cell.push(record);
        }
        let queued = Queued {
            label: prompt.label,
            info: Info::credit(),
        };
        self.serve(
            now,
            None,
            Waiting {
                slot: 0,
                cell: queued,
                body: Some(Body::Credit(cell)),
                at: now,
                is_held: false,
            },
        );
    }
    fn serve(&mut self, now: Ps, queue: Option<usize>, mut waiting: Waiting) {
        let carry = if self.last.0 == now { self.last.1 } else { 0 };
        self.last = self.line.clock.complete(now, carry);
        let errors = self
            .prompt
            .as_mut()
            .and_then(|prompt| prompt.errors.as_mut());
        let Queued { info, label } = waiting.cell;
        let fate = errors.map_or(Fate::Whole, |errors| errors.meet(info, label, self.last.0));
        if fate == Fate::Errored {
            waiting.body = waiting.body.map(Body::errored);
        }
        self.in_service = Some(Service {
            queue,
            waiting,
            done: self.last.0,
            lost: fate == Fate::Lost,
        });
    }
    fn something_waits(&self) -> bool {
        !self.messages.is_empty()
            || (0..self.queues.len()).any(|queue| self.next_of(queue).is_some())
    }
    fn start_due(&self) -> Ps {
        if self.in_service.is_none() && self.something_waits() {
            self.idle_since_arrival.max(self.last.0)
        } else {
            Ps::NEVER
        }
    }
    /// Calls `change` at `now`, after which more cells may wait for service.
    fn note(&mut self, now: Ps, change: impl FnOnce(&mut EagerServer)) {
        let idle = self.in_service.is_none() && !self.something_waits();
        change(self);
        if idle {
            self.idle_since_arrival = now;
        }
    }
}

impl BuildServer for EagerServer {
    fn build(settings: ServerSettings) -> EagerServer {
        let ServerSettings {
            line,
            queues,
            watched,
            marks_above: _,
            rm_first,
            orders,
            prompt,
            losses: _,
        } = settings;
        let channels = prompt.iter().flat_map(|prompt| &prompt.channels);
        let channel = |settings: &super::ChannelSettings| Channel {
            queue: settings.queue as usize,
            rm_queue: settings.rm_queue as usize,
            sender: settings.sender,
            ..Channel::default()
        };
        let shaper = |contract: &Option<Contract>| {
            let contract = contract.as_ref();
            contract.map(|contract| Buckets::new(contract, ServiceRate::of_cells))
        };
        let shapers_of = |order: &ChannelOrder| order.contracts.iter().map(shaper).collect();
        let queues_in_order = orders.iter().flat_map(|orders| &orders.channels);
        EagerServer {
            line,
            shapers: queues_in_order.map(shapers_of).collect(),
            queues: (0..queues).map(|_| VecDeque::new()).collect(),
            in_service: None,
            last: (Ps::ZERO, 0),
            departed: 0,
            integrals: alloc::vec![(0, Ps::ZERO); queues],
            longest: alloc::vec![0; queues],
            accepted: alloc::vec![0; queues],
            watched,
            rm_first,
            orders,
            idle_since_arrival: Ps::ZERO,
            numbers: 0,
            channels: channels.map(channel).collect(),
            prompt,
            messages: VecDeque::new(),
            departure: None,
            counts: CreditCounts::default(),
        }
    }
}

impl Server for EagerServer {
    const OBSERVED: bool = true;
    type Credited = EagerServer;
    fn credited(&self) -> Option<&EagerServer> {
        self.prompt.is_some().then_some(self)
    }
    fn credited_mut(&mut self) -> Option<&mut EagerServer> {
        self.prompt.is_some().then_some(self)
    }
    fn queue_length(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        self.advance(context);
        self.length(queue)
    }
    fn surely_shorter(&self, _now: Ps, queue: usize, limit: u64) -> bool {
        self.length(queue) < limit
    }
    fn push(
        &mut self,
        arrival: &Arrival,
        body: Option<&Body>,
        context: &mut Context<'_, Outlet<'_>>,
    ) {
        let now = context.now;
        let Arrival {
            slot, queue, cell, ..
        } = *arrival;
        self.advance(context);
        self.account(now);
        let own = |channel: &Channel| {
            if cell.info.is_data() {
                channel.queue
            } else {
                channel.rm_queue
            }
        };
        let queue = self.channels.get(slot as usize).map_or(queue as usize, own);
        let is_held = self.shaper(slot, queue).is_some();
        if !is_held {
            self.note_arrival(now, slot, queue);
        }
        self.note(now, |server| {
            server.queues[queue].push_back(Waiting {
                slot,
                cell,
                body: body.copied(),
                at: now,
                is_held,
            });
            if server.prompt.is_some() {
                server.place(slot);
            }
        });
        self.accepted[queue] += 1;
        self.longest[queue] = self.longest[queue].max(self.length(queue));
        if let Some(channel) = self.channels.get_mut(slot as usize) {
            channel.here += 1;
            channel.longest = channel.longest.max(channel.here);
        }
    }
    fn advance(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        let now = context.now;
        loop {
            // Of equal times: the end of a service, a release, the start of a service.
            let release = self.next_release();
            let released = release.map_or(Ps::NEVER, |(at, _, _)| at);
            let end = self
                .in_service
                .as_ref()
                .map_or(Ps::NEVER, |service| service.done);
            if end <= now && end <= released {
                self.finish(context);
                continue;
            }
            let start = self.start_due();
            if let Some(release) = release
                && released <= now.min(start)
            {
                self.release(release);
                continue;
            }
            if start >= now {
                return;
            }
            self.begin(&mut context.at(start));
        }
    }
    fn next_event(&self) -> Ps {
        if let Some(departure) = &self.departure {
            return departure.at;
        }
        let released = self.next_release().map_or(Ps::NEVER, |(at, _, _)| at);
        let served = self.in_service.as_ref();
        served
            .map_or_else(|| self.start_due(), |service| service.done)
            .min(released)
    }
}

impl ServerCounts for EagerServer {
    fn accepted(&self, queue: usize) -> u64 {
        self.accepted[queue]
    }
    fn departed(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        self.advance(context);
        self.departed
    }
    fn served(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u128 {
        let now = context.now;
        let begun = self.departed(context) + self.in_service.is_some() as u64;
        let (last, carry) = self.last;
        self.line.clock.served(begun, now, last, carry)
    }
    fn backlog_integral(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> f64 {
        let now = context.now;
        self.advance(context);
        self.account(now);
        self.integrals[queue].0 as f64
    }
    fn longest(&self, queue: usize) -> u64 {
        self.longest[queue]
    }
    fn forget_longest(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        self.advance(context);
        self.longest = (0..self.queues.len())
            .map(|queue| self.length(queue))
            .collect();
    }
    fn held(&self) -> Vec<Queued> {
        let waiting = self.queues.iter().flatten().map(|waiting| waiting.cell);
        let in_service = self
            .in_service
            .iter()
            .filter(|service| service.queue.is_some());
        // A lost cell counts as present until the node has processed the loss.
        let lost = self.departure.iter().filter(|departure| departure.lost);
        let lost = lost.map(|departure| Queued {
            label: departure.label,
            info: departure.info,
        });
        waiting
            .chain(in_service.map(|service| service.waiting.cell))
            .chain(lost)
            .collect()
    }
    fn storage(&self) -> (usize, usize) {
        (0, 0)
    }
}

impl CreditedServer for EagerServer {
    fn push_alone(&mut self, arrival: &Arrival, context: &mut Context<'_, Outlet<'_>>) -> bool {
        let now = context.now;
        self.push(arrival, None, context);
        self.advance(&mut context.at(Ps(now.0 + 1)));
        true
    }
    fn tells_next(&self) -> bool {
        true
    }
    fn next_start(&self) -> Ps {
        self.next_event()
    }
    fn take_untold(&mut self, _slot: u32, _context: &mut Context<'_, Outlet<'_>>) -> u32 {
        0
    }
    fn take_departure(&mut self) -> Option<Departure> {
        self.departure.take()
    }
    fn tell(&mut self, message: Message, context: &mut Context<'_, Outlet<'_>>) {
        let now = context.now;
        self.advance(context);
        self.note(now, |server| server.messages.push_back(message));
    }
    fn set_limit(&mut self, slot: u32, limit: u32, context: &mut Context<'_, Outlet<'_>>) {
        let now = context.now;
        self.advance(context);
        self.note(now, |server| {
            server.channels[slot as usize]
                .sender
                .iter_mut()
                .for_each(|sender| sender.set_limit(limit));
            server.place(slot);
        });
    }
    fn queued_of(&self, slot: u32) -> u64 {
        self.channels[slot as usize].here
    }
    fn longest_of(&self, slot: u32) -> u64 {
        self.channels[slot as usize].longest
    }
    fn sender(&self, slot: u32) -> Option<Sender> {
        self.channels[slot as usize].sender
    }
    fn credit_counts(&self) -> CreditCounts {
        self.counts
    }
}
