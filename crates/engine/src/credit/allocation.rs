//! Receiver-oriented adaptive buffer allocation (Kung and Chang, INFOCOM 1995): the channels of a
//! pool share its memory in proportion to their recent use.
//!
//! After every window of cells, channel i of N gets (M/2 - TQ - N) VU_i / TU + 1 cells. M is the memory, and TQ
//! the number of queued cells. TU is the number of cells forwarded in the window, and VU_i the part of TU that
//! belongs to channel i. If the units are octets, N and 1 are multiplied by the octets of the largest frame.
//! A granted limit stays in force until the sender has confirmed a smaller limit. So a pool never grants more
//! than its memory, and no cell is lost.

use alloc::vec::Vec;

use super::{Receiver, ahead, plus};

/// A credit limit to be sent to the sender of one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Index of the channel in the pool.
    pub channel: u32,
    /// Total number of units, modulo 2^28, that the sender may have sent.
    pub limit: u32,
    /// Sequence number of the reduction of credit, if the limit may be lower than the previous limit; `None`
    /// otherwise.
    pub reduction: Option<u32>,
}

/// State of one channel of a pool.
#[derive(Clone, Copy, Debug)]
struct Member {
    receiver: Receiver,
    /// Units forwarded in the present window (VU_i).
    used: u32,
    /// The lower limit of a reduction that the sender has not confirmed yet; `None` if no reduction waits for
    /// confirmation.
    reducing: Option<u32>,
    /// Number of reductions of the channel's credit so far.
    reductions: u32,
}

impl Member {
    /// Units of memory that the channel may still fill: at least one cell, or the largest frame,
    /// which each channel may always send.
    fn promised(&self, largest: u32) -> u64 {
        self.ahead().max(largest.into())
    }
    /// Units that the channel may still send with its credit, plus the channel's units on the link and at this
    /// node.
    fn ahead(&self) -> u64 {
        ahead(self.receiver.limit, self.receiver.forwarded).max(0) as u64
    }
}

/// A pool: buffer memory that several channels share.
#[derive(Clone, Debug)]
pub struct Pool {
    memory: u64,
    window: u32,
    most_n2: u32,
    /// Number of units of a cell (1), or of the largest frame.
    largest: u32,
    members: Vec<Member>,
    /// Number of units of all channels that have been forwarded in the present window (TU).
    forwarded: u32,
    /// Sum over all channels of the units of memory that they may still fill.
    promised: u64,
}

impl Pool {
    /// A pool of `memory` units for `channels` channels. For each channel the pool must have room for at least
    /// two cells, or two frames of `largest` units. The memory is allocated anew after every `window` units. `n2`
    /// is the greatest number of units between two credits.
    pub fn new(memory: u64, channels: usize, window: u32, n2: u32, largest: u32) -> Pool {
        let allocation = Pool::first_allocation(memory, channels, largest);
        let receiver = Receiver::new(n2_of(n2, allocation, largest), allocation);
        Pool {
            memory,
            window,
            most_n2: n2,
            largest,
            members: alloc::vec![Member { receiver, used: 0, reducing: None, reductions: 0 }; channels],
            forwarded: 0,
            promised: allocation as u64 * channels as u64,
        }
    }
    /// Allocation of each channel at the start, in units: an equal part of half the memory, but at least one cell
    /// or the largest frame (`largest` units).
    pub fn first_allocation(memory: u64, channels: usize, largest: u32) -> u32 {
        let share = memory / 2 / channels.max(1) as u64;
        share.clamp(largest.into(), super::MODULUS as u64 / 4) as u32
    }
    /// Units of memory that all channels together may still fill.
    pub fn promised(&self) -> u64 {
        self.promised
    }

    /// Counts a cell or frame of `channel`, with `units` units, that has left. `queued` returns the number of the
    /// pool's units that are still at this node. Adds the limits that must be sent to `notices`.
    pub fn forward(
        &mut self,
        (channel, units): (u32, u32),
        queued: impl FnOnce() -> u64,
        notices: &mut Vec<Notice>,
    ) {
        self.change(channel, |member| {
            member.used += units;
            member.receiver.forwarded = plus(member.receiver.forwarded, units);
            member.receiver.since += units;
        });
        self.forwarded += units;
        if self.forwarded >= self.window {
            self.allocate(queued(), notices);
        }
        let member = &self.members[channel as usize];
        if member.receiver.since >= member.receiver.n2 && member.reducing.is_none() {
            self.tell(channel, notices);
        }
    }

    /// Processes a mark: the sender of `channel` states that it has sent `sent` units. `queued` of these units
    /// are still at this node. Returns the number of units that the link has lost.
    pub fn mark(&mut self, channel: u32, sent: u32, queued: u32, notices: &mut Vec<Notice>) -> u32 {
        let mut lost = 0;
        self.change(channel, |member| {
            lost = member.receiver.repair(sent, queued)
        });
        self.tell(channel, notices);
        lost
    }
    /// Processes a confirmation: since the reduction with the number `reduction`, the sender of `channel` has
    /// obeyed `limit`.
    pub fn confirm(&mut self, channel: u32, limit: u32, reduction: u32, notices: &mut Vec<Notice>) {
        let member = &self.members[channel as usize];
        if member.reducing.is_none() || member.reductions != reduction {
            return;
        }
        self.change(channel, |member| {
            member.receiver.limit = limit;
            member.reducing = None;
        });
        // A confirmed limit that is still too high equals the count of sent units. Some units must
        // leave before a lower limit can be sent.
        let receiver = &self.members[channel as usize].receiver;
        if ahead(
            plus(receiver.forwarded, receiver.allocation),
            receiver.limit,
        ) >= 0
        {
            self.tell(channel, notices);
        }
    }

    /// Calls `act` on a channel and updates the sum of the units that all channels may still fill.
    fn change(&mut self, channel: u32, act: impl FnOnce(&mut Member)) {
        let member = &mut self.members[channel as usize];
        let before = member.promised(self.largest);
        act(member);
        self.promised = self.promised + member.promised(self.largest) - before;
    }

    /// Allocates the memory anew at the end of a window. `queued` is the number of the pool's units at this node.
    fn allocate(&mut self, queued: u64, notices: &mut Vec<Notice>) {
        let largest = u64::from(self.largest);
        let reserved = self.members.len() as u64 * largest; // N
        let free = (self.memory / 2).saturating_sub(queued + reserved); // M/2 - TQ - N
        let total = core::mem::take(&mut self.forwarded) as u64;
        for channel in 0..self.members.len() as u32 {
            let member = &mut self.members[channel as usize];
            // Kung and Chang: (M/2 - TQ - N) VU_i / TU + 1
            let allocation = free * core::mem::take(&mut member.used) as u64 / total + largest;
            member.receiver.allocation = allocation.min(super::MODULUS as u64 / 4) as u32;
            // The sender obeys the old limit until the new one arrives. With a larger n2 the sender could run out
            // of credit before the next credit is due.
            member.receiver.n2 = member.receiver.n2.min(n2_of(
                self.most_n2,
                member.receiver.allocation,
                self.largest,
            ));
            let wanted = plus(member.receiver.forwarded, member.receiver.allocation);
            if ahead(wanted, member.receiver.limit) < 0 && member.reducing.is_none() {
                self.tell(channel, notices);
            }
        }
    }

    /// Sends the limit of a channel: the channel's allocation, as far as memory is free. A limit that is lower
    /// than before is sent repeatedly until the sender has confirmed it. Until then no other limit is sent.
    fn tell(&mut self, channel: u32, notices: &mut Vec<Notice>) {
        let spare = self.memory.saturating_sub(self.promised);
        let member = &mut self.members[channel as usize];
        member.receiver.since = 0;
        let wanted = plus(member.receiver.forwarded, member.receiver.allocation);
        let more = ahead(wanted, member.receiver.limit);
        if member.reducing.is_none() && more < 0 {
            member.reducing = Some(wanted);
            member.reductions = plus(member.reductions, 1);
        }
        if let Some(limit) = member.reducing {
            return notices.push(Notice {
                channel,
                limit,
                reduction: Some(member.reductions),
            });
        }
        // Each channel may always send one cell, or the largest frame. The units that the channel lacks for this
        // are already reserved for it.
        let free = spare + member.promised(self.largest) - member.ahead();
        let limit = plus(member.receiver.limit, free.min(more as u64) as u32);
        let (most, largest) = (self.most_n2, self.largest);
        self.change(channel, |member| {
            member.receiver.limit = limit;
            // Computed from the granted units, not from the allocation: the next credit must come
            // before the last granted unit is used.
            let granted = ahead(limit, member.receiver.forwarded) as u32;
            member.receiver.n2 = n2_of(most, granted.min(member.receiver.allocation), largest);
        });
        notices.push(Notice {
            channel,
            limit,
            reduction: None,
        });
    }
}

/// Number of units between two credits for an allocation: a quarter of the allocation, so that channels with
/// small allocations get frequent credits. The units sent without a new credit always leave room for the largest
/// frame.
fn n2_of(most: u32, allocation: u32, largest: u32) -> u32 {
    let without_stall = (allocation + 1).saturating_sub(largest);
    (allocation / 4).min(without_stall).clamp(1, most)
}

#[cfg(test)]
mod tests {
    use super::super::{FIRST, Sender};
    use super::*;
    use crate::kernel::Ps;

    /// A link under credit control: the pool of buffer memory at its end, which two channels share, and the
    /// sender of each channel at its beginning.
    struct Hop {
        pool: Pool,
        senders: [Sender; 2],
    }

    impl Hop {
        fn new(memory: u64) -> Hop {
            let sender = Sender::new(Pool::first_allocation(memory, 2, 1));
            Hop {
                pool: Pool::new(memory, 2, 20, 10, 1),
                senders: [sender; 2],
            }
        }
        /// Passes limits to the senders, and their confirmations to the pool.
        fn exchange(&mut self, mut notices: Vec<Notice>) {
            while let Some(Notice {
                channel,
                limit,
                reduction,
            }) = notices.pop()
            {
                let sender = &mut self.senders[channel as usize];
                sender.set_limit(limit);
                if let Some(number) = reduction {
                    self.pool
                        .confirm(channel, sender.limit(), number, &mut notices);
                }
            }
        }
        fn carry(&mut self, channel: usize, cells: u32) {
            (0..cells).for_each(|_| self.carry_frame(channel, 1));
        }
        fn carry_frame(&mut self, channel: usize, units: u32) {
            assert!(
                self.senders[channel].allows(units),
                "channel {channel} has no credit and gets none"
            );
            self.senders[channel].send(units);
            let mut notices = Vec::new();
            let forwarded = (channel as u32, units);
            self.pool.forward(forwarded, || 0, &mut notices);
            self.exchange(notices);
        }
    }

    #[test]
    fn memory_goes_to_the_channel_that_uses_it() {
        let mut hop = Hop::new(80);
        assert_eq!(hop.senders.map(Sender::balance), [20, 20]);
        hop.carry(0, 40);
        // (80 / 2 - 0 - 2) * 20 / 20 + 1 cells for the first channel, 1 for the second.
        assert_eq!(hop.senders[1].balance(), 1);
        assert!(
            (30..=39).contains(&hop.senders[0].balance()),
            "{}",
            hop.senders[0].balance()
        );
        assert!(hop.pool.promised() <= 80);
    }

    #[test]
    fn credit_comes_to_whom_it_was_taken_from() {
        for memory in [6, 40, 80, 212] {
            let mut hop = Hop::new(memory);
            for (channel, cells) in [(0, 60), (1, 200), (0, 7), (1, 3), (0, 120), (1, 1), (0, 33)] {
                hop.carry(channel, cells);
                assert!(hop.pool.promised() <= memory);
            }
        }
    }

    #[test]
    fn what_was_promised_is_held_until_it_is_given_back() {
        let mut hop = Hop::new(80);
        let mut notices = Vec::new();
        // The sender of the second channel never gets its lower limit, so the 20 cells of this channel stay
        // reserved.
        for _ in 0..200 {
            hop.senders[0].send(1);
            hop.pool.forward((0, 1), || 0, &mut notices);
            for notice in core::mem::take(&mut notices) {
                if notice.channel == 0 {
                    hop.senders[0].set_limit(notice.limit);
                }
            }
            assert!(hop.pool.promised() <= 80);
            assert!(hop.senders[0].balance() as u64 + 20 <= 80);
        }
        // A confirmation of an old reduction has no effect.
        let promised = hop.pool.promised();
        hop.pool.confirm(1, plus(FIRST, 1), 0, &mut notices);
        assert_eq!((hop.pool.promised(), notices.len()), (promised, 0));
    }

    #[test]
    fn frames_of_any_size_never_stall_and_never_exceed_the_memory() {
        const LARGEST: u32 = 1_538;
        let mut stream = crate::kernel::Stream::new(1, "frames", "test");
        let mut size = || 84 + stream.below(Ps(1_455)).0 as u32;
        for (memory, n2) in [
            (7_000, 10_000),
            (7_000, 1),
            (30_000, 3_000),
            (200_000, 100_000),
        ] {
            let mut hop = Hop {
                pool: Pool::new(memory, 2, 20_000, n2, LARGEST),
                senders: [Sender::new(Pool::first_allocation(memory, 2, LARGEST)); 2],
            };
            for (channel, frames) in [
                (0, 300),
                (1, 400),
                (0, 1),
                (1, 3),
                (0, 200),
                (1, 1),
                (0, 33),
            ] {
                for _ in 0..frames {
                    hop.carry_frame(channel, size());
                    assert!(hop.pool.promised() <= memory, "{memory} {n2}");
                }
                // An unused channel keeps room for the largest frame.
                assert!(
                    hop.senders.iter().all(|sender| sender.allows(LARGEST)),
                    "{memory} {n2}"
                );
            }
        }
    }

    #[test]
    fn octets_of_memory_go_to_the_channel_that_uses_them() {
        let mut hop = Hop {
            pool: Pool::new(80_000, 2, 20_000, 10_000, 1_000),
            senders: [Sender::new(Pool::first_allocation(80_000, 2, 1_000)); 2],
        };
        (0..40).for_each(|_| hop.carry_frame(0, 1_000));
        // (80,000 / 2 - 0 - 2,000) * 20 / 20 + 1,000 octets for the first channel, 1,000 octets for
        // the second.
        assert_eq!(hop.senders[1].balance(), 1_000);
        assert!((30_000..=39_000).contains(&hop.senders[0].balance()));
    }
}
