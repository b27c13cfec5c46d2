//! The event log as columns: losses, timeouts, retransmissions and marks, which explain a flow's
//! result.

use cellrate_engine::atm::aal5::cells_for;
use cellrate_engine::atm::cell::Info;
use cellrate_engine::atm::event::{Event, What};
use cellrate_engine::atm::{Plan, Simulation};
use cellrate_engine::discard::Cause;
use cellrate_engine::net::ChannelId;

/// Events in order of time. All columns have the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    /// Time of the event, in seconds.
    pub time_seconds: Vec<f64>,
    /// `loss`, `timeout`, `retransmission` or `mark`.
    pub kind: Vec<String>,
    /// Channel: `FLOW/forward` or `FLOW/backward`.
    pub vc: Vec<String>,
    /// Link of the port of the event; `None` at an end system.
    pub port: Vec<Option<String>>,
    /// Number of the AAL5 PDU on its channel, from 0, that a lost cell belonged to. All
    /// PDUs count as full segments: behind the short last segment of a transfer the number is not exact.
    pub pdu: Vec<Option<i64>>,
    /// Reason why a cell was refused, or a PDU by the source queue.
    pub cause: Vec<Option<String>>,
    /// Number of a lost data cell among those of its channel, from 0.
    pub cell: Vec<Option<i64>>,
    /// Sequence number in bytes: the oldest byte not acknowledged at a timeout, the first of a
    /// segment that was retransmitted or refused by the source queue. `None` for a SYN or SYN-ACK,
    /// which precede all data.
    pub sequence_bytes: Vec<Option<i64>>,
    /// Explicit rate that a marked RM cell carries on.
    pub er_cells_per_second: Vec<Option<f64>>,
}

/// Numbers of data cells sent on every channel, read at intervals. A lost cell carries its number
/// modulo 2^20 only; the readings give its full number.
#[derive(Debug, Default)]
pub struct Odometer {
    /// Per channel: time and data cells sent, in order.
    marks: Vec<Vec<(cellrate_engine::kernel::Ps, u64)>>,
}

/// Data cells between two marks of a channel. These and the cells in flight must together be fewer
/// than 2^20, the numbers that a cell can carry.
const CELLS_PER_MARK: u64 = 1 << 16;

impl Odometer {
    /// Reads `channels`: all, or those that begin in a part of the network. Must be called at every stop of
    /// the run.
    pub fn read(&mut self, simulation: &Simulation, channels: &[ChannelId]) {
        let all = simulation.plan().channels().count();
        self.marks.resize(all, Vec::new());
        for channel in channels.iter().copied() {
            let marks = &mut self.marks[channel.index()];
            let sent = simulation.data_cells_sent(channel);
            if marks
                .last()
                .is_none_or(|(_, before)| sent >= before + CELLS_PER_MARK)
            {
                marks.push((simulation.now(), sent));
            }
        }
    }

    /// Adds later readings, or those of other channels.
    pub fn append(&mut self, other: Odometer) {
        self.marks
            .resize(self.marks.len().max(other.marks.len()), Vec::new());
        for (marks, others) in self.marks.iter_mut().zip(other.marks) {
            marks.extend(others);
        }
    }

    /// The full number of a cell that carries `number` and was lost at `event.at`; `sent` is the
    /// number of data cells sent on its channel by the end of the run.
    fn whole(&self, event: &Event, number: u32, sent: u64) -> u64 {
        let later = self.marks.get(event.channel.index()).and_then(|marks| {
            let next = marks.partition_point(|(at, _)| *at < event.at);
            marks.get(next).map(|(_, sent)| *sent)
        });
        let bound = later.unwrap_or(sent).max(1) - 1;
        let modulus = u64::from(Info::NUMBERS);
        let behind = (bound + modulus - u64::from(number)) % modulus;
        bound.saturating_sub(behind)
    }
}

/// Cells of a full PDU of `channel`; `None` if it carries bare cells.
fn cells_per_pdu(plan: &Plan, channel: ChannelId) -> Option<u64> {
    let flow = &plan.flows[channel.flow()];
    let payload = if channel.is_forward() {
        flow.tcp.mss.0
    } else {
        0
    };
    let packet =
        payload + u64::from(flow.tcp.data_header_bytes()) + u64::from(flow.encapsulation.bytes());
    flow.source.over_tcp().then(|| u64::from(cells_for(packet)))
}

impl Events {
    /// The event log of `events` as columns.
    pub fn new(events: &[Event], simulation: &Simulation, odometer: &Odometer) -> Events {
        let mut columns = Events::default();
        for event in events {
            columns.push(event, simulation, odometer);
        }
        columns
    }

    fn push(&mut self, event: &Event, simulation: &Simulation, odometer: &Odometer) {
        let (plan, channel) = (simulation.plan(), event.channel);
        let row = Row::new(event, simulation, odometer);
        self.time_seconds.push(event.at.as_secs_f64());
        self.kind.push(row.kind.into());
        self.vc.push(plan.channel_name(channel));
        self.port.push(
            event
                .link
                .map(|link| plan.links[link as usize].name.clone()),
        );
        self.pdu.push(
            row.cell
                .and_then(|cell| cells_per_pdu(plan, channel).map(|cells| (cell / cells) as i64)),
        );
        self.cause.push(row.cause.map(String::from));
        self.cell.push(row.cell.map(|cell| cell as i64));
        self.sequence_bytes.push(row.sequence.map(|seq| seq as i64));
        self.er_cells_per_second.push(row.er);
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.time_seconds.len()
    }
    /// True if there are no events.
    pub fn is_empty(&self) -> bool {
        self.time_seconds.is_empty()
    }
}

#[derive(Default)]
struct Row {
    kind: &'static str,
    cause: Option<&'static str>,
    cell: Option<u64>,
    sequence: Option<u64>,
    er: Option<f64>,
}

impl Row {
    fn new(event: &Event, simulation: &Simulation, odometer: &Odometer) -> Row {
        match event.what {
            What::Loss {
                cause, number, rm, ..
            } => {
                let sent = simulation.data_cells_sent(event.channel);
                let cell = (!rm).then(|| odometer.whole(event, number, sent));
                Row {
                    kind: "loss",
                    cause: Some(name(cause)),
                    cell,
                    ..Row::default()
                }
            }
            What::Refusal { seq } => Row {
                kind: "loss",
                cause: Some(name(Cause::SourceQueue)),
                sequence: seq,
                ..Row::default()
            },
            What::Timeout { seq } => Row {
                kind: "timeout",
                sequence: seq,
                ..Row::default()
            },
            What::Retransmission { seq } => Row {
                kind: "retransmission",
                sequence: seq,
                ..Row::default()
            },
            What::Mark { er } => Row {
                kind: "mark",
                er: Some(er),
                ..Row::default()
            },
        }
    }
}

fn name(cause: Cause) -> &'static str {
    match cause {
        Cause::Overflow => "overflow",
        Cause::PartialPacket => "partial-packet",
        Cause::EarlyPacket => "early-packet",
        Cause::IntelligentTail => "intelligent-tail",
        Cause::SourceQueue => "source-queue",
        Cause::LinkError => "link-error",
    }
}
