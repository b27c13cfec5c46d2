//! Receiver-oriented adaptive buffer allocation (Kung and Chang, INFOCOM 1995): the channels of a
//! pool share its memory in proportion to their recent use.
//!
//! After every window of cells, channel i of N gets (M/2 - TQ - N) VU_i / TU + 1 cells, with M the
//! memory, TQ the cells queued, TU the cells forwarded in the window and VU_i those of channel i. A
//! promise stays in force until the sender has confirmed a smaller one, so a pool never promises
//! more than its memory, and no cell is lost.

use alloc::vec::Vec;

use super::{Receiver, ahead, plus};

/// A limit to be sent to the sender of one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The channel, by its number in the pool.
    pub channel: u32,
    /// The count up to which cells may be sent.
    pub limit: u32,
    /// The number of the reduction, if the limit may be behind the last one.
    pub reduction: Option<u32>,
}

/// One channel of a pool.
#[derive(Clone, Copy, Debug)]
struct Member {
    receiver: Receiver,
    /// Cells forwarded in this window, VU.
    used: u32,
    /// A limit behind the last one that was sent and is not confirmed yet.
    reducing: Option<u32>,
    /// Reductions so far.
    reductions: u32,
}

impl Member {
    /// Cells of memory that the channel may still fill; at least one, which every channel always
    /// may.
    fn promised(&self) -> u64 {
        ahead(self.receiver.limit, self.receiver.forwarded).max(1) as u64
    }
}

/// Memory that several channels share.
#[derive(Clone, Debug)]
pub struct Pool {
    memory: u64,
    window: u32,
    most_n2: u32,
    members: Vec<Member>,
    /// Cells forwarded in this window, TU.
    forwarded: u32,
    /// Sum of the promises to all channels.
    promised: u64,
}

impl Pool {
    /// A pool of `memory` cells, at least two per channel, for `channels` channels. It is allocated
    /// anew every `window` cells; `n2` is the largest number of cells between credits.
    pub fn new(memory: u64, channels: usize, window: u32, n2: u32) -> Pool {
        let allocation = Pool::first_allocation(memory, channels);
        let receiver = Receiver::new(n2_of(n2, allocation), allocation);
        Pool {
            memory,
            window,
            most_n2: n2,
            members: alloc::vec![Member { receiver, used: 0, reducing: None, reductions: 0 }; channels],
            forwarded: 0,
            promised: allocation as u64 * channels as u64,
        }
    }
    /// First allocation of each channel, before any use is known: an equal part of half the memory.
    pub fn first_allocation(memory: u64, channels: usize) -> u32 {
        let share = memory / 2 / channels.max(1) as u64;
        share.clamp(1, super::MODULUS as u64 / 4) as u32
    }
    /// Memory promised, in cells.
    pub fn promised(&self) -> u64 {
        self.promised
    }

    /// A cell of `channel` has been forwarded; `queued` returns the cells of the pool that are
    /// still here. Limits to be sent are added to `notices`.
    pub fn forward(
        &mut self,
        channel: u32,
        queued: impl FnOnce() -> u64,
        notices: &mut Vec<Notice>,
    ) {
        self.change(channel, |member| {
            member.used += 1;
            member.receiver.forwarded = plus(member.receiver.forwarded, 1);
            member.receiver.since += 1;
        });
        self.forwarded += 1;
        if self.forwarded >= self.window {
            self.allocate(queued(), notices);
        }
        let member = &self.members[channel as usize];
        if member.receiver.since >= member.receiver.n2 && member.reducing.is_none() {
            self.tell(channel, notices);
        }
    }

    /// The sender of `channel` reports that it has sent `sent` cells, of which `queued` are still
    /// here. Returns the number of cells that the link has lost.
    pub fn mark(&mut self, channel: u32, sent: u32, queued: u32, notices: &mut Vec<Notice>) -> u32 {
        let mut lost = 0;
        self.change(channel, |member| {
            lost = member.receiver.repair(sent, queued)
        });
        self.tell(channel, notices);
        lost
    }
    /// The sender of `channel` confirms that it obeys `limit` since the reduction of this number.
    pub fn confirm(&mut self, channel: u32, limit: u32, reduction: u32, notices: &mut Vec<Notice>) {
        let member = &self.members[channel as usize];
        if member.reducing.is_none() || member.reductions != reduction {
            return;
        }
        self.change(channel, |member| {
            member.receiver.limit = limit;
            member.reducing = None;
        });
        // A limit that is still too high equals the cells sent: some must leave before a lower one
        // can be sent.
        let receiver = &self.members[channel as usize].receiver;
        if ahead(
            plus(receiver.forwarded, receiver.allocation),
            receiver.limit,
        ) >= 0
        {
            self.tell(channel, notices);
        }
    }

    /// Changes a channel and keeps the sum of the promises.
    fn change(&mut self, channel: u32, act: impl FnOnce(&mut Member)) {
        let member = &mut self.members[channel as usize];
        let before = member.promised();
        act(member);
        self.promised = self.promised + member.promised() - before;
    }

    /// Allocates the memory anew at the end of a window.
    fn allocate(&mut self, queued: u64, notices: &mut Vec<Notice>) {
        let channels = self.members.len() as u64;
        let free = (self.memory / 2).saturating_sub(queued + channels); // M/2 - TQ - N
        let total = core::mem::take(&mut self.forwarded) as u64;
        for channel in 0..self.members.len() as u32 {
            let member = &mut self.members[channel as usize];
            // Kung and Chang: (M/2 - TQ - N) VU_i / TU + 1
            let allocation = free * core::mem::take(&mut member.used) as u64 / total + 1;
            member.receiver.allocation = allocation.min(super::MODULUS as u64 / 4) as u32;
            // Until the sender has the new limit it obeys the old one: with a larger n2 it could
            // run out of credit before the next credit is due.
            member.receiver.n2 = member
                .receiver
                .n2
                .min(n2_of(self.most_n2, member.receiver.allocation));
            let wanted = plus(member.receiver.forwarded, member.receiver.allocation);
            if ahead(wanted, member.receiver.limit) < 0 && member.reducing.is_none() {
                self.tell(channel, notices);
            }
        }
    }

    /// Sends the limit of a channel: its allocation, as far as there is free memory. A lower limit
    /// than before is repeated, and no other sent, until it is confirmed.
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
        // A channel without credit has one cell promised already.
        let free = spare + (ahead(member.receiver.limit, member.receiver.forwarded) <= 0) as u64;
        let limit = plus(member.receiver.limit, free.min(more as u64) as u32);
        let most = self.most_n2;
        self.change(channel, |member| {
            member.receiver.limit = limit;
            // By the granted cells, not by the allocation: the next credit must come before the
            // last is used.
            let granted = ahead(limit, member.receiver.forwarded) as u32;
            member.receiver.n2 = n2_of(most, granted.min(member.receiver.allocation));
        });
        notices.push(Notice {
            channel,
            limit,
            reduction: None,
        });
    }
}

/// Cells between credits for an allocation: a quarter of it, so that credits are more frequent
/// where few cells may be outstanding.
fn n2_of(most: u32, allocation: u32) -> u32 {
    (allocation / 4).clamp(1, most)
}

#[cfg(test)]
mod tests {
    use super::super::{FIRST, Sender};
    use super::*;

    /// Two channels, and a sender for each.
    struct Hop {
        pool: Pool,
        senders: [Sender; 2],
    }

    impl Hop {
        fn new(memory: u64) -> Hop {
            let sender = Sender::new(Pool::first_allocation(memory, 2));
            Hop {
                pool: Pool::new(memory, 2, 20, 10),
                senders: [sender; 2],
            }
        }
        /// Hands notices to the senders, and their confirmations back.
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
            for _ in 0..cells {
                assert!(
                    self.senders[channel].balance() > 0,
                    "channel {channel} has no credit and gets none"
                );
                self.senders[channel].send();
                let mut notices = Vec::new();
                self.pool.forward(channel as u32, || 0, &mut notices);
                self.exchange(notices);
            }
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
        // The second channel never gets its lower limit: its 20 cells stay promised.
        for _ in 0..200 {
            hop.senders[0].send();
            hop.pool.forward(0, || 0, &mut notices);
            for notice in core::mem::take(&mut notices) {
                if notice.channel == 0 {
                    hop.senders[0].set_limit(notice.limit);
                }
            }
            assert!(hop.pool.promised() <= 80);
            assert!(hop.senders[0].balance() as u64 + 20 <= 80);
        }
        // Confirming an old reduction changes nothing.
        let promised = hop.pool.promised();
        hop.pool.confirm(1, plus(FIRST, 1), 0, &mut notices);
        assert_eq!((hop.pool.promised(), notices.len()), (promised, 0));
    }
}
