//! Output ports of both engines with real queues, servers and links: every cell that arrives is
//! refused, waits here or leaves, as seen at the far end of the link, and no queue is ever longer
//! than its buffer.

mod books;
mod setting;

pub use setting::{Order, Setting, settings};

use books::Books;
use cellrate_engine::atm::cell::{Body, Info, Kind as CellKind, Pdu, RmCell, ServiceClass};
use cellrate_engine::atm::port::{Arrival, Port, PortSettings};
use cellrate_engine::atm::server::{BuildServer, EagerServer, LazyServer, Queued};
use cellrate_engine::atm::transport::{Link, Outlet};
use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::Segment;
use proptest::prelude::*;

use super::Subject;
use super::drawing::Kind;
use super::operation::Operation;
use crate::support::receive;

/// Largest number of timers in one operation: time passes until that number has expired.
const MOST_WAKES: u32 = 200;
/// Largest number of VBR cells in a flood.
const MOST_FLOOD: u64 = 200;

/// A port with its link, and an account of the cells that enter and leave.
pub struct Watched<S> {
    port: Port<S>,
    link: Link,
    setting: Setting,
    cell_time: Ps,
    now: Ps,
    books: Books,
}

impl<S: BuildServer> Watched<S> {
    pub fn new(setting: &Setting) -> Watched<S> {
        Watched::with(setting.port(), setting)
    }

    /// A port that should match `setting`.
    pub fn with(port: PortSettings, setting: &Setting) -> Watched<S> {
        Watched {
            port: Port::new(port),
            link: Link::default(),
            setting: setting.clone(),
            cell_time: setting.scheme.rate.cell_time_ceil(),
            now: Ps::ZERO,
            books: Books::new(setting),
        }
    }

    /// Lets the port act, and checks that it reports when its link is no longer empty.
    fn act<T>(&mut self, act: impl FnOnce(&mut Port<S>, &mut Outlet<'_>) -> T) -> T {
        let (was_empty, mut fresh) = (self.link.is_empty(), Vec::new());
        let mut out = Outlet {
            link: &mut self.link,
            number: 0,
            fresh: &mut fresh,
        };
        let result = act(&mut self.port, &mut out);
        assert!(
            !fresh.is_empty() || !was_empty || self.link.is_empty(),
            "the receiver was not told of the first cell"
        );
        result
    }

    /// Lets time pass, with every timer of the scheme and every departure.
    fn advance(&mut self, until: Ps) {
        for _ in 0..MOST_WAKES {
            let due = self.port.wake_at();
            if due > until {
                self.now = until;
                break;
            }
            self.now = due;
            self.act(|port, out| port.wake(due, out));
        }
        let now = self.now;
        self.act(|port, out| port.advance(now, out));
        self.leave();
    }

    /// Receives the cells whose last bit has left the port by now.
    fn leave(&mut self) {
        while self.link.next_arrival() - setting::DELAY <= self.now && !self.link.is_empty() {
            let (cell, body) = receive(&mut self.link).expect("a cell");
            self.books.left(cell.at - setting::DELAY, cell, body);
        }
    }

    fn arrive(&mut self, class: ServiceClass, channel: u32, info: Info, mut body: Option<Body>) {
        let controlled = class == ServiceClass::Abr;
        let slot = if controlled {
            channel
        } else {
            self.setting.abr_channels() as u32
        };
        let queue = self.setting.queue_of(class);
        let cell = Queued {
            label: self.books.next_label(),
            info,
        };
        let arrival = Arrival {
            slot,
            control_slot: slot,
            queue: queue as u32,
            controlled,
            cell,
        };
        let (now, came) = (self.now, body);
        let refused = self.act(|port, out| port.arrive(now, arrival, body.as_mut(), out));
        let of_data = info.is_data();
        match refused {
            None => self.books.taken(now, queue, info, (came, body)),
            Some(cause) => self.books.refused(queue, slot, of_data, cause),
        }
        self.leave();
        let length = self.length(queue);
        self.books.note(queue, length);
    }

    fn length(&mut self, queue: usize) -> u64 {
        let now = self.now;
        self.act(|port, out| port.queue_length(now, queue, out))
    }

    fn data(&mut self, class: ServiceClass, channel: u32, ends: bool, efci: bool) {
        let info = if ends {
            Info::end_of_message(0)
        } else {
            Info::data(0)
        };
        let mut info = info.with_payload(48);
        if efci {
            info.mark_efci();
        }
        let pdu = Pdu {
            segment: Segment::data(0, 1),
            sent: Ps::ZERO,
            first: 0,
            cells: 1,
            hit: false,
            errored: false,
        };
        self.arrive(class, channel, info, ends.then_some(Body::Pdu(pdu)));
    }

    /// VBR uses the whole link until the next timer.
    fn flood(&mut self) {
        let span = self.port.wake_at().saturating_sub(self.now);
        let cells = (span.0 / self.cell_time.0).clamp(1, MOST_FLOOD);
        for _ in 0..cells {
            self.data(ServiceClass::Vbr, 0, false, false);
            self.advance(self.now.saturating_add(self.cell_time));
        }
    }

    fn backward(&mut self, slot: u32, rm: RmCell) {
        let (now, mut told) = (self.now, rm);
        self.act(|port, out| port.pass_backward(now, slot, &mut told, out));
        let info = Info::rm(CellKind::Brm, false);
        self.books.passed((info, Some(rm)), (info, Some(told)));
    }

    pub fn happen(&mut self, operation: &Operation) {
        let channels = self.setting.abr_channels() as u32;
        match *operation {
            Operation::Pass(span) => {
                let until = span.from(self.now, self.port.wake_at());
                self.advance(until);
            }
            Operation::Cells {
                vc,
                count,
                efci,
                ends,
            } => {
                for number in 1..=count {
                    self.data(
                        ServiceClass::Abr,
                        u32::from(vc) % channels,
                        ends && number == count,
                        efci,
                    );
                }
            }
            Operation::Background(cells) => {
                (0..cells).for_each(|_| self.data(ServiceClass::Vbr, 0, false, false))
            }
            Operation::Flood => self.flood(),
            Operation::Rm {
                vc,
                backward: true,
                cell,
            } => self.backward(u32::from(vc) % channels, cell.rm()),
            Operation::Rm { vc, cell, .. } => {
                let info = Info::rm(CellKind::Frm, cell.bits[2]);
                self.arrive(
                    ServiceClass::Abr,
                    u32::from(vc) % channels,
                    info,
                    Some(Body::Rm(cell.rm())),
                );
            }
            Operation::Serve(cells) => {
                let span = Ps(u64::from(cells) * self.cell_time.0);
                self.advance(self.now.saturating_add(span));
            }
            _ => {}
        }
    }

    /// Checks cells in against cells out, and the buffer, both by the port's counters and at the
    /// end of its link.
    pub fn holds(&mut self) {
        for queue in 0..self.setting.queues().len() {
            let length = self.length(queue);
            self.books.balances(queue, length);
        }
        let now = self.now;
        let (counts, departed) = self.act(|port, out| port.counts(now, out));
        let longest: Vec<u64> = (0..counts.len())
            .map(|queue| self.port.longest(queue))
            .collect();
        self.books.agree(&counts, departed, &longest);
        for slot in 0..=self.setting.abr_channels() {
            self.books.lost(slot, self.port.losses(slot as u32).cells);
        }
    }

    /// Lets time pass until all waiting cells have been sent.
    pub fn end(&mut self) {
        let waiting = self.books.waiting();
        let now = self
            .now
            .saturating_add(Ps((waiting + 1) * self.cell_time.0));
        self.now = now;
        self.act(|port, out| port.advance(now, out));
        self.leave();
        assert_eq!(self.books.waiting(), 0, "cells that never leave");
    }

    pub fn hash(&self) -> u64 {
        self.books.hash() ^ self.port.digest().value()
    }
}

/// The same port of the fast engine and of the plain one, which must agree in everything.
pub struct Ports {
    fast: Watched<LazyServer>,
    plain: Watched<EagerServer>,
}

impl Subject for Ports {
    type Setting = Setting;
    const NAME: &'static str = "port";
    const VOCABULARY: &'static [(u32, Kind)] = &[
        (4, Kind::Pass),
        (5, Kind::Cells),
        (2, Kind::Background),
        (4, Kind::Rm),
        (6, Kind::Serve),
    ];

    fn settings() -> BoxedStrategy<Setting> {
        settings()
    }
    fn new(setting: &Setting) -> Self {
        Ports {
            fast: Watched::new(setting),
            plain: Watched::new(setting),
        }
    }
    fn apply(&mut self, operation: &Operation) {
        self.fast.happen(operation);
        self.plain.happen(operation);
        self.fast.holds();
        self.plain.holds();
    }
    fn check(&self) {
        assert_eq!(
            self.fast.hash(),
            self.plain.hash(),
            "the ports of the two engines differ"
        );
    }
    fn finish(&mut self) {
        self.fast.end();
        self.plain.end();
        self.check();
    }
    fn digest(&self) -> u64 {
        self.fast.hash()
    }
}
