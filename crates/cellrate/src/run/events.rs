//! The event log as columns: losses, timeouts, retransmissions and marks, which explain the result
//! of a flow.

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
    /// Link that the port of the event feeds; `None` at an end system.
    pub port: Vec<Option<String>>,
    /// Number, from 0, of the AAL5 PDU of a lost cell on its channel. All PDUs count as full
    /// segments, so the number is not exact after the short last segment of a transfer.
    pub pdu: Vec<Option<i64>>,
    /// Reason why a queue refused a cell, or a source queue a PDU.
    pub cause: Vec<Option<String>>,
    /// Number of a lost data cell among the data cells of its channel, from 0.
    pub cell: Vec<Option<i64>>,
    /// Sequence number in bytes. At a timeout: the oldest byte that is not acknowledged. Otherwise:
    /// the first byte of the segment that was retransmitted or that the source queue refused.
    /// `None` for a SYN or SYN-ACK, which precede all data.
    pub sequence_bytes: Vec<Option<i64>>,
    /// Explicit rate (ER) in a marked RM cell when it leaves the switch.
    pub er_cells_per_second: Vec<Option<f64>>,
}

/// Numbers of data cells that each channel has sent, read at intervals. A lost cell carries only
/// its number modulo 2^20; the readings give its full number.
#[derive(Debug, Default)]
pub struct Odometer {
    /// For each channel, the readings in order of time: the time, and the number of data cells sent
    /// so far.
    marks: Vec<Vec<(cellrate_engine::kernel::Ps, u64)>>,
}

/// Number of data cells on a channel between two readings. Together with the cells in flight these
/// must be fewer than 2^20, the range of the number in a cell.
const CELLS_PER_MARK: u64 = 1 << 16;

impl Odometer {
    /// Reads the counts of `channels`: all channels, or those that begin in one part of a divided
    /// network. Must be called at every pause of the run.
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

    /// Adds the readings of `other`, which are later or concern other channels.
    pub fn append(&mut self, other: Odometer) {
        self.marks
            .resize(self.marks.len().max(other.marks.len()), Vec::new());
        for (marks, others) in self.marks.iter_mut().zip(other.marks) {
            marks.extend(others);
        }
    }

    /// The number, not taken modulo 2^20, of the cell that carries `number` and was lost at
    /// `event.at`. `sent` is the number of data cells that its channel sent in the whole run.
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

/// Number of cells in a full PDU of `channel`; `None` if the channel carries cells without AAL5.
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
    /// Turns `events` into columns, with names of channels and ports in place of indices.
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

    /// Adds the events of `other`, in order of time. Of events at the same time those of `other` are the later ones.
    /// Keeps the first `limit` events, and returns the number of the events beyond.
    pub fn merge(&mut self, other: Events, limit: usize) -> usize {
        self.time_seconds.extend(other.time_seconds);
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by(|a, b| self.time_seconds[*a].total_cmp(&self.time_seconds[*b]));
        let beyond = order.len().saturating_sub(limit);
        order.truncate(limit);
        self.time_seconds = order.iter().map(|from| self.time_seconds[*from]).collect();
        take(&mut self.kind, other.kind, &order);
        take(&mut self.vc, other.vc, &order);
        take(&mut self.port, other.port, &order);
        take(&mut self.pdu, other.pdu, &order);
        take(&mut self.cause, other.cause, &order);
        take(&mut self.cell, other.cell, &order);
        take(&mut self.sequence_bytes, other.sequence_bytes, &order);
        let rates = &mut self.er_cells_per_second;
        take(rates, other.er_cells_per_second, &order);
        beyond
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

/// Appends `more` to a column, and puts the column's values into `order`.
fn take<T: Clone>(column: &mut Vec<T>, more: Vec<T>, order: &[usize]) {
    column.extend(more);
    *column = order.iter().map(|from| column[*from].clone()).collect();
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
        Cause::Policed => "policed",
    }
}
