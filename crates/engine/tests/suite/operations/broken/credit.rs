//! Broken receiving sides of credit control.

use cellrate_engine::credit::Receiver;
use cellrate_engine::credit::allocation::{Notice, Pool};

use super::super::Subject;
use super::super::credit::{
    AdaptiveHop, Counting, FixedHop, SharedHop, Sharing, StaticHop, settings,
};
use super::caught;

/// The faults that a broken receiving side of credit control can have.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    TellsTooMuch,
    TellsTooLittle,
    NeverRepairs,
    RepairsTooMuch,
}

struct Faulty {
    inner: Receiver,
    fault: Fault,
}

impl Faulty {
    fn told(&self, limit: u32) -> u32 {
        match self.fault {
            Fault::TellsTooMuch => limit + 1,
            Fault::TellsTooLittle => limit - 1,
            _ => limit,
        }
    }
    fn found(&self, lost: u32) -> u32 {
        match self.fault {
            Fault::NeverRepairs => 0,
            Fault::RepairsTooMuch => lost + 1,
            _ => lost,
        }
    }
}

impl Counting for Faulty {
    fn forward(&mut self, cells: u32) -> Option<u32> {
        let limit = self.inner.forward(cells);
        limit.map(|limit| self.told(limit))
    }
    fn tell(&mut self) -> u32 {
        let limit = self.inner.tell();
        self.told(limit)
    }
    fn repair(&mut self, sent: u32, queued: u32) -> u32 {
        let lost = self.inner.repair(sent, queued);
        self.found(lost)
    }
}

#[test]
fn broken_givers_of_credit_are_caught() {
    let expected = [
        (Fault::TellsTooMuch, "buffer"),
        (Fault::TellsTooLittle, "does not come back"),
        (Fault::NeverRepairs, "a mark finds what was lost before it"),
        (
            Fault::RepairsTooMuch,
            "a mark finds what was lost before it",
        ),
    ];
    for (fault, why) in expected {
        caught(
            settings(),
            StaticHop::VOCABULARY,
            why,
            |setting, operations| {
                let receiver = |n2, allocation| Faulty {
                    inner: Receiver::new(n2, allocation),
                    fault,
                };
                let mut hop = FixedHop::with(setting, receiver);
                for operation in operations {
                    hop.happen(operation);
                    hop.holds();
                }
                hop.settle();
            },
        );
    }
}

/// The faults that a broken buffer pool of credit control can have.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Greed {
    Promises,
    Gives,
    Keeps,
    Forgets,
}

struct Greedy {
    inner: Pool,
    greed: Greed,
    memory: u64,
}

impl Greedy {
    fn change(&self, notices: &mut Vec<Notice>) {
        match self.greed {
            Greed::Gives => notices
                .iter_mut()
                .for_each(|notice| notice.limit += self.memory as u32),
            Greed::Keeps => notices.clear(),
            _ => {}
        }
    }
}

impl Sharing for Greedy {
    fn forward(&mut self, channel: u32, queued: u64, notices: &mut Vec<Notice>) {
        self.inner.forward((channel, 1), || queued, notices);
        self.change(notices);
    }
    fn mark(&mut self, channel: u32, sent: u32, queued: u32, notices: &mut Vec<Notice>) -> u32 {
        let lost = self.inner.mark(channel, sent, queued, notices);
        self.change(notices);
        if self.greed == Greed::Forgets {
            0
        } else {
            lost
        }
    }
    fn confirm(&mut self, channel: u32, limit: u32, reduction: u32, notices: &mut Vec<Notice>) {
        self.inner.confirm(channel, limit, reduction, notices);
        self.change(notices);
    }
    fn promised(&self) -> u64 {
        self.inner.promised()
            + if self.greed == Greed::Promises {
                self.memory
            } else {
                0
            }
    }
}

#[test]
fn broken_pools_are_caught() {
    let expected = [
        (Greed::Promises, "promised"),
        (Greed::Gives, "cells for a memory of"),
        (Greed::Keeps, "a channel without credit for ever"),
        (Greed::Forgets, "a mark finds what was lost before it"),
    ];
    for (greed, why) in expected {
        caught(
            settings(),
            AdaptiveHop::VOCABULARY,
            why,
            |setting, operations| {
                let mut setting = setting.clone();
                setting.fcvc =
                    serde_json::json!({ "allocation": "adaptive", "memory": "40 cells" });
                let (inner, memory) = AdaptiveHop::pool(&setting);
                let mut hop = SharedHop::with(
                    &setting,
                    (
                        Greedy {
                            inner,
                            greed,
                            memory,
                        },
                        memory,
                    ),
                );
                hop.holds();
                for operation in operations {
                    hop.happen(operation);
                    hop.holds();
                }
                hop.settle();
            },
        );
    }
}
