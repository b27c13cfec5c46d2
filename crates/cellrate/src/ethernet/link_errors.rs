//! Bit errors of links: the settings of each link, and their checks.

use cellrate_engine::joined::Layer;
use cellrate_engine::kernel::Finding;
use cellrate_engine::net::LinkPlan;
use cellrate_engine::net::bit_errors::BitErrorConfig;

use super::graph::Graph;
use super::topology::Topology;
use super::types::Scenario;
use crate::scenario::problem::{Place, Problem, place};

/// Gives the Ethernet links without `errors` of their own the bit errors of `[link_errors]`.
pub fn set(scenario: &Scenario, graph: &mut Graph) {
    let Some(errors) = &scenario.link_errors else {
        return;
    };
    for link in 0..graph.links.len() {
        if graph.layer(&graph.links[link]) == Layer::Ethernet {
            graph.links[link].errors.get_or_insert(errors.clone());
        }
    }
}

/// Problems of `[link_errors]` and of the errors of single links.
pub fn check(scenario: &Scenario, graph: &Graph) -> Vec<Problem> {
    let mut problems = Vec::new();
    if let Some(errors) = &scenario.link_errors {
        let with = |link: &&LinkPlan| link.errors.as_ref() == Some(errors);
        let slowest = graph.links.iter().filter(with).map(|link| link.rate).min();
        problems.extend(found(errors.check(slowest), place!["link_errors"]));
    }
    if let Topology::Graph(listed) = &scenario.topology {
        for (index, link) in listed.links.iter().enumerate() {
            let findings = link
                .errors
                .iter()
                .map(|errors| errors.check(Some(link.rate)));
            let place = place!["topology", "link", index, "errors"];
            problems.extend(found(findings.flatten().collect(), place));
        }
    }
    problems.extend(without_credits(scenario, graph));
    problems
}

/// Problems at the table `place`.
pub fn found(findings: Vec<Finding>, place: Place) -> Vec<Problem> {
    let problem = |finding: Finding| {
        let mut place = place.clone();
        place.extend(finding.field.split('.').map(Into::into));
        let message = format!("`{}`: {}", finding.field, finding.message);
        Problem::error(place, message, "")
    };
    findings.into_iter().map(problem).collect()
}

/// An error if bit errors may lose frames under FCVC or CBFC, since the credits of lost frames
/// never return.
fn without_credits(scenario: &Scenario, graph: &Graph) -> Option<Problem> {
    let control = match (&scenario.fcvc, &scenario.cbfc) {
        // Link-level retry lets no frame be lost.
        _ if scenario.llr.is_some() => return None,
        (Some(_), _) => "fcvc",
        (None, Some(_)) => "cbfc",
        (None, None) => return None,
    };
    let occurs = |errors: &BitErrorConfig| errors.occur();
    let errs = |link: &&LinkPlan| {
        graph.layer(link) == Layer::Ethernet && link.errors.as_ref().is_some_and(occurs)
    };
    let link = graph.links.iter().find(errs)?;
    let message = format!(
        "the link {} loses frames by bit errors, and their credits of `[{control}]` for ever",
        link.name
    );
    let help = format!("add `[llr]`, or remove `[{control}]` or the bit errors");
    Some(Problem::error(place![control], message, help))
}
