//! Commented scenarios to start from.

/// Templates of ATM networks: the name, a one-line description and the text of each.
pub const TEMPLATES: &[(&str, &str, &str)] = &[
    (
        "n-source",
        "TCP sources share one ABR bottleneck",
        include_str!("templates/n-source.toml"),
    ),
    (
        "n-source-vbr",
        "TCP sources over ABR beside VBR background that comes and goes",
        include_str!("templates/n-source-vbr.toml"),
    ),
    (
        "single-switch",
        "TCP sources over UBR and one switch with early packet discard",
        include_str!("templates/single-switch.toml"),
    ),
    (
        "parking-lot",
        "TCP sources join a row of switches one after the other",
        include_str!("templates/parking-lot.toml"),
    ),
    (
        "unequal-lengths",
        "TCP sources at different distances from one bottleneck",
        include_str!("templates/unequal-lengths.toml"),
    ),
    (
        "two-way",
        "TCP in both directions over one ABR bottleneck",
        include_str!("templates/two-way.toml"),
    ),
    (
        "www",
        "clients of Web servers over ABR, in short bursts",
        include_str!("templates/www.toml"),
    ),
    (
        "satellite",
        "TCP sources over ABR and a satellite link",
        include_str!("templates/satellite.toml"),
    ),
    (
        "lan-messages",
        "applications write messages over TCP beside guaranteed traffic",
        include_str!("templates/lan-messages.toml"),
    ),
    (
        "gfc-1",
        "generic fairness configuration 1: five max-min rates at four bottlenecks",
        include_str!("templates/gfc-1.toml"),
    ),
    (
        "gfc-2",
        "generic fairness configuration 2: every link a bottleneck",
        include_str!("templates/gfc-2.toml"),
    ),
    (
        "graph",
        "flows over several bottlenecks of an explicit graph",
        include_str!("templates/graph.toml"),
    ),
];

/// Every template; templates of Ethernet networks come last.
pub fn all() -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    TEMPLATES
        .iter()
        .chain(crate::ethernet::templates::TEMPLATES)
}

/// The commented text of a template.
pub fn template(name: &str) -> Option<&'static str> {
    all()
        .find(|(known, ..)| *known == name)
        .map(|(_, _, text)| *text)
}
