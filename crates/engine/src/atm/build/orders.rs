//! Orders of service of the channels of a port, if each channel has a queue of its own.

use alloc::format;
use alloc::vec::Vec;

use super::super::draft::Draft;
use super::super::plan::{NodeKind, PlanError, SwitchPlan};
use super::queue_of;
use crate::atm::server::{ChannelOrder, PortOrder};
use crate::net::channel::ChannelId;
use crate::policing::{Contract, ShaperConfig};
use crate::schedule::channels::WeightsFrom;

impl Draft<'_> {
    /// The orders of service of the queues of `used`, and of the channels of each; `None` if the cells of a queue leave in
    /// the order of their arrivals.
    ///
    /// # Errors
    /// What is wrong with the weights of the channels.
    pub(super) fn orders(
        &self,
        link: usize,
        settings: &SwitchPlan,
        used: &[usize],
    ) -> Result<Option<PortOrder>, PlanError> {
        let Some(schedule) = &settings.schedule else {
            return Ok(None);
        };
        let order = |queue: &usize| {
            let (mut weights, mut contracts) = (Vec::new(), Vec::new());
            let mut lanes = Vec::new();
            for channel in &self.users[link] {
                lanes.push(weights.len() as u32);
                if self.uses(*channel, settings, *queue) {
                    weights.push(self.plan.weight(*channel, schedule.weights_from()));
                    contracts.push(self.shaped_at_ports(*channel));
                }
            }
            let shares = schedule.shares(&weights).map_err(|fault| {
                PlanError(format!(
                    "link {}: {}",
                    self.plan.links[link].name, fault.message
                ))
            })?;
            Ok(ChannelOrder {
                schedule: schedule.build(shares),
                lanes,
                contracts,
            })
        };
        Ok(Some(PortOrder {
            channels: used.iter().map(order).collect::<Result<_, _>>()?,
            classes: schedule.build_classes(used),
        }))
    }

    /// Contract to which ports shape the cells of `channel`; `None` without shapers.
    fn shaped_at_ports(&self, channel: ChannelId) -> Option<Contract> {
        let shaper = self.plan.flows[channel.flow()].port_shaper.as_ref();
        let shaper = shaper.filter(|_| channel.is_forward());
        shaper.map(ShaperConfig::contract)
    }

    /// True if data or RM cells of `channel` go through the queue with the index `queue` of a port.
    fn uses(&self, channel: ChannelId, settings: &SwitchPlan, queue: usize) -> bool {
        let classes = [self.class(channel), self.rm_class(channel)];
        let mut queues = classes.iter().map(|class| queue_of(settings, *class));
        queues.any(|one| one == queue)
    }

    /// For each channel over `link`, its MCR divided by the sum of the MCRs of all channels of the queue with the index
    /// `queue`; equal parts if none of them has an MCR, and 0 for a channel that does not use the queue.
    pub(super) fn minimum_shares(
        &self,
        link: usize,
        settings: &SwitchPlan,
        queue: usize,
    ) -> Vec<f64> {
        let channels = self.users[link].iter();
        let parts = channels.map(|channel| {
            let uses = self.uses(*channel, settings, queue);
            let mcr = self.plan.weight(*channel, WeightsFrom::Mcr);
            [mcr as f64, 1.0].map(|part| if uses { part } else { 0.0 })
        });
        let parts: Vec<[f64; 2]> = parts.collect();
        let sum = |kind: usize| parts.iter().map(|part| part[kind]).sum::<f64>();
        let kind = usize::from(sum(0) == 0.0);
        let all = sum(kind);
        parts
            .iter()
            .map(|part| if all > 0.0 { part[kind] / all } else { 0.0 })
            .collect()
    }

    /// Checks the orders of service of all ports. A switch that serves channels by weight can have neither credit control
    /// nor priority of RM cells, nor a discard policy that relies on first-in first-out queues.
    pub(super) fn check_orders(&self) -> Result<(), PlanError> {
        for (node, plan) in self.plan.nodes.iter().enumerate() {
            let NodeKind::Switch(settings) = &plan.kind else {
                continue;
            };
            let Some(schedule) = &settings.schedule else {
                continue;
            };
            let wrong = schedule.check(settings.priority.len());
            let discard = &settings.discard;
            let fault = if let Some(finding) = wrong.first() {
                format!("`{}` of its queues {}", finding.field, finding.message)
            } else if self.plan.fcvc.is_some() {
                "there is credit control, which has an order of its own".into()
            } else if settings.rm_first {
                "RM cells are served before others".into()
            } else if discard.follows_order() {
                format!("`{}` counts on first-in first-out queues", discard.name())
            } else {
                for link in &self.outgoing[node] {
                    self.orders(*link, settings, &self.used_queues(*link, settings))?;
                }
                continue;
            };
            let name = &plan.name;
            return Err(PlanError(format!(
                "switch {name} serves channels by weight, but {fault}"
            )));
        }
        Ok(())
    }
}
