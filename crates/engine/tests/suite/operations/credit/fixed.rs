//! Credit control with N2 + N3 cells for every channel.

use std::collections::VecDeque;

use cellrate_engine::credit::Receiver;
use cellrate_engine::endsystem::CreditedSource;
use cellrate_engine::kernel::Ps;
use proptest::prelude::*;

use super::super::Subject;
use super::super::drawing::Kind;
use super::super::operation::Operation;
use super::{Forward, Setting, Upper, VOCABULARY, settings};

/// Interface of the receiving side of a channel that the model needs.
pub trait Counting {
    fn forward(&mut self, cells: u32) -> Option<u32>;
    fn tell(&mut self) -> u32;
    fn repair(&mut self, sent: u32, queued: u32) -> u32;
}

impl Counting for Receiver {
    fn forward(&mut self, cells: u32) -> Option<u32> {
        Receiver::forward(self, cells)
    }
    fn tell(&mut self) -> u32 {
        Receiver::tell(self)
    }
    fn repair(&mut self, sent: u32, queued: u32) -> u32 {
        Receiver::repair(self, sent, queued)
    }
}

/// A hop whose channels have buffers of their own.
pub struct Hop<R> {
    upper: Upper,
    /// The sources of the cells, which send as far as credit allows.
    sources: Vec<CreditedSource>,
    receivers: Vec<R>,
    credits: VecDeque<(usize, u32)>,
    allocation: u64,
    now: Ps,
}

/// The subject: a hop with the engine's receivers of fixed allocation.
pub type StaticHop = Hop<Receiver>;

impl<R: Counting> Hop<R> {
    pub fn with(setting: &Setting, receiver: impl Fn(u32, u32) -> R) -> Hop<R> {
        let config = setting.config();
        let allocation = config.static_allocation(setting.link());
        let n2 = config.n2.0 as u32;
        let upper = Upper::new(setting.channels, allocation as u32);
        Hop {
            sources: upper
                .senders
                .iter()
                .map(|sender| CreditedSource::new(*sender, setting.rate))
                .collect(),
            receivers: (0..setting.channels)
                .map(|_| receiver(n2, allocation as u32))
                .collect(),
            upper,
            credits: VecDeque::new(),
            allocation,
            now: Ps::ZERO,
        }
    }

    fn send(&mut self, channel: usize) {
        let wake = self.sources[channel].next_wake(true);
        let sends = self.upper.send(channel);
        assert_eq!(
            wake.is_scheduled(),
            sends,
            "source and interface count credit differently"
        );
        if sends {
            self.now = self.now.max(wake);
            assert!(self.sources[channel].opportunity(self.now, true).is_some());
        }
    }

    fn hear(&mut self, lost: bool) {
        let Some((channel, limit)) = self.credits.pop_front() else {
            return;
        };
        if !lost {
            self.upper.hear(channel, limit);
            self.sources[channel].set_limit(limit);
        }
    }

    fn arrive(&mut self, lost: bool) {
        if let Some(Forward::Mark(channel, sent)) = self.upper.leave(lost) {
            let queued = self.upper.truth[channel].queued as u32;
            let found = self.receivers[channel].repair(sent, queued);
            self.upper.repaired(channel, found);
            self.credits
                .push_back((channel, self.receivers[channel].tell()));
        }
    }

    fn forward(&mut self, channel: usize) {
        if self.upper.forward(channel)
            && let Some(limit) = self.receivers[channel].forward(1)
        {
            self.credits.push_back((channel, limit));
        }
    }

    pub fn happen(&mut self, operation: &Operation) {
        let channels = self.receivers.len();
        match *operation {
            Operation::Cells { vc, count, .. } => {
                (0..count).for_each(|_| self.send(usize::from(vc) % channels))
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

    /// Checks that credit, cells on the way and cells here together never exceed the buffer.
    pub fn holds(&self) {
        for (sender, truth) in self.upper.senders.iter().zip(&self.upper.truth) {
            truth.holds();
            let exposed = u64::from(sender.balance()) + truth.on_the_way + truth.queued;
            assert!(
                exposed <= self.allocation,
                "{exposed} cells for a buffer of {}",
                self.allocation
            );
        }
    }

    /// Checks that all credit is restored after everything has arrived and all credit has been
    /// sent.
    pub fn settle(&mut self) {
        let channels = self.receivers.len();
        (0..channels).for_each(|channel| self.upper.mark(channel));
        while !self.upper.way.is_empty() {
            self.arrive(false);
        }
        (0..channels).for_each(|channel| {
            (0..self.upper.truth[channel].queued).for_each(|_| self.forward(channel))
        });
        (0..channels).for_each(|channel| self.upper.mark(channel));
        (0..channels).for_each(|_| self.arrive(false));
        while !self.credits.is_empty() {
            self.hear(false);
        }
        for sender in &self.upper.senders {
            assert_eq!(
                u64::from(sender.balance()),
                self.allocation,
                "credit for the buffer does not come back"
            );
        }
    }

    pub fn hash(&self) -> u64 {
        self.upper.digest.value()
    }
}

impl Subject for Hop<Receiver> {
    type Setting = Setting;
    const NAME: &'static str = "credit-static";
    const VOCABULARY: &'static [(u32, Kind)] = VOCABULARY;

    fn settings() -> BoxedStrategy<Setting> {
        settings()
    }
    fn new(setting: &Setting) -> Self {
        Hop::with(setting, Receiver::new)
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
