//! Curves of a run: quantities that are read at equal distances of time, and are thinned to their
//! least and greatest value where more points than pixels lie.

use cellrate_engine::atm::Simulation;
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::ChannelId;
use serde::Serialize;

/// A quantity over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Track {
    /// Chart that it belongs to: `queue`, `rate`, `window`, `throughput`, `utilisation`, `loss`,
    /// `credit` or `scheme`.
    pub chart: &'static str,
    /// Name of the quantity: `acr`, `er`, `cwnd`, `ssthresh`, or the scheme's own name for it.
    pub quantity: &'static str,
    /// Port, flow or link.
    pub of: String,
    /// Number of the flow, for its colour; `None` for a port.
    pub flow: Option<usize>,
    /// Unit of the values.
    pub unit: &'static str,
    #[serde(skip)]
    probe: Probe,
}

/// The way to read a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Probe {
    Queue {
        port: usize,
        queue: usize,
    },
    Acr {
        flow: usize,
    },
    ExplicitRate {
        flow: usize,
    },
    Cwnd {
        flow: usize,
    },
    Ssthresh {
        flow: usize,
    },
    /// Cells that have arrived, whose growth is the throughput.
    Received {
        flow: usize,
    },
    Departed {
        port: usize,
        cells_per_second: f64,
    },
    Dropped {
        port: usize,
    },
    Credit {
        flow: usize,
    },
    Scheme {
        port: usize,
        statistic: usize,
    },
}

/// Bits of a cell on the line.
const CELL_BITS: f64 = 424.0;
const MBIT: f64 = 1e6;

impl Probe {
    /// True for a count whose growth is shown, not its value.
    fn grows(self) -> bool {
        matches!(self, Probe::Received { .. } | Probe::Departed { .. })
    }
}

/// Every quantity of a simulation that a chart shows.
pub fn tracks(simulation: &Simulation) -> Vec<Track> {
    let mut found = Vec::new();
    ports(simulation, &mut found);
    flows(simulation, &mut found);
    found
}

fn ports(simulation: &Simulation, found: &mut Vec<Track>) {
    let plan = simulation.plan();
    let statistics = simulation.control_statistics();
    for (port, facts) in simulation.switch_ports().into_iter().enumerate() {
        let link = &plan.links[facts.link];
        let track = |chart, quantity, of: String, unit, probe| Track {
            chart,
            quantity,
            of,
            flow: None,
            unit,
            probe,
        };
        for queue in 0..facts.queues.len() {
            let of = match facts.queues.len() {
                1 => link.name.clone(),
                _ => format!("{}/{}", link.name, queue + 1),
            };
            let probe = Probe::Queue { port, queue };
            found.push(track("queue", "queue", of, "cells", probe));
        }
        let cells_per_second = link.rate.cells_per_second();
        let probe = Probe::Departed {
            port,
            cells_per_second,
        };
        let name = link.name.clone();
        found.push(track(
            "utilisation",
            "utilisation",
            name.clone(),
            "%",
            probe,
        ));
        found.push(track(
            "loss",
            "cells lost",
            name.clone(),
            "cells",
            Probe::Dropped { port },
        ));
        // A port that one flow crosses has nothing to share.
        let shared = plan
            .flows
            .iter()
            .filter(|flow| flow.forward.contains(&facts.link));
        if shared.count() < 2 {
            continue;
        }
        for (statistic, (quantity, _)) in statistics[port].iter().enumerate() {
            let probe = Probe::Scheme { port, statistic };
            found.push(track("scheme", quantity, name.clone(), "", probe));
        }
    }
}

fn flows(simulation: &Simulation, found: &mut Vec<Track>) {
    for (flow, plan) in simulation.plan().flows.iter().enumerate() {
        let mut add = |chart, quantity, unit, probe| {
            found.push(Track {
                chart,
                quantity,
                of: plan.name.clone(),
                flow: Some(flow),
                unit,
                probe,
            })
        };
        if simulation.acr(flow).is_some() {
            add("rate", "ACR", "Mbit/s", Probe::Acr { flow });
            add("rate", "ER", "Mbit/s", Probe::ExplicitRate { flow });
        }
        if simulation.tcp_window(flow).is_some() {
            add("window", "cwnd", "bytes", Probe::Cwnd { flow });
            add("window", "ssthresh", "bytes", Probe::Ssthresh { flow });
        }
        if simulation.credit_balance(flow).is_some() {
            add("credit", "credit", "cells", Probe::Credit { flow });
        }
        add(
            "throughput",
            "throughput",
            "Mbit/s",
            Probe::Received { flow },
        );
    }
}

/// The tracks over a span of time. Growths are rates between one reading and the next.
#[derive(Clone, Debug)]
pub struct Curves {
    tracks: Vec<Track>,
    from: Ps,
    step: Ps,
    /// Readings so far, one row for each time.
    rows: Vec<Vec<f32>>,
    counts: Vec<f64>,
    looks: u64,
}

impl Curves {
    /// Curves that begin at `from` and are read every `step`.
    pub fn new(tracks: Vec<Track>, from: Ps, step: Ps) -> Curves {
        Curves {
            counts: vec![f64::NAN; tracks.len()],
            tracks,
            from,
            step,
            rows: Vec::new(),
            looks: 0,
        }
    }

    /// The quantities.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// Time of the next reading.
    pub fn due(&self) -> Ps {
        self.from
            .saturating_add(Ps(self.step.0.saturating_mul(self.looks)))
    }

    /// Reads every quantity at [`Curves::due`], which the simulation must have reached.
    pub fn read(&mut self, simulation: &mut Simulation) {
        let ports = simulation.port_states();
        let schemes = simulation.control_statistics();
        let seconds = self.step.as_secs_f64();
        let read = |probe: Probe| -> f64 {
            let rate = |cells: Option<f64>| cells.map_or(f64::NAN, |c| c * CELL_BITS / MBIT);
            let number = |value: Option<u64>| value.map_or(f64::NAN, |value| value as f64);
            match probe {
                Probe::Queue { port, queue } => ports[port].lengths[queue] as f64,
                Probe::Acr { flow } => rate(simulation.acr(flow)),
                Probe::ExplicitRate { flow } => rate(simulation.explicit_rate(flow)),
                Probe::Cwnd { flow } => number(simulation.tcp_window(flow).map(|(cwnd, _)| cwnd)),
                Probe::Ssthresh { flow } => number(simulation.slow_start_threshold(flow)),
                Probe::Received { flow } => {
                    let cells = simulation.data_cells_received(ChannelId::forward(flow)).0;
                    cells as f64 * CELL_BITS / MBIT / seconds
                }
                Probe::Departed {
                    port,
                    cells_per_second,
                } => ports[port].departed as f64 * 100.0 / (cells_per_second * seconds),
                Probe::Dropped { port } => ports[port].dropped as f64,
                Probe::Credit { flow } => number(simulation.credit_balance(flow).map(u64::from)),
                Probe::Scheme { port, statistic } => schemes[port]
                    .get(statistic)
                    .map_or(f64::NAN, |(_, value)| *value),
            }
        };
        let mut row = Vec::with_capacity(self.tracks.len());
        for (track, count) in self.tracks.iter().zip(&mut self.counts) {
            let value = read(track.probe);
            let shown = if track.probe.grows() {
                value - std::mem::replace(count, value)
            } else {
                value
            };
            row.push(shown as f32);
        }
        self.rows.push(row);
        self.looks += 1;
    }

    /// Least and greatest value of every track in each of `pixels` equal parts of a span: for each
    /// track `2 pixels` numbers, NaN where nothing has been read.
    pub fn thinned(&self, from: Ps, to: Ps, pixels: usize) -> Vec<f32> {
        let width = to.0.saturating_sub(from.0).max(1) as f64 / pixels as f64;
        let row_at = |time: f64| (time - self.from.0 as f64) / self.step.0 as f64;
        let mut values = vec![f32::NAN; self.tracks.len() * 2 * pixels];
        for pixel in 0..pixels {
            let begin = row_at(from.0 as f64 + pixel as f64 * width);
            let end = row_at(from.0 as f64 + (pixel + 1) as f64 * width);
            // At least the reading that was last when the part began.
            let first = begin.floor().max(0.0) as usize;
            let last = (end.ceil().max(0.0) as usize).clamp(first + 1, usize::MAX);
            if begin < 0.0 && end <= 0.0 {
                continue;
            }
            let Some(rows) = self.rows.get(first..last.min(self.rows.len()).max(first)) else {
                continue;
            };
            for row in rows {
                for (track, value) in row.iter().enumerate() {
                    let at = (track * pixels + pixel) * 2;
                    values[at] = values[at].min(*value);
                    values[at + 1] = values[at + 1].max(*value);
                }
            }
        }
        values
    }
}
