//! Credit control of a hop: senders, a link that loses cells, credits and marks, and the node that
//! gives credit, with separate buffers for its channels or one memory for all (FCVC).

mod adaptive;
mod fixed;

pub use adaptive::{AdaptiveHop, Hop as SharedHop, Sharing};
pub use fixed::{Counting, Hop as FixedHop, StaticHop};

use std::collections::VecDeque;

use cellrate_engine::credit::{FcvcConfig, Loop, MODULUS, Sender};
use cellrate_engine::kernel::{Digest, Ps, Rate, ServiceRate};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::drawing::Kind;
use super::settings::{fields, legal};

/// Operations on a hop, by weight.
const VOCABULARY: &[(u32, Kind)] = &[
    (6, Kind::Cells),
    (8, Kind::Way),
    (4, Kind::Serve),
    (2, Kind::Mark),
];

/// Drawn parameters of credit control, and the link with its channels.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    pub fcvc: Value,
    pub channels: usize,
    pub rate: Rate,
    pub delay: Ps,
}

impl Setting {
    pub fn config(&self) -> FcvcConfig {
        serde_json::from_value(self.fcvc.clone())
            .unwrap_or_else(|error| panic!("{error}: {}", self.fcvc))
    }
    pub fn link(&self) -> Loop {
        Loop {
            rate: ServiceRate::of_cells(self.rate),
            back_rate: ServiceRate::of_cells(self.rate),
            delay: self.delay,
            largest: 1,
            credit: 1,
        }
    }
}

/// Draws legal parameters of credit control, and a link.
pub fn settings() -> BoxedStrategy<Setting> {
    (fields::<FcvcConfig>(), 1..=4usize, 0..1_000_000_000u64)
        .prop_map(|(fcvc, channels, delay)| {
            let (rate, delay) = (Rate::from_bps(155_520_000), Ps(delay));
            let fault = |fcvc: &Value| {
                let setting = Setting {
                    fcvc: fcvc.clone(),
                    channels,
                    rate,
                    delay,
                };
                let config = setting.config();
                let found = config
                    .check()
                    .into_iter()
                    .find(|finding| finding.is_fatal(false));
                // As in the check of a scenario, which knows the network.
                let small = config
                    .memory
                    .is_some_and(|memory| memory.0 < 2 * channels as u64);
                let large = config.static_allocation(setting.link()) > u64::from(MODULUS / 4);
                let field = found
                    .map(|finding| finding.field)
                    .or(small.then_some("memory"));
                field.or(large.then_some("n2")).map(String::from)
            };
            Setting {
                fcvc: legal(fcvc, fault),
                channels,
                rate,
                delay,
            }
        })
        .boxed()
}

/// Items sent forward over the link, in order.
#[derive(Clone, Copy, Debug)]
enum Forward {
    Data(usize),
    /// A mark with the number of cells that were sent on the channel.
    Mark(usize, u32),
    /// Confirmation of the limit in force since a reduction.
    Confirmation(usize, u32, u32),
}

/// The true counts of one channel.
#[derive(Clone, Copy, Debug, Default)]
struct Truth {
    sent: u64,
    on_the_way: u64,
    queued: u64,
    forwarded: u64,
    lost: u64,
    /// Lost cells that the receiver has learnt of by marks.
    repaired: u64,
}

impl Truth {
    fn holds(&self) {
        assert_eq!(
            self.sent,
            self.on_the_way + self.queued + self.forwarded + self.lost
        );
    }
}

/// The upstream end of the link and the cells on it.
#[derive(Clone, Debug)]
struct Upper {
    senders: Vec<Sender>,
    truth: Vec<Truth>,
    way: VecDeque<Forward>,
    digest: Digest,
}

impl Upper {
    fn new(channels: usize, allocation: u32) -> Upper {
        Upper {
            senders: vec![Sender::new(allocation); channels],
            truth: vec![Truth::default(); channels],
            way: VecDeque::new(),
            digest: Digest::default(),
        }
    }

    /// Sends a cell if there is credit.
    fn send(&mut self, channel: usize) -> bool {
        let sender = &mut self.senders[channel];
        if sender.balance() == 0 {
            return false;
        }
        let before = sender.balance();
        sender.send(1);
        assert_eq!(sender.balance(), before - 1, "a cell takes one credit");
        let truth = &mut self.truth[channel];
        (truth.sent, truth.on_the_way) = (truth.sent + 1, truth.on_the_way + 1);
        self.way.push_back(Forward::Data(channel));
        true
    }

    fn mark(&mut self, channel: usize) {
        self.way
            .push_back(Forward::Mark(channel, self.senders[channel].sent()));
    }

    /// The first item on the link arrives, or is lost; returns an item that must be handled.
    fn leave(&mut self, lost: bool) -> Option<Forward> {
        let first = self.way.pop_front()?;
        if let Forward::Data(channel) = first {
            let truth = &mut self.truth[channel];
            truth.on_the_way -= 1;
            if lost {
                truth.lost += 1
            } else {
                truth.queued += 1
            }
        }
        (!lost).then_some(first)
    }

    /// Forwards a cell of the channel, if the node has one. Returns false if it has none.
    fn forward(&mut self, channel: usize) -> bool {
        let truth = &mut self.truth[channel];
        if truth.queued == 0 {
            return false;
        }
        (truth.queued, truth.forwarded) = (truth.queued - 1, truth.forwarded + 1);
        true
    }

    /// Handles a mark: everything before it has arrived or is lost.
    fn repaired(&mut self, channel: usize, found: u32) {
        let truth = &mut self.truth[channel];
        assert_eq!(
            u64::from(found),
            truth.lost - truth.repaired,
            "a mark finds what was lost before it"
        );
        truth.repaired = truth.lost;
    }

    /// Handles a new limit of a channel.
    fn hear(&mut self, channel: usize, limit: u32) {
        self.senders[channel].set_limit(limit);
        self.digest.add(u64::from(limit) << 8 | channel as u64);
    }
}
