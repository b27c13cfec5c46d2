//! Scenarios to start from, with comments.

/// Name, one line about it, and text of every template.
pub const TEMPLATES: &[(&str, &str, &str)] = &[
    ("n-source", "TCP sources share one ABR bottleneck", include_str!("templates/n-source.toml")),
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
    ("graph", "flows over several bottlenecks of an explicit graph", include_str!("templates/graph.toml")),
];

/// The commented text of a template.
pub fn template(name: &str) -> Option<&'static str> {
    TEMPLATES.iter().find(|(known, ..)| *known == name).map(|(_, _, text)| *text)
}
