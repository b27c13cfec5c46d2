//! Broken control schemes and discard policies.

use cellrate_engine::atm::cell::RmCell;
use cellrate_engine::control::{Control, PortFacts, QueueReading, SwitchControl};
use cellrate_engine::discard::{Cause, Discard, DiscardPolicy, Verdict};
use cellrate_engine::kernel::{Ps, ServiceRate};
use cellrate_engine::passing::{Contents, Passing};

use super::super::{Subject, controls, discard};
use super::caught;

/// The faults that a broken control scheme can have.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    RaisesEr,
    NegativeEr,
    ClearsEfci,
    MarksRmCells,
    ChangesCell,
    ClearsCi,
    ChangesCcr,
    ReadsQueue,
    EarlierWake,
    IdleWake,
    NotANumber,
    InfiniteRate,
}

#[derive(Clone)]
struct Faulty {
    inner: Control,
    fault: Fault,
    hurried: bool,
}

impl Faulty {
    fn spoil(&self, rm: &mut RmCell, queue: u64) {
        match self.fault {
            Fault::RaisesEr => rm.er = 2.0 * rm.er + 1.0,
            Fault::NegativeEr => rm.er = -1.0,
            Fault::ClearsCi => rm.ci = false,
            Fault::ChangesCcr => rm.ccr = 2.0 * rm.ccr + 1.0,
            Fault::ReadsQueue => rm.ni |= queue > 0,
            _ => {}
        }
    }
}

impl SwitchControl for Faulty {
    fn on_forward(
        &mut self,
        now: Ps,
        slot: u32,
        passing: &mut Passing,
        rm: Option<&mut RmCell>,
        queue: u64,
    ) {
        self.inner.on_forward(now, slot, passing, rm, queue);
        self.hurried = true;
        match self.fault {
            Fault::ClearsEfci => *passing = passing.marked_if(false),
            Fault::MarksRmCells if passing.contents == Contents::Forward => passing.mark(),
            Fault::ChangesCell => passing.units ^= 2,
            _ => {}
        }
    }
    fn on_background(&mut self, now: Ps, units: u64) {
        self.inner.on_background(now, units);
    }
    fn on_backward(&mut self, now: Ps, slot: u32, rm: &mut RmCell, queue: u64) {
        self.inner.on_backward(now, slot, rm, queue);
        self.spoil(rm, queue);
    }
    fn on_dequeue(&mut self, now: Ps, passing: &mut Passing, queue: u64) {
        self.inner.on_dequeue(now, passing, queue);
    }
    fn marks_at_dequeue(&self) -> bool {
        self.inner.marks_at_dequeue()
    }
    fn reads_queue(&self) -> QueueReading {
        if self.fault == Fault::ReadsQueue {
            QueueReading::Never
        } else {
            self.inner.reads_queue()
        }
    }
    fn reads_at(&self, now: Ps, units: u64) -> bool {
        self.inner.reads_at(now, units)
    }
    fn counted(&self) -> Vec<f64> {
        let mut counted = self.inner.counted();
        if let Some(last) = counted.last_mut() {
            match self.fault {
                Fault::NotANumber => *last = f64::NAN,
                Fault::InfiniteRate => *last = f64::INFINITY,
                _ => {}
            }
        }
        counted
    }
    fn wake_at(&self) -> Ps {
        let due = self.inner.wake_at();
        if self.fault == Fault::EarlierWake && self.hurried {
            Ps(due.0 - 1)
        } else {
            due
        }
    }
    fn wake(&mut self, now: Ps, queue: u64, in_service: u64) {
        if self.fault != Fault::IdleWake {
            self.inner.wake(now, queue, in_service);
        }
    }
}

#[test]
fn broken_control_schemes_are_caught() {
    let expected = [
        (Fault::RaisesEr, "ER went from"),
        (Fault::NegativeEr, "ER went from"),
        (Fault::ClearsEfci, "EFCI was cleared"),
        (Fault::MarksRmCells, "EFCI of an RM cell was set"),
        (Fault::ChangesCell, "more than EFCI was changed"),
        (Fault::ClearsCi, "CI or NI was cleared"),
        (Fault::ChangesCcr, "left == right"),
        (Fault::ReadsQueue, "the queue decided where it is not read"),
        (Fault::EarlierWake, "a wake became earlier"),
        (Fault::IdleWake, "a wake without progress"),
        (Fault::NotANumber, "explicit_rate_cells_per_second is NaN"),
        (Fault::InfiniteRate, "explicit_rate_cells_per_second is inf"),
    ];
    for (fault, why) in expected {
        caught(
            controls::settings(),
            controls::Controlled::VOCABULARY,
            why,
            |setting, operations| {
                let mut setting = setting.clone();
                setting.control = serde_json::json!({ "scheme": "capc" });
                let facts = PortFacts {
                    seed: 0,
                    rate: ServiceRate::of_cells(setting.rate),
                    channels: setting.channels,
                };
                let scheme = Faulty {
                    inner: setting.config().build(facts),
                    fault,
                    hurried: false,
                };
                let mut port = controls::Port::with(scheme, &setting);
                for operation in operations {
                    port.happen(operation);
                    port.holds();
                }
            },
        );
    }
}

/// The faults that a broken discard policy can have.
#[derive(Clone, Copy, Debug)]
enum Waste {
    TakesAlways,
    RefusesWithRoom,
    RefusesEarlyInside,
    TakesTheRest,
    DropsEnds,
    ForgetsTails,
}

struct Wasteful {
    inner: Discard,
    waste: Waste,
}

impl DiscardPolicy for Wasteful {
    fn admit(&mut self, now: Ps, slot: u32, passing: Passing, queue: u64, buffer: u64) -> Verdict {
        let verdict = self.inner.admit(now, slot, passing, queue, buffer);
        match (self.waste, verdict) {
            (Waste::TakesAlways, _) => Verdict::Accept,
            (Waste::RefusesWithRoom, _) => Verdict::Drop(Cause::Overflow),
            (Waste::RefusesEarlyInside, Verdict::Accept) if passing.ends_pdu => {
                Verdict::Drop(Cause::EarlyPacket)
            }
            (Waste::TakesTheRest, Verdict::Drop(Cause::PartialPacket)) if queue < buffer => {
                Verdict::Accept
            }
            (Waste::DropsEnds, Verdict::Accept) if passing.ends_pdu => {
                Verdict::Drop(Cause::PartialPacket)
            }
            (Waste::ForgetsTails, Verdict::Accept) if passing.ends_pdu => {
                Verdict::Drop(Cause::IntelligentTail)
            }
            _ => verdict,
        }
    }
}

#[test]
fn broken_discard_policies_are_caught() {
    let expected = [
        (Waste::TakesAlways, "taken into a full buffer"),
        (Waste::RefusesWithRoom, "with room left"),
        (Waste::RefusesEarlyInside, "refused early"),
        (
            Waste::TakesTheRest,
            "a cell of a PDU that is lost was taken",
        ),
        (Waste::DropsEnds, "the rest of a PDU that lost nothing"),
        (Waste::ForgetsTails, "the end of a PDU that had begun"),
    ];
    for (waste, why) in expected {
        caught(
            discard::settings(),
            discard::Queue::VOCABULARY,
            why,
            |setting, operations| {
                let mut setting = setting.clone();
                setting.discard = serde_json::json!({ "policy": "ppd" });
                let policy = Wasteful {
                    inner: setting.config().build(setting.channels),
                    waste,
                };
                let mut queue = discard::Watched::with(policy, &setting);
                for operation in operations {
                    queue.happen(operation);
                }
            },
        );
    }
}
