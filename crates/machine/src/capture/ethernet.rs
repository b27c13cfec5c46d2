//! Captures over Ethernet, for tcpdump and Wireshark: frames without preamble and frame check
//! sequence.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use cellrate_engine::ether::frame::{Ecn, Packet};
use cellrate_engine::ether::seen::Seen;
use cellrate_engine::ether::{Plan, Simulation};
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::ChannelId;
use cellrate_engine::passing::RateRecord;

use cellrate::ethernet::Job;
use cellrate::run::{PROGRESS_INTERVAL, Progress};

use super::checksum::{fold, sum};
use super::ends::Ends;
use super::error::CaptureError;
use super::packet::{Filling, write_ip};
use super::pcap::{self, LinkType};
use super::taken::{Named, Taken, TakenAt, TakenFile};
use super::tap::{Tap, Tapped};
use super::{ip, payload, roce};

/// Octets of a frame check sequence, which captures leave out.
const FCS: usize = 4;
/// Octets of the header of UDP.
const UDP_HEADER: usize = 8;
/// EtherType of a frame with a VLAN tag (IEEE 802.1Q), and of a frame with an IPv4 packet.
const VLAN: [u8; 2] = [0x81, 0x00];
const IPV4: [u8; 2] = [0x08, 0x00];
/// Number of equal slices of a run; the captured frames are written at the end of each.
const SLICES: u64 = 1_000;

/// A place of capture, and the file of its frames.
struct Recorded {
    tap: Tap,
    links: Vec<Tapped>,
    path: PathBuf,
    file: BufWriter<File>,
    records: u64,
    octets: u64,
}

/// Runs a scenario over Ethernet and writes the frames that pass the places `points` within the
/// time `span`. The files are made in `directory`, which must exist and contain none of them. A
/// frame is captured when its last bit passes the place.
///
/// # Errors
/// If a place does not exist, a flow's headers cannot be written, a file cannot be written, or
/// `progress` stops the run.
pub fn capture_frames(
    job: &Job,
    points: &[String],
    span: Range<Ps>,
    directory: &Path,
    progress: Progress<'_>,
) -> Result<Taken, CaptureError> {
    let plan = job.plan();
    let nodes: Vec<&str> = plan.nodes.iter().map(|node| node.name.as_str()).collect();
    let taps: Result<Vec<Tap>, _> = points.iter().map(|point| without_formats(point)).collect();
    let taps = taps.and_then(|taps| Tap::with_links(&taps, &nodes, &plan.links));
    let taps = taps.map_err(CaptureError::Request)?;
    let ends = Ends::over_ethernet(&plan);
    let mut frames = FrameRecording::new((&plan, ends), &taps, span, directory)?;
    let mut simulation =
        Simulation::new(plan.clone()).map_err(|error| CaptureError::Request(error.to_string()))?;
    simulation.tap(&frames.links());
    let end = job.scenario().run.duration;
    let slice = Ps((end.0 / SLICES).max(1));
    let (mut now, mut told) = (Ps::ZERO, Instant::now());
    while now < end {
        now = now.saturating_add(slice).min(end);
        simulation.run_until(now);
        frames.settle(simulation.take_seen(), now)?;
        if told.elapsed() >= PROGRESS_INTERVAL {
            told = Instant::now();
            if !progress(now, end) {
                return Err(CaptureError::Cancelled);
            }
        }
    }
    frames.finish()?;
    simulation.begin_window();
    simulation.end_window();
    Ok(Taken {
        digest: simulation.report().digest,
        taps: frames.taken(),
        flows: frames.writer.named(),
    })
}

/// The tap over Ethernet that `point` names. It may not name formats, because captures over
/// Ethernet have only one format.
pub fn without_formats(point: &str) -> Result<Tap, String> {
    if point.contains(':') {
        return Err(format!(
            "`{point}`: captures over Ethernet have one format, frames"
        ));
    }
    point.parse()
}

/// All places of capture over Ethernet, with the files of their frames.
pub struct FrameRecording<'a> {
    writer: Frames<'a>,
    places: Vec<Recorded>,
    span: Range<Ps>,
    /// Frames that have left their nodes, but have not passed their places yet.
    waiting: Vec<(Ps, usize, Seen)>,
}

impl<'a> FrameRecording<'a> {
    /// Creates the empty files of the taps, each with its links, in a directory. `ends` has the identifiers of the
    /// plan's flows.
    ///
    /// # Errors
    /// If a flow's headers cannot be written, or a file cannot be written.
    pub fn new(
        (plan, ends): (&'a Plan, Vec<Ends>),
        taps: &[(Tap, Vec<Tapped>)],
        span: Range<Ps>,
        directory: &Path,
    ) -> Result<FrameRecording<'a>, CaptureError> {
        let writer = Frames::new(plan, ends).map_err(CaptureError::Request)?;
        let place = |(tap, links): &(Tap, Vec<Tapped>)| Recorded::new(tap, links, directory);
        Ok(FrameRecording {
            writer,
            places: taps.iter().map(place).collect::<Result<_, _>>()?,
            span,
            waiting: Vec::new(),
        })
    }
    /// The links of all places.
    pub fn links(&self) -> Vec<usize> {
        let links = self.places.iter().flat_map(|place| &place.links);
        links.map(|tap| tap.link).collect()
    }
    /// Writes the frames that have passed their places before `now`; `seen` has those that have left since the
    /// last call.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn settle(&mut self, seen: Vec<Seen>, now: Ps) -> Result<(), CaptureError> {
        for seen in seen {
            for (number, place) in self.places.iter().enumerate() {
                if let Some(tap) = place.links.iter().find(|tap| tap.link == seen.link) {
                    let delay = self.writer.plan.links[seen.link].delay;
                    let at = if tap.leaves { seen.at } else { seen.at + delay };
                    self.waiting.push((at, number, seen));
                }
            }
        }
        self.waiting.sort_by_key(|(at, number, _)| (*at, *number));
        let passed = self.waiting.partition_point(|(at, ..)| *at < now);
        for (at, number, seen) in self.waiting.drain(..passed) {
            if self.span.contains(&at) {
                let place = &mut self.places[number];
                let written = place.write(at, &self.writer.frame(&seen));
                written.map_err(|error| CaptureError::File(place.path.clone(), error))?;
            }
        }
        Ok(())
    }
    /// Flushes all files.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn finish(&mut self) -> Result<(), CaptureError> {
        self.places.iter_mut().try_for_each(|place| {
            let flushed = place.file.flush();
            flushed.map_err(|error| CaptureError::File(place.path.clone(), error))
        })
    }
    /// Identifiers of the flows.
    pub fn ends(&self) -> &[Ends] {
        &self.writer.ends
    }
    /// Description of the files, by tap.
    pub fn taken(&self) -> Vec<TakenAt> {
        self.places.iter().map(Recorded::taken).collect()
    }
}

impl Recorded {
    fn new(tap: &Tap, links: &[Tapped], directory: &Path) -> Result<Recorded, CaptureError> {
        let path = directory.join(format!("{}.pcap", tap.stem()));
        let header = pcap::file_header(LinkType::Ethernet);
        let begun = || {
            let mut file = BufWriter::new(File::create_new(&path)?);
            file.write_all(&header)?;
            io::Result::Ok(file)
        };
        let file = begun().map_err(|error| CaptureError::File(path.clone(), error))?;
        Ok(Recorded {
            tap: tap.clone(),
            links: links.to_vec(),
            file,
            records: 0,
            octets: header.len() as u64,
            path,
        })
    }

    fn write(&mut self, at: Ps, frame: &[u8]) -> io::Result<()> {
        let header = pcap::header(at, frame.len());
        self.records += 1;
        self.octets += (header.len() + frame.len()) as u64;
        self.file.write_all(&header)?;
        self.file.write_all(frame)
    }

    fn taken(&self) -> TakenAt {
        let name = self.path.file_name().unwrap_or_default();
        TakenAt {
            point: self.tap.point.clone(),
            files: vec![TakenFile {
                name: name.to_string_lossy().into_owned(),
                format: "frames".into(),
                records: self.records,
                bytes: self.octets,
            }],
            damaged_pdus: 0,
        }
    }
}

/// Writes captured frames as the octets that a real network would carry.
struct Frames<'a> {
    plan: &'a Plan,
    ends: Vec<Ends>,
    fillings: Vec<Filling>,
}

impl<'a> Frames<'a> {
    fn new(plan: &'a Plan, ends: Vec<Ends>) -> Result<Frames<'a>, String> {
        let filling = |(flow, ends): (&cellrate_engine::ether::FlowPlan, &Ends)| {
            if flow.over_tcp() {
                Filling::of(ends)
            } else {
                Ok(Filling::default())
            }
        };
        let fillings = plan.flows.iter().zip(&ends).map(filling);
        Ok(Frames {
            plan,
            fillings: fillings.collect::<Result<_, String>>()?,
            ends,
        })
    }

    /// Octets of a frame without preamble and FCS.
    fn frame(&self, seen: &Seen) -> Vec<u8> {
        let Some(channel) = seen.channel else {
            return self.of_link(seen);
        };
        let (flow, backward) = (channel.flow(), !channel.is_forward());
        let mut out = Vec::with_capacity(seen.info.octets() as usize);
        // Credit frames travel backward even if the flow has no other backward traffic.
        let path = self.plan.path(ChannelId::forward(flow));
        let mut hosts = [
            self.plan.links[path[path.len() - 1]].to,
            self.plan.links[path[0]].from,
        ];
        if backward {
            hosts.reverse();
        }
        out.extend(hosts.into_iter().flat_map(address));
        if self.plan.framing.tagged {
            out.extend(VLAN);
            out.extend([seen.info.priority() << 5, 0]);
        }
        out.extend(IPV4);
        let ecn = match seen.info.ecn() {
            Ecn::NotEct => 0,
            Ecn::Ect => ip::ECT_0,
            Ecn::Ce => ip::CE,
        };
        // The class selector for the priority (RFC 2474, section 4.2.2), and the ECN code point.
        let class = seen.info.priority() << 5 | ecn;
        match &seen.packet {
            Packet::Tcp(segment) => {
                let (ends, filling) = (&self.ends[flow], self.fillings[flow]);
                write_ip(&mut out, ends, filling, backward, (0, class), segment);
            }
            Packet::Roce(packet) => {
                let of = (&self.plan.flows[flow], &self.ends[flow]);
                let hops = seen.info.has_telemetry().then(|| seen.info.hops());
                roce::write(&mut out, of, backward, (class, hops), packet);
            }
            Packet::Udp(_) => {
                let datagram = Fill::Datagram(self.plan.flows[flow].datagram as usize);
                self.write_udp(&mut out, channel, class, datagram);
            }
            Packet::Rates { .. } => {
                let octets = seen
                    .info
                    .record(&seen.packet)
                    .map(|record| written(&record, backward));
                let octets = octets.unwrap_or_default();
                self.write_udp(&mut out, channel, class, Fill::Octets(RATES_PORT, &octets));
            }
            Packet::Credit { limit } => {
                // The number of the channel that gets the credit, then the limit.
                let gets = channel.reverse().index() as u64;
                let octets = (gets << 32 | u64::from(*limit)).to_be_bytes();
                self.write_udp(&mut out, channel, class, Fill::Octets(CREDIT_PORT, &octets));
            }
            Packet::Pause(_) | Packet::Credits(_) => unreachable!("it belongs to no flow"),
            Packet::Hop(_) => unreachable!("a hop is no packet"),
        }
        // A frame shorter than the minimum is padded.
        out.resize(seen.info.octets() as usize - FCS, 0);
        out
    }

    /// Octets of a frame of PFC (IEEE 802.3 annex 31D) or CBFC without preamble and FCS. No public standard
    /// defines CBFC frames; here they have the EtherType for local experiments (IEEE 802), the priorities, and
    /// a count for each priority.
    fn of_link(&self, seen: &Seen) -> Vec<u8> {
        let mut out = Vec::with_capacity(seen.info.octets() as usize);
        out.extend(MAC_CONTROL_ADDRESS);
        out.extend(address(self.plan.links[seen.link].from));
        match &seen.packet {
            Packet::Pause(order) => {
                out.extend(MAC_CONTROL);
                out.extend(PFC_OPCODE);
                out.extend([0, order.priorities]);
                let times = (0..8).map(|priority| match order.paused >> priority & 1 {
                    0 => 0,
                    _ => order.quanta,
                });
                out.extend(times.flat_map(u16::to_be_bytes));
            }
            Packet::Credits(update) => {
                out.extend(EXPERIMENTAL);
                out.extend([0, update.channels]);
                out.extend(update.freed.into_iter().flat_map(u16::to_be_bytes));
            }
            _ => unreachable!("all other packets belong to a flow"),
        }
        out.resize(seen.info.octets() as usize - FCS, 0);
        out
    }

    fn write_udp(&self, out: &mut Vec<u8>, channel: ChannelId, class: u8, fill: Fill<'_>) {
        let ends = &self.ends[channel.flow()];
        let [from, to] = if channel.is_forward() { [0, 1] } else { [1, 0] };
        let length = UDP_HEADER
            + match fill {
                Fill::Datagram(octets) => octets,
                Fill::Octets(_, octets) => octets.len(),
            };
        let packet = ip::Packet {
            from: ends.addresses[from],
            to: ends.addresses[to],
            id: 0,
            options: 0,
            class,
            protocol: ip::UDP,
            payload: length,
        };
        packet.write_header(out);
        let begin = out.len();
        let ports = match fill {
            Fill::Datagram(_) => [ends.ports[from], ends.ports[to]],
            Fill::Octets(port, _) => [port; 2],
        };
        out.extend(ports.into_iter().flat_map(u16::to_be_bytes));
        out.extend((length as u16).to_be_bytes());
        out.extend([0, 0]);
        match fill {
            Fill::Datagram(octets) => payload::write(out, ends.flow, false, 0, octets),
            Fill::Octets(_, octets) => out.extend(octets),
        }
        // A sum of 0 is sent as all ones, since 0 stands for no checksum (RFC 768).
        let checksum = match fold(packet.pseudo_header_sum() + sum(&out[begin..])) {
            0 => u16::MAX,
            checksum => checksum,
        };
        out[begin + 6..begin + 8].copy_from_slice(&checksum.to_be_bytes());
    }

    fn named(&self) -> Vec<Named> {
        let flows = self.plan.flows.iter().zip(&self.ends);
        flows
            .map(|(flow, ends)| Named::of(&flow.name, ends, flow.over_tcp()))
            .collect()
    }
}

/// Payload of a captured UDP datagram.
#[derive(Clone, Copy)]
enum Fill<'a> {
    /// Text as user data; the number is its length in octets.
    Datagram(usize),
    /// The given octets, with this number as source and destination port.
    Octets(u16, &'a [u8]),
}

/// Destination address of MAC control frames (IEEE 802.3 annex 31D.3), their EtherType, and the
/// opcode of PFC.
const MAC_CONTROL_ADDRESS: [u8; 6] = [0x01, 0x80, 0xc2, 0, 0, 1];
const MAC_CONTROL: [u8; 2] = [0x88, 0x08];
const PFC_OPCODE: [u8; 2] = [0x01, 0x01];
/// EtherType for local experiments (IEEE 802 clause 9.2.4), of frames with credits of CBFC.
const EXPERIMENTAL: [u8; 2] = [0x88, 0xb5];

/// Locally administered MAC address that contains the number of a node.
fn address(node: usize) -> [u8; 6] {
    let [a, b, c, d] = (node as u32).to_be_bytes();
    [0x02, 0, a, b, c, d]
}

/// UDP port of rate records (RM packets), from the ports for private use (RFC 6335, section 6).
const RATES_PORT: u16 = 49_152;
/// UDP port of credit packets, from the same ports.
const CREDIT_PORT: u16 = 49_153;

/// A rate record (RM packet) as octets. First the flags as in octet 7 of an RM cell (DIR, BN, CI
/// and NI from the highest bit, TM 4.0, table 5-4), then ER, CCR and MCR in whole octets/s, five
/// octets each.
fn written(record: &RateRecord, backward: bool) -> [u8; 16] {
    let mut octets = [0; 16];
    let bit = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
    octets[0] =
        bit(backward, 0x80) | bit(record.bn, 0x40) | bit(record.ci, 0x20) | bit(record.ni, 0x10);
    for (at, rate) in [(1, record.er), (6, record.ccr), (11, record.mcr)] {
        let whole = (rate as u64).min((1 << 40) - 1);
        octets[at..at + 5].copy_from_slice(&whole.to_be_bytes()[3..]);
    }
    octets
}
