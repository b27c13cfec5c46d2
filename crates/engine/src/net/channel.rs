//! The channels of flows: their numbers and their paths.

use alloc::vec::Vec;

/// One direction of a flow (in ATM a virtual channel). The forward channel of flow `i` has the number `2 i`, the
/// backward channel `2 i + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChannelId(u32);

impl ChannelId {
    /// The channel from the source of flow number `flow` to the destination.
    pub fn forward(flow: usize) -> ChannelId {
        ChannelId(2 * flow as u32)
    }
    /// The channel from the destination of flow number `flow` to the source.
    pub fn backward(flow: usize) -> ChannelId {
        ChannelId::forward(flow).reverse()
    }
    /// The forward and the backward channel of a flow.
    pub fn both(flow: usize) -> [ChannelId; 2] {
        [ChannelId::forward(flow), ChannelId::backward(flow)]
    }
    /// The channels of the first `flows` flows, in the order of their numbers.
    pub fn all(flows: usize) -> impl DoubleEndedIterator<Item = ChannelId> + Clone {
        (0..2 * flows as u32).map(ChannelId)
    }
    /// The channel of the same flow in the other direction.
    #[inline(always)]
    pub fn reverse(self) -> ChannelId {
        ChannelId(self.0 ^ 1)
    }
    /// Index of the channel's flow.
    #[inline(always)]
    pub fn flow(self) -> usize {
        #[cfg(test)]
        looks::count();
        (self.0 / 2) as usize
    }
    /// True if the channel leads from the source of its flow to the destination.
    #[inline(always)]
    pub fn is_forward(self) -> bool {
        self.0.is_multiple_of(2)
    }
    /// Direction of the channel: `forward` or `backward`.
    pub fn direction(self) -> &'static str {
        if self.is_forward() {
            "forward"
        } else {
            "backward"
        }
    }
    /// Number of the channel among the channels of all flows: `2 i` or `2 i + 1` for flow `i`.
    #[inline(always)]
    pub fn index(self) -> usize {
        #[cfg(test)]
        looks::count();
        self.0 as usize
    }
}

/// One link on the path of a channel: the port that feeds the link, the index of the channel at this port, and
/// the label of the channel at the receiving node.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    /// Index of the link among all links.
    pub link: usize,
    /// Index of the port within its node.
    pub port: u32,
    /// Index of the channel among the channels of the port.
    pub slot: u32,
    /// Label (for ATM it stands for the VPI/VCI) of the channel's units at the node where the link ends.
    pub label: u32,
}

/// The path of a channel through the network.
#[derive(Clone, Debug, Default)]
pub struct Channel {
    /// The links of the path from source to destination; empty if the flow has no channel in this
    /// direction.
    pub hops: Vec<Hop>,
}

/// Counts, in the present thread, the look-ups of state by the number of a channel or flow, and of links that may
/// err. Tests compare the count with the size of the network.
#[cfg(test)]
pub mod looks {
    extern crate std;

    use core::cell::Cell;

    std::thread_local! {
        static LOOKS: Cell<u64> = const { Cell::new(0) };
    }
    /// Adds one look-up to the count of the present thread.
    pub fn count() {
        LOOKS.set(LOOKS.get() + 1);
    }
    /// Number of look-ups of the present thread so far.
    pub fn so_far() -> u64 {
        LOOKS.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_channels_of_a_flow_follow_one_another() {
        let all: Vec<ChannelId> = ChannelId::all(3).collect();
        assert_eq!(all, [0, 1, 2].map(ChannelId::both).concat());
        for (number, channel) in all.iter().enumerate() {
            assert_eq!((channel.index(), channel.flow()), (number, number / 2));
            assert_eq!(channel.reverse().reverse(), *channel);
            assert_eq!(channel.reverse().flow(), channel.flow());
            assert_ne!(channel.reverse().is_forward(), channel.is_forward());
        }
        let directions = ChannelId::both(1).map(ChannelId::direction);
        assert_eq!(directions, ["forward", "backward"]);
    }
}
