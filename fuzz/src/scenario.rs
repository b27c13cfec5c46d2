//! Scenario files: accepted ones are written out and read back the same, refused ones have a
//! position.

use cellrate::scenario::{Checked, Refusal, Scenario, Severity, describe, resolve};
use cellrate::{build, run};
use cellrate_engine::atm::Plan;

/// Path of the scenario, in a directory without files for sources to play.
pub const PATH: &str = "/nowhere/scenario.toml";
/// Number of flows above which a network is only checked, not built.
const MOST_FLOWS: u32 = 2_000;

/// The input is the text of a file.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match Scenario::parse(text, PATH, &[], None) {
        Ok(checked) => drop(accepted(&checked)),
        Err(refusal) => refused(&refusal, &[text]),
    }
}

/// Checks the properties of an accepted scenario; returns its plan.
pub fn accepted(checked: &Checked) -> Option<Plan> {
    let resolved = resolve(checked.scenario());
    let again = Scenario::parse(&resolved, PATH, &[], None)
        .unwrap_or_else(|refusal| panic!("what was written out is refused: {refusal}\n{resolved}"));
    assert_eq!(
        again.scenario(),
        checked.scenario(),
        "read back from\n{resolved}"
    );
    assert_eq!(again.graph(), checked.graph(), "read back from\n{resolved}");
    assert_eq!(
        again.warnings().len(),
        checked.warnings().len(),
        "read back from\n{resolved}"
    );
    assert_eq!(resolve(again.scenario()), resolved);
    if checked
        .scenario()
        .flows
        .iter()
        .fold(0, |sum: u32, flow| sum.saturating_add(flow.count))
        > MOST_FLOWS
    {
        return None;
    }
    let plan = build::plan(checked);
    let estimate = run::estimate(checked.scenario(), &plan, None);
    assert!(estimate.memory_bytes >= estimate.cells_in_flight);
    assert!(serde_json::to_string(&describe(checked)).is_ok());
    Some(plan)
}

/// Checks the properties of a refusal of `texts`: the file, then the overrides.
pub fn refused(refusal: &Refusal, texts: &[&str]) {
    assert!(
        refusal
            .diagnostics
            .iter()
            .any(|found| found.severity == Severity::Error)
    );
    assert!(!refusal.rendered.is_empty());
    let lines = texts
        .iter()
        .map(|text| text.split('\n').count())
        .max()
        .unwrap_or(1);
    for found in &refusal.diagnostics {
        assert!(
            (1..=lines).contains(&found.line) && found.column >= 1 && !found.message.is_empty(),
            "{found:?}"
        );
        assert!(!found.help.contains("defect of cellrate"), "{refusal}");
    }
}
