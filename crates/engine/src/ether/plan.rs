//! The plan of a simulation: a directed graph, the flows over it, and the checks of a plan.

pub mod change;
pub mod expresspass;
pub mod trimming;

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use self::change::Change;
use super::aqm::AqmConfig;
use super::cbfc::CbfcConfig;
use super::frame::{Framing, Info, LEAST_ON_WIRE, UDP_HEADERS};
use super::heads::MOST_QUEUES;
use super::line::OctetClock;
use super::llr::LlrConfig;
use super::memory::MemoryConfig;
use super::pfc::{PfcConfig, least_quanta};
use super::roce::packet::MOST_HOPS;
use super::roce::{RoceConfig, can_run};
use super::spray::Multipath;
use crate::control::ControlConfig;
use crate::credit::FcvcConfig;
use crate::endsystem::{AbrConfig, SourceRules};
use crate::kernel::Ps;
use crate::net::LinkPlan;
use crate::net::channel::ChannelId;
use crate::net::opposites;
use crate::schedule::ScheduleConfig;
use crate::tcp::TcpConfig;
use crate::traffic::SourceConfig;

/// A network over Ethernet with everything that its simulation needs: nodes, links, flows and changes.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Seed of every random stream.
    pub seed: u64,
    /// Form of the frames, the same in the whole network.
    pub framing: Framing,
    /// Nodes; links refer to them by index.
    pub nodes: Vec<NodePlan>,
    /// Directed links; flows refer to them by index.
    pub links: Vec<LinkPlan>,
    /// Flows.
    pub flows: Vec<FlowPlan>,
    /// Credit control of all flows, with lengths in octets on the line; `None` without credit control.
    pub fcvc: Option<FcvcConfig>,
    /// Priority-based flow control of all links that flows use; `None` without PFC.
    pub pfc: Option<PfcConfig>,
    /// Credit-based flow control of all links that flows use; `None` without CBFC.
    pub cbfc: Option<CbfcConfig>,
    /// Link-level retry of all links that flows use; `None` without it.
    pub llr: Option<LlrConfig>,
    /// Changes of settings during the run, in order of time.
    pub changes: Vec<Change>,
    /// Control schemes of single ports, each with the index of the link that the port feeds. Such a
    /// scheme replaces the scheme of the switch.
    pub port_controls: Vec<(usize, ControlConfig)>,
}

/// A node of the plan: a host, or a switch with its settings.
#[derive(Clone, Debug)]
pub struct NodePlan {
    /// Unique name.
    pub name: String,
    /// Settings of a switch; `None` for a host.
    pub switch: Option<SwitchPlan>,
}

/// Settings of a switch's output ports.
#[derive(Clone, Debug)]
pub struct SwitchPlan {
    /// Greatest length of each queue in octets, the frame in transmission included; `u64::MAX` without a limit. The queue of
    /// trimmed packets holds twice as many octets.
    pub buffer: u64,
    /// Memory that all queues of the switch share; `None` without shared memory.
    pub memory: Option<MemoryConfig>,
    /// Active queue management of each queue.
    pub aqm: AqmConfig,
    /// Order in which the queues of a port are served.
    pub schedule: ScheduleConfig,
    /// Control scheme of each port that carries flows under rate control.
    pub control: ControlConfig,
    /// Rule by which the switch chooses among several next hops of a flow.
    pub multipath: Multipath,
    /// For each queue of a port, the priorities of its frames. Under strict priority the first queue is served first.
    /// Priorities that no queue lists share the last queue.
    pub queues: Vec<Vec<u8>>,
    /// Priority of the trimmed frames of RoCE packets that find no space in a queue and are cut to their headers; `None` if
    /// such packets are dropped.
    pub trim_priority: Option<u8>,
}

impl SwitchPlan {
    /// Ports with one queue of `buffer` octets.
    pub fn new(buffer: u64) -> SwitchPlan {
        SwitchPlan {
            buffer,
            memory: None,
            aqm: AqmConfig::default(),
            schedule: ScheduleConfig::StrictPriority,
            control: ControlConfig::default(),
            multipath: Multipath::default(),
            queues: Vec::from([Vec::new()]),
            trim_priority: None,
        }
    }
    /// A fault of queues, priorities, schedule or memory; `None` if all are valid.
    fn fault(&self) -> Option<String> {
        let queues = self.queues.len();
        if !(1..=MOST_QUEUES).contains(&queues) {
            return Some(format!("{queues} queues; a port has 1 to {MOST_QUEUES}"));
        }
        let beyond = self.queues.iter().flatten().find(|priority| **priority > 7);
        if let Some(priority) = beyond {
            return Some(format!("priority {priority}; the highest is 7"));
        }
        let memory = self.memory.iter().flat_map(|memory| memory.check(0));
        let mut found = self.schedule.check(queues, 0).into_iter().chain(memory);
        let fatal = found.find(|finding| finding.is_fatal(false))?;
        Some(format!("{}: {}", fatal.field, fatal.message))
    }
    /// For each priority the number of the queue for its frames.
    pub fn queue_of(&self) -> [u8; 8] {
        let last = self.queues.len().saturating_sub(1);
        core::array::from_fn(|priority| {
            let has = |queue: &Vec<u8>| queue.contains(&(priority as u8));
            self.queues.iter().position(has).unwrap_or(last) as u8
        })
    }
}

/// A flow that must have ended before another flow begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Awaited {
    /// Index of the awaited flow.
    pub flow: usize,
    /// Least time from the end of this flow to the begin of the other one.
    pub wait: Ps,
}

/// A flow of the plan: source, end systems, and paths in both directions.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// Unique name, for instance `tcp.3`.
    pub name: String,
    /// Name of the group of identical flows.
    pub group: String,
    /// Number of the flow within the group, from 1.
    pub index: u32,
    /// Links from the source to the destination.
    pub forward: Vec<usize>,
    /// Links from the destination to the source; empty if nothing returns to the source.
    pub backward: Vec<usize>,
    /// Links over which switches spray the flow's frames: first towards the destination, then back to the source. Each list
    /// holds the links of all paths, hop by hop. Links that leave one switch follow one another. A list is empty if all
    /// frames take one path.
    pub sprayed: [Vec<usize>; 2],
    /// Start time of the flow. A flow with `after` does not begin before this time.
    pub start: Ps,
    /// Flows that must have ended before this flow begins. Each of them begins or ends at the host of this flow's
    /// source, sends a limited number of bytes, and has a lower index than this flow.
    pub after: Vec<Awaited>,
    /// Settings of the flow's source of traffic.
    pub source: SourceConfig,
    /// False if the source sends no new data until a change lets it; see [`FlowChange`](change::FlowChange).
    pub sends: bool,
    /// Settings of TCP at both endpoints.
    pub tcp: TcpConfig,
    /// Priority of the flow's frames, 0 to 7; 7 is the highest.
    pub priority: u8,
    /// Octets of payload in each datagram; used without TCP only.
    pub datagram: u32,
    /// Settings of the source's rate control, with `rules = "tm4"`, which count frames; `None` without rate control.
    pub rates: Option<AbrConfig>,
    /// Settings of RoCE in place of TCP; `None` without RoCE.
    pub roce: Option<RoceConfig>,
}

impl FlowPlan {
    /// A flow that starts at time 0 with priority 0, the default settings of TCP, and datagrams of 1,472 octets. Such a
    /// datagram fills an IP packet of 1,500 octets.
    pub fn new(
        name: &str,
        source: SourceConfig,
        forward: Vec<usize>,
        backward: Vec<usize>,
    ) -> FlowPlan {
        FlowPlan {
            name: name.into(),
            group: name.into(),
            index: 1,
            forward,
            backward,
            sprayed: Default::default(),
            start: Ps::ZERO,
            after: Vec::new(),
            source,
            sends: true,
            tcp: TcpConfig::default(),
            priority: 0,
            datagram: 1_472,
            rates: None,
            roce: None,
        }
    }
    /// True if the flow runs over TCP.
    pub fn over_tcp(&self) -> bool {
        self.source.over_tcp() && self.roce.is_none()
    }
    /// True if switches write telemetry into the flow's packets.
    pub fn has_telemetry(&self) -> bool {
        let mut roce = self.roce.iter();
        roce.any(|roce| roce.control.has_telemetry())
    }
    /// A fault of the flow's own settings; `None` if they are valid.
    fn fault(&self) -> Option<String> {
        if !can_send(&self.source) {
            let source = self.source.name();
            return Some(format!("source {source} sends cells, not packets"));
        }
        if self.priority > 7 {
            return Some(format!("priority {}; the highest is 7", self.priority));
        }
        if let Some((field, message)) = self.source.check() {
            return Some(format!("source, {field}: {message}"));
        }
        if self.source.load().is_idle() {
            return Some("a source of 0 bit/s".into());
        }
        if self.roce.is_some() {
            if !can_run(&self.source) {
                let source = self.source.name();
                return Some(format!("source {source} does not run over RoCE"));
            }
            return self.rates.is_some().then(|| "rates beside RoCE".into());
        }
        let tcp = self.source.over_tcp().then(|| self.tcp.validate());
        tcp.and_then(Result::err)
    }
    /// Octets of the longest IP packet of the flow.
    pub fn longest_packet(&self) -> u64 {
        if let Some(roce) = &self.roce {
            roce.longest_packet()
        } else if self.source.over_tcp() {
            u64::from(self.tcp.data_header_bytes()) + self.tcp.mss.0
        } else {
            (UDP_HEADERS + self.datagram) as u64
        }
    }
}

/// Reason why a plan cannot be simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(pub String);

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for PlanError {}

impl Plan {
    /// Control scheme of the port that feeds `link`. `settings` are the settings of the switch of this port.
    pub fn control_of<'p>(&'p self, link: usize, settings: &'p SwitchPlan) -> &'p ControlConfig {
        let mut single = self.port_controls.iter();
        let own = single.find(|(port, _)| *port == link);
        own.map_or(&settings.control, |(_, control)| control)
    }
    /// The channels of all flows.
    pub fn channels(&self) -> impl DoubleEndedIterator<Item = ChannelId> + Clone + use<> {
        ChannelId::all(self.flows.len())
    }
    /// Name of a channel: `FLOW/forward` or `FLOW/backward`.
    pub fn channel_name(&self, channel: ChannelId) -> String {
        let name = &self.flows[channel.flow()].name;
        format!("{name}/{}", channel.direction())
    }
    /// Links of a channel, in order; empty if the flow has no such channel. For a sprayed channel, the links of one of its
    /// paths.
    pub fn path(&self, channel: ChannelId) -> &[usize] {
        let flow = &self.flows[channel.flow()];
        if channel.is_forward() {
            &flow.forward
        } else {
            &flow.backward
        }
    }

    /// All links of a channel: the links of its only path, or the links over which it is sprayed.
    pub fn links_of(&self, channel: ChannelId) -> &[usize] {
        match self.sprayed(channel) {
            [] => self.path(channel),
            sprayed => sprayed,
        }
    }
    /// Links over which a channel is sprayed; empty if all its frames take one path.
    pub(super) fn sprayed(&self, channel: ChannelId) -> &[usize] {
        let [there, back] = &self.flows[channel.flow()].sprayed;
        if channel.is_forward() { there } else { back }
    }

    /// True if each link needs its opposite link, over which credits, pauses or answers of link-level retry return.
    pub(super) fn needs_opposites(&self) -> bool {
        let of_flow_control = self.fcvc.is_some() || self.pfc.is_some() || self.cbfc.is_some();
        of_flow_control || self.llr.is_some()
    }
    /// A bit for each priority under PFC or CBFC.
    pub(super) fn lossless_priorities(&self) -> u8 {
        let of_pfc = self.pfc.iter().flat_map(|config| &config.priorities);
        let of_cbfc = self.cbfc.iter().flat_map(|config| &config.priorities);
        let both = of_pfc.chain(of_cbfc);
        both.fold(0, |bits, priority| bits | 1 << priority)
    }

    /// Checks links, switches, flows and paths, and the settings of rate control, RoCE, PFC and CBFC.
    pub(super) fn check(&self) -> Result<(), PlanError> {
        let switches = self.nodes.iter().filter_map(|node| {
            let switch = node.switch.as_ref()?;
            Some((&node.name, switch.fault()?))
        });
        let flows = self
            .flows
            .iter()
            .filter_map(|flow| Some((&flow.name, flow.fault()?)));
        if let Some((name, fault)) = switches.chain(flows).next() {
            return Err(PlanError(format!("{name}: {fault}")));
        }
        for link in &self.links {
            if link.rate > OctetClock::FASTEST || link.rate.0 == 0 {
                let rate = link.rate.bits_per_second();
                let text = format!(
                    "link {}: {rate} bit/s; the fastest line has 800 Gbit/s",
                    link.name
                );
                return Err(PlanError(text));
            }
        }
        self.check_rates()?;
        for flow in &self.flows {
            let most = (Info::MOST_OCTETS - self.framing.frame(1_500) + 1_500) as u64;
            if flow.longest_packet() > most {
                let packet = flow.longest_packet();
                let text = format!(
                    "flow {}: packets of {packet} octets; at most {most}",
                    flow.name
                );
                return Err(PlanError(text));
            }
        }
        self.channels()
            .try_for_each(|channel| self.check_path(channel).and(self.check_sprayed(channel)))?;
        self.check_roce()?;
        self.check_waiting()?;
        self.check_credits()?;
        self.check_trimming()?;
        self.check_retry()?;
        self.check_lossless()
    }

    /// Checks link-level retry: its parameters, and that each link of a flow has an opposite link for answers.
    fn check_retry(&self) -> Result<(), PlanError> {
        let Some(config) = &self.llr else {
            return Ok(());
        };
        if let Some(fault) = config.fault(self.longest_frame()) {
            return Err(PlanError(format!("llr: {fault}")));
        }
        let backs = opposites(&self.links);
        let mut used = self.channels().flat_map(|channel| self.links_of(channel));
        let alone = used.find(|link| backs[**link].is_none());
        alone.map_or(Ok(()), |link| {
            let name = &self.links[*link].name;
            let text = format!("llr: link {name} has no way back for its answers");
            Err(PlanError(text))
        })
    }

    /// The hosts at which a flow begins and ends. The paths must have been checked.
    pub(super) fn hosts(&self, flow: usize) -> [usize; 2] {
        let path = &self.flows[flow].forward;
        [
            self.links[path[0]].from,
            self.links[path[path.len() - 1]].to,
        ]
    }

    /// Checks the flows that await other flows: those must have lower indices, must begin or end at the host of the waiting
    /// source, and must send a limited number of bytes.
    fn check_waiting(&self) -> Result<(), PlanError> {
        let waiting = self
            .flows
            .iter()
            .enumerate()
            .filter(|(_, flow)| !flow.after.is_empty());
        for (number, flow) in waiting {
            let host = self.hosts(number)[0];
            let fits = |awaited: &Awaited| {
                awaited.flow < number
                    && self.flows[awaited.flow].source.transfers().is_some()
                    && self.hosts(awaited.flow).contains(&host)
            };
            if !flow.after.iter().all(fits) || flow.source.transfers().is_none() {
                let text = format!(
                    "flow {}: it awaits a flow that stands behind it, has no end, or neither begins nor ends at its host",
                    flow.name
                );
                return Err(PlanError(text));
            }
        }
        Ok(())
    }

    /// Checks that the parameters of RoCE fit the rate of the source's link.
    fn check_roce(&self) -> Result<(), PlanError> {
        for flow in &self.flows {
            let Some(roce) = &flow.roce else { continue };
            let line = self.links[flow.forward[0]].rate;
            let mut found = roce.check().into_iter().chain(roce.control.check(line));
            if let Some(finding) = found.find(|finding| finding.is_fatal(false)) {
                let (name, field, message) = (&flow.name, finding.field, finding.message);
                return Err(PlanError(format!("flow {name}: {field}: {message}")));
            }
            let switches = flow.forward.len() - 1;
            if flow.has_telemetry() && switches > MOST_HOPS {
                let text = format!(
                    "flow {}: {switches} switches on its way; a packet has room for the telemetry of {MOST_HOPS}",
                    flow.name
                );
                return Err(PlanError(text));
            }
        }
        Ok(())
    }

    /// Octets of the longest frame of all flows, from header to FCS.
    pub fn longest_frame(&self) -> u32 {
        let packets = self.flows.iter().map(|flow| flow.longest_packet() as u32);
        self.framing.frame(packets.max().unwrap_or(0))
    }

    /// Checks that no setting contradicts PFC or CBFC.
    fn check_lossless(&self) -> Result<(), PlanError> {
        let of_pfc = self.pfc.as_ref();
        let of_pfc = of_pfc.and_then(|config| Some(("pfc", self.fault_of_pauses(config)?)));
        let of_cbfc = self.cbfc.as_ref();
        let of_cbfc = of_cbfc.and_then(|config| Some(("cbfc", self.fault_of_credits(config)?)));
        match of_pfc.or(of_cbfc) {
            None => Ok(()),
            Some((name, fault)) => Err(PlanError(format!("{name}: {fault}"))),
        }
    }

    fn fault_of_credits(&self, config: &CbfcConfig) -> Option<String> {
        if config.unit == 0 || config.batch == 0 {
            return Some("a unit of 0 octets or a batch of 0 credits".into());
        } else if self.pfc.is_some() {
            return Some("pauses beside credits".into());
        } else if let Some(fault) = self.fault_of_lossless(&config.priorities, "credits") {
            return Some(fault);
        }
        let (longest, backs) = (self.longest_frame(), opposites(&self.links));
        let mut used = self.channels().flat_map(|channel| self.links_of(channel));
        used.find_map(|link| {
            let (link, back) = (&self.links[*link], &self.links[backs[*link]?]);
            [(link, back), (back, link)]
                .into_iter()
                .find_map(|(link, back)| {
                    let credits = config.credits_of(link, back, longest);
                    let least = config.least(longest);
                    let name = &link.name;
                    if credits > CbfcConfig::MOST.into() {
                        let most = CbfcConfig::MOST;
                        Some(format!("link {name}: {credits} credits; at most {most}"))
                    } else if credits < least {
                        Some(format!("link {name}: {credits} credits; at least {least}"))
                    } else {
                        None
                    }
                })
        })
    }

    fn fault_of_pauses(&self, config: &PfcConfig) -> Option<String> {
        let least = least_quanta(self.longest_frame());
        if config.xon > config.xoff {
            Some(format!("xon of {} octets is above xoff", config.xon))
        } else if config.quanta < least {
            let quanta = config.quanta;
            Some(format!("a pause of {quanta} quanta; at least {least}"))
        } else {
            self.fault_of_lossless(&config.priorities, "pauses")
        }
    }

    /// A setting that contradicts PFC or CBFC of `priorities`; `None` if there is none. `notices` names what returns over
    /// opposite links, for the message.
    fn fault_of_lossless(&self, priorities: &[u8], notices: &str) -> Option<String> {
        let mut switches = self.nodes.iter().filter_map(|node| node.switch.as_ref());
        let mut channels = self.channels();
        let backs = opposites(&self.links);
        let mut used = self.channels().flat_map(|channel| self.links_of(channel));
        Some(if priorities.is_empty() {
            "no priority".into()
        } else if let Some(priority) = priorities.iter().find(|priority| **priority > 7) {
            format!("priority {priority}; the highest is 7")
        } else if self.fcvc.is_some() {
            format!("credit for each channel beside {notices}")
        } else if switches.any(|switch| switch.memory.is_some()) {
            format!("a shared memory beside {notices}")
        } else if channels.any(|channel| !self.sprayed(channel).is_empty()) {
            format!("{notices} need one path for each channel")
        } else if let Some(link) = used.find(|link| backs[**link].is_none()) {
            let name = &self.links[*link].name;
            format!("link {name} has no way back for its {notices}")
        } else {
            return None;
        })
    }

    /// Checks the links of a sprayed channel. The first link must be the first link of the channel's path. The other links
    /// must leave switches that earlier links reach, and all links must lead to the end of the path.
    fn check_sprayed(&self, channel: ChannelId) -> Result<(), PlanError> {
        let (path, sprayed) = (self.path(channel), self.sprayed(channel));
        if sprayed.is_empty() {
            return Ok(());
        }
        let error = |what: &str| {
            let (name, direction) = (&self.flows[channel.flow()].name, channel.direction());
            Err(PlanError(format!("flow {name}, {direction}: {what}")))
        };
        if self.flows[channel.flow()].rates.is_some() {
            return error("rate records need one path");
        }
        if self.flows[channel.flow()].has_telemetry() {
            return error("telemetry needs one path");
        }
        let ends = |link: usize| (self.links[link].from, self.links[link].to);
        let (begin, end) = (ends(path[0]).0, ends(path[path.len() - 1]).1);
        // `open` has the nodes that have been reached and whose outgoing links have not appeared yet. `left` has the nodes
        // whose outgoing links have appeared.
        let (mut open, mut left) = (BTreeSet::from([begin]), BTreeSet::new());
        for links in sprayed.chunk_by(|one, other| ends(*one).0 == ends(*other).0) {
            let node = ends(links[0]).0;
            let follows = match &self.nodes[node].switch {
                None => *links == path[..1],
                Some(switch) => links.len() == 1 || switch.multipath != Multipath::Ecmp,
            };
            if !(follows && open.remove(&node) && left.insert(node)) {
                return error("its links do not lead from a host over switches that spray");
            }
            open.extend(links.iter().map(|link| ends(*link).1));
            open.remove(&end);
        }
        if open.is_empty() {
            Ok(())
        } else {
            error("its links do not all lead to its end")
        }
    }

    /// Checks that rate control uses rules of TM 4.0 that suit frames. Rate records (the fields of an RM cell) must return
    /// over the same switches, and all flows under rate control must share one queue of each port.
    fn check_rates(&self) -> Result<(), PlanError> {
        let mut priority = None;
        for flow in &self.flows {
            let Some(rates) = &flow.rates else { continue };
            let error = |what: &str| Err(PlanError(format!("flow {}: {what}", flow.name)));
            let counts_cells = rates.rules != SourceRules::Tm4 || rates.law.is_some();
            let needs_cells = rates.use_it_or_lose_it.is_some()
                || rates.quantise_rates
                || rates.apply_tbe_icr_cap;
            if counts_cells || needs_cells {
                return error("rate control that counts cells");
            }
            let back = flow
                .backward
                .iter()
                .rev()
                .map(|link| self.links[*link].from);
            if !back.eq(flow.forward.iter().map(|link| self.links[*link].to)) {
                return error("rate records do not come back over the switches of the way there");
            }
            let first = *priority.get_or_insert(flow.priority);
            let queues = self.nodes.iter().filter_map(|node| node.switch.as_ref());
            let apart = |switch: &SwitchPlan| {
                let queue_of = switch.queue_of();
                queue_of[first as usize & 7] != queue_of[flow.priority as usize & 7]
            };
            if queues.into_iter().any(apart) {
                return error("flows with rate control have different queues");
            }
        }
        Ok(())
    }

    /// Checks that a path leads from a host over switches to a host, and that the backward path returns to the host of the
    /// source.
    fn check_path(&self, channel: ChannelId) -> Result<(), PlanError> {
        let flow = &self.flows[channel.flow()];
        let path = self.path(channel);
        let error = |what: &str| {
            let (name, direction) = (&flow.name, channel.direction());
            Err(PlanError(format!("flow {name}, {direction}: {what}")))
        };
        let (Some(first), Some(last)) = (path.first(), path.last()) else {
            // TCP and RoCE need a path for acknowledgements.
            let needed = channel.is_forward() || flow.source.over_tcp();
            return if needed { error("no path") } else { Ok(()) };
        };
        let joined = path.windows(2).all(|pair| {
            let node = self.links[pair[0]].to;
            node == self.links[pair[1]].from && self.nodes[node].switch.is_some()
        });
        if !joined {
            return error("the links of the path do not meet at switches");
        }
        let (from, to) = (self.links[*first].from, self.links[*last].to);
        if self.nodes[from].switch.is_some() || self.nodes[to].switch.is_some() {
            return error("a path begins and ends at hosts");
        }
        let forward = (flow.forward.first(), flow.forward.last());
        if let (Some(begin), Some(end)) = forward
            && !channel.is_forward()
            && (from, to) != (self.links[*end].to, self.links[*begin].from)
        {
            return error("the path does not lead back");
        }
        Ok(())
    }
}

/// True if a source can send packets: over TCP, as datagrams at the times of a source model, or as datagrams without a
/// pause.
pub fn can_send(source: &SourceConfig) -> bool {
    source.over_tcp() || source.sends_packets() || matches!(source, SourceConfig::Persistent(_))
}

/// Least time from an event at one end of a link to its effect at the other end: the propagation delay plus the transmission
/// time of the shortest frame with its preamble.
pub fn least_transit(link: &LinkPlan) -> Ps {
    link.delay + OctetClock::new(link.rate).floor(LEAST_ON_WIRE)
}
