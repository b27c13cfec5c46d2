//! Trimming in a plan: settings that contradict it.

use alloc::format;

use super::{Plan, PlanError};
use crate::ether::roce::Resend;

impl Plan {
    /// Checks that trimmed packets wait in a queue that holds no packets that may be trimmed, and that no flow control
    /// counts the octets that are cut off. Under ExpressPass nothing may be trimmed, as its flows learn of a loss by
    /// credits.
    pub(super) fn check_trimming(&self) -> Result<(), PlanError> {
        let error = |what: &str| Err(PlanError(format!("trimming: {what}")));
        let over_roce = || {
            self.flows
                .iter()
                .filter_map(|flow| Some((flow, flow.roce.as_ref()?)))
        };
        let mut credited = over_roce().filter(|(_, roce)| roce.control.credits().is_some());
        let has_credits = credited.clone().next().is_some();
        if credited.any(|(_, roce)| roce.resend == Resend::Selective) {
            return error("selective resend under ExpressPass");
        }
        let switches = self.nodes.iter().filter_map(|node| node.switch.as_ref());
        for switch in switches {
            let Some(priority) = switch.trim_priority else {
                continue;
            };
            let queue_of = switch.queue_of();
            if priority > 7 {
                return error(&format!("priority {priority}; the highest is 7"));
            } else if self.fcvc.is_some() || self.pfc.is_some() || self.cbfc.is_some() {
                return error("a flow control beside it that loses nothing");
            } else if has_credits {
                return error("ExpressPass beside it");
            }
            let shares = |own: u8| queue_of[usize::from(own)] == queue_of[usize::from(priority)];
            if let Some((flow, _)) = over_roce().find(|(flow, _)| shares(flow.priority)) {
                let name = &flow.name;
                return error(&format!(
                    "packets of flow {name} wait in the queue of trimmed ones"
                ));
            }
        }
        Ok(())
    }
}
