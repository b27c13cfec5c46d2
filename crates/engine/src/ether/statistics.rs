//! Statistics of an Ethernet port that belong to no queue: of its control scheme, of credits and of pauses.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::component::{Component, Statistic, statistics};
use crate::control::{self, Control, ControlReport};
use crate::credit;

/// The registry entry of priority-based flow control.
pub const PFC: Component = Component {
    name: "pfc",
    about: "a switch pauses a priority at the node before it, instead of losing its frames",
    source: "IEEE 802.1Q clause 36; IEEE 802.3 annex 31D",
};

/// The registry entry of credit-based flow control of links.
pub const CBFC: Component = Component {
    name: "cbfc",
    about: "a link carries only frames of a priority for which the next node has room",
    source: "the idea: Ultra Ethernet, link layer; frames and times are our choice",
};

/// Statistics of a port under credit control (FCVC), counted since the start of the run.
pub const OF_CREDIT: &[Statistic] = statistics! {
    "credited_channels", "channels", "Channels under credit control at the port";
    "credit_frames_sent", "frames", "Frames with credit that the port has sent";
    "channel_queue_max_bytes", "bytes", "Longest queue of a channel, preambles and gaps included";
};

/// Statistics of a port under PFC, counted since the start of the run.
pub const OF_PAUSES: &[Statistic] = statistics! {
    "pause_frames_sent", "frames", "Frames with a pause, or its end, that the port has sent";
    "paused_seconds", "s", "Time in which a priority of the port was paused, summed over the priorities";
    "ingress_max_bytes", "bytes", "Most bytes of a priority that the switch held from the opposite link";
};

/// Statistics of a port under CBFC, counted since the start of the run.
pub const OF_CREDITS: &[Statistic] = statistics! {
    "credit_frames_sent", "frames", "Frames with freed credits that the port has sent";
    "credits_awaited_seconds", "s", "Time in which a frame of the port waited for credits, summed over the priorities";
    "ingress_max_credits", "credits", "Most credits of a priority that frames from the opposite link took";
};

/// The registry entry of the limit of flow credits (ExpressPass) at a port.
pub const CREDIT_LIMIT: Component = Component {
    name: "expresspass",
    about: "a port limits the credits of flows, so that the data which answer them fit the opposite line",
    source: "Cho et al. 2017, after ns2-xpass",
};

/// Statistics of a port by which flow credits of ExpressPass leave, counted since the start of the run.
pub const OF_FLOW_CREDITS: &[Statistic] = statistics! {
    "flow_credits_sent", "frames", "Credits of ExpressPass that the port has sent";
    "flow_credits_dropped", "frames", "Credits of ExpressPass that met a full queue of credits";
    "flow_credits_max", "frames", "Most credits of ExpressPass that have waited";
};

/// A statistic as reports over Ethernet name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Key of the statistic in a report.
    pub name: String,
    /// Unit of the statistic; empty without a unit.
    pub unit: String,
    /// Meaning of the statistic.
    pub about: &'static str,
}

/// All statistics of ports, grouped by the component that counts them.
pub fn statistics() -> Vec<(Component, Vec<Named>)> {
    let schemes = control::schemes().iter().copied();
    let counted = control::statistics()
        .into_iter()
        .map(|(_, counted)| counted);
    let others = [
        (credit::SCHEMES[0], OF_CREDIT),
        (PFC, OF_PAUSES),
        (CBFC, OF_CREDITS),
        (CREDIT_LIMIT, OF_FLOW_CREDITS),
    ];
    let all = schemes.zip(counted).chain(others);
    all.map(|(component, counted)| (component, counted.iter().map(named).collect()))
        .collect()
}

fn named(one: &Statistic) -> Named {
    let (name, unit, _) = over_ethernet(one.name);
    Named {
        name,
        unit: unit.unwrap_or(one.unit).into(),
        about: one.about,
    }
}

/// Statistics of a control scheme in bytes and bit/s. The scheme itself counts octets, but names them
/// cells.
pub fn report(control: &Control) -> ControlReport {
    let values = control.statistics().into_iter();
    let statistics = values.map(|(name, value)| {
        let (name, _, bits) = over_ethernet(name);
        (name, bits * value)
    });
    ControlReport {
        scheme: control.name().into(),
        statistics: statistics.collect(),
    }
}

/// For a statistic of a control scheme: its name over Ethernet, its unit if it differs from that over ATM,
/// and the factor for its values.
fn over_ethernet(name: &str) -> (String, Option<&'static str>, f64) {
    if let Some(stem) = name.strip_suffix("_cells_per_second") {
        return (format!("{stem}_bits_per_second"), Some("bit/s"), 8.0);
    }
    match name.strip_suffix("_cells") {
        Some(stem) => (format!("{stem}_bytes"), Some("bytes"), 1.0),
        None => (name.to_string(), None, 1.0),
    }
}
