//! Common parts of tests of whole networks: plans by hand, and random ones.

pub mod bottlenecks;
pub mod one_way;
pub mod plans;
pub mod random_network;
pub mod repeatable;
pub mod schemes;

use cellrate_engine::network::Report;

/// The report as text. `Debug` writes floats so that they read back to the same bits.
pub fn outcome(report: &Report) -> String {
    format!("{report:#?}")
}

/// The first difference of two outcomes, with the lines before.
pub fn difference(left: &str, right: &str) -> Option<String> {
    let at = left
        .lines()
        .zip(right.lines())
        .position(|(left, right)| left != right);
    let at = at.or_else(|| (left.lines().count() != right.lines().count()).then_some(0))?;
    let lines = |text: &str| {
        text.lines()
            .skip(at.saturating_sub(6))
            .take(8)
            .collect::<Vec<_>>()
            .join("\n")
    };
    Some(format!(
        "{}\n---- against ----\n{}",
        lines(left),
        lines(right)
    ))
}
