//! Commented scenarios over Ethernet to start from.

/// Name of the template that has both link layers, which the lab does not show.
pub const JOINED: &str = "router";

/// Name, one-line description and text of every template.
pub const TEMPLATES: &[(&str, &str, &str)] = &[
    (
        "leaf-spine",
        "TCP over Ethernet: hosts of a data centre send files to one another",
        include_str!("templates/leaf-spine.toml"),
    ),
    (
        "incast",
        "TCP over Ethernet: many senders answer one host at once",
        include_str!("templates/incast.toml"),
    ),
    (
        "dctcp",
        "DCTCP over Ethernet: long flows share a port that marks packets",
        include_str!("templates/dctcp.toml"),
    ),
    (
        "dcqcn",
        "DCQCN over RoCE: senders answer one host at once, and pauses keep them from losses",
        include_str!("templates/dcqcn.toml"),
    ),
    (
        "all-reduce",
        "All-reduce over RoCE: hosts of a training cluster add up their data, each step after the step before",
        include_str!("templates/all-reduce.toml"),
    ),
    (
        "explicit-rate",
        "Explicit rates over Ethernet: a switch tells hosts their fair share",
        include_str!("templates/explicit-rate.toml"),
    ),
    (
        JOINED,
        "TCP from Ethernet through a router over ABR: the queue moves to the edge",
        include_str!("templates/router.toml"),
    ),
];
