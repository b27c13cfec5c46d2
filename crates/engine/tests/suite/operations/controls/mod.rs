//! Control schemes: actions that are forbidden to a switch (TM 4.0 section 5.10.6), and properties
//! that the port relies on.

mod setting;

pub use setting::{Setting, settings};

use cellrate_engine::atm::cell::{Info, Kind as CellKind, RmCell};
use cellrate_engine::component::Statistic;
use cellrate_engine::control::{Control, QueueReading, SwitchControl, statistics};
use cellrate_engine::kernel::{Digest, Ps};
use cellrate_engine::passing::Passing;
use proptest::prelude::*;

use super::Subject;
use super::drawing::Kind;
use super::marks::allowed;
use super::operation::{Level, Operation, Span};

/// Largest number of timers in one operation: time passes until that number has expired.
const MOST_WAKES: u32 = 200;

/// A scheme with queues of any length; in `port` it has the queues of a real port.
pub struct Port<C> {
    control: C,
    /// A copy of the scheme that receives the length of the queue only when it declares that it
    /// reads it, and is not called where it declares that a call is not needed.
    blind: C,
    setting: Setting,
    now: Ps,
    queue: u64,
    silent: [bool; 4],
    described: &'static [Statistic],
    digest: Digest,
}

/// The subject: a port with any control scheme of the registry.
pub type Controlled = Port<Control>;

/// The cell `info` with the marks that a scheme set in `seen`; the scheme must have changed nothing
/// else.
fn marked(info: Info, seen: Passing) -> Info {
    let before = info.passing();
    assert!(seen.is_marked() || !before.is_marked(), "EFCI was cleared");
    let expected = before.marked_if(seen.is_marked());
    assert_eq!(seen, expected, "more than EFCI was changed");
    info.marked_as(seen)
}

impl<C: SwitchControl + Clone> Port<C> {
    pub fn with(control: C, setting: &Setting) -> Port<C> {
        let named = setting.config().name();
        Port {
            blind: control.clone(),
            control,
            setting: setting.clone(),
            now: Ps::ZERO,
            queue: 0,
            silent: [false; 4],
            described: statistics()
                .into_iter()
                .find(|(name, _)| *name == named)
                .expect("a scheme of the registry")
                .1,
            digest: Digest::default(),
        }
    }

    /// Queue length that the copy receives.
    fn seen(&self, is_rm: bool) -> u64 {
        match self.control.reads_queue() {
            QueueReading::Never => 0,
            QueueReading::AtRmCells if !is_rm => 0,
            QueueReading::AtSomeCells if !is_rm && !self.blind.reads_at(self.now, 1) => 0,
            _ => self.queue,
        }
    }

    /// Performs an action other than a wake: it may only move the next wake to a later time.
    fn act<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        let due = self.control.wake_at();
        let result = act(self);
        assert!(self.control.wake_at() >= due, "a wake became earlier");
        result
    }

    fn advance(&mut self, until: Ps) {
        for _ in 0..MOST_WAKES {
            let due = self.control.wake_at();
            assert_eq!(
                self.blind.wake_at(),
                due,
                "the queue decided where it is not read"
            );
            if due > until {
                self.now = until;
                return;
            }
            assert!(due >= self.now, "a wake in the past");
            self.now = due;
            self.control.wake(due, self.queue, 1);
            let seen = self.seen(true);
            self.blind.wake(due, seen, 1);
            assert!(
                self.control.wake_at() > due || !due.is_scheduled(),
                "a wake without progress"
            );
            self.digest.add(due.0);
        }
    }

    fn forward(&mut self, slot: u32, info: Info, rm: Option<RmCell>) {
        let (mut after, mut told) = (info.passing(), rm);
        let (mut blind, mut blind_told) = (info.passing(), rm);
        self.control
            .on_forward(self.now, slot, &mut after, told.as_mut(), self.queue);
        let seen = self.seen(rm.is_some());
        let counted = |blind: &mut C| rm.is_none() && blind.counts_only(self.now, slot, 1);
        let ignored = rm.is_none() && self.blind.ignores_data();
        if !ignored && !counted(&mut self.blind) {
            self.blind
                .on_forward(self.now, slot, &mut blind, blind_told.as_mut(), seen);
        }
        assert_eq!(
            (after, told),
            (blind, blind_told),
            "the queue decided where it is not read"
        );
        let after = marked(info, after);
        allowed((info, rm), (after, told), &mut self.digest);
        self.queue += u64::from(self.queue < self.setting.buffer);
    }

    fn backward(&mut self, slot: u32, rm: RmCell) {
        let (mut told, mut blind) = (rm, rm);
        self.control
            .on_backward(self.now, slot, &mut told, self.queue);
        let seen = self.seen(true);
        self.blind.on_backward(self.now, slot, &mut blind, seen);
        assert_eq!(told, blind, "the queue decided where it is not read");
        let info = Info::rm(CellKind::Brm, false);
        allowed((info, Some(rm)), (info, Some(told)), &mut self.digest);
    }

    fn serve(&mut self) {
        if self.queue == 0 {
            return;
        }
        if self.control.marks_at_dequeue() {
            let before = Info::data(0);
            let [mut after, mut blind] = [before.passing(); 2];
            self.control.on_dequeue(self.now, &mut after, self.queue);
            self.blind.on_dequeue(self.now, &mut blind, self.queue);
            assert_eq!(after, blind);
            if let Some(above) = self.control.marks_above() {
                assert_eq!(after.is_marked(), self.queue > above);
            }
            let after = marked(before, after);
            allowed((before, None), (after, None), &mut self.digest);
        }
        self.queue -= 1;
    }

    /// Cells that classes without control send until the next wake, if they have the whole link.
    fn whole_link(&self) -> u64 {
        let span = self.control.wake_at().saturating_sub(self.now);
        (span.0 / self.setting.rate.cell_time_ceil().0.max(1)).clamp(1, 3_000)
    }

    fn background(&mut self, cells: u64) {
        for _ in 0..cells {
            self.control.on_background(self.now, 1);
            if !self.blind.ignores_data() {
                self.blind.on_background(self.now, 1);
            }
        }
    }

    fn jump(&mut self, level: Level) {
        let most = self.setting.buffer;
        self.queue = match level {
            Level::Empty => 0,
            Level::Full => most.min(100_000),
            Level::Cells(cells) => most.min(u64::from(cells)),
        };
    }

    fn slot(&self, vc: u8) -> Option<u32> {
        let open = !self.silent[usize::from(vc) % 4];
        open.then_some(u32::from(vc) % self.setting.channels as u32)
    }

    pub fn happen(&mut self, operation: &Operation) {
        match *operation {
            Operation::Pass(span) => {
                let until = Span::from(span, self.now, self.control.wake_at());
                self.advance(until);
            }
            Operation::Cells {
                vc,
                count,
                efci,
                ends,
            } => self.data(vc, count, efci, ends),
            Operation::Background(cells) => self.act(|port| port.background(u64::from(cells))),
            Operation::Flood => self.act(|port| port.background(port.whole_link())),
            Operation::Rm { vc, backward, cell } => {
                let Some(slot) = self.slot(vc) else { return };
                let info = Info::rm(CellKind::Frm, cell.bits[2]);
                self.act(|port| {
                    if backward {
                        port.backward(slot, cell.rm())
                    } else {
                        port.forward(slot, info, Some(cell.rm()))
                    }
                });
            }
            Operation::Serve(cells) => (0..cells).for_each(|_| self.act(Port::serve)),
            Operation::Queue(level) => self.jump(level),
            Operation::Open(vc) => self.silent[usize::from(vc) % 4] = false,
            Operation::Close(vc) => self.silent[usize::from(vc) % 4] = true,
            _ => {}
        }
    }

    fn data(&mut self, vc: u8, count: u8, efci: bool, ends: bool) {
        let Some(slot) = self.slot(vc) else { return };
        for number in 1..=count {
            let last = ends && number == count;
            let mut info = if last {
                Info::end_of_message(0)
            } else {
                Info::data(0)
            };
            if efci {
                info.mark_efci();
            }
            self.act(|port| port.forward(slot, info, None));
        }
    }

    pub fn holds(&self) {
        let counted = self.control.counted();
        assert_eq!(counted.len(), self.described.len());
        for (statistic, value) in self.described.iter().zip(counted) {
            assert!(value >= 0.0, "{} is {value}", statistic.name);
            assert!(
                value.is_finite() || statistic.unit != "cells/s",
                "{} is {value}",
                statistic.name
            );
        }
    }

    pub fn hash(&self) -> u64 {
        self.digest.value()
    }
}

impl Subject for Port<Control> {
    type Setting = Setting;
    const NAME: &'static str = "control";
    const VOCABULARY: &'static [(u32, Kind)] = &[
        (5, Kind::Pass),
        (4, Kind::Cells),
        (2, Kind::Background),
        (6, Kind::Rm),
        (2, Kind::Serve),
        (1, Kind::Queue),
        (1, Kind::Channels),
    ];

    fn settings() -> BoxedStrategy<Setting> {
        settings()
    }
    fn new(setting: &Setting) -> Self {
        Port::with(setting.config().build(setting.facts()), setting)
    }
    fn apply(&mut self, operation: &Operation) {
        self.happen(operation);
    }
    fn check(&self) {
        self.holds();
    }
    fn digest(&self) -> u64 {
        self.hash()
    }
}
