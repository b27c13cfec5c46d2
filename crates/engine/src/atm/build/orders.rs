//! Orders of service of the channels of a port, if each channel has a queue of its own.

use alloc::format;
use alloc::vec::Vec;

use super::super::draft::Draft;
use super::super::plan::{NodeKind, PlanError, SwitchPlan};
use super::queue_of;
use crate::atm::server::ChannelOrder;
use crate::net::channel::ChannelId;

impl Draft<'_> {
    /// For each queue of `used`, the order of service of its channels; `None` if cells leave in the order of their
    /// arrivals.
    ///
    /// # Errors
    /// What is wrong with the weights of the channels.
    pub(super) fn orders(
        &self,
        link: usize,
        settings: &SwitchPlan,
        used: &[usize],
    ) -> Result<Option<Vec<ChannelOrder>>, PlanError> {
        let Some(schedule) = &settings.schedule else {
            return Ok(None);
        };
        let order = |queue: &usize| {
            let uses = |channel: &ChannelId| {
                let classes = [self.class(*channel), self.rm_class(*channel)];
                classes
                    .iter()
                    .any(|class| queue_of(settings, *class) == *queue)
            };
            let mut weights = Vec::new();
            let mut lanes = Vec::new();
            for channel in &self.users[link] {
                lanes.push(weights.len() as u32);
                if uses(channel) {
                    weights.push(self.plan.weight(*channel, schedule.weights_from()));
                }
            }
            let shares = schedule.shares(&weights).map_err(|fault| {
                PlanError(format!("link {}: {fault}", self.plan.links[link].name))
            })?;
            Ok(ChannelOrder {
                schedule: schedule.build(shares),
                lanes,
                count: weights.len(),
            })
        };
        used.iter().map(order).collect::<Result<_, _>>().map(Some)
    }

    /// Checks the orders of service of all ports. They need first-in first-out queues in no other respect: no credit, no
    /// RM cells before others, and no discard policy that counts on the order of arrivals.
    pub(super) fn check_orders(&self) -> Result<(), PlanError> {
        for (node, plan) in self.plan.nodes.iter().enumerate() {
            let NodeKind::Switch(settings) = &plan.kind else {
                continue;
            };
            if settings.schedule.is_none() {
                continue;
            }
            let discard = &settings.discard;
            let fault = if self.plan.fcvc.is_some() {
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
