//! Flow control of a link by priority: PFC or CBFC. At the sending end of a link a [`Gate`] holds frames
//! back. At the receiving end a [`Guard`] counts the frames.

use alloc::collections::VecDeque;

use super::cbfc::{Buffers, Credits};
use super::frame::{Info, Packet};
use super::notice::{Due, Notice, Update};
use super::pause::{Order, Pauses};
use super::pfc::Ingresses;
use crate::kernel::Ps;

/// At the sending end of a link: what holds frames back.
#[derive(Clone, Debug)]
pub enum Gate {
    /// PFC: pauses that the receiving end has sent.
    Pauses(Pauses),
    /// CBFC: a lack of credits.
    Credits(Credits),
}

impl Gate {
    /// True if the frame with the header word `info` may be sent at the instant `at`.
    #[inline]
    pub fn allows(&mut self, info: Info, at: Ps) -> bool {
        match self {
            Gate::Pauses(pauses) => !pauses.holds(info.priority(), at),
            Gate::Credits(credits) => credits.allow(info, at),
        }
    }
    /// Counts a frame that is sent from now on: under CBFC it spends credits.
    #[inline]
    pub fn pass(&mut self, info: Info) {
        if let Gate::Credits(credits) = self {
            credits.spend(info);
        }
    }
    /// Processes a frame of PFC or CBFC that arrives at `now`.
    pub fn take(&mut self, now: Ps, packet: &Packet) {
        match (self, packet) {
            (Gate::Pauses(pauses), Packet::Pause(order)) => pauses.take(now, *order),
            (Gate::Credits(credits), Packet::Credits(update)) => credits.take(now, *update),
            _ => unreachable!("a network has one flow control by priority"),
        }
    }
    /// Time at which the gate may open for `priority` without a further frame from the receiving end.
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
    /// Time since which no frame of `priority` could begin, if that holds at `now`.
    pub fn held_since(&self, priority: u8, now: Ps) -> Option<Ps> {
        match self {
            Gate::Pauses(pauses) => pauses
                .holds(priority, now)
                .then(|| pauses.begins_at(priority)),
            Gate::Credits(credits) => credits.short_since(priority),
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

/// Pauses to be sent (PFC), or credits to be returned (CBFC), that wait for a free line. One frame carries
/// all of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Notices(Option<Packet>);

impl Notices {
    /// Adds a pause, the end of a pause, or a count of freed credits.
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
    /// True if a frame of PFC or CBFC waits to be sent.
    pub fn wait(&self) -> bool {
        self.0.is_some()
    }
    /// Removes and returns the frame of PFC or CBFC that waits to be sent; `None` if none waits.
    pub fn take(&mut self) -> Option<(Info, Packet)> {
        Some((Info::of_link(), self.0.take()?))
    }
}

/// Counters of PFC or CBFC at a node, for the frames that arrive over all its links.
#[derive(Clone, Debug)]
pub enum Guard {
    /// Counters of PFC, in octets by incoming link.
    Ingresses(Ingresses),
    /// Counters of CBFC, in credits by incoming link.
    Buffers(Buffers),
}

impl Guard {
    /// True for a frame of a priority under PFC or CBFC.
    #[inline]
    pub fn covers(&self, info: Info) -> bool {
        match self {
            Guard::Ingresses(ingresses) => ingresses.covers(info),
            Guard::Buffers(buffers) => buffers.covers(info),
        }
    }
    /// True if a frame with this label fits into the buffer. Under CBFC it always does.
    pub fn admits(&self, label: u32, info: Info) -> bool {
        match self {
            Guard::Ingresses(ingresses) => ingresses.admits(label, info),
            Guard::Buffers(_) => true,
        }
    }
    /// Counts a frame with this label that arrives at `now`. Returns the pause that must be sent now, if any.
    pub fn take(&mut self, now: Ps, label: u32, info: Info) -> Option<Due> {
        match self {
            Guard::Ingresses(ingresses) => ingresses.take(now, label, info),
            Guard::Buffers(buffers) => {
                buffers.take(label, info);
                None
            }
        }
    }
    /// Counts a frame with this label that has left the node. Returns the end of a pause, or the credits,
    /// that must be sent now, if any.
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
    /// Time at which the next pause must be sent again; `NEVER` without pauses.
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
    /// Octets in the buffer of the node; `None` unless all priorities are under PFC or CBFC.
    pub fn held(&self) -> Option<u64> {
        match self {
            Guard::Ingresses(ingresses) => ingresses.held(),
            Guard::Buffers(buffers) => buffers.held(),
        }
    }
    /// Greatest amount that the node has held so far of one priority from the link opposite to the link of
    /// `port`: octets under PFC, credits under CBFC.
    pub fn most(&self, port: u32) -> u64 {
        match self {
            Guard::Ingresses(ingresses) => ingresses.most(port),
            Guard::Buffers(buffers) => buffers.most(port).into(),
        }
    }
}

/// PFC or CBFC at a port of a switch.
#[derive(Clone, Debug)]
pub struct PortGate {
    pub(super) gate: Gate,
    /// A bit for each priority under PFC or CBFC.
    pub(super) priorities: u8,
    /// Label of the frames of PFC or CBFC that the port sends: the number, at the next node, of the port or
    /// interface that feeds the opposite link.
    pub(super) label: u32,
    /// Pauses or credits that wait for a free line.
    pub(super) notices: Notices,
    pub(super) notices_sent: u64,
    /// Label at the switch and header word of the frame that the port is sending.
    pub(super) in_service: Option<(u32, Info)>,
    /// Label at the switch and header word of the frame that has just left.
    pub(super) gone: Option<(u32, Info)>,
}

impl PortGate {
    /// PFC or CBFC at a port. `priorities` has a bit for each priority under PFC or CBFC.
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

/// The priorities whose bits are set, the lowest first.
fn bits(set: u8) -> impl Iterator<Item = u8> {
    let from = |set: u8| (set != 0).then_some(set);
    let each = core::iter::successors(from(set), move |set| from(set & (set - 1)));
    each.map(|set| set.trailing_zeros() as u8)
}

/// PFC or CBFC at an interface of a host.
#[derive(Clone, Debug)]
pub struct HostGate {
    pub(super) gate: Gate,
    /// By priority: endpoints that are out of the interface's round robin while their priority is held back.
    kept: [VecDeque<u32>; 8],
    /// A bit for each priority with an endpoint in `kept`.
    kept_bits: u8,
    /// By priority: the frame that waits for credits of CBFC, with the index of its endpoint.
    pub(super) heads: [Option<(u32, Info, Packet)>; 8],
    /// Label of the frames of PFC or CBFC that the interface sends; see [`PortGate`].
    pub(super) label: u32,
    /// Credits that wait for a free line.
    pub(super) notices: Notices,
}

impl HostGate {
    /// PFC or CBFC at an interface. `label` is the label of the frames of PFC or CBFC that it sends.
    pub fn new(gate: Gate, label: u32) -> HostGate {
        HostGate {
            gate,
            kept: Default::default(),
            kept_bits: 0,
            heads: [None; 8],
            label,
            notices: Notices::default(),
        }
    }
    /// True if no endpoint may be asked for a frame of `priority` at the instant `at`.
    pub(super) fn keeps(&self, priority: u8, at: Ps) -> bool {
        match &self.gate {
            Gate::Pauses(pauses) => pauses.holds(priority, at),
            Gate::Credits(_) => self.heads[usize::from(priority)].is_some(),
        }
    }
    /// Keeps an endpoint out of the round robin while its `priority` is held back.
    pub(super) fn keep(&mut self, priority: u8, number: u32) {
        self.kept[usize::from(priority)].push_back(number);
        self.kept_bits |= 1 << priority;
    }
    /// Removes endpoint `number` from the endpoints that are out of the round robin while `priority` is held
    /// back. Returns false if it is not among them.
    pub(super) fn take_kept(&mut self, priority: u8, number: u32) -> bool {
        let kept = &mut self.kept[usize::from(priority)];
        let Some(place) = kept.iter().position(|other| *other == number) else {
            return false;
        };
        kept.remove(place);
        if kept.is_empty() {
            self.kept_bits &= !(1 << priority);
        }
        true
    }
    /// Moves the endpoints whose priority is no longer held back at `now` to the end of `round`.
    pub(super) fn put_back(&mut self, now: Ps, round: &mut VecDeque<u32>) {
        for priority in bits(self.kept_bits) {
            if !self.keeps(priority, now) {
                round.append(&mut self.kept[usize::from(priority)]);
                self.kept_bits &= !(1 << priority);
            }
        }
    }
    /// Time at which the gate may open for an endpoint or a frame that is held back, without a further frame from
    /// the receiving end; `NEVER` if nothing is held back.
    pub(super) fn opens_at(&self) -> Ps {
        let mut held = self.kept_bits;
        if let Gate::Credits(_) = self.gate {
            let heads = self.heads.iter().enumerate();
            held |= heads.fold(0, |bits, (priority, head)| {
                bits | u8::from(head.is_some()) << priority
            });
        }
        let opens = bits(held).map(|priority| self.gate.opens_at(priority));
        opens.min().unwrap_or(Ps::NEVER)
    }
    /// Passes a frame of an endpoint whose priority [`HostGate::keeps`] does not hold back. Returns false if
    /// the frame must wait for credits of CBFC.
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
    /// True if a frame that has waited for credits may be sent at `now`.
    pub(super) fn has_head(&mut self, now: Ps) -> bool {
        if let Gate::Pauses(_) = self.gate {
            return false;
        }
        let mut heads = self.heads.iter().flatten();
        heads.any(|(_, info, _)| self.gate.allows(*info, now))
    }
    /// Removes and returns a frame that has waited for credits and may be sent at `now`; if there are
    /// several, the frame of the highest priority.
    pub(super) fn take_head(&mut self, now: Ps) -> Option<(u32, Info, Packet)> {
        if let Gate::Pauses(_) = self.gate {
            return None;
        }
        let gate = &mut self.gate;
        let mut heads = self.heads.iter_mut().rev();
        let found = heads.find(|head| head.is_some_and(|(_, info, _)| gate.allows(info, now)));
        let head = found?.take();
        head.inspect(|(_, info, _)| self.gate.pass(*info))
    }
    /// Frames that wait for credits of CBFC, with the indices of their endpoints.
    pub fn heads(&self) -> impl Iterator<Item = (u32, &Packet)> {
        let heads = self.heads.iter().flatten();
        heads.map(|(number, _, packet)| (*number, packet))
    }
}
