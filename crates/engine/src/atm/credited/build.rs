//! Builds the state of event-driven nodes, which process each event at the time of the event. Nodes under credit
//! control are event-driven. In the plain (reference) engine, nodes whose links lose cells are event-driven, too.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use super::{Account, NONE, Prompt, Shared, Way};
use crate::atm::cell::{CELL_UNITS, ServiceClass};
use crate::atm::draft::{Draft, Users};
use crate::atm::plan::{NodeKind, PlanError, contradictions};
use crate::atm::server::{BuildServer, ChannelSettings, LossSettings, NEVER_TOLD, PromptSettings};
use crate::credit::allocation::Pool;
use crate::credit::{Allocation, CreditPriority, FcvcConfig, Loop, Receiver, Sender};
use crate::kernel::ServiceRate;
use crate::net::channel::{ChannelId, Hop};
use crate::net::opposites;

impl Draft<'_> {
    /// Finds, for every link under credit control, the link in the opposite direction, on which the credit cells
    /// return.
    pub(in crate::atm) fn find_ways_of_credit(&mut self) -> Result<(), PlanError> {
        if self.plan.fcvc.is_none() {
            return Ok(());
        }
        self.check_credit()?;
        for (link, back) in opposites(&self.plan.links).into_iter().enumerate() {
            if self.users[link]
                .iter()
                .any(|channel| self.is_credited(*channel))
            {
                let name = &self.plan.links[link].name;
                let back = back.ok_or_else(|| {
                    PlanError(format!("link {name} has no way back for its credit"))
                })?;
                self.back[link] = Some(back);
                self.returns_for[back].get_or_insert(link);
                let ends = &self.plan.links[link];
                self.has_credit[ends.from] = true;
                self.has_credit[ends.to] = true;
            }
        }
        Ok(())
    }

    fn check_credit(&self) -> Result<(), PlanError> {
        let mut classes: Vec<ServiceClass> = Vec::new();
        for channel in self.plan.channels() {
            let class = self.class(channel);
            if !self.path(channel).is_empty() && !classes.contains(&class) {
                classes.push(class);
            }
        }
        let used = |class: ServiceClass| classes.contains(&class);
        if used(ServiceClass::Abr) {
            return Err(PlanError(
                "credit replaces rates: no channel may be ABR".into(),
            ));
        }
        let found = self.plan.nodes.iter().find_map(|node| match &node.kind {
            NodeKind::Switch(s) => contradictions(&s.control, &s.discard, &s.priority, used)
                .first()
                .copied(),
            NodeKind::Host => None,
        });
        found.map_or(Ok(()), |found| Err(PlanError(format!("{found}"))))
    }

    fn is_prompt<S: BuildServer>(&self, node: usize) -> bool {
        self.has_credit[node] || (self.links_err && !S::LOSES_AHEAD)
    }
    /// True if links lose cells and a port can compute the losses of its link ahead of time, so that the port
    /// need not be event-driven.
    pub(in crate::atm) fn loses_ahead<S: BuildServer>(&self) -> bool {
        self.links_err && S::LOSES_AHEAD
    }
    /// Settings for the losses of `link`; `None` if the link loses no cell or if the port of the link is
    /// event-driven.
    pub(in crate::atm) fn losses_ahead<S: BuildServer>(&self, link: usize) -> Option<LossSettings> {
        let node = self.plan.links[link].from;
        if self.is_prompt::<S>(node) {
            return None;
        }
        let label =
            |channel: &ChannelId| self.hop_from(node, *channel).map_or(NONE, |hop| hop.label);
        let plan = self.plan;
        Some(LossSettings {
            errors: plan.errors.of_link(plan.seed, &plan.links[link])?,
            labels: self.users[link].iter().map(label).collect(),
        })
    }
    /// True if a channel is under credit control.
    pub(in crate::atm) fn is_credited(&self, channel: ChannelId) -> bool {
        self.plan.fcvc.is_some() && FcvcConfig::covers(self.class(channel))
    }
    fn credited(&self, link: usize) -> impl Iterator<Item = ChannelId> + '_ {
        self.users[link]
            .iter()
            .copied()
            .filter(|channel| self.is_credited(*channel))
    }

    fn loop_of(&self, link: usize) -> Loop {
        let links = &self.plan.links;
        let back = &links[self.back[link].unwrap_or(link)];
        Loop {
            rate: ServiceRate::of_cells(links[link].rate),
            back_rate: ServiceRate::of_cells(back.rate),
            delay: links[link].delay + back.delay,
            largest: CELL_UNITS,
            credit: CELL_UNITS,
        }
    }

    /// Number of cells that credit control allots to `channel` at the end of `link` when the run
    /// begins.
    pub(in crate::atm) fn allocation(&self, channel: ChannelId, link: usize) -> u32 {
        let Some(config) = &self.plan.fcvc else {
            return 0;
        };
        match config.allocation {
            Allocation::Static => config
                .static_allocation(self.loop_of(link))
                .min(u32::MAX as u64) as u32,
            Allocation::Adaptive => {
                let pool = self.pool_behind(channel, link);
                Pool::first_allocation(pool.memory, pool.channels.len(), CELL_UNITS)
            }
        }
    }

    /// The buffer pool that `channel` uses at the end of `link`: the pool of the channel's next port, or the pool
    /// of `link` if the channel ends there.
    fn pool_behind(&self, channel: ChannelId, link: usize) -> &Users {
        let node = self.plan.links[link].to;
        match self
            .path(channel)
            .iter()
            .find(|next| self.plan.links[**next].from == node)
        {
            Some(onward) => self.pools[*onward][0].get_or_init(|| self.pool(node, *onward)),
            None => self.pools[link][1].get_or_init(|| self.pool(node, link)),
        }
    }

    /// The buffer pool at `node` for the channels over the link `shared`.
    fn pool(&self, node: usize, shared: usize) -> Users {
        let into = |channel: &ChannelId| {
            self.path(*channel)
                .iter()
                .copied()
                .find(|link| self.plan.links[*link].to == node)
        };
        // A channel that begins at `node` needs no memory there, because it arrives on no link.
        let (channels, links): (Vec<ChannelId>, Vec<usize>) = self
            .credited(shared)
            .filter_map(|channel| Some((channel, into(&channel)?)))
            .unzip();
        let longest = links
            .into_iter()
            .map(|link| self.loop_of(link))
            .max_by_key(|link| link.units(link.rate.line()));
        let memory = |config: &FcvcConfig| Some(config.memory_in_force(longest?, channels.len()));
        Users {
            memory: self.plan.fcvc.as_ref().and_then(memory).unwrap_or(0),
            channels,
        }
    }

    /// Buffer in cells of a queue for channels under credit control: the sum of the channels' allocations, or the
    /// memory of their pool. `None` if no channel of the queue is under credit control.
    pub(in crate::atm) fn credited_buffer(
        &self,
        link: usize,
        classes: &[ServiceClass],
    ) -> Option<u64> {
        let config = self.plan.fcvc.as_ref()?;
        let node = self.plan.links[link].from;
        let channels: Vec<ChannelId> = self
            .credited(link)
            .filter(|c| classes.contains(&self.class(*c)))
            .collect();
        let into = |channel: ChannelId| {
            self.path(channel)
                .iter()
                .find(|link| self.plan.links[**link].to == node)
                .copied()
        };
        let first = channels.first().copied()?;
        match config.allocation {
            Allocation::Static => Some(
                channels
                    .iter()
                    .filter_map(|c| into(*c))
                    .map(|link| self.allocation(first, link) as u64)
                    .sum(),
            ),
            Allocation::Adaptive => Some(self.pool_behind(first, into(first)?).memory),
        }
    }

    /// Largest number of cells that `channel` may have at `node`; `None` if the channel begins
    /// there or has no credit control.
    fn most_cells(&self, channel: ChannelId, node: usize) -> Option<u64> {
        let config = self
            .plan
            .fcvc
            .as_ref()
            .filter(|_| self.is_credited(channel))?;
        let into = *self
            .path(channel)
            .iter()
            .find(|link| self.plan.links[**link].to == node)?;
        Some(match config.allocation {
            Allocation::Static => self.allocation(channel, into) as u64,
            Allocation::Adaptive => self.pool_behind(channel, into).memory,
        })
    }

    /// Queues of a host's port in order of priority: classes without credit control before classes
    /// with it.
    pub(in crate::atm) fn host_queues(&self, link: usize) -> Vec<Vec<ServiceClass>> {
        if self.plan.fcvc.is_none() {
            return alloc::vec![ServiceClass::ALL.to_vec()];
        }
        let (covered, guaranteed): (Vec<_>, Vec<_>) = ServiceClass::ALL
            .into_iter()
            .partition(|c| FcvcConfig::covers(*c));
        let used = |classes: &Vec<ServiceClass>| {
            self.users[link]
                .iter()
                .any(|c| classes.contains(&self.class(*c)))
        };
        [guaranteed, covered].into_iter().filter(used).collect()
    }

    /// Settings of an event-driven server for the port of `link`; `None` if the port's node is not event-driven.
    /// `classes` has the service classes of each queue.
    pub(in crate::atm) fn prompt_port<S: BuildServer>(
        &self,
        link: usize,
        classes: &[&[ServiceClass]],
    ) -> Option<PromptSettings> {
        if !self.is_prompt::<S>(self.plan.links[link].from) {
            return None;
        }
        let queue_of = |class: ServiceClass| {
            let found = classes.iter().position(|queue| queue.contains(&class));
            // Classes that no queue lists share the last queue.
            found.unwrap_or(classes.len() - 1) as u32
        };
        let settings = |channel: ChannelId| ChannelSettings {
            queue: queue_of(self.class(channel)),
            rm_queue: queue_of(self.rm_class(channel)),
            sender: self
                .is_credited(channel)
                .then(|| Sender::new(self.allocation(channel, link))),
            most: self.most_cells(channel, self.plan.links[link].from),
            told_every: self.told_every(channel, self.plan.links[link].from),
        };
        let channels: Vec<ChannelSettings> = self.users[link]
            .iter()
            .map(|channel| settings(*channel))
            .collect();
        let takes_turns = |queue: usize| {
            channels
                .iter()
                .any(|c| c.queue == queue as u32 && c.sender.is_some())
        };
        let by_turns: Vec<bool> = (0..classes.len()).map(takes_turns).collect();
        let config = self.plan.fcvc.as_ref();
        let records_before = match config.map(|config| config.priority) {
            Some(CreditPriority::BelowGuaranteed) => by_turns
                .iter()
                .position(|turns| *turns)
                .unwrap_or(classes.len()),
            _ => 0,
        };
        let told = self.returns_for[link];
        // Marks and pools need the number of cells that have left so far, so the port must report every departure.
        let only_counts = |config: &FcvcConfig| {
            config.allocation == Allocation::Static && config.mark_interval.is_none()
        };
        Some(PromptSettings {
            tells_ahead: config.is_some_and(only_counts) && !self.links_err,
            channels,
            by_turns,
            records_per_cell: config.map_or(1, |config| config.records_per_cell as usize),
            records_before,
            label: told.map_or(0, |link| self.port_of[link]),
            errors: self
                .plan
                .errors
                .of_link(self.plan.seed, &self.plan.links[link]),
        })
    }

    /// Number of departures of `channel` after which `node` must act: the node sends a credit, or updates the
    /// memory use of a pool. `NEVER_TOLD` if the node need not act.
    fn told_every(&self, channel: ChannelId, node: usize) -> u32 {
        let config = self
            .plan
            .fcvc
            .as_ref()
            .filter(|_| self.is_credited(channel) && self.hop_into(node, channel).is_some());
        match config {
            None => NEVER_TOLD,
            Some(FcvcConfig {
                allocation: Allocation::Adaptive,
                ..
            }) => 1,
            Some(config) => n2(config),
        }
    }

    /// State that an event-driven node has in addition to its ports; `None` if `node` is not
    /// event-driven.
    pub(in crate::atm) fn prompt<S: BuildServer>(&self, node: usize) -> Option<Box<Prompt>> {
        if !self.is_prompt::<S>(node) {
            return None;
        }
        let ways = self.outgoing[node]
            .iter()
            .map(|link| self.ways(node, *link))
            .collect();
        let mut accounts: Vec<Account> = (0..self.arriving[node].len())
            .map(|label| self.account(node, self.arriving[node][label]))
            .collect();
        let pools = self.pools(node, &mut accounts);
        let interval = self
            .plan
            .fcvc
            .as_ref()
            .and_then(|config| config.mark_interval);
        Some(Box::new(Prompt::new(ways, accounts, pools, interval)))
    }

    fn hop_into(&self, node: usize, channel: ChannelId) -> Option<Hop> {
        self.channels[channel.index()]
            .hops
            .iter()
            .find(|hop| self.plan.links[hop.link].to == node)
            .copied()
    }

    fn ways(&self, node: usize, link: usize) -> Vec<Way> {
        let way = |channel: &ChannelId| Way {
            channel: *channel,
            label_here: self.hop_into(node, *channel).map_or(NONE, |hop| hop.label),
            label_there: self.hop_from(node, *channel).map_or(NONE, |hop| hop.label),
            marked: Sender::new(0).sent(),
        };
        self.users[link].iter().map(way).collect()
    }

    fn account(&self, node: usize, channel: ChannelId) -> Account {
        let onward = self.hop_from(node, channel).map(|hop| (hop.port, hop.slot));
        let none = Account {
            reverse: NONE,
            upstream: 0,
            onward,
            receiver: Receiver::new(1, 0),
            pool: None,
        };
        let Some((into, config)) = self.hop_into(node, channel).zip(self.plan.fcvc.as_ref()) else {
            return none;
        };
        let Some(back) = self.back[into.link].filter(|_| self.is_credited(channel)) else {
            return none;
        };
        let receiver = Receiver::new(n2(config), self.allocation(channel, into.link));
        Account {
            reverse: self.port_of[back],
            upstream: into.slot,
            receiver,
            ..none
        }
    }

    /// Buffer pools of `node` under adaptive allocation. Sets the pool index in each entry of `accounts`.
    fn pools(&self, node: usize, accounts: &mut [Account]) -> Vec<Shared> {
        let config = self
            .plan
            .fcvc
            .as_ref()
            .filter(|config| config.allocation == Allocation::Adaptive);
        let mut pools = Vec::new();
        let Some(config) = config else { return pools };
        for label in 0..accounts.len() {
            if accounts[label].reverse == NONE || accounts[label].pool.is_some() {
                continue;
            }
            let channel = self.arriving[node][label];
            let Some(into) = self.hop_into(node, channel) else {
                continue;
            };
            let Users { memory, channels } = self.pool_behind(channel, into.link);
            let labels: Vec<u32> = channels
                .iter()
                .filter_map(|channel| self.hop_into(node, *channel))
                .map(|hop| hop.label)
                .collect();
            for (member, label) in labels.iter().enumerate() {
                accounts[*label as usize].pool = Some((pools.len() as u32, member as u32));
            }
            let window = config.window_in_force(*memory).min(u32::MAX as u64) as u32;
            pools.push(Shared {
                pool: Pool::new(*memory, labels.len(), window, n2(config), CELL_UNITS),
                labels,
            });
        }
        pools
    }
}

/// The parameter N2 of credit control in cells, bounded to the 32 bits of the counters.
fn n2(config: &FcvcConfig) -> u32 {
    config.n2.0.min(u32::MAX as u64) as u32
}
