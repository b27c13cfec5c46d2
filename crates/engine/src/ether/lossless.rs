//! Flow control of a link by priority: PFC or CBFC. A gate at the sending end of a link holds frames
//! back. Counters at the receiving end count the frames (guard).

use alloc::collections::VecDeque;

use super::cbfc::{Buffers, Credits};
use super::frame::{Info, Packet};
use super::notice::{Due, Notice, Update};
use super::pause::{Order, Pauses};
use super::pfc::Ingresses;
use crate::kernel::Ps;

/// The gate at the sending end of a link, which holds frames back.
#[derive(Clone, Debug)]
pub enum Gate {
    /// PFC: pauses of the other end.
    Pauses(Pauses),
    /// CBFC: a lack of credits.
    Credits(Credits),
}

impl Gate {
    /// True if a frame may begin at the instant `at`.
    #[inline]
    pub fn allows(&mut self, info: Info, at: Ps) -> bool {
        match self {
            Gate::Pauses(pauses) => !pauses.holds(info.priority(), at),
            Gate::Credits(credits) => credits.allow(info, at),
        }
    }
    /// A frame begins.
    #[inline]
    pub fn pass(&mut self, info: Info) {
        if let Gate::Credits(credits) = self {
            credits.spend(info);
        }
    }
    /// A frame of PFC or CBFC arrives at `now`.
    pub fn take(&mut self, now: Ps, packet: &Packet) {
        match (self, packet) {
            (Gate::Pauses(pauses), Packet::Pause(order)) => pauses.take(now, *order),
            (Gate::Credits(credits), Packet::Credits(update)) => credits.take(now, *update),
            _ => unreachable!("a network has one flow control by priority"),
        }
    }
    /// Time at which the gate may open for `priority` without a further frame from the other end.
    pub fn opens_at(&self, priority: u8) -> Ps {
        match self {
            Gate::Pauses(pauses) => pauses.ends_at(priority),
            Gate::Credits(credits) => credits.next_late(),
        }
    }
    /// True if a pause holds a priority back at the instant `at`, or a frame waits for credits.
    pub fn holds(&self, at: Ps) -> bool {
        match self {
            Gate::Pauses(pauses) => (0..8).any(|priority| pauses.holds(priority, at)),
            Gate::Credits(credits) => credits.are_short(),
        }
    }
    /// Picoseconds up to `now` in which a priority was held back, summed over all priorities.
    pub fn held_ps(&self, now: Ps) -> u64 {
        match self {
            Gate::Pauses(pauses) => pauses.paused_ps(now),
            Gate::Credits(credits) => credits.waited_ps(now),
        }
    }
}

/// Notices that wait for a free line. One frame carries all of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Notices(Option<Packet>);

impl Notices {
    /// Adds a notice.
    pub fn add(&mut self, due: Due) {
        match due.notice {
            Notice::Pause(is_paused, quanta) => {
                let mut order = match self.0 {
                    Some(Packet::Pause(order)) => order,
                    _ => Order::default(),
                };
                order.quanta = quanta;
                order.set(due.priority, is_paused);
                self.0 = Some(Packet::Pause(order));
            }
            Notice::Freed(freed) => {
                let mut update = match self.0 {
                    Some(Packet::Credits(update)) => update,
                    _ => Update::default(),
                };
                update.set(due.priority, freed);
                self.0 = Some(Packet::Credits(update));
            }
        }
    }
    /// True if a notice waits.
    pub fn wait(&self) -> bool {
        self.0.is_some()
    }
    /// The frame with all notices that wait; `None` without a notice.
    pub fn take(&mut self) -> Option<(Info, Packet)> {
        Some((Info::of_link(), self.0.take()?))
    }
}

/// Counters of PFC or CBFC at a node (guard), for the frames that arrive over all its links.
#[derive(Clone, Debug)]
pub enum Guard {
    /// PFC.
    Ingresses(Ingresses),
    /// CBFC.
    Buffers(Buffers),
}

impl Guard {
    /// True for a frame of a priority under flow control.
    #[inline]
    pub fn covers(&self, info: Info) -> bool {
        match self {
            Guard::Ingresses(ingresses) => ingresses.covers(info),
            Guard::Buffers(buffers) => buffers.covers(info),
        }
    }
    /// True if the buffer has room for a frame with this label. Under CBFC it always has.
    pub fn admits(&self, label: u32, info: Info) -> bool {
        match self {
            Guard::Ingresses(ingresses) => ingresses.admits(label, info),
            Guard::Buffers(_) => true,
        }
    }
    /// Counts a frame with this label that arrives at `now`. Returns the notice that is due.
    pub fn take(&mut self, now: Ps, label: u32, info: Info) -> Option<Due> {
        match self {
            Guard::Ingresses(ingresses) => ingresses.take(now, label, info),
            Guard::Buffers(buffers) => {
                buffers.take(label, info);
                None
            }
        }
    }
    /// A frame with this label has left. Returns the notice that is due.
    pub fn release(&mut self, label: u32, info: Info) -> Option<Due> {
        match self {
            Guard::Ingresses(ingresses) => ingresses.release(label, info),
            Guard::Buffers(buffers) => {
                let (port, priority, freed) = buffers.release(label, info)?;
                Some(Due {
                    port,
                    priority,
                    notice: Notice::Freed(freed),
                })
            }
        }
    }
    /// Time at which a pause must be sent again; `NEVER` without pauses.
    pub fn next_again(&self) -> Ps {
        match self {
            Guard::Ingresses(ingresses) => ingresses.next_again(),
            Guard::Buffers(_) => Ps::NEVER,
        }
    }
    /// Removes and returns a pause that must be sent again at `now`.
    pub fn again(&mut self, now: Ps) -> Option<Due> {
        match self {
            Guard::Ingresses(ingresses) => ingresses.again(now),
            Guard::Buffers(_) => None,
        }
    }
    /// Octets in the buffer of the node; `None` unless all priorities are under flow control.
    pub fn held(&self) -> Option<u64> {
        match self {
            Guard::Ingresses(ingresses) => ingresses.held(),
            Guard::Buffers(buffers) => buffers.held(),
        }
    }
    /// Most that the node has held of one priority so far from the opposite link of `port`: octets under PFC,
    /// credits under CBFC.
    pub fn most(&self, port: u32) -> u64 {
        match self {
            Guard::Ingresses(ingresses) => ingresses.most(port),
            Guard::Buffers(buffers) => buffers.most(port).into(),
        }
    }
}

/// Flow control by priority at a port.
#[derive(Clone, Debug)]
pub struct PortGate {
    pub(super) gate: Gate,
    /// A bit for each priority under flow control.
    pub(super) priorities: u8,
    /// Label of frames of PFC and CBFC: the number, at the next node, of the port or interface that feeds the
    /// opposite link.
    pub(super) label: u32,
    /// Notices that wait for a free line.
    pub(super) notices: Notices,
    pub(super) notices_sent: u64,
    /// Label at the switch and header word of the frame in service.
    pub(super) in_service: Option<(u32, Info)>,
    /// Label at the switch and header word of the frame that has just left.
    pub(super) gone: Option<(u32, Info)>,
}

impl PortGate {
    /// Flow control of a port. `priorities` has a bit for each priority under it.
    pub fn new(gate: Gate, priorities: u8, label: u32) -> PortGate {
        PortGate {
            gate,
            priorities,
            label,
            notices: Notices::default(),
            notices_sent: 0,
            in_service: None,
            gone: None,
        }
    }
    /// The gate.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }
    /// Number of frames of PFC or CBFC that the port has sent.
    pub fn notices_sent(&self) -> u64 {
        self.notices_sent
    }
}

/// Flow control by priority at an interface of a host.
#[derive(Clone, Debug)]
pub struct HostGate {
    pub(super) gate: Gate,
    /// By priority: endpoints that are out of the round while their priority is held back.
    pub(super) kept: [VecDeque<u32>; 8],
    /// By priority: the frame that waits for credits, with its endpoint.
    pub(super) heads: [Option<(u32, Info, Packet)>; 8],
    /// Label of frames of CBFC; see [`PortGate`].
    pub(super) label: u32,
    /// Notices that wait for a free line.
    pub(super) notices: Notices,
}

impl HostGate {
    /// Flow control of an interface.
    pub fn new(gate: Gate, label: u32) -> HostGate {
        HostGate {
            gate,
            kept: Default::default(),
            heads: [None; 8],
            label,
            notices: Notices::default(),
        }
    }
    /// True if no endpoint of `priority` may be asked for a frame at the instant `at`.
    pub(super) fn keeps(&self, priority: u8, at: Ps) -> bool {
        match &self.gate {
            Gate::Pauses(pauses) => pauses.holds(priority, at),
            Gate::Credits(_) => self.heads[usize::from(priority)].is_some(),
        }
    }
    /// Takes a frame of an endpoint that [`HostGate::keeps`] does not keep back. Returns false if the frame
    /// must wait for credits.
    pub(super) fn passes(&mut self, number: u32, (info, packet): (Info, Packet), now: Ps) -> bool {
        let Gate::Credits(credits) = &mut self.gate else {
            return true;
        };
        let is_allowed = credits.allow(info, now);
        if is_allowed {
            credits.spend(info);
        } else {
            let head = &mut self.heads[usize::from(info.priority())];
            debug_assert!(head.is_none(), "a frame waits before the endpoint is asked");
            *head = Some((number, info, packet));
        }
        is_allowed
    }
    /// True if a frame that has waited for credits may begin at `now`.
    pub(super) fn has_head(&mut self, now: Ps) -> bool {
        let mut heads = self.heads.iter().flatten();
        heads.any(|(_, info, _)| self.gate.allows(*info, now))
    }
    /// Removes and returns a frame that has waited for credits and may begin at `now`; of several the one of
    /// the highest priority.
    pub(super) fn take_head(&mut self, now: Ps) -> Option<(u32, Info, Packet)> {
        let gate = &mut self.gate;
        let mut heads = self.heads.iter_mut().rev();
        let found = heads.find(|head| head.is_some_and(|(_, info, _)| gate.allows(info, now)));
        let head = found?.take();
        head.inspect(|(_, info, _)| self.gate.pass(*info))
    }
    /// Frames that wait for credits, with their endpoints.
    pub fn heads(&self) -> impl Iterator<Item = (u32, &Packet)> {
        let heads = self.heads.iter().flatten();
        heads.map(|(number, _, packet)| (*number, packet))
    }
}
