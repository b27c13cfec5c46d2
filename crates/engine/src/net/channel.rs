//! The channels of flows: their numbers and their paths.

use alloc::vec::Vec;

/// One direction of a flow. Channels are numbered, the two of a flow one after the other: of flow
/// `i` the forward channel has number `2 i`, the backward one `2 i + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChannelId(u32);

impl ChannelId {
    /// The channel from the source of a flow, given by its number, to its destination.
    pub fn forward(flow: usize) -> ChannelId {
        ChannelId(2 * flow as u32)
    }
    /// The channel from the destination of a flow to its source.
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
    /// The other channel of the same flow.
    #[inline(always)]
    pub fn reverse(self) -> ChannelId {
        ChannelId(self.0 ^ 1)
    }
    /// Number of the channel's flow.
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
    /// Number of the channel among the channels of all flows.
    #[inline(always)]
    pub fn index(self) -> usize {
        #[cfg(test)]
        looks::count();
        self.0 as usize
    }
}

/// A channel at one of its links: the port that feeds the link, the slot of the channel at the
/// port, and the label of the channel at the far end.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    /// Index of the link.
    pub link: usize,
    /// Index of the port within its node.
    pub port: u32,
    /// Slot of the channel at that port.
    pub slot: u32,
    /// Label of the channel at the node that the link leads to.
    pub label: u32,
}

/// The path of a channel.
#[derive(Clone, Debug, Default)]
pub struct Channel {
    /// Hops of the channel in order; empty if the flow has no such channel.
    pub hops: Vec<Hop>,
}

/// Counts how often a thread has looked something up by the number of a channel or of its flow, for
/// tests that hold the work of a network to its size.
#[cfg(test)]
pub mod looks {
    extern crate std;

    use core::cell::Cell;

    std::thread_local! {
        static LOOKS: Cell<u64> = const { Cell::new(0) };
    }
    /// Counts a look-up.
    pub fn count() {
        LOOKS.set(LOOKS.get() + 1);
    }
    /// The number of look-ups so far.
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
