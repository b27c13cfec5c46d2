//! Completion time of one flow that has a joined network to itself.

use alloc::vec::Vec;

use super::plan::{FlowPlan, JoinedPlan};
use super::simulation::Joined;
use crate::atm::plan::FlowPlan as Channel;
use crate::kernel::Ps;

/// Completion time of a flow of `plan` that starts at time 0 and draws from the same random streams as in `plan`,
/// without other flows. `among` is its completion time among the other flows; `None` if the flow has not ended
/// after ten times `among`.
///
/// # Panics
/// If the plan is invalid.
pub fn completion_alone(plan: &JoinedPlan, flow: usize, among: Ps) -> Option<Ps> {
    let found = &plan.flows[flow];
    let part = JoinedPlan {
        flows: Vec::from([FlowPlan {
            channel: Channel {
                start: Ps::ZERO,
                ..found.channel.clone()
            },
            ..found.clone()
        }]),
        measure: Default::default(),
        ..plan.clone()
    };
    let mut run: Joined = Joined::new(&part).expect("a part of a valid plan");
    [1, 10].into_iter().find_map(|times| {
        let span = Ps(among.0.saturating_mul(times));
        run.run_until(span.saturating_add(Ps(1)));
        run.completed(0)
    })
}
