//! A network under construction: the plan, and lists that are derived from the plan before the nodes are built.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cell::OnceCell;

use super::plan::Plan;
use crate::atm::cell::ServiceClass;
use crate::net::channel::{Channel, ChannelId, Hop};

/// A buffer pool of credit control: its memory, and the channels that share this memory.
#[derive(Clone, Debug)]
pub struct Users {
    /// Memory of the pool in cells.
    pub memory: u64,
    /// Channels that share the pool.
    pub channels: Vec<ChannelId>,
}

/// The plan of a network, and lists derived from the plan: for each node, the channels and links at
/// the node; for each link, the channels that cross the link.
pub struct Draft<'a> {
    /// The plan of the network.
    pub plan: &'a Plan,
    /// For each link: the index of its port within the sending node.
    pub port_of: Vec<u32>,
    /// For each link: the channels that cross it, in ascending order.
    pub users: Vec<Vec<ChannelId>>,
    /// For each node: true if a channel under credit control begins at the node, ends there or passes through it.
    pub has_credit: Vec<bool>,
    /// For each node: true for a switch whose settings change during the run.
    pub changes: Vec<bool>,
    /// For each link and each channel on it: how many channels with lower numbers on this link have ABR cells.
    pub controlled_before: Vec<Vec<u32>>,
    /// For each link under credit control: the link in the opposite direction, on which credit cells return.
    pub back: Vec<Option<usize>>,
    /// For each link: the first link whose credit cells return on this link.
    pub returns_for: Vec<Option<usize>>,
    /// For each link: the buffer pools of credit control at the sending node and at the receiving node. A pool is
    /// computed when it is first needed.
    pub pools: Vec<[OnceCell<Users>; 2]>,
    /// For each node: indices of its outgoing links that some channel or credit uses.
    pub outgoing: Vec<Vec<usize>>,
    /// For each node: indices of its incoming links that some channel or credit uses.
    pub incoming: Vec<Vec<u32>>,
    /// For each node: the channels whose cells arrive there. The position in the list is the label
    /// (VPI/VCI) of the cells.
    pub arriving: Vec<Vec<ChannelId>>,
    /// For each node: the channels that begin at its terminals (ends of flows). A flow may have only one of its
    /// two channels.
    pub leaving: Vec<Vec<ChannelId>>,
    /// The path of each channel.
    pub channels: Vec<Channel>,
    /// For each flow whose cells are copied: the flows of the further branches.
    pub further: BTreeMap<usize, Vec<usize>>,
    /// True if some link loses or damages cells ([`Plan::links_err`], which looks at every link).
    pub links_err: bool,
}

impl<'a> Draft<'a> {
    /// Links of a channel's path, in order.
    pub(super) fn path(&self, channel: ChannelId) -> &'a [usize] {
        self.plan.path(channel)
    }

    /// Class of the data cells of a channel.
    pub(super) fn class(&self, channel: ChannelId) -> ServiceClass {
        self.plan.class(channel)
    }

    /// Class of the RM cells of a channel: ABR if the data of either channel of the flow are ABR. Otherwise the
    /// flow has no RM cells, and the result is the class of the data.
    pub(super) fn rm_class(&self, channel: ChannelId) -> ServiceClass {
        let is_abr = |channel: ChannelId| {
            !self.path(channel).is_empty() && self.class(channel) == ServiceClass::Abr
        };
        if is_abr(channel) || is_abr(channel.reverse()) {
            ServiceClass::Abr
        } else {
            self.class(channel)
        }
    }

    /// True if data cells or RM cells of `channel` have the class `class`.
    pub(super) fn carries(&self, channel: ChannelId, class: ServiceClass) -> bool {
        self.class(channel) == class || self.rm_class(channel) == class
    }

    /// The hop of `channel` whose link begins at `node`.
    pub(super) fn hop_from(&self, node: usize, channel: ChannelId) -> Option<Hop> {
        self.channels[channel.index()]
            .hops
            .iter()
            .find(|hop| self.plan.links[hop.link].from == node)
            .copied()
    }
}
