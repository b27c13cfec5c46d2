//! Everything that a scenario can name: schemes, credit control, policies, sources, recoveries,
//! templates.

use cellrate_engine::component::Component;
use cellrate_engine::{control, credit, discard, ether, schedule, tcp, traffic};
use serde::Serialize;

use super::templates;

/// A scheme, policy, source, recovery or template as `cellrate list` and the reference pages show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Named {
    /// Name of the entry in scenarios.
    pub name: &'static str,
    /// Description of the entry in one line.
    pub about: &'static str,
    /// Publication that describes the entry; empty for templates.
    pub source: &'static str,
}

/// Everything that a scenario can name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Registry {
    /// Congestion control schemes of switches.
    pub schemes: Vec<Named>,
    /// Credit control schemes of links.
    pub credit: Vec<Named>,
    /// Flow control of Ethernet links by priority.
    pub pauses: Vec<Named>,
    /// Discard policies of switches.
    pub policies: Vec<Named>,
    /// Active queue management over Ethernet.
    pub aqm: Vec<Named>,
    /// Rate control of sources over RoCE.
    pub roce: Vec<Named>,
    /// Orders of service of ports.
    pub schedules: Vec<Named>,
    /// Sources of traffic.
    pub sources: Vec<Named>,
    /// Loss recoveries of TCP.
    pub recoveries: Vec<Named>,
    /// Templates of networks that a scenario can name.
    pub templates: Vec<Named>,
}

/// Everything that a scenario can name, in the order of the registries.
pub fn registry() -> Registry {
    Registry {
        schemes: named(control::schemes()),
        credit: named(credit::SCHEMES),
        pauses: named(&[ether::statistics::PFC, ether::statistics::CBFC]),
        policies: named(discard::policies()),
        aqm: named(ether::aqm::algorithms()),
        roce: named(ether::roce::control::controls()),
        schedules: named(schedule::disciplines()),
        sources: named(traffic::sources()),
        recoveries: named(tcp::recovery::names()),
        templates: templates::all()
            .map(|&(name, about, _)| Named {
                name,
                about,
                source: "",
            })
            .collect(),
    }
}

fn named(components: &[Component]) -> Vec<Named> {
    components
        .iter()
        .map(
            |&Component {
                 name,
                 about,
                 source,
             }| Named {
                name,
                about,
                source,
            },
        )
        .collect()
}
