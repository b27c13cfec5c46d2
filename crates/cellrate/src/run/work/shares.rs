//! Max-min fair shares of flows whose demands are limited, for estimates.

use cellrate_engine::atm::plan::Plan;

use super::demand::Demand;

/// Links whose shares differ by less than this factor are filled in the same round of progressive
/// filling, so that thousands of flows with different demands take few rounds. An estimate needs no
/// more accuracy.
const SLACK: f64 = 1.02;

/// Rates of the forward channels in cells/s, by progressive filling: a flow stops at its demand.
/// Acknowledgements and backward RM cells of other flows also take capacity, in proportion to the
/// rates of their flows.
pub fn max_min(plan: &Plan, demands: &[Demand]) -> Vec<f64> {
    let mut room: Vec<f64> = plan
        .links
        .iter()
        .map(|link| link.rate.cells_per_second())
        .collect();
    let mut rates = vec![0.0; demands.len()];
    let mut open: Vec<usize> = (0..demands.len()).collect();
    while !open.is_empty() {
        let mut weights = vec![0.0; room.len()];
        for flow in &open {
            each_link(plan, demands, *flow, |link, weight| weights[link] += weight);
        }
        let share: Vec<f64> = room
            .iter()
            .zip(&weights)
            .map(|(room, weight)| room.max(0.0) / weight)
            .collect();
        let limit = |flow: usize| {
            let mut least = demands[flow].rate;
            each_link(plan, demands, flow, |link, _| {
                least = least.min(share[link])
            });
            least
        };
        let limits: Vec<f64> = open.iter().map(|flow| limit(*flow)).collect();
        let level = limits.iter().copied().fold(f64::INFINITY, f64::min) * SLACK;
        let mut left = Vec::new();
        for (flow, limit) in open.into_iter().zip(limits) {
            if limit <= level {
                rates[flow] = limit;
                each_link(plan, demands, flow, |link, weight| {
                    room[link] -= weight * limit
                });
            } else {
                left.push(flow);
            }
        }
        open = left;
    }
    rates
}

/// Calls `of` with each link of a flow and the number of cells on it for each cell of the flow's
/// forward channel.
fn each_link(plan: &Plan, demands: &[Demand], flow: usize, mut of: impl FnMut(usize, f64)) {
    let back = demands[flow].back;
    plan.flows[flow]
        .forward
        .iter()
        .for_each(|link| of(*link, 1.0));
    if back > 0.0 {
        plan.flows[flow]
            .backward
            .iter()
            .for_each(|link| of(*link, back));
    }
}
