//! A network under construction: its plan, and what follows from it before the nodes are built.

use alloc::vec::Vec;
use core::cell::OnceCell;

use super::plan::Plan;
use crate::atm::cell::ServiceClass;
use crate::net::channel::{Channel, ChannelId, Hop};

/// A pool: its memory and the channels that share it.
#[derive(Clone, Debug)]
pub struct Users {
    /// Memory of the pool in cells.
    pub memory: u64,
    /// Channels that share the pool.
    pub channels: Vec<ChannelId>,
}

/// The plan, and the channels and links that each part of the network uses.
pub struct Draft<'a> {
    /// Plan of the network.
    pub plan: &'a Plan,
    /// For each link: its port's index within its node.
    pub port_of: Vec<u32>,
    /// For each link: the channels that cross it, in order.
    pub users: Vec<Vec<ChannelId>>,
    /// For each node: true if a channel under credit control begins, ends or passes there.
    pub has_credit: Vec<bool>,
    /// For each node: true if it is a switch whose settings change during the run.
    pub changes: Vec<bool>,
    /// For each link and each channel over it: the number of channels with ABR cells before it.
    pub controlled_before: Vec<Vec<u32>>,
    /// For each link under credit control: the link on which its credit returns.
    pub back: Vec<Option<usize>>,
    /// For each link: the first link whose credit returns on it.
    pub returns_for: Vec<Option<usize>>,
    /// For each link: the channels that share a pool at its near end, and those that share one at
    /// its far end; computed when first used.
    pub pools: Vec<[OnceCell<Users>; 2]>,
    /// For each node: its outgoing links that are used.
    pub outgoing: Vec<Vec<usize>>,
    /// For each node: its incoming links that are used.
    pub incoming: Vec<Vec<u32>>,
    /// For each node: channels whose cells it receives; the position in the list is the label.
    pub arriving: Vec<Vec<ChannelId>>,
    /// For each node: channels that begin at the terminals of its flows, if the flows have such
    /// channels.
    pub leaving: Vec<Vec<ChannelId>>,
    /// Channels with their hops.
    pub channels: Vec<Channel>,
}

impl<'a> Draft<'a> {
    /// Links of a channel, in order.
    pub(super) fn path(&self, channel: ChannelId) -> &'a [usize] {
        self.plan.path(channel)
    }

    /// Class of the data cells of a channel.
    pub(super) fn class(&self, channel: ChannelId) -> ServiceClass {
        self.plan.class(channel)
    }

    /// Class of the RM cells of a channel: ABR if the data of either channel of the flow are ABR;
    /// otherwise the flow has no RM cells.
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

    /// True if some cells of a channel have the class.
    pub(super) fn carries(&self, channel: ChannelId, class: ServiceClass) -> bool {
        self.class(channel) == class || self.rm_class(channel) == class
    }

    /// The hop of a channel that begins at `node`.
    pub(super) fn hop_from(&self, node: usize, channel: ChannelId) -> Option<Hop> {
        self.channels[channel.index()]
            .hops
            .iter()
            .find(|hop| self.plan.links[hop.link].from == node)
            .copied()
    }
}
