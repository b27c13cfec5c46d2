//! An ATM network as the lab (the interactive page) shows it.

use cellrate::run::{self, Events};
use cellrate_engine::atm::cell::Kind;
use cellrate_engine::atm::{Held, Simulation, SwitchPort};
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::ChannelId;

use crate::picture::{FlowPicture, PortPicture, Sign, flow_bytes, mark};
use crate::shown::{Live, Shown};
use crate::tracks::{Drawn, Probe, Track, Units};

/// Number of places into which a picture divides a link. Of the cells in a place only the most
/// informative is shown.
pub const PLACES: usize = 96;
/// Bytes of a place: flow + 1 in two bytes (0 if the place is empty), marks, number of cells.
const PLACE_BYTES: usize = 4;
/// Bits of a cell on a link.
const CELL_BITS: f64 = 424.0;
const MBIT: f64 = 1e6;

impl Live for run::Live {
    type Simulation = Simulation;

    fn run_until(&mut self, until: Ps) {
        run::Live::run_until(self, until);
    }
    fn simulation(&mut self) -> &mut Simulation {
        run::Live::simulation(self)
    }
    fn events(&self, limit: usize) -> (Events, u64) {
        run::Live::events(self, limit)
    }
    fn summary(&mut self, wall_seconds: f64) -> String {
        run::Live::summary(self, wall_seconds)
    }
}

impl Shown for Simulation {
    type Unit = Held;
    /// Offset of the first byte of the place in the list of places.
    type Place = usize;
    const PLACES: usize = PLACES * PLACE_BYTES;
    /// No limit here: the memory of a run is estimated before it starts, and refused if it is too
    /// much.
    const MOST_STORED: u64 = u64::MAX;
    const AVERAGED: u64 = 1;
    const UNITS: Units = Units {
        queue: "cells",
        rate: "Mbit/s",
        window: "bytes",
        lost: ("cells lost", "cells"),
    };

    fn now(&self) -> Ps {
        Simulation::now(self)
    }
    fn run_until(&mut self, until: Ps) {
        Simulation::run_until(self, until);
    }
    fn stored(&self) -> u64 {
        self.peak_storage().bytes
    }

    fn size(&self) -> (usize, usize) {
        (self.plan().links.len(), self.plan().flows.len())
    }
    fn flow_name(&self, flow: usize) -> &str {
        &self.plan().flows[flow].name
    }

    fn drawn(&self) -> Vec<Drawn> {
        let plan = self.plan();
        let schemes = self.control_statistics();
        let drawn = |(port, facts): (usize, SwitchPort)| {
            let crossing = plan.flows.iter();
            let crossing = crossing.filter(|flow| flow.forward.contains(&facts.link));
            let statistics = match crossing.count() {
                // A port that only one flow crosses has no capacity to share.
                0 | 1 => Vec::new(),
                _ => schemes[port].iter().map(|(name, _)| *name).collect(),
            };
            let link = &plan.links[facts.link];
            Drawn {
                port,
                name: link.name.clone(),
                queues: facts.queues.len(),
                full: link.rate.cells_per_second(),
                statistics,
            }
        };
        let ports = self.switch_ports().into_iter().enumerate();
        ports.map(drawn).collect()
    }

    fn has(&self, probe: Probe) -> bool {
        match probe {
            Probe::Acr { flow } | Probe::ExplicitRate { flow } => self.acr(flow).is_some(),
            Probe::Cwnd { flow } | Probe::Ssthresh { flow } => self.tcp_window(flow).is_some(),
            Probe::Credit { flow } => self.credit_balance(flow).is_some(),
            Probe::RoceRate { .. } => false,
            _ => true,
        }
    }

    fn read(&mut self, tracks: &[Track]) -> Vec<f64> {
        let ports = self.port_states();
        let schemes = self.control_statistics();
        let read = |track: &Track| -> f64 {
            let rate = |cells: Option<f64>| cells.map_or(f64::NAN, |c| c * CELL_BITS / MBIT);
            let number = |value: Option<u64>| value.map_or(f64::NAN, |value| value as f64);
            match track.probe {
                Probe::Queue { port, queue } => ports[port].lengths[queue] as f64,
                Probe::Sent { port, full } => ports[port].departed as f64 * 100.0 / full,
                Probe::Dropped { port } => ports[port].dropped as f64,
                Probe::Scheme { port, statistic } => schemes[port]
                    .get(statistic)
                    .map_or(f64::NAN, |(_, value)| *value),
                Probe::Acr { flow } => rate(self.acr(flow)),
                Probe::ExplicitRate { flow } => rate(self.explicit_rate(flow)),
                Probe::Cwnd { flow } => number(self.tcp_window(flow).map(|(cwnd, _)| cwnd)),
                Probe::Ssthresh { flow } => number(self.slow_start_threshold(flow)),
                Probe::Credit { flow } => number(self.credit_balance(flow).map(u64::from)),
                Probe::RoceRate { .. } => f64::NAN,
                Probe::Received { flow } => {
                    let cells = self.data_cells_received(ChannelId::forward(flow)).0;
                    cells as f64 * CELL_BITS / MBIT
                }
            }
        };
        tracks.iter().map(read).collect()
    }

    fn links_of_ports(&self) -> Vec<usize> {
        self.switch_ports().iter().map(|port| port.link).collect()
    }
    fn units(&self) -> impl Iterator<Item = Held> {
        self.cells()
    }

    fn sign(&self, cell: &Held) -> Sign {
        let mut marks = 0;
        match cell.info.kind() {
            Kind::Frm => marks |= mark::RM,
            Kind::Brm => marks |= mark::RM | mark::BACKWARD,
            Kind::Credit => marks |= mark::CREDIT,
            Kind::Data => {}
        }
        if cell.info.efci() {
            marks |= mark::MARKED;
        }
        Sign {
            link: cell.link,
            flow: cell.channel.map(ChannelId::flow),
            marks,
            length: 1,
            arrives: cell.arrives,
        }
    }

    fn place(&self, cell: &Held) -> Option<usize> {
        let link = &self.plan().links[cell.link];
        let way = link.delay + link.rate.cell_time_ceil();
        let left = cell.arrives?.0.checked_sub(Simulation::now(self).0)?;
        let gone = way.0.checked_sub(left)?;
        let place = (gone as u128 * PLACES as u128 / (u128::from(way.0) + 1)) as usize;
        Some((cell.link * PLACES + place.min(PLACES - 1)) * PLACE_BYTES)
    }

    fn lay(begin: usize, sign: &Sign, places: &mut Vec<u8>) {
        let place = &mut places[begin..begin + PLACE_BYTES];
        // RM cells are rare, so an RM cell is shown instead of the data cells in its place.
        let telling = place[3] == 0 || (sign.marks & mark::RM != 0 && place[2] & mark::RM == 0);
        if telling {
            place[..2].copy_from_slice(&flow_bytes(sign));
            place[2] = sign.marks;
        } else {
            place[2] |= sign.marks & mark::MARKED;
        }
        place[3] = place[3].saturating_add(1);
    }

    fn ports(&mut self) -> Vec<PortPicture> {
        let states = self.port_states();
        let ports = self.switch_ports().into_iter().zip(states);
        ports
            .map(|(port, state)| PortPicture {
                link: port.link,
                queues: state
                    .lengths
                    .iter()
                    .zip(&port.queues)
                    .map(|(length, (_, limit))| (*length, (*limit != u64::MAX).then_some(*limit)))
                    .collect(),
                units: state.lengths.iter().sum(),
                lost: state.dropped,
                waiting: Vec::new(),
            })
            .collect()
    }

    fn flow(&self, flow: usize) -> FlowPicture {
        FlowPicture {
            cwnd: self.tcp_window(flow).map(|(cwnd, _)| cwnd),
            ssthresh: self.slow_start_threshold(flow),
        }
    }
}
