//! A picture: the network at one instant, with the cells or frames on every link, the queues, and
//! the state of the flows.

use cellrate_engine::kernel::Ps;
use serde::Serialize;

use crate::shown::Shown;

/// Marks of a unit (a cell or a frame) in a picture.
pub mod mark {
    /// An RM cell.
    pub const RM: u8 = 1;
    /// A backward RM cell.
    pub const BACKWARD: u8 = 2;
    /// A unit with EFCI, or with the code point CE of ECN.
    pub const MARKED: u8 = 4;
    /// A cell or frame of credit control.
    pub const CREDIT: u8 = 8;
    /// A TCP segment without payload.
    pub const EMPTY: u8 = 16;
    /// A PFC frame that begins a pause.
    pub const PAUSE: u8 = 32;
    /// A PFC frame that only ends pauses.
    pub const RESUME: u8 = 64;
    /// A packet with telemetry.
    pub const TELEMETRY: u8 = 128;
}

/// A cell or a frame as a picture shows it.
#[derive(Clone, Copy, Debug)]
pub struct Sign {
    /// Link of the cell or frame.
    pub link: usize,
    /// Flow of the cell or frame; `None` for a cell of credit control and for a PFC frame.
    pub flow: Option<usize>,
    /// Bits of [`mark`].
    pub marks: u8,
    /// Length in the unit of queues: 1 for a cell, the octets of a frame.
    pub length: u64,
    /// Time at which the last bit of the cell or frame arrives at the end of the link, if this time
    /// is known.
    pub arrives: Option<Ps>,
}

/// The state of the queues and flows at one instant.
#[derive(Debug, Serialize)]
pub struct Picture {
    /// The instant in seconds.
    pub seconds: f64,
    /// Switch ports.
    pub ports: Vec<PortPicture>,
    /// Flows.
    pub flows: Vec<FlowPicture>,
    /// Links at which PFC or CBFC now holds frames back.
    pub paused: Vec<usize>,
    /// Next time in seconds at which a cell or frame arrives at the end of some link.
    pub next_unit_seconds: Option<f64>,
    /// Next time in seconds at which an RM cell arrives at the end of some link.
    pub next_rm_seconds: Option<f64>,
    /// The port with the longest queue. Its units are listed after the places of the units on
    /// links.
    pub longest: Option<Longest>,
}

/// The longest queue of the network at one instant.
#[derive(Debug, Serialize)]
pub struct Longest {
    /// Index of the link that the queue feeds.
    pub link: usize,
    /// Number of units (cells or frames) in the queue.
    pub units: u64,
    /// Number of units that are listed; the next to leave comes first. The list has, for each unit,
    /// flow + 1 (2 bytes), marks (1), and octets / 64 (1), which is 0 for a cell.
    pub listed: usize,
}

/// Largest number of units of a queue that are listed.
const MOST_LISTED: usize = 1_200;
/// Octets of one step in the length of a listed frame. The longest frame, of 9,234 octets, has 144
/// steps.
const LENGTH_STEP: u64 = 64;

/// A switch port at one instant. Lengths of queues are in cells, or in octets over Ethernet.
#[derive(Debug, Serialize)]
pub struct PortPicture {
    /// Index of the link that the port feeds.
    pub link: usize,
    /// Length and limit of each queue; the limit is null if there is none.
    pub queues: Vec<(u64, Option<u64>)>,
    /// Number of cells or frames in all queues of the port.
    pub units: u64,
    /// Number of cells or frames lost so far.
    pub lost: u64,
    /// The queue length of each flow that has units in the port, as pairs of flow and length.
    pub waiting: Vec<(usize, u64)>,
}

/// A flow at one instant; a quantity that the flow does not have is null.
#[derive(Debug, Serialize)]
pub struct FlowPicture {
    /// Congestion window, in bytes.
    pub cwnd: Option<u64>,
    /// Slow start threshold, in bytes.
    pub ssthresh: Option<u64>,
}

/// Cells or frames that wait before each link.
struct Waiting {
    /// Queue lengths by link and flow; empty for a link without waiting units.
    lengths: Vec<Vec<u64>>,
    /// Number of waiting units by link.
    units: Vec<u64>,
}

/// Makes the picture of a simulation at its present time. The bytes are the places of the units on
/// links, then the list of the units in the longest queue.
pub fn picture<S: Shown>(simulation: &mut S) -> (Picture, Vec<u8>) {
    let now = simulation.now();
    let (links, flows) = simulation.size();
    let mut places = vec![0; links * S::PLACES];
    let mut waiting = Waiting {
        lengths: vec![Vec::new(); links],
        units: vec![0; links],
    };
    let (mut next, mut next_rm) = (Ps::NEVER, Ps::NEVER);
    for unit in simulation.units() {
        let sign = simulation.sign(&unit);
        match simulation.place(&unit) {
            Some(place) => S::lay(place, &sign, &mut places),
            None => {
                if let Some(flow) = sign.flow {
                    let lengths = &mut waiting.lengths[sign.link];
                    lengths.resize(flows, 0);
                    lengths[flow] += sign.length;
                    waiting.units[sign.link] += 1;
                }
            }
        }
        let arrives = sign.arrives.filter(|at| *at > now).unwrap_or(Ps::NEVER);
        next = next.min(arrives);
        if sign.marks & mark::RM != 0 {
            next_rm = next_rm.min(arrives);
        }
    }
    let longest = longest(simulation, &waiting.units, &mut places);
    let mut ports = simulation.ports();
    for port in &mut ports {
        let lengths = waiting.lengths[port.link].iter().copied().enumerate();
        port.waiting = lengths.filter(|(_, length)| *length > 0).collect();
    }
    let seconds = |at: Ps| at.is_scheduled().then(|| at.as_secs_f64());
    let picture = Picture {
        seconds: now.as_secs_f64(),
        ports,
        flows: (0..flows).map(|flow| simulation.flow(flow)).collect(),
        paused: simulation.paused(),
        next_unit_seconds: seconds(next),
        next_rm_seconds: seconds(next_rm),
        longest,
    };
    (picture, places)
}

/// Finds the longest queue of the switches and adds its units to `list`.
fn longest<S: Shown>(simulation: &S, waiting: &[u64], list: &mut Vec<u8>) -> Option<Longest> {
    let ports = simulation.links_of_ports().into_iter();
    // Among equally long queues the first is taken.
    let (link, units) = ports
        .map(|link| (link, waiting[link]))
        .rev()
        .max_by_key(|(_, units)| *units)?;
    let here = simulation.units().filter_map(|unit| {
        let sign = simulation.sign(&unit);
        (sign.link == link && simulation.place(&unit).is_none()).then_some(sign)
    });
    let mut listed = 0;
    for sign in here.take(MOST_LISTED) {
        list.extend(flow_bytes(&sign));
        list.extend([sign.marks, (sign.length / LENGTH_STEP) as u8]);
        listed += 1;
    }
    (units > 0).then_some(Longest {
        link,
        units,
        listed,
    })
}

/// The flow of a unit as the bytes of a picture contain it: its number + 1, or 0 without a flow.
pub fn flow_bytes(sign: &Sign) -> [u8; 2] {
    sign.flow.map_or(0, |flow| (flow + 1) as u16).to_le_bytes()
}
