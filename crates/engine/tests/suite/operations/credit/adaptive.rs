//! Credit control with one memory for all channels (Kung and Chang 1995).

use std::collections::VecDeque;

use cellrate_engine::credit::allocation::{Notice, Pool};
use proptest::prelude::*;

use super::super::Subject;
use super::super::drawing::Kind;
use super::super::operation::Operation;
use super::{Forward, Setting, Upper, VOCABULARY, settings};

/// Upper bound of the cells of data and of the protocol that are on the way at once.
const MOST_TOLD: u32 = 100_000;

/// Interface of a pool that the model needs.
pub trait Sharing {
    fn forward(&mut self, channel: u32, queued: u64, notices: &mut Vec<Notice>);
    fn mark(&mut self, channel: u32, sent: u32, queued: u32, notices: &mut Vec<Notice>) -> u32;
    fn confirm(&mut self, channel: u32, limit: u32, reduction: u32, notices: &mut Vec<Notice>);
    fn promised(&self) -> u64;
}

impl Sharing for Pool {
    fn forward(&mut self, channel: u32, queued: u64, notices: &mut Vec<Notice>) {
        Pool::forward(self, (channel, 1), || queued, notices);
    }
    fn mark(&mut self, channel: u32, sent: u32, queued: u32, notices: &mut Vec<Notice>) -> u32 {
        Pool::mark(self, channel, sent, queued, notices)
    }
    fn confirm(&mut self, channel: u32, limit: u32, reduction: u32, notices: &mut Vec<Notice>) {
        Pool::confirm(self, channel, limit, reduction, notices);
    }
    fn promised(&self) -> u64 {
        Pool::promised(self)
    }
}

/// A hop whose channels share a memory.
pub struct Hop<P> {
    upper: Upper,
    pool: P,
    notices: VecDeque<Notice>,
    memory: u64,
}

/// The subject: a hop with the engine's pool of adaptive allocation.
pub type AdaptiveHop = Hop<Pool>;

impl Hop<Pool> {
    /// The pool as in `plan`: with the memory and its window in force.
    pub fn pool(setting: &Setting) -> (Pool, u64) {
        let config = setting.config();
        let memory = config.memory_in_force(setting.link(), setting.channels);
        let window = config.window_in_force(memory) as u32;
        (
            Pool::new(memory, setting.channels, window, config.n2.0 as u32, 1),
            memory,
        )
    }
}

impl<P: Sharing> Hop<P> {
    pub fn with(setting: &Setting, (pool, memory): (P, u64)) -> Hop<P> {
        let allocation = Pool::first_allocation(memory, setting.channels, 1);
        Hop {
            upper: Upper::new(setting.channels, allocation),
            pool,
            notices: VecDeque::new(),
            memory,
        }
    }

    fn tell(&mut self, act: impl FnOnce(&mut P, &mut Vec<Notice>)) {
        let mut notices = Vec::new();
        act(&mut self.pool, &mut notices);
        self.notices.extend(notices);
    }

    fn hear(&mut self, lost: bool) {
        let Some(Notice {
            channel,
            limit,
            reduction,
        }) = self.notices.pop_front()
        else {
            return;
        };
        if lost {
            return;
        }
        let channel = channel as usize;
        self.upper.hear(channel, limit);
        if let Some(number) = reduction {
            let limit = self.upper.senders[channel].limit();
            self.upper
                .way
                .push_back(Forward::Confirmation(channel, limit, number));
        }
    }

    fn arrive(&mut self, lost: bool) {
        match self.upper.leave(lost) {
            Some(Forward::Mark(channel, sent)) => {
                let queued = self.upper.truth[channel].queued as u32;
                let mut found = 0;
                self.tell(|pool, notices| found = pool.mark(channel as u32, sent, queued, notices));
                self.upper.repaired(channel, found);
            }
            Some(Forward::Confirmation(channel, limit, number)) => {
                self.tell(|pool, notices| pool.confirm(channel as u32, limit, number, notices));
            }
            _ => {}
        }
    }

    fn forward(&mut self, channel: usize) {
        if self.upper.forward(channel) {
            let queued = self.upper.truth.iter().map(|truth| truth.queued).sum();
            self.tell(|pool, notices| pool.forward(channel as u32, queued, notices));
        }
    }

    pub fn happen(&mut self, operation: &Operation) {
        let channels = self.upper.senders.len();
        match *operation {
            Operation::Cells { vc, count, .. } => {
                (0..count).for_each(|_| _ = self.upper.send(usize::from(vc) % channels));
            }
            Operation::Arrive {
                backward: true,
                count,
                lost,
            } => (0..count).for_each(|_| self.hear(lost)),
            Operation::Arrive { count, lost, .. } => (0..count).for_each(|_| self.arrive(lost)),
            Operation::Serve(cells) => {
                (0..usize::from(cells)).for_each(|number| self.forward(number % channels))
            }
            Operation::Mark(vc) => self.upper.mark(usize::from(vc) % channels),
            _ => {}
        }
    }

    /// Checks that the pool allocates no more than its memory, and senders may send no more than
    /// that.
    pub fn holds(&self) {
        assert!(
            self.pool.promised() <= self.memory,
            "{} cells of {} promised",
            self.pool.promised(),
            self.memory
        );
        self.upper.truth.iter().for_each(super::Truth::holds);
        let one = |(sender, truth): (&cellrate_engine::credit::Sender, &super::Truth)| {
            u64::from(sender.balance()) + truth.on_the_way + truth.queued
        };
        let exposed: u64 = self
            .upper
            .senders
            .iter()
            .zip(&self.upper.truth)
            .map(one)
            .sum();
        assert!(
            exposed <= self.memory,
            "{exposed} cells for a memory of {}",
            self.memory
        );
    }

    /// Checks that every channel has credit after everything has arrived and all credit has been
    /// sent.
    pub fn settle(&mut self) {
        let channels = self.upper.senders.len();
        for _ in 0..4 {
            (0..channels).for_each(|channel| self.upper.mark(channel));
            let mut told = 0;
            while !(self.upper.way.is_empty() && self.notices.is_empty()) {
                self.arrive(false);
                self.hear(false);
                self.holds();
                told += 1;
                assert!(
                    told < MOST_TOLD,
                    "the protocol goes on telling though no cell moves"
                );
            }
            (0..channels).for_each(|channel| {
                (0..self.upper.truth[channel].queued).for_each(|_| self.forward(channel))
            });
        }
        let balances: Vec<u32> = self
            .upper
            .senders
            .iter()
            .map(|sender| sender.balance())
            .collect();
        assert!(
            balances.iter().all(|balance| *balance > 0),
            "a channel without credit for ever: {balances:?}"
        );
    }

    pub fn hash(&self) -> u64 {
        self.upper.digest.value()
    }
}

impl Subject for Hop<Pool> {
    type Setting = Setting;
    const NAME: &'static str = "credit-adaptive";
    const VOCABULARY: &'static [(u32, Kind)] = VOCABULARY;

    fn settings() -> BoxedStrategy<Setting> {
        settings()
    }
    fn new(setting: &Setting) -> Self {
        Hop::with(setting, Hop::pool(setting))
    }
    fn apply(&mut self, operation: &Operation) {
        self.happen(operation);
    }
    fn check(&self) {
        self.holds();
    }
    fn finish(&mut self) {
        self.settle();
    }
    fn digest(&self) -> u64 {
        self.hash()
    }
}
