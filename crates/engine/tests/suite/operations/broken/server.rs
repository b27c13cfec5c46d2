//! Ports whose servers are broken.

use cellrate_engine::atm::cell::{Body, Info, RmCell};
use cellrate_engine::atm::server::{
    Arrival, BuildServer, Context, EagerServer, LazyServer, Queued, Server, ServerCounts,
    ServerSettings,
};
use cellrate_engine::atm::transport::Outlet;
use cellrate_engine::kernel::{CellClock, Ps, Rate};

use super::super::Subject;
use super::super::operation::Operation;
use super::super::port::{Order, Ports, Setting, Watched, settings};
use super::caught;

/// The faults that a broken server can have.
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

impl<const FAULT: u8> BuildServer for Spoilt<FAULT> {
    fn build(mut settings: ServerSettings) -> Self {
        let clock = &mut settings.line.clock;
        match FAULT {
            _ if Self::has(Fault::Hurries) => {
                *clock = CellClock::new(Rate::from_bps(1_000_000_000_000));
            }
            _ if Self::has(Fault::Dawdles) => *clock = CellClock::new(Rate::from_bps(1_000)),
            _ => {}
        }
        Spoilt {
            inner: EagerServer::build(settings),
            pushed: 0,
        }
    }
}

impl<const FAULT: u8> Server for Spoilt<FAULT> {
    type Credited = EagerServer;
    fn queue_length(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        let length = self.inner.queue_length(queue, context);
        match length {
            4.. if Self::has(Fault::ForgetsOne) => length - 1,
            _ => length,
        }
    }
    fn surely_shorter(&self, now: Ps, queue: usize, limit: u64) -> bool {
        Self::has(Fault::AlwaysHasRoom) || self.inner.surely_shorter(now, queue, limit)
    }
    fn push(
        &mut self,
        arrival: &Arrival,
        body: Option<&Body>,
        context: &mut Context<'_, Outlet<'_>>,
    ) {
        self.pushed += 1;
        if Self::has(Fault::LosesCells) && self.pushed.is_multiple_of(5) {
            return;
        }
        let mut arrival = *arrival;
        if Self::has(Fault::ChangesCells) {
            arrival.cell.info = Info(arrival.cell.info.0 ^ 1 << 12);
        }
        if Self::has(Fault::SwapsQueues) {
            arrival.queue = 1 - arrival.queue;
        }
        let other = match body {
            Some(Body::Rm(rm)) if Self::has(Fault::ChangesBodies) => {
                Some(Body::Rm(RmCell { ni: !rm.ni, ..*rm }))
            }
            _ => None,
        };
        let body_or_other = other.as_ref().or(body);
        self.inner.push(&arrival, body_or_other, context);
        if Self::has(Fault::DoublesCells) && self.pushed.is_multiple_of(5) {
            self.inner.push(&arrival, body, context);
        }
    }
    fn advance(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        let said = context.out.fresh.len();
        self.inner.advance(context);
        if Self::has(Fault::TellsNobody) {
            context.out.fresh.truncate(said);
        }
    }
    fn next_event(&self) -> Ps {
        self.inner.next_event()
    }
}

impl<const FAULT: u8> ServerCounts for Spoilt<FAULT> {
    fn accepted(&self, queue: usize) -> u64 {
        self.inner.accepted(queue) + u64::from(Self::has(Fault::Miscounts))
    }
    fn served(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u128 {
        self.inner.served(context)
    }
    fn departed(&mut self, context: &mut Context<'_, Outlet<'_>>) -> u64 {
        self.inner.departed(context) + u64::from(Self::has(Fault::CountsLate))
    }
    fn backlog_integral(&mut self, queue: usize, context: &mut Context<'_, Outlet<'_>>) -> f64 {
        self.inner.backlog_integral(queue, context)
    }
    fn longest(&self, queue: usize) -> u64 {
        if Self::has(Fault::ForgetsLongest) {
            0
        } else {
            self.inner.longest(queue)
        }
    }
    fn forget_longest(&mut self, context: &mut Context<'_, Outlet<'_>>) {
        self.inner.forget_longest(context);
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

fn drive<S: BuildServer>(mut port: Watched<S>, operations: &[Operation]) {
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
    LosesCells: "queue is not in - out|not the first of its queue";
    DoublesCells: "queue is not in - out|not the first of its queue|refused with room left";
    SwapsQueues: "queue is not in - out|not the first of its queue";
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
