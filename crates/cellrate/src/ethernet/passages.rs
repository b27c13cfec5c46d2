//! Frames on links over a short span, and frames dropped in this span, as columns.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use cellrate_engine::ether::frame::{Ecn, Info, PREAMBLE, Packet};
use cellrate_engine::ether::line::OctetClock;
use cellrate_engine::ether::roce::packet::Kind;
use cellrate_engine::ether::seen::Seen;
use cellrate_engine::ether::{Plan, Simulation};
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::LinkPlan;

use super::Job;
use super::driver::slice;
use crate::run::{Failure, PROGRESS_INTERVAL, Progress};

/// Frames on a link, or dropped before it, one in each row. All columns have the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passages {
    /// Name of the link.
    pub link: Vec<String>,
    /// Channel: `FLOW/forward` or `FLOW/backward`; empty for a pause, and for a credit of CBFC.
    pub vc: Vec<String>,
    /// `data`, `ack`, `nak`, `cnp`, `record` (a rate record: the fields of an RM cell), `credit`, `request` or `stop` (of
    /// credits of ExpressPass), `pull` (receiver credits), `trimmed` (headers without their payload), `again` (asks for a
    /// trimmed packet), or `pause`. An `ack` has no data.
    pub kind: Vec<&'static str>,
    /// Number of the packet among the recorded packets of its channel, from 0. A packet keeps its number at
    /// each link.
    pub packet: Vec<u64>,
    /// Octets from header to FCS.
    pub octets: Vec<u32>,
    /// True if a switch has marked the frame: CE, or CI or NI in a rate record.
    pub marked: Vec<bool>,
    /// Time in seconds at which the first bit of the preamble left the sending node. For a dropped frame, this column and
    /// the next two have the time of the drop.
    pub began_seconds: Vec<f64>,
    /// Time in seconds at which the last bit left the sending node.
    pub left_seconds: Vec<f64>,
    /// Time in seconds at which the last bit arrived at the far end.
    pub arrived_seconds: Vec<f64>,
    /// True for a frame that a switch dropped.
    pub dropped: Vec<bool>,
    /// Time in seconds at which the first bit of the first frame beyond the limit left its node; `None` if all frames are in
    /// the rows.
    pub beyond_seconds: Option<f64>,
}

/// One row of [`Passages`]: a frame that was on a link or was dropped, with the number of its packet.
struct Row {
    seen: Seen,
    packet: u64,
    is_dropped: bool,
}

/// Runs a job, and records the frames that are on links between two times, at most `most` frames; the run ends earlier if
/// there are more.
///
/// # Errors
/// If `progress` stops the run.
pub(super) fn passages(
    job: &Job,
    from: Ps,
    to: Ps,
    most: usize,
    progress: Progress<'_>,
) -> Result<Passages, Failure> {
    let plan = job.plan();
    #[expect(
        clippy::expect_used,
        reason = "the checks of a scenario are those of a plan and more"
    )]
    let mut simulation = Simulation::new(plan.clone()).expect("a checked plan");
    let to = to.min(job.scenario().run.duration);
    // A frame whose last bit leaves before `begin` has left its link before the span.
    let longest = plan.links.iter().map(|link| {
        let clock = OctetClock::new(link.rate);
        link.delay + clock.ceil(PREAMBLE + Info::MOST_OCTETS)
    });
    let begin = from.saturating_sub(longest.max().unwrap_or(Ps::ZERO));
    simulation.tap(&(0..plan.links.len()).collect::<Vec<_>>());
    simulation.tap_drops();
    let slice = slice(job.scenario(), job.graph()).max(Ps(1));
    let (mut numbers, mut columns) = (Numbers::default(), Passages::default());
    let (mut now, mut told) = (Ps::ZERO, Instant::now());
    while now < to && columns.beyond_seconds.is_none() {
        if told.elapsed() >= PROGRESS_INTERVAL {
            told = Instant::now();
            if !progress(now, to) {
                return Err(Failure::Cancelled);
            }
        }
        now = now.saturating_add(slice).min(to);
        simulation.run_until(now);
        let (mut seen, mut dropped) = (simulation.take_seen(), simulation.take_dropped());
        seen.retain(|seen| seen.at >= begin);
        dropped.retain(|dropped| dropped.at >= begin);
        for row in numbers.rows(&plan, seen, dropped) {
            let link = &plan.links[row.seen.link];
            let first = row.began(link);
            if first >= to || row.arrived(link) < from {
                continue;
            }
            if columns.link.len() < most {
                columns.push(&plan, &row);
            } else {
                columns.beyond_seconds.get_or_insert(first.as_secs_f64());
            }
        }
    }
    Ok(columns)
}

impl Row {
    fn began(&self, link: &LinkPlan) -> Ps {
        if self.is_dropped {
            return self.seen.at;
        }
        let lasts = OctetClock::new(link.rate).ceil(PREAMBLE + self.seen.info.octets());
        self.seen.at.saturating_sub(lasts)
    }
    fn arrived(&self, link: &LinkPlan) -> Ps {
        let delay = if self.is_dropped {
            Ps::ZERO
        } else {
            link.delay
        };
        self.seen.at + delay
    }
}

impl Passages {
    fn push(&mut self, plan: &Plan, row: &Row) {
        let Seen {
            at,
            link,
            channel,
            info,
            packet,
        } = &row.seen;
        let link = &plan.links[*link];
        self.link.push(link.name.clone());
        // Frames of PFC and CBFC belong to no flow.
        let name = channel.map(|channel| plan.channel_name(channel));
        self.vc.push(name.unwrap_or_default());
        self.kind.push(match packet {
            Packet::Rates { .. } => "record",
            Packet::Credit { .. } => "credit",
            Packet::Pause(_) => "pause",
            Packet::Credits(_) => "credit",
            Packet::Hop(_) => unreachable!("a hop is no packet"),
            Packet::Tcp(segment) if segment.payload() == 0 => "ack",
            Packet::Tcp(_) | Packet::Udp(_) => "data",
            Packet::Roce(packet) => match packet.kind {
                Kind::Data | Kind::Credited => "data",
                Kind::Ack => "ack",
                Kind::Nak => "nak",
                Kind::Cnp => "cnp",
                Kind::Credit => "credit",
                Kind::Request => "request",
                Kind::Stop => "stop",
                Kind::Pull => "pull",
                Kind::Trimmed => "trimmed",
                Kind::Again => "again",
                Kind::Report => "report",
            },
        });
        self.packet.push(row.packet);
        self.octets.push(info.octets());
        let record = info.record(packet);
        self.marked
            .push(info.ecn() == Ecn::Ce || record.is_some_and(|record| record.ci || record.ni));
        self.began_seconds.push(row.began(link).as_secs_f64());
        self.left_seconds.push(at.as_secs_f64());
        self.arrived_seconds.push(row.arrived(link).as_secs_f64());
        self.dropped.push(row.is_dropped);
    }
}

/// Numbers of the packets that have left on each link, or were dropped before it.
///
/// At a link a packet gets the number of an earlier packet with the same contents: the first one that has left on a link
/// into the node where this link begins and has not been matched yet. A packet that entered this node before the recording
/// gets a new number.
#[derive(Default)]
struct Numbers {
    /// Number of the next packet of each channel.
    next: HashMap<usize, u64>,
    /// Number of the next frame of PFC or CBFC.
    of_links: u64,
    /// By channel and link, both as indices: the packets that may leave the node at the end of the link.
    before: HashMap<(usize, usize), VecDeque<(u64, Packet)>>,
}

impl Numbers {
    /// The frames of `seen` and `dropped` with their numbers, in order of time.
    fn rows(&mut self, plan: &Plan, seen: Vec<Seen>, dropped: Vec<Seen>) -> Vec<Row> {
        let row = |is_dropped| {
            move |seen| Row {
                seen,
                packet: 0,
                is_dropped,
            }
        };
        let dropped = dropped.into_iter().map(row(true));
        let mut rows: Vec<Row> = seen.into_iter().map(row(false)).chain(dropped).collect();
        rows.sort_by_key(|row| row.seen.at);
        for row in &mut rows {
            row.packet = self.number(plan, row);
        }
        rows
    }

    fn number(&mut self, plan: &Plan, row: &Row) -> u64 {
        let seen = &row.seen;
        let Some(of) = seen.channel else {
            let next = self.of_links;
            self.of_links += 1;
            return next;
        };
        let channel = of.index();
        let ends = &plan.links[seen.link];
        let links = plan.links_of(of).iter();
        let mut into = links.filter(|link| plan.links[**link].to == ends.from);
        let known = into.find_map(|link| {
            let waiting = self.before.get_mut(&(channel, *link))?;
            let at = waiting
                .iter()
                .position(|(_, packet)| equal(packet, &seen.packet))?;
            waiting.remove(at).map(|(number, _)| number)
        });
        let number = known.unwrap_or_else(|| {
            let next = self.next.entry(channel).or_default();
            *next += 1;
            *next - 1
        });
        let last = plan.path(of).last();
        let is_last = last.is_some_and(|last| plan.links[*last].to == ends.to);
        let is_credit = matches!(seen.packet, Packet::Credit { .. });
        if !row.is_dropped && !is_last && !is_credit {
            let waiting = self.before.entry((channel, seen.link)).or_default();
            waiting.push_back((number, seen.packet));
        }
        number
    }
}

/// True if two packets of a channel may be the same packet at two links. Switches change rate records.
fn equal(one: &Packet, other: &Packet) -> bool {
    match (one, other) {
        (Packet::Tcp(one), Packet::Tcp(other)) => one == other,
        (Packet::Udp(one), Packet::Udp(other)) => one == other,
        (Packet::Roce(one), Packet::Roce(other)) => one == other,
        (Packet::Rates { .. }, Packet::Rates { .. }) => true,
        _ => false,
    }
}
