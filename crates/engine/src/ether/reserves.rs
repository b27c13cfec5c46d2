//! Credit control (FCVC) over Ethernet in a plan: the buffer that each node reserves for a channel, and the
//! settings that contradict credit control.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::aqm::AqmConfig;
use super::frame::{GAP, PREAMBLE, SHORTEST, on_line};
use super::line::OctetClock;
use super::plan::{Plan, PlanError, SwitchPlan};
use crate::control::ControlConfig;
use crate::credit::{Allocation, CreditPriority, FcvcConfig, Loop, MODULUS};
use crate::kernel::{Ps, ServiceRate};
use crate::net::channel::ChannelId;
use crate::net::opposites;

/// Buffers that nodes reserve for the channels of a plan with credit control (FCVC).
#[derive(Clone, Debug)]
pub struct Reserves<'a> {
    plan: &'a Plan,
    config: &'a FcvcConfig,
    /// For each link the opposite link, over which its credits return; `None` if there is no opposite link.
    backs: Vec<Option<usize>>,
}

impl<'a> Reserves<'a> {
    /// Greatest number of octets that a node may reserve for one channel: a quarter of the range of the
    /// counters.
    pub const MOST: u64 = MODULUS as u64 / 4;

    /// The reserves of a plan; `None` without credit control.
    pub fn of(plan: &'a Plan) -> Option<Reserves<'a>> {
        Some(Reserves {
            plan,
            config: plan.fcvc.as_ref()?,
            backs: opposites(&plan.links),
        })
    }
    /// The opposite link, over which the credits of `link` return; `None` if there is no opposite link.
    pub fn back(&self, link: usize) -> Option<usize> {
        self.backs[link]
    }
    /// N2: number of octets on the line after which a node returns a credit.
    pub fn n2(&self) -> u32 {
        u32::try_from(self.config.n2.0).unwrap_or(u32::MAX)
    }
    /// Octets on the line of the longest frame of a channel.
    pub fn longest(&self, channel: ChannelId) -> u32 {
        let packet = self.plan.flows[channel.flow()].longest_packet();
        self.plan.framing.on_line(packet as u32)
    }
    /// N2 + N3: octets on the line that the node at the end of `link` reserves for `channel`. If the plan
    /// does not give N3, the reserve covers the round trip and two frames less two octets, for two reasons. A
    /// balance of up to one frame less an octet is too small for the next frame. And credit lags by as much,
    /// since a node counts only whole frames.
    pub fn reserve(&self, channel: ChannelId, link: usize) -> u64 {
        let links = &self.plan.links;
        let back = &links[self.backs[link].unwrap_or(link)];
        let longest = self.longest(channel);
        let reserve = self.config.static_allocation(Loop {
            rate: ServiceRate::of_octets(links[link].rate),
            back_rate: ServiceRate::of_octets(back.rate),
            delay: links[link].delay.saturating_add(back.delay),
            largest: longest,
            credit: on_line(SHORTEST),
        });
        match self.config.n3 {
            Some(_) => reserve,
            None => reserve.saturating_add(2 * u64::from(longest - 1)),
        }
    }
    /// Least time from the end of transmission of a full frame to the arrival of its credit. The frame
    /// crosses the link with the index `hop` on the path of `channel`. The time has three parts: the
    /// propagation both ways, the transmission at the next port, and the credit frame with its preamble. The
    /// interframe gap behind the full frame is subtracted.
    pub fn trip(&self, channel: ChannelId, hop: usize) -> Ps {
        let (links, path) = (&self.plan.links, self.plan.path(channel));
        let link = &links[path[hop]];
        let back = &links[self.backs[path[hop]].unwrap_or(path[hop])];
        let forwards =
            |onward: &usize| OctetClock::new(links[*onward].rate).floor(self.longest(channel));
        let onward = path.get(hop + 1).map_or(Ps::ZERO, forwards);
        let told = OctetClock::new(back.rate).floor(PREAMBLE + SHORTEST);
        let trip = link.delay + back.delay + onward + told;
        trip.saturating_sub(OctetClock::new(link.rate).ceil(GAP))
    }
    /// For each link, the sum of the reserves that its switch has for all channels that leave over the link.
    pub fn promised(&self) -> Vec<u64> {
        let mut promised = alloc::vec![0_u64; self.backs.len()];
        for channel in self.plan.channels() {
            for pair in self.plan.path(channel).windows(2) {
                let reserve = self.reserve(channel, pair[0]);
                promised[pair[1]] = promised[pair[1]].saturating_add(reserve);
            }
        }
        promised
    }

    /// Checks that no setting of the plan contradicts credit control (FCVC). All other checks of the plan
    /// must have passed.
    pub(super) fn check(&self) -> Result<(), PlanError> {
        self.fault().map_or(Ok(()), |fault| Err(PlanError(fault)))
    }

    fn fault(&self) -> Option<String> {
        let config = self.config;
        let is_supported = config.allocation == Allocation::Static
            && config.priority == CreditPriority::Highest
            && config.records_per_cell == 1
            && config.mark_interval.is_none();
        if !is_supported {
            return Some("credit of other frames than one with one record for N2 octets".into());
        }
        let mut found = config.check().into_iter();
        if let Some(finding) = found.find(|finding| finding.is_fatal(false)) {
            return Some(format!("{}: {}", finding.field, finding.message));
        }
        if let Some(flow) = self.plan.flows.iter().find(|flow| flow.rates.is_some()) {
            return Some(format!("flow {}: credit replaces rates", flow.name));
        }
        let mut channels = self.plan.channels();
        if channels.any(|channel| !self.plan.sprayed(channel).is_empty()) {
            return Some("credit needs one path for each channel".into());
        }
        let of_switches = self.plan.nodes.iter().filter_map(|node| {
            let what = contradiction(node.switch.as_ref()?)?;
            Some(format!("{}: {what}", node.name))
        });
        let promised = self.promised();
        let of_ports = promised.iter().enumerate().filter_map(|(link, promised)| {
            let link = &self.plan.links[link];
            let switch = self.plan.nodes[link.from].switch.as_ref()?;
            (switch.buffer < *promised)
                .then(|| format!("{}: a buffer below {promised} octets", link.name))
        });
        let of_channels = self.plan.channels().flat_map(|channel| {
            let path = self.plan.path(channel).iter();
            path.filter_map(move |link| self.of_channel(channel, *link))
        });
        of_switches.chain(of_channels).chain(of_ports).next()
    }

    fn of_channel(&self, channel: ChannelId, link: usize) -> Option<String> {
        let (name, longest) = (&self.plan.links[link].name, self.longest(channel));
        let reserve = self.reserve(channel, link);
        if self.backs[link].is_none() {
            Some(format!("link {name} has no way back for its credit"))
        } else if self.config.n3.is_some_and(|n3| n3.0 < longest.into()) {
            Some(format!("n3: below the longest frame of {longest} octets"))
        } else if reserve > Reserves::MOST {
            Some(format!("link {name}: {reserve} octets for one channel"))
        } else {
            None
        }
    }
}

/// A setting of a switch that contradicts credit control (FCVC); `None` if there is none.
pub fn contradiction(switch: &SwitchPlan) -> Option<&'static str> {
    if !matches!(switch.control, ControlConfig::None(_)) {
        Some("a control scheme beside credit")
    } else if !matches!(switch.aqm, AqmConfig::None(_)) {
        Some("active queue management beside credit")
    } else if switch.memory.is_some() {
        Some("a shared memory beside credit")
    } else if switch.queues.len() != 1 {
        Some("several queues beside credit")
    } else {
        None
    }
}
