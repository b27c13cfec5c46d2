//! The network at one instant: the cells on every link, the queues, and the state of the flows.

use cellrate_engine::atm::cell::Kind;
use cellrate_engine::atm::{Held, Simulation};
use cellrate_engine::kernel::Ps;
use serde::Serialize;

/// Places along a link; of the cells in one place the most telling is shown.
pub const PLACES: usize = 96;
/// Bytes of a place: flow + 1 as two bytes (0 if the place is empty), marks, number of cells.
pub const PLACE_BYTES: usize = 4;

const RM: u8 = 1;
const BACKWARD: u8 = 2;
const MARKED: u8 = 4;
const CREDIT: u8 = 8;

/// The state of queues and flows at one instant.
#[derive(Debug, Serialize)]
pub struct Picture {
    /// The instant.
    pub seconds: f64,
    /// Switch ports.
    pub ports: Vec<PortPicture>,
    /// Flows.
    pub flows: Vec<FlowPicture>,
    /// Arrival of the next cell at the end of some link, and of the next RM cell.
    pub next_cell_seconds: Option<f64>,
    /// Of RM cells alone.
    pub next_rm_seconds: Option<f64>,
    /// The port before which most cells wait; its cells follow the places.
    pub longest: Option<Longest>,
}

/// The longest queue of the network at one instant.
#[derive(Debug, Serialize)]
pub struct Longest {
    /// Index of the link that it feeds.
    pub link: usize,
    /// Cells that wait there.
    pub cells: u64,
    /// Number of them that are listed, the next to leave first: each as flow + 1 in two bytes, marks,
    /// and a zero.
    pub listed: usize,
}

/// Most cells of a queue that are listed.
const MOST_LISTED: usize = 1_200;

/// A switch port at one instant.
#[derive(Debug, Serialize)]
pub struct PortPicture {
    /// Index of its link.
    pub link: usize,
    /// Cells in each queue, and the limit (null for none).
    pub queues: Vec<(u64, Option<u64>)>,
    /// Cells lost so far.
    pub lost: u64,
    /// Cells of each flow that wait, as pairs of flow and number.
    pub waiting: Vec<(usize, u64)>,
}

/// A flow at one instant; what it has not is null.
#[derive(Debug, Serialize)]
pub struct FlowPicture {
    /// Congestion window, in bytes.
    pub cwnd: Option<u64>,
    /// Slow start threshold, in bytes.
    pub ssthresh: Option<u64>,
    /// Allowed cell rate, in cells/s.
    pub acr: Option<f64>,
    /// Explicit rate of the last BRM, in cells/s.
    pub er: Option<f64>,
    /// Cells that wait at the source.
    pub source_queue: Option<u64>,
    /// Credit, in cells.
    pub credit: Option<u32>,
}

/// The picture of a simulation now, and the [`PLACES`] of every link, in order; behind them the cells
/// of the longest queue.
pub fn picture(simulation: &mut Simulation) -> (Picture, Vec<u8>) {
    let now = simulation.now();
    let links = simulation.plan().links.len();
    let mut places = vec![0; links * PLACES * PLACE_BYTES];
    let mut waiting = vec![vec![0u64; simulation.plan().flows.len()]; links];
    let (mut next_cell, mut next_rm) = (Ps::NEVER, Ps::NEVER);
    for cell in simulation.cells() {
        match place(simulation, &cell, now) {
            Some(place) => show(
                &mut places[(cell.link * PLACES + place) * PLACE_BYTES..][..PLACE_BYTES],
                &cell,
            ),
            None => {
                if let Some(channel) = cell.channel {
                    waiting[cell.link][channel.flow()] += 1;
                }
            }
        }
        let arrives = cell.arrives.filter(|at| *at > now).unwrap_or(Ps::NEVER);
        next_cell = next_cell.min(arrives);
        if matches!(cell.info.kind(), Kind::Frm | Kind::Brm) {
            next_rm = next_rm.min(arrives);
        }
    }
    let longest = longest(simulation, &waiting, &mut places);
    let seconds = |at: Ps| at.is_scheduled().then(|| at.as_secs_f64());
    let picture = Picture {
        seconds: now.as_secs_f64(),
        ports: ports(simulation, &waiting),
        flows: flows(simulation),
        next_cell_seconds: seconds(next_cell),
        next_rm_seconds: seconds(next_rm),
        longest,
    };
    (picture, places)
}

/// The longest queue before a switch's link; its cells are added to `list`.
fn longest(simulation: &Simulation, waiting: &[Vec<u64>], list: &mut Vec<u8>) -> Option<Longest> {
    let ports = simulation.switch_ports().into_iter();
    let lengths = ports.map(|port| (port.link, waiting[port.link].iter().sum::<u64>()));
    // The first of equally long ones.
    let (link, cells) = lengths.rev().max_by_key(|(_, cells)| *cells)?;
    let now = simulation.now();
    let here = |cell: &Held| cell.link == link && place(simulation, cell, now).is_none();
    let waits = simulation.cells().filter(here).take(MOST_LISTED);
    let begin = list.len();
    for cell in waits {
        let mut one = [0; PLACE_BYTES];
        show(&mut one, &cell);
        one[3] = 0;
        list.extend(one);
    }
    (cells > 0).then_some(Longest {
        link,
        cells,
        listed: (list.len() - begin) / PLACE_BYTES,
    })
}

/// Place of a cell on its link; `None` while it is queued or has arrived.
fn place(simulation: &Simulation, cell: &Held, now: Ps) -> Option<usize> {
    let link = &simulation.plan().links[cell.link];
    let way = link.delay + link.rate.cell_time_ceil();
    let left = cell.arrives?.0.checked_sub(now.0)?;
    let gone = way.0.checked_sub(left)?;
    Some(((gone as u128 * PLACES as u128 / (u128::from(way.0) + 1)) as usize).min(PLACES - 1))
}

fn show(place: &mut [u8], cell: &Held) {
    let mut marks = 0;
    match cell.info.kind() {
        Kind::Frm => marks |= RM,
        Kind::Brm => marks |= RM | BACKWARD,
        Kind::Credit => marks |= CREDIT,
        Kind::Data => {}
    }
    if cell.info.efci() {
        marks |= MARKED;
    }
    // An RM cell is rare, so it is shown before the data cells of its place.
    let telling = place[3] == 0 || (marks & RM != 0 && place[2] & RM == 0);
    if telling {
        let flow = cell.channel.map_or(0, |channel| channel.flow() as u16 + 1);
        place[..2].copy_from_slice(&flow.to_le_bytes());
        place[2] = marks;
    } else {
        place[2] |= marks & MARKED;
    }
    place[3] = place[3].saturating_add(1);
}

fn ports(simulation: &mut Simulation, waiting: &[Vec<u64>]) -> Vec<PortPicture> {
    let states = simulation.port_states();
    simulation
        .switch_ports()
        .into_iter()
        .zip(states)
        .map(|(port, state)| PortPicture {
            link: port.link,
            queues: state
                .lengths
                .iter()
                .zip(&port.queues)
                .map(|(length, (_, limit))| (*length, (*limit != u64::MAX).then_some(*limit)))
                .collect(),
            lost: state.dropped,
            waiting: waiting[port.link]
                .iter()
                .copied()
                .enumerate()
                .filter(|(_, cells)| *cells > 0)
                .collect(),
        })
        .collect()
}

fn flows(simulation: &Simulation) -> Vec<FlowPicture> {
    (0..simulation.plan().flows.len())
        .map(|flow| FlowPicture {
            cwnd: simulation.tcp_window(flow).map(|(cwnd, _)| cwnd),
            ssthresh: simulation.slow_start_threshold(flow),
            acr: simulation.acr(flow),
            er: simulation.explicit_rate(flow),
            source_queue: simulation.source_queue(flow),
            credit: simulation.credit_balance(flow),
        })
        .collect()
}
