//! A virtual destination and the virtual source behind it: a switch ends one ABR loop of a channel
//! and begins the next (TM 4.0 section 5.10.6; Kalyanaraman 1997, chapter 9 and appendix C.3).
//!
//! A flow has two relays at a switch, one for each direction. RM cells end at the relay. Forward RM
//! cells of the previous loop are turned round into the opposite channel, whose virtual source
//! sends them back. Backward RM cells of the next loop are the feedback for the virtual source, which begins this
//! loop.

mod meter;

use meter::Meter;

use super::event::{Event, What};
use super::log::Log;
use crate::atm::cell::{Body, Info, Kind, RmCell};
use crate::atm::port::{Arrival, Port};
use crate::atm::server::{Queued, Server};
use crate::atm::transport::Outlet;
use crate::discard::Cause;
use crate::endsystem::{
    AbrConfig, AbrDestination, AbrSource, Emission, InputMeter, VcRate, VsVdConfig,
};
use crate::kernel::{Digest, Ps, Ring};
use crate::net::channel::ChannelId;

/// Data that a relay needs to send a cell: the output port of its channel at the switch, the link of the port, and the
/// event log.
pub struct Way<'a, S> {
    /// Output port of the channel.
    pub port: &'a mut Port<S>,
    /// The link that the port feeds.
    pub out: Outlet<'a>,
    /// Event log of the switch.
    pub log: &'a mut Log,
}

/// The last explicit rate that the relay requested for its channel from the control scheme of the output port.
#[derive(Clone, Copy, Debug)]
struct Allowed {
    /// Explicit rate of the scheme (VAL2) in cells/s; infinite unless it was below the ER of the RM
    /// cell.
    er: f64,
    ci: bool,
    ni: bool,
}

/// Counts of RM cells that begin or end at a virtual source or destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RelayCounts {
    /// RM cells that the virtual source has sent.
    pub inserted: u64,
    /// RM cells that the virtual destination, or the virtual source of the opposite channel, has
    /// received.
    pub absorbed: u64,
}

/// Virtual destination and virtual source of a channel at a switch, which ends the channel's ABR loop and begins
/// the next. The fields that each cell needs come first.
#[derive(Clone)]
#[repr(C)]
pub struct Relay {
    /// Channel whose previous loop ends at the relay and whose next loop begins there.
    pub channel: ChannelId,
    /// Index of the switch's output port for the channel.
    pub port: u32,
    arrival: Arrival,
    /// The channel's queue at the switch: data cells that the virtual source has not sent yet.
    cells: Ring<Info>,
    source: AbrSource,
    destination: AbrDestination,
    bodies: Ring<Body>,
    /// CCR in the last forward RM cell of the previous loop, in cells/s.
    ccr: f64,
    allowed: Allowed,
    meter: Meter,
    counts: RelayCounts,
    digest: Digest,
    config: VsVdConfig,
}

/// Settings of a relay: the virtual destination and virtual source of one channel at a switch.
pub struct RelaySettings {
    /// Channel whose previous loop ends at the relay and whose next loop begins there.
    pub channel: ChannelId,
    /// Index of the switch's output port for the channel.
    pub port: u32,
    /// Indices of the channel and the queue at the output port, and outgoing label (VPI/VCI) of the channel's cells.
    pub arrival: Arrival,
    /// Virtual source of the next loop.
    pub source: AbrSource,
    /// Virtual destination of the previous loop.
    pub destination: AbrDestination,
    /// Parameters of the coupling between the two loops.
    pub config: VsVdConfig,
}

impl Relay {
    /// A relay at time zero, before its first cell.
    pub fn new(settings: RelaySettings) -> Relay {
        Relay {
            channel: settings.channel,
            port: settings.port,
            arrival: settings.arrival,
            source: settings.source,
            destination: settings.destination,
            cells: Ring::default(),
            bodies: Ring::default(),
            ccr: 0.0,
            allowed: Allowed {
                er: f64::INFINITY,
                ci: false,
                ni: false,
            },
            meter: Meter::default(),
            counts: RelayCounts::default(),
            digest: Digest::default(),
            config: settings.config,
        }
    }

    /// Time from which the virtual source can send its next cell; may be in the past.
    #[inline]
    pub fn wake_at(&self) -> Ps {
        self.source.next_wake(!self.cells.is_empty())
    }

    fn meters_arrivals(&self) -> bool {
        self.config.input == InputMeter::VcQueues
    }

    /// Rate of the channel in cells/s for the control scheme. The setting `vc_rate` says which rate this is.
    fn rate(&self) -> f64 {
        match self.config.vc_rate {
            VcRate::PreviousLoop => self.ccr,
            VcRate::NextLoop => self.source.acr(),
            // The measurement needs two forward RM cells; before then ACR takes its place.
            VcRate::Measured => self.meter.rate.unwrap_or(self.source.acr()),
        }
    }

    /// Processes an arriving data cell. EFCI is cleared, as the next loop begins here (DES rule 1,
    /// SES rule 12). Returns true if the cell is queued and the channel's queue was empty before.
    #[inline]
    pub fn take_data<S: Server>(
        &mut self,
        now: Ps,
        info: Info,
        body: Option<&Body>,
        way: &mut Way<'_, S>,
    ) -> bool {
        self.destination.on_data(info.efci());
        let mut info = info.without_efci();
        let meters = self.meters_arrivals();
        let mut arrive = |info: &mut Info, body| {
            let cell = (info, body);
            way.port
                .arrive_in_front(now, &self.arrival, cell, meters, &mut way.out)
        };
        let refused = match body {
            None => arrive(&mut info, None),
            Some(body) => {
                let mut body = *body;
                let refused = arrive(&mut info, Some(&mut body));
                if refused.is_none() {
                    self.bodies.push(body);
                }
                refused
            }
        };
        if let Some(cause) = refused {
            self.note_loss(now, info, cause, way);
            return false;
        }
        self.cells.push(info);
        self.cells.len() == 1
    }

    /// Sends a cell that has just arrived, if the virtual source may send it at once (SES rule 3c). The cell must
    /// be a data cell without a body: one that does not end a PDU. Does the work of [`Relay::take_data`] and
    /// [`Relay::run`] without storing the cell. EFCI is cleared (DES rule 1, SES rule 12). Returns the time of
    /// the next transmission; `None`, with nothing changed, if the cell must be queued.
    #[inline]
    pub fn pass_data<S: Server>(
        &mut self,
        now: Ps,
        info: Info,
        way: &mut Way<'_, S>,
    ) -> Option<Ps> {
        if self.source.next_wake(true) > now || !self.source.sends_plainly(now) {
            return None;
        }
        debug_assert!(
            self.cells.is_empty(),
            "timers come first, so no cell waits that may be sent"
        );
        let arrival = self.arrival_of(info.without_efci());
        if !way.port.pass_front(now, arrival, &mut way.out) {
            return None;
        }
        self.destination.on_data(info.efci());
        self.source.send_plainly(now);
        self.count_sent(now, info);
        Some(self.run(now, way))
    }

    fn note_loss<S: Server>(&self, now: Ps, info: Info, cause: Cause, way: &mut Way<'_, S>) {
        let place = (self.channel, way.out.number);
        way.log.add(Event::loss(now, place, cause, info));
    }

    /// Turns round a forward RM cell of the previous loop, which ends at this relay (DES rule 2). In the returned
    /// cell, ER is the least of three rates: ER of the cell, VAL2 (the scheme's explicit rate), and ACR2 (the
    /// rate of the virtual source).
    pub fn turn_round<S: Server>(
        &mut self,
        now: Ps,
        info: Info,
        rm: &RmCell,
        way: &mut Way<'_, S>,
    ) -> RmCell {
        self.ccr = rm.ccr;
        let mut turned = *rm;
        self.absorb(now, info, &mut turned, way);
        turned = self.destination.on_frm(turned);
        turned.er = turned.er.min(self.source.acr());
        if self.config.update.at_turn_round() {
            self.ask(now, &turned, way);
        }
        self.allowed.mark(&mut turned);
        self.digest
            .add(now.0 ^ turned.er.to_bits() ^ (turned.ci as u64) << 1 ^ turned.ni as u64);
        if (turned.er, turned.ci, turned.ni) != (rm.er, rm.ci, rm.ni) {
            let what = What::Mark { er: turned.er };
            way.log.add(Event {
                at: now,
                channel: self.channel,
                link: Some(way.out.number),
                what,
            });
        }
        turned
    }

    /// Counts an RM cell of the relay's channel that ends here. If the control scheme meters at the `VcQueues`,
    /// it counts this cell as input of the port, in place of the RM cells from the virtual source.
    pub fn absorb<S: Server>(
        &mut self,
        now: Ps,
        info: Info,
        rm: &mut RmCell,
        way: &mut Way<'_, S>,
    ) {
        self.counts.absorbed += 1;
        if self.meters_arrivals() {
            let slot = self.arrival.control_slot;
            way.port
                .meter_rm(now, (slot, info), rm, self.rate(), &mut way.out);
        }
    }

    /// Requests the explicit rate (VAL2) from the port's control scheme. The scheme gets `rm` as if this cell
    /// came back through the switch.
    fn ask<S: Server>(&mut self, now: Ps, rm: &RmCell, way: &mut Way<'_, S>) {
        let mut asked = RmCell {
            ccr: self.rate(),
            ci: false,
            ni: false,
            ..*rm
        };
        way.port
            .pass_backward(now, self.arrival.control_slot, &mut asked, &mut way.out);
        let er = if asked.er < rm.er {
            asked.er
        } else {
            f64::INFINITY
        };
        self.allowed = Allowed {
            er,
            ci: asked.ci,
            ni: asked.ni,
        };
    }

    /// Processes a backward RM cell of the loop that begins at this virtual source (SES rules 8 and
    /// 9).
    pub fn take_feedback<S: Server>(&mut self, now: Ps, rm: &RmCell, way: &mut Way<'_, S>) {
        if self.config.update.at_backward() {
            self.ask(now, rm, way);
        }
        let mut rm = *rm;
        if self.config.limit_source {
            self.allowed.mark(&mut rm);
        }
        self.source.on_brm(now, &rm);
        self.digest
            .add(now.0 ^ self.source.acr().to_bits().rotate_left(17));
    }

    /// Queues an RM cell of the opposite channel that was turned round. The virtual source sends the cell later.
    pub fn offer(&mut self, rm: RmCell) {
        self.source.offer_brm(rm);
    }

    /// Sends all cells that the virtual source may send at `now`. Returns the time of the virtual source's next
    /// transmission.
    #[inline]
    pub fn run<S: Server>(&mut self, now: Ps, way: &mut Way<'_, S>) -> Ps {
        loop {
            let wake = self.wake_at();
            if wake > now {
                return wake;
            }
            // Short path for a cell without a body; the code below handles all cells.
            if let Some(info) = self.cells.front().copied()
                && !info.has_body()
                && self.source.sends_plainly(now)
            {
                self.source.send_plainly(now);
                self.cells.pop();
                self.send_cell(now, info, None, way);
                continue;
            }
            let Some(emission) = self.source.opportunity(now, !self.cells.is_empty()) else {
                unreachable!("a virtual source wakes up only to send")
            };
            self.send(now, emission, way);
        }
    }

    #[inline]
    fn send<S: Server>(&mut self, now: Ps, emission: Emission, way: &mut Way<'_, S>) {
        match emission {
            Emission::Data => {
                let info = self.cells.pop().expect("a cell waits");
                if info.has_body() {
                    let mut body = *self.bodies.front().expect("its body waits, too");
                    self.bodies.discard(1);
                    self.send_cell(now, info, Some(&mut body), way);
                } else {
                    self.send_cell(now, info, None, way);
                }
            }
            Emission::Rm(info, rm) => {
                self.counts.inserted += 1;
                self.send_cell(now, info, Some(&mut Body::Rm(rm)), way);
            }
        }
    }

    #[inline(always)]
    fn send_cell<S: Server>(
        &mut self,
        now: Ps,
        info: Info,
        body: Option<&mut Body>,
        way: &mut Way<'_, S>,
    ) {
        self.count_sent(now, info);
        let metered = (!self.meters_arrivals()).then(|| self.rate());
        let arrival = self.arrival_of(info);
        let refused = way
            .port
            .send_from_front(now, arrival, body, metered, &mut way.out);
        if let Some(cause) = refused {
            self.note_loss(now, info, cause, way);
        }
    }

    /// The cell with the header `info` as it arrives at the output port of the channel.
    #[inline(always)]
    fn arrival_of(&self, info: Info) -> Arrival {
        Arrival {
            cell: Queued {
                info,
                ..self.arrival.cell
            },
            ..self.arrival
        }
    }

    /// Counts a sent in-rate cell in the measurement of the virtual source's rate.
    #[inline(always)]
    fn count_sent(&mut self, now: Ps, info: Info) {
        if !info.clp() {
            self.meter.count(now, info.kind() == Kind::Frm);
        }
    }

    /// Replaces the parameters of the virtual source. The state of the virtual source is kept.
    pub fn change(&mut self, abr: &AbrConfig) {
        self.source.change(abr);
    }

    /// Header bits and outgoing label (VPI/VCI) of each data cell in the channel's queue.
    pub fn held(&self) -> impl Iterator<Item = Queued> {
        self.cells.iter().map(|info| Queued {
            info: *info,
            ..self.arrival.cell
        })
    }
    /// Counts of the RM cells that the virtual source has sent and that the relay has absorbed.
    pub fn counts(&self) -> RelayCounts {
        self.counts
    }
    /// The virtual source.
    pub fn source(&self) -> &AbrSource {
        &self.source
    }
    /// Bytes allocated for the relay's queue.
    pub fn storage(&self) -> usize {
        self.cells.bytes() + self.bodies.bytes()
    }
    /// Hash over every RM cell that has ended at the relay.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

impl Allowed {
    fn mark(self, rm: &mut RmCell) {
        rm.er = rm.er.min(self.er);
        rm.ci |= self.ci;
        rm.ni |= self.ni;
    }
}
