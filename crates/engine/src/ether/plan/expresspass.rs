//! ExpressPass in a plan: the limits of flow credits on the links by which they return, and settings that contradict
//! ExpressPass.

use alloc::collections::BTreeMap;
use alloc::format;

use super::{Plan, PlanError};
use crate::ether::line::OctetClock;
use crate::kernel::Ps;
use crate::net::opposites;

/// Settings of the queue of flow credits in front of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Number of credits that may wait, and number that may pass at once.
    pub queue: (u32, u32),
    /// Time in which the opposite link carries one credit and the longest packet with data.
    pub span: Ps,
}

impl Plan {
    /// For each link that flow credits cross, the settings of its queue of credits. The bucket allows for the longest packet
    /// that a credit grants.
    pub fn credit_limits(&self) -> BTreeMap<usize, Limit> {
        let mut limits = BTreeMap::new();
        for flow in &self.flows {
            let Some(roce) = &flow.roce else { continue };
            let octets = roce.credit_and_data(self.framing);
            let Some((config, (credit, data))) = roce.control.credits().zip(octets) else {
                continue;
            };
            let queue = (config.credit_queue, config.burst);
            for (back, there) in flow.backward.iter().zip(flow.forward.iter().rev()) {
                let clock = OctetClock::new(self.links[*there].rate);
                let span = clock.ceil(credit + data);
                let limit = limits.entry(*back).or_insert(Limit { queue, span });
                limit.span = limit.span.max(span);
            }
        }
        limits
    }

    /// Checks that flow credits return over the opposite links of the data, that no channel is under credit control (FCVC),
    /// and that all flows have the same settings of the queue of credits.
    pub(super) fn check_credits(&self) -> Result<(), PlanError> {
        let error = |what: &str| Err(PlanError(format!("ExpressPass: {what}")));
        let mut flows = self.flows.iter();
        let credits =
            |flow: &&super::FlowPlan| Some(flow.roce.as_ref()?.control.credits()?.clone());
        let Some(first) = flows.find_map(|flow| credits(&flow)) else {
            return Ok(());
        };
        if self.fcvc.is_some() {
            return error("credit for each channel beside it");
        }
        let backs = opposites(&self.links);
        for flow in self.flows.iter() {
            let Some(config) = credits(&flow) else {
                continue;
            };
            let name = &flow.name;
            let way_back = flow.backward.iter().rev().map(|link| backs[*link]);
            if (config.credit_queue, config.burst) != (first.credit_queue, first.burst) {
                return error(&format!(
                    "flow {name} has another `credit_queue` or `burst`"
                ));
            } else if flow.sprayed.iter().any(|links| !links.is_empty()) {
                return error(&format!("flow {name} needs one path"));
            } else if !way_back.eq(flow.forward.iter().map(|link| Some(*link))) {
                let text = format!("flow {name}: credits do not return over the links of the data");
                return error(&text);
            }
        }
        Ok(())
    }
}
