//! Warnings of sources whose rates may differ from what was meant: blocks of random rates (`block`
//! of the source `mpeg2`) that are too short, and files that end before the run.

use cellrate_engine::atm::plan::{FlowPlan, Plan};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::mpeg2::share_of_variance;

use super::{Warning, first_of_each_group};
use crate::scenario::Scenario;

/// Warns of MPEG-2 sources whose blocks of random rates are short, and of played files that end
/// before the run.
pub fn check(scenario: &Scenario, plan: &Plan, warnings: &mut Vec<Warning>) {
    for flow in first_of_each_group(plan) {
        short_block(scenario, flow, warnings);
        short_trace(scenario, flow, warnings);
    }
}

/// The rates in a block should vary with at least this share of the variance that the parameters set.
const ENOUGH: f64 = 0.95;

/// Warns of an MPEG-2 source whose block of random rates ends before the flow does, or has less
/// than the share [`ENOUGH`] of the set variance. A source draws one block after the other, and
/// rates of different blocks are independent.
fn short_block(scenario: &Scenario, flow: &FlowPlan, warnings: &mut Vec<Warning>) {
    let SourceConfig::Mpeg2(video) = &flow.source else {
        return;
    };
    let mut warn = |told: String| {
        let message = format!(
            "flow group {}: a `block` of {} random rates {told}",
            flow.group, video.block
        );
        warnings.push(Warning::new("short-block", message));
    };
    let (lasts, plays) = (
        video.block_lasts(),
        scenario.run.duration.saturating_sub(flow.start),
    );
    if lasts < plays {
        warn(format!(
            "lasts {} and ends before the run; the rates of the next block do not depend on these rates; a greater `block` lasts longer",
            lasts.told()
        ));
    }
    let share = share_of_variance(video.block as usize, video.hurst);
    if share < ENOUGH {
        let percent = 100.0 * share;
        warn(format!(
            "has only some {percent:.0} % of the variance that the parameters set; a greater `block` has more"
        ));
    }
}

/// Warns of a file that is played once and ends before the run.
fn short_trace(scenario: &Scenario, flow: &FlowPlan, warnings: &mut Vec<Warning>) {
    let Some(content) = flow.source.content().filter(|_| !flow.source.repeats()) else {
        return;
    };
    let ends = flow.start.saturating_add(content.lasts());
    if ends < scenario.run.duration {
        let seconds = ends.as_secs_f64();
        let message = format!(
            "flow group {}: the file of the source ends at {seconds:.3} s; `repeat = true` plays the file again",
            flow.group
        );
        warnings.push(Warning::new("short-trace", message));
    }
}
