//! Discard policies at a queue of any length: none admits a cell to a full buffer, and those that
//! know PDUs drop them whole.

use cellrate_engine::atm::cell::{Info, Kind as CellKind};
use cellrate_engine::discard::{Cause, Discard, DiscardConfig, DiscardPolicy, QueueFacts, Verdict};
use cellrate_engine::kernel::Digest;
use cellrate_engine::kernel::Ps;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Subject;
use super::drawing::Kind;
use super::operation::{Level, Operation};
use super::settings::{components, legal};

/// A queue: its policy, the channels that share it, and its limit.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    pub discard: Value,
    pub channels: usize,
    pub buffer: u64,
}

impl Setting {
    pub fn config(&self) -> DiscardConfig {
        parse(&self.discard)
    }
    /// True if the end of a PDU that lost a cell is forwarded, as by every policy without a
    /// parameter for it.
    fn forwards_ends(&self) -> bool {
        self.discard["forward_end"] != false
    }
}

/// A policy in the notation of a scenario.
pub fn parse(policy: &Value) -> DiscardConfig {
    serde_json::from_value(policy.clone()).unwrap_or_else(|error| panic!("{error}: {policy}"))
}

/// The parameters of a policy without those that its check refuses at such a queue.
pub fn permitted(policy: Value, channels: usize, buffer: u64) -> Value {
    let facts = QueueFacts {
        buffer,
        largest_pdu: 1,
        channels,
    };
    let fault = |policy: &Value| {
        let found = parse(policy)
            .check(facts)
            .into_iter()
            .find(|finding| finding.is_fatal(false));
        found.map(|finding| finding.field.to_string())
    };
    legal(policy, fault)
}

pub fn settings() -> BoxedStrategy<Setting> {
    let buffer = prop_oneof![2 => 5..40u64, 1 => 40..500u64, 1 => Just(u64::MAX)];
    (components::<DiscardConfig>(), 1..=4usize, buffer)
        .prop_map(|(discard, channels, buffer)| Setting {
            discard: permitted(discard, channels, buffer),
            channels,
            buffer,
        })
        .boxed()
}

/// State of the receiver of a channel: the PDU that is on its way, and the one before.
#[derive(Clone, Copy, Debug, Default)]
struct Pdu {
    sent: u32,
    taken: u32,
    /// Reason why the first refused cell of the PDU was refused.
    refused: Option<Cause>,
    /// True if the end of the previous PDU was lost after a cell of it was admitted: the receiver
    /// merges the two.
    merges: bool,
}

/// A policy with a complete record of its queue.
pub struct Watched<P> {
    policy: P,
    setting: Setting,
    queue: u64,
    pdus: [Pdu; 4],
    /// True if only cells of PDUs have used the buffer, and the policy reserves space for one end
    /// of each channel: no end is lost.
    keeps_ends: bool,
    digest: Digest,
}

/// The subject: a queue with any discard policy of the registry.
pub type Queue = Watched<Discard>;

impl<P: DiscardPolicy> Watched<P> {
    pub fn with(policy: P, setting: &Setting) -> Watched<P> {
        let config = setting.config();
        let keeps_ends = matches!(config, DiscardConfig::IntelligentTailDrop(tail) if tail.margin.0 >= setting.channels as u64);
        Watched {
            keeps_ends,
            policy,
            setting: setting.clone(),
            queue: 0,
            pdus: [Pdu::default(); 4],
            digest: Digest::default(),
        }
    }

    fn admit(&mut self, slot: u32, info: Info) {
        let (queue, buffer) = (self.queue, self.setting.buffer);
        let verdict = self
            .policy
            .admit(Ps::ZERO, slot, info.passing(), queue, buffer);
        self.digest.add(verdict_word(verdict));
        match verdict {
            Verdict::Accept => {
                assert!(queue < buffer, "taken into a full buffer");
                self.queue += 1;
            }
            Verdict::Drop(cause) => {
                let excused = queue >= buffer || (info.is_data() && cause != Cause::Overflow);
                assert!(excused, "refused for {cause:?} with room left");
            }
        }
        if self.policy.is_stateless() {
            assert_eq!(
                verdict == Verdict::Accept,
                queue < buffer,
                "a policy without state refuses what has room"
            );
        } else if info.is_data() {
            let forwards_ends = self.setting.forwards_ends();
            self.pdus[slot as usize].observe(verdict, info.is_eom(), forwards_ends);
            assert!(
                !(self.keeps_ends && self.pdus[slot as usize].merges),
                "an end was lost that had room of its own"
            );
        }
    }

    pub fn happen(&mut self, operation: &Operation) {
        let channels = self.setting.channels as u32;
        let slot = |vc: u8| u32::from(vc) % channels;
        match *operation {
            Operation::Cells {
                vc, count, ends, ..
            } => {
                let slot = slot(vc);
                for number in 1..=count {
                    let last = ends && number == count;
                    self.admit(
                        slot,
                        if last {
                            Info::end_of_message(0)
                        } else {
                            Info::data(0)
                        },
                    );
                }
            }
            Operation::Rm { vc, cell, .. } => {
                self.keeps_ends = false;
                self.admit(slot(vc), Info::rm(CellKind::Frm, cell.bits[2]));
            }
            Operation::Serve(cells) => {
                self.queue = self.queue.saturating_sub(u64::from(cells));
            }
            Operation::Queue(level) => self.jump(level),
            _ => {}
        }
    }

    /// Cells of other classes arrive or leave; the policy does not decide on them.
    fn jump(&mut self, level: Level) {
        self.keeps_ends = false;
        self.queue = match level {
            Level::Empty => 0,
            Level::Full => self.setting.buffer.min(100_000),
            Level::Cells(cells) => self.setting.buffer.min(u64::from(cells)),
        };
    }

    pub fn hash(&self) -> u64 {
        self.digest.value()
    }
}

fn verdict_word(verdict: Verdict) -> u64 {
    match verdict {
        Verdict::Accept => 0,
        Verdict::Drop(cause) => 1 + cause as u64,
    }
}

impl Pdu {
    /// Records that a cell of the PDU, its end or not, was admitted or refused.
    fn observe(&mut self, verdict: Verdict, ends: bool, forwards_ends: bool) {
        let begun = self.taken > 0 || self.merges;
        let early = self.refused == Some(Cause::EarlyPacket);
        match verdict {
            Verdict::Accept => {
                let whole = self.refused.is_none() && !self.merges;
                assert!(
                    whole || (ends && forwards_ends && !early),
                    "a cell of a PDU that is lost was taken"
                );
                self.taken += 1;
            }
            Verdict::Drop(Cause::EarlyPacket) => {
                assert!(
                    early || self.sent == 0,
                    "a PDU was refused early after its first cell"
                );
                assert!(!begun, "a PDU was refused early though it had begun");
            }
            Verdict::Drop(Cause::PartialPacket) => {
                assert!(
                    self.refused.is_some() || self.merges,
                    "the rest of a PDU that lost nothing"
                );
                assert!(
                    !ends || !forwards_ends,
                    "the end of a PDU was not worth forwarding"
                );
            }
            Verdict::Drop(Cause::IntelligentTail) => {
                assert!(!(ends && begun), "the end of a PDU that had begun")
            }
            Verdict::Drop(_) => {}
        }
        self.sent += 1;
        if let Verdict::Drop(cause) = verdict {
            self.refused.get_or_insert(cause);
        }
        if ends {
            let lost = verdict != Verdict::Accept;
            *self = Pdu {
                merges: lost && begun && forwards_ends,
                ..Pdu::default()
            };
        }
    }
}

impl Subject for Watched<Discard> {
    type Setting = Setting;
    const NAME: &'static str = "discard";
    const VOCABULARY: &'static [(u32, Kind)] = &[
        (8, Kind::Cells),
        (1, Kind::Rm),
        (6, Kind::Serve),
        (2, Kind::Queue),
    ];

    fn settings() -> BoxedStrategy<Setting> {
        settings()
    }
    fn new(setting: &Setting) -> Self {
        Watched::with(setting.config().build(setting.channels), setting)
    }
    fn apply(&mut self, operation: &Operation) {
        self.happen(operation);
    }
    /// Every verdict is checked when it is given; the queue of a real port is in `port`.
    fn check(&self) {}
    fn digest(&self) -> u64 {
        self.hash()
    }
}
