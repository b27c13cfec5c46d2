//! Ports whose servers are broken.

use cellrate_engine::atm::cell::{Body, Info, RmCell};
use cellrate_engine::atm::server::{EagerServer, LazyServer, Line, Outlet, Queued, Server};
use cellrate_engine::kernel::{CellClock, Ps, Rate};

use super::super::Subject;
use super::super::operation::Operation;
use super::super::port::{Order, Ports, Setting, Watched, settings};
use super::caught;

/// Fault of a server.
#[repr(u8)]
#[derive(Clone, Copy)]
enum Fault {
    LosesCells,
    DoublesCells,
    SwapsQueues,
    ForgetsOne,
    AlwaysHasRoom,
    Hurries,
    Dawdles,
    ChangesCells,
    ChangesBodies,
    Miscounts,
    ForgetsLongest,
    CountsLate,
    TellsNobody,
}

/// A server with the `Fault` of that number.
struct Spoilt<const FAULT: u8> {
    inner: EagerServer,
    pushed: u64,
}

impl<const FAULT: u8> Spoilt<FAULT> {
    const fn has(fault: Fault) -> bool {
        FAULT == fault as u8
    }
}

impl<const FAULT: u8> Server for Spoilt<FAULT> {
    fn new(mut line: Line, queues: usize, controlled: usize, marks: bool, rm_first: bool) -> Self {
        match FAULT {
            _ if Self::has(Fault::Hurries) => {
                line.clock = CellClock::new(Rate::from_bps(1_000_000_000_000))
            }
            _ if Self::has(Fault::Dawdles) => line.clock = CellClock::new(Rate::from_bps(1_000)),
            _ => {}
        }
        Spoilt {
            inner: EagerServer::new(line, queues, controlled, marks, rm_first),
            pushed: 0,
        }
    }
    fn queue_length(&mut self, now: Ps, queue: usize, outlet: &mut Outlet<'_>) -> u64 {
        let length = self.inner.queue_length(now, queue, outlet);
        match length {
            4.. if Self::has(Fault::ForgetsOne) => length - 1,
            _ => length,
        }
    }
    fn surely_shorter(&self, now: Ps, queue: usize, limit: u64) -> bool {
        Self::has(Fault::AlwaysHasRoom) || self.inner.surely_shorter(now, queue, limit)
    }
    fn accepted(&self, queue: usize) -> u64 {
        self.inner.accepted(queue) + u64::from(Self::has(Fault::Miscounts))
    }
    fn push(
        &mut self,
        now: Ps,
        queue: usize,
        mut cell: Queued,
        body: Option<&Body>,
        outlet: &mut Outlet<'_>,
    ) {
        self.pushed += 1;
        if Self::has(Fault::LosesCells) && self.pushed.is_multiple_of(5) {
            return;
        }
        if Self::has(Fault::ChangesCells) {
            cell.info = Info(cell.info.0 ^ 1 << 12);
        }
        let queue = if Self::has(Fault::SwapsQueues) {
            1 - queue
        } else {
            queue
        };
        let other = match body {
            Some(Body::Rm(rm)) if Self::has(Fault::ChangesBodies) => {
                Some(Body::Rm(RmCell { ni: !rm.ni, ..*rm }))
            }
            _ => None,
        };
        self.inner
            .push(now, queue, cell, other.as_ref().or(body), outlet);
        if Self::has(Fault::DoublesCells) && self.pushed.is_multiple_of(5) {
            self.inner.push(now, queue, cell, body, outlet);
        }
    }
    fn advance(&mut self, now: Ps, outlet: &mut Outlet<'_>) {
        self.inner.advance(now, outlet);
        outlet.link_was_empty &= !Self::has(Fault::TellsNobody);
    }
    fn next_event(&self) -> Ps {
        self.inner.next_event()
    }
    fn departed(&mut self, now: Ps, outlet: &mut Outlet<'_>) -> u64 {
        self.inner.departed(now, outlet) + u64::from(Self::has(Fault::CountsLate))
    }
    fn backlog_integral(&mut self, now: Ps, queue: usize, outlet: &mut Outlet<'_>) -> f64 {
        self.inner.backlog_integral(now, queue, outlet)
    }
    fn longest(&self, queue: usize) -> u64 {
        if Self::has(Fault::ForgetsLongest) {
            0
        } else {
            self.inner.longest(queue)
        }
    }
    fn forget_longest(&mut self, now: Ps, outlet: &mut Outlet<'_>) {
        self.inner.forget_longest(now, outlet);
    }
    fn held(&self) -> Vec<Queued> {
        self.inner.held()
    }
    fn storage(&self) -> (usize, usize) {
        self.inner.storage()
    }
}

/// A port of two queues with a small buffer, and a scheme and policy that do not reveal the fault
/// by themselves.
fn plain(setting: &Setting) -> Setting {
    let mut setting = setting.clone();
    setting.scheme.control = serde_json::json!({ "scheme": "capc" });
    setting.discard = serde_json::json!({ "policy": "tail-drop" });
    setting.scheme.buffer = setting.scheme.buffer.min(60);
    setting.order = Order::VbrFirst;
    setting
}

fn drive<S: Server>(mut port: Watched<S>, operations: &[Operation]) {
    for operation in operations {
        port.happen(operation);
        port.holds();
    }
    port.end();
}

fn is_caught<const FAULT: u8>(why: &str) {
    caught(settings(), Ports::VOCABULARY, why, |setting, operations| {
        drive(Watched::<Spoilt<FAULT>>::new(&plain(setting)), operations);
    });
}

macro_rules! caught {
    ($($fault:ident: $why:literal;)*) => {
        #[test]
        fn broken_servers_are_caught() {
            $(is_caught::<{ Fault::$fault as u8 }>($why);)*
        }
    };
}

caught! {
    LosesCells: "queue is not in - out";
    DoublesCells: "queue is not in - out";
    SwapsQueues: "queue is not in - out";
    ForgetsOne: "queue is not in - out";
    AlwaysHasRoom: "cells in a buffer of";
    Hurries: "before its line had time for it";
    ChangesCells: "more than EFCI was changed";
    ChangesBodies: "what a cell carries was changed on its way out";
    Dawdles: "cells that never leave";
    Miscounts: "arrived and dropped";
    CountsLate: "departed";
    ForgetsLongest: "the longest queues";
    TellsNobody: "the receiver was not told of the first cell";
}

#[test]
fn a_port_with_another_buffer_than_it_should_have_is_caught() {
    for (off, why) in [(-1, "refused with room left"), (1, "cells in a buffer of")] {
        caught(settings(), Ports::VOCABULARY, why, |setting, operations| {
            let setting = plain(setting);
            let mut port = setting.port();
            port.queues
                .iter_mut()
                .for_each(|queue| queue.buffer = queue.buffer.saturating_add_signed(off));
            drive(Watched::<LazyServer>::with(port, &setting), operations);
        });
    }
}
