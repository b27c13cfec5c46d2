//! The quantities that charts show. They are the same for both link layers, except for their units.

use serde::Serialize;

use crate::shown::Shown;

/// Reads one quantity of a port or flow in the simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Probe {
    /// Length of a queue of a port.
    Queue { port: usize, queue: usize },
    /// Units that a port has sent so far, in per cent of the units that it can send in a second.
    /// The growth is the utilisation.
    Sent { port: usize, full: f64 },
    /// Number of units lost at a port.
    Dropped { port: usize },
    /// A statistic of the control scheme.
    Scheme { port: usize, statistic: usize },
    /// ACR of a flow.
    Acr { flow: usize },
    /// Sending rate of a flow over RoCE.
    RoceRate { flow: usize },
    /// Explicit rate of a flow.
    ExplicitRate { flow: usize },
    /// Congestion window of a flow.
    Cwnd { flow: usize },
    /// Slow start threshold of a flow.
    Ssthresh { flow: usize },
    /// Credit of a flow.
    Credit { flow: usize },
    /// Data of a flow that have arrived so far; the growth is the throughput.
    Received { flow: usize },
}

impl Probe {
    /// True for a count: its growth in a second is shown, not its value.
    pub fn grows(self) -> bool {
        matches!(self, Probe::Sent { .. } | Probe::Received { .. })
    }
}

/// A curve of the lab: one quantity over simulated time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Track {
    /// Chart that shows the quantity: `queue`, `rate`, `window`, `throughput`, `utilisation`,
    /// `loss`, `credit` or `scheme`.
    pub chart: &'static str,
    /// Name of the quantity: `ACR`, `R_C`, `R`, `ER`, `cwnd`, `ssthresh`, or the name that the control
    /// scheme gives it.
    pub quantity: &'static str,
    /// Name of the port, flow or link that has the quantity.
    pub of: String,
    /// Number of the flow, which decides the colour of its curve; `None` for a port.
    pub flow: Option<usize>,
    /// Unit of the values.
    pub unit: &'static str,
    /// Reads the values.
    #[serde(skip)]
    pub probe: Probe,
}

/// Units of measurement of a link layer.
pub struct Units {
    /// Unit of queue lengths.
    pub queue: &'static str,
    /// Unit of rates and throughputs.
    pub rate: &'static str,
    /// Unit of congestion windows.
    pub window: &'static str,
    /// Unit of losses, and the name of this quantity.
    pub lost: (&'static str, &'static str),
}

/// A port whose curves are drawn.
pub struct Drawn {
    /// Number of the port.
    pub port: usize,
    /// Name of the port's link.
    pub name: String,
    /// Number of queues of the port.
    pub queues: usize,
    /// Units that the port can send in a second.
    pub full: f64,
    /// Names of the statistics of the port's control scheme.
    pub statistics: Vec<&'static str>,
}

/// Every quantity that a chart shows.
pub fn tracks<S: Shown>(simulation: &S) -> Vec<Track> {
    let Units {
        queue,
        rate,
        window,
        lost,
    } = S::UNITS;
    let mut found = Vec::new();
    let mut add = |probe, of: &str, flow, chart, (quantity, unit)| {
        let of = of.to_owned();
        found.push(Track {
            chart,
            quantity,
            of,
            flow,
            unit,
            probe,
        });
    };
    for drawn in simulation.drawn() {
        let (port, name, full) = (drawn.port, &drawn.name, drawn.full);
        for number in 0..drawn.queues {
            let of = match drawn.queues {
                1 => name.clone(),
                _ => format!("{name}/{}", number + 1),
            };
            let probe = Probe::Queue {
                port,
                queue: number,
            };
            add(probe, &of, None, "queue", ("queue", queue));
        }
        let probe = Probe::Sent { port, full };
        add(probe, name, None, "utilisation", ("utilisation", "%"));
        add(Probe::Dropped { port }, name, None, "loss", lost);
        for (statistic, quantity) in drawn.statistics.into_iter().enumerate() {
            let probe = Probe::Scheme { port, statistic };
            add(probe, name, None, "scheme", (quantity, ""));
        }
    }
    for flow in 0..simulation.size().1 {
        let quantities = [
            (Probe::Acr { flow }, "rate", ("ACR", rate)),
            (
                Probe::RoceRate { flow },
                "rate",
                (simulation.rate_symbol(flow), rate),
            ),
            (Probe::ExplicitRate { flow }, "rate", ("ER", rate)),
            (Probe::Cwnd { flow }, "window", ("cwnd", window)),
            (Probe::Ssthresh { flow }, "window", ("ssthresh", window)),
            (Probe::Credit { flow }, "credit", ("credit", "cells")),
            (Probe::Received { flow }, "throughput", ("throughput", rate)),
        ];
        let name = simulation.flow_name(flow);
        for (probe, chart, quantity) in quantities {
            if simulation.has(probe) {
                add(probe, name, Some(flow), chart, quantity);
            }
        }
    }
    found
}
