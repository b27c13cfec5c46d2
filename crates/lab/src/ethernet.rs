//! An Ethernet network as the lab (the interactive page) shows it.

use cellrate::ethernet;
use cellrate::run::Events;
use cellrate_engine::ether::frame::Ecn;
use cellrate_engine::ether::port::Port;
use cellrate_engine::ether::{Held, Simulation};
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::ChannelId;

use crate::picture::{FlowPicture, PortPicture, Sign, flow_bytes, mark};
use crate::shown::{Live, Shown};
use crate::tracks::{Drawn, Probe, Track, Units};

/// Largest number of ports whose curves are drawn: the ports that most flows cross.
const MOST_PORTS: usize = 48;
/// Bytes of a frame on a link: link (4), flow + 1 (2), marks (1), zero (1). Then how far its first
/// bit (4) and its last bit (4) have travelled, as shares of the link's length.
pub const FRAME_BYTES: usize = 16;
/// Number of parts of a link. Of the frames that have their first bits in one part, and equal
/// marks, only one is shown.
const PARTS: f32 = 512.0;
const GBIT: f64 = 1e9;
const KB: f64 = 1e3;

impl Live for ethernet::Live {
    type Simulation = Simulation;

    fn run_until(&mut self, until: Ps) {
        ethernet::Live::run_until(self, until);
    }
    fn simulation(&mut self) -> &mut Simulation {
        ethernet::Live::simulation(self)
    }
    fn events(&self, limit: usize) -> (Events, u64) {
        ethernet::Live::events(self, limit)
    }
    fn summary(&mut self, wall_seconds: f64) -> String {
        ethernet::Live::summary(self, wall_seconds)
    }
}

impl Shown for Simulation {
    type Unit = Held;
    /// Distances that the first and the last bit of a frame have travelled, as shares of the
    /// link's length.
    type Place = (f64, f64);
    const PLACES: usize = 0;
    const MOST_STORED: u64 = if cfg!(test) {
        10_000_000
    } else {
        1_000_000_000
    };
    /// Frames are long, so few or none arrive between two readings; an average needs many readings.
    const AVERAGED: u64 = 16;
    const UNITS: Units = Units {
        queue: "kB",
        rate: "Gbit/s",
        window: "kB",
        lost: ("packets lost", "packets"),
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
    fn rate_symbol(&self, flow: usize) -> &'static str {
        let roce = self.plan().flows[flow].roce.as_ref();
        roce.map_or("R", |roce| roce.control.rate_symbol())
    }

    fn drawn(&self) -> Vec<Drawn> {
        let plan = self.plan();
        let mut flows_over = vec![0u32; plan.links.len()];
        for channel in plan.channels().filter(|channel| channel.is_forward()) {
            let links = plan.links_of(channel).iter();
            links.for_each(|link| flows_over[*link] += 1);
        }
        let mut chosen: Vec<(usize, &Port)> = Simulation::ports(self).enumerate().collect();
        chosen.sort_by_key(|(_, port)| std::cmp::Reverse(flows_over[port.link as usize]));
        chosen.truncate(MOST_PORTS);
        chosen.sort_by_key(|(number, _)| *number);
        let drawn = |(port, state): (usize, &Port)| Drawn {
            port,
            name: plan.links[state.link as usize].name.clone(),
            queues: state.queue_count(),
            // Seconds in which the line is busy, so a full second is 1.
            full: 1.0,
            statistics: Vec::new(),
        };
        chosen.into_iter().map(drawn).collect()
    }

    fn has(&self, probe: Probe) -> bool {
        match probe {
            Probe::Acr { flow } => self.acr(flow).is_some(),
            Probe::RoceRate { flow } => self.roce_rate(flow).is_some(),
            Probe::Cwnd { flow } | Probe::Ssthresh { flow } => self.tcp_window(flow).is_some(),
            Probe::ExplicitRate { .. } | Probe::Credit { .. } | Probe::Scheme { .. } => false,
            _ => true,
        }
    }

    fn read(&mut self, tracks: &[Track]) -> Vec<f64> {
        let now = Simulation::now(self);
        let ports: Vec<&Port> = Simulation::ports(self).collect();
        let gbit = |octets: Option<f64>| octets.map_or(f64::NAN, |octets| octets * 8.0 / GBIT);
        let kb = |bytes: Option<u64>| bytes.map_or(f64::NAN, |bytes| bytes as f64 / KB);
        let read = |track: &Track| match track.probe {
            Probe::Queue { port, queue } => ports[port].held(queue).octets as f64 / KB,
            Probe::Sent { port, full } => ports[port].busy_ps(now) * 1e-12 * 100.0 / full,
            Probe::Dropped { port } => ports[port].dropped() as f64,
            Probe::Acr { flow } => gbit(self.acr(flow)),
            Probe::RoceRate { flow } => gbit(self.roce_rate(flow)),
            Probe::Cwnd { flow } => kb(self.tcp_window(flow).map(|(cwnd, _)| cwnd)),
            Probe::Ssthresh { flow } => kb(threshold(self, flow)),
            // After a loss, data reach the application in bursts; data that the receiver has
            // received grow steadily.
            Probe::Received { flow } => self.received(flow) as f64 * 8.0 / GBIT,
            Probe::ExplicitRate { .. } | Probe::Credit { .. } | Probe::Scheme { .. } => f64::NAN,
        };
        tracks.iter().map(read).collect()
    }

    fn links_of_ports(&self) -> Vec<usize> {
        Simulation::ports(self)
            .map(|port| port.link as usize)
            .collect()
    }
    fn units(&self) -> impl Iterator<Item = Held> {
        self.frames()
    }

    fn sign(&self, frame: &Held) -> Sign {
        let mut marks = 0;
        if frame.info.ecn() == Ecn::Ce {
            marks |= mark::MARKED;
        }
        if frame.is_empty {
            marks |= mark::EMPTY;
        }
        let is_credit = frame.info.is_credit() || frame.info.is_flow_credit();
        if is_credit || (frame.channel.is_none() && frame.pause.is_none()) {
            marks |= mark::CREDIT;
        }
        if frame.info.has_telemetry() {
            marks |= mark::TELEMETRY;
        }
        match frame.pause {
            Some(order) if order.paused > 0 => marks |= mark::PAUSE,
            Some(_) => marks |= mark::RESUME,
            None => {}
        }
        Sign {
            link: frame.link,
            flow: frame.channel.map(ChannelId::flow),
            marks,
            length: u64::from(frame.info.octets()),
            arrives: frame.arrives,
        }
    }
    fn place(&self, frame: &Held) -> Option<(f64, f64)> {
        self.head_and_tail(frame)
    }

    fn lay((head, tail): (f64, f64), sign: &Sign, places: &mut Vec<u8>) {
        let begin = places.len().saturating_sub(FRAME_BYTES);
        let (link, head, tail) = (sign.link as u32, head as f32, tail as f32);
        // The frame that was drawn before, on this link or on another.
        let is_hidden = places
            .get(begin..begin + FRAME_BYTES)
            .is_some_and(|before| {
                let ahead = [before[8], before[9], before[10], before[11]];
                let part = |head: f32| (head * PARTS).floor();
                before[..4] == link.to_le_bytes()
                    && before[6] == sign.marks
                    && part(f32::from_le_bytes(ahead)) == part(head)
                    && head < 1.0
            });
        if is_hidden {
            return;
        }
        places.extend(link.to_le_bytes());
        places.extend(flow_bytes(sign));
        places.extend([sign.marks, 0]);
        places.extend(head.to_le_bytes());
        places.extend(tail.to_le_bytes());
    }

    fn ports(&mut self) -> Vec<PortPicture> {
        let picture = |port: &Port| {
            let queues = 0..port.queue_count();
            let limit = |queue| Some(port.limit(queue)).filter(|limit| *limit != u64::MAX);
            PortPicture {
                link: port.link as usize,
                queues: queues
                    .clone()
                    .map(|queue| (port.held(queue).octets, limit(queue)))
                    .collect(),
                units: queues.map(|queue| port.held(queue).packets).sum(),
                lost: port.dropped(),
                waiting: Vec::new(),
            }
        };
        Simulation::ports(self).map(picture).collect()
    }

    fn paused(&self) -> Vec<usize> {
        self.held_links()
    }

    fn flow(&self, flow: usize) -> FlowPicture {
        FlowPicture {
            cwnd: self.tcp_window(flow).map(|(cwnd, _)| cwnd),
            ssthresh: threshold(self, flow),
        }
    }
}

/// Slow start threshold of a flow in bytes. `None` if it is not below the window, because it then
/// limits nothing.
fn threshold(simulation: &Simulation, flow: usize) -> Option<u64> {
    let most = simulation.plan().flows[flow].tcp.window.0;
    let threshold = simulation.slow_start_threshold(flow);
    threshold.filter(|bytes| *bytes < most)
}
