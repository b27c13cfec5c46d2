//! Transmission of cells by a terminal. Raw cells (of sources without TCP) are sent as they are generated; if
//! there is a shaper, all cells are sent as the shaper permits.

use super::{App, Outside, Shaper, Terminal};
use crate::atm::cell::{Body, Info};
use crate::atm::event::What;
use crate::atm::log::Log;
use crate::atm::observer::PduStart;
use crate::atm::port::{Arrival, OnLink, Row, RowEnd};
use crate::atm::server::{Queued, Server};
use crate::endsystem::{AbrSource, Emission};
use crate::kernel::{Extremes, Ps, TimeIntegral};
use crate::traffic::{CellSource, TakesCells};

/// Least number of cells for which sending a burst is faster than sending single cells.
const WORTH_A_ROW: u32 = 2;

/// A burst of raw cells (of a source without TCP). The result is the same as with single cells: the cells have
/// consecutive numbers, and the counters are not read during the burst.
struct BareCells<'a> {
    row: Row<'a, OnLink<'a>>,
    next: u32,
    last: Ps,
    stamps: bool,
    /// Label (VPI/VCI) of the channel's cells on its first link, and index of the channel at the port.
    to: (u32, u32),
}

impl TakesCells for BareCells<'_> {
    #[inline(always)]
    fn takes(&mut self, at: Ps) -> bool {
        let (info, _) = stamped(self.stamps, at, Info::data(self.next));
        let passes = self.row.arrive(at, &arrival(self.to.0, self.to.1, info));
        if passes {
            if self.stamps {
                self.row.stamp(at);
            }
            (self.next, self.last) = (self.next.wrapping_add(1), at);
        }
        passes
    }
}

impl Terminal {
    /// Generates raw cells until `limit`. If there is a shaper, ends at the first cell that must wait in the
    /// source queue.
    pub(super) fn run_cells<S: Server>(&mut self, limit: Ps, out: &mut Outside<'_, S>) {
        let App::Cells(cells) = &mut self.app else {
            return;
        };
        if !matches!(self.shaper, Shaper::None) {
            return self.run_shaped_cells(limit, out);
        }
        loop {
            if self.sends
                && let Some((port, out)) = &mut out.way
                && let Some(row) = port.row(out)
            {
                let mut bare = BareCells {
                    row,
                    next: self.queue.number(),
                    last: self.now,
                    stamps: self.stamps,
                    to: (self.label, self.slot),
                };
                cells.generate(limit, &mut bare);
                self.now = bare.last;
                let sent = bare.row.close();
                out.note(sent);
                self.queue.skip(sent as u64);
                self.counts.data_sent += sent as u64;
                self.counts.cells_sent += sent as u64;
            }
            let at = cells.next();
            if at >= limit {
                return;
            }
            cells.advance();
            self.now = at;
            if !self.sends {
                continue;
            }
            let info = Info::data(self.queue.next_number());
            self.counts.data_sent += 1;
            self.counts.cells_sent += 1;
            let (info, stamp) = stamped(self.stamps, at, info);
            send(out, at, (self.label, self.slot), info, stamp);
        }
    }

    /// Does the work of [`Terminal::run_cells`] for a terminal with a shaper.
    fn run_shaped_cells<S: Server>(&mut self, limit: Ps, out: &mut Outside<'_, S>) {
        while let App::Cells(cells) = &mut self.app
            && let now = cells.next()
            && now < limit
        {
            cells.advance();
            let comes_alone = cells.next() > now;
            self.now = now;
            if !self.sends {
                return;
            }
            // If no cell waits, the shaper has nothing to do before the next cell is generated.
            if comes_alone && self.passes(now, out) {
                continue;
            }
            if !self.queue.push_bare(now) {
                let what = What::Refusal { seq: None };
                out.log.note(now, self.channel, what);
            }
            return self.note_limits(now);
        }
    }

    /// Sends a raw cell at once, if no cell waits and the channel has credit. Returns false if the
    /// cell must wait.
    #[inline]
    fn passes<S: Server>(&mut self, now: Ps, out: &mut Outside<'_, S>) -> bool {
        let Shaper::Credited(source) = &mut self.shaper else {
            return false;
        };
        if !self.queue.takes_bare_at_once() || source.opportunity(now, true).is_none() {
            return false;
        }
        self.counts.data_sent += 1;
        self.counts.cells_sent += 1;
        let (info, stamp) = stamped(self.stamps, now, self.queue.pass_bare());
        send(out, now, (self.label, self.slot), info, stamp);
        true
    }

    /// Sends cells as the shaper permits, from `at` until `limit`. Returns the time of the shaper's next
    /// transmission; `None` if the application may have an event before that.
    pub(super) fn run_shaper<S: Server>(
        &mut self,
        mut at: Ps,
        limit: Ps,
        out: &mut Outside<'_, S>,
    ) -> Option<Ps> {
        while at < limit {
            if self.has_row()
                && let Some(next) = self.send_row(at, limit, out)
            {
                at = next;
                continue;
            }
            self.now = at;
            let waiting = self.data_waiting();
            let (emission, abr) = match &mut self.shaper {
                Shaper::None => return None,
                Shaper::Unshaped(source) => (source.opportunity(at, waiting), None),
                Shaper::Bucket(source) => (source.opportunity(at, waiting), None),
                Shaper::Credited(source) => (source.opportunity(at, waiting), None),
                Shaper::Abr(source) => (source.opportunity(at, waiting), Some(&**source)),
                Shaper::Split(source) => (source.opportunity(at, waiting), Some(source.rm())),
            };
            if let Some(source) = abr {
                note_acr(at, source, (&mut self.acr_mean, &mut self.acr_range));
            }
            match emission {
                Some(Emission::Data) => {
                    if self.send_data(at, out) {
                        return None;
                    }
                }
                Some(Emission::Rm(info, rm)) => {
                    self.counts.cells_sent += 1;
                    let to = (self.label, self.slot);
                    send_with(out, at, to, info, &mut Body::Rm(rm));
                }
                None => return None,
            }
            at = self.shaper_wake();
        }
        Some(at)
    }

    /// True if [`Terminal::send_row`] may find cells to send.
    #[inline(always)]
    pub(super) fn has_row(&self) -> bool {
        matches!(self.shaper, Shaper::Abr(_)) && self.queue.cells_before_last() >= WORTH_A_ROW
    }

    /// Sends a burst of cells of one PDU, except its last cell, from `at` until `limit`. The burst
    /// ends when the next cell is an RM cell, or when the port must check a cell. Returns the time
    /// of the shaper's next transmission; `None`, with nothing changed, if there is no cell to
    /// send.
    ///
    /// The cells are the cells that [`Terminal::run_shaper`] would send. No cell of the burst empties the queue,
    /// and neither TCP nor an observer acts on these cells.
    #[inline(always)]
    pub(super) fn send_row<S: Server>(
        &mut self,
        at: Ps,
        limit: Ps,
        out: &mut Outside<'_, S>,
    ) -> Option<Ps> {
        let (Shaper::Abr(source), false) = (&self.shaper, S::OBSERVED) else {
            return None;
        };
        if !source.sends_plainly(at) {
            return None;
        }
        let (port, out) = out.way.as_mut()?;
        let mut row = port.row(out)?;
        let next = self.fill(&mut row, at, limit);
        let sent = row.close();
        out.note(sent);
        self.counts.data_sent += sent as u64;
        self.counts.cells_sent += sent as u64;
        (sent > 0).then_some(next)
    }

    /// Sends the cells of [`Terminal::send_row`]. Returns the time of the shaper's next
    /// transmission.
    #[inline(always)]
    pub(super) fn fill<E: RowEnd>(&mut self, row: &mut Row<'_, E>, at: Ps, limit: Ps) -> Ps {
        let at = self.fill_apart(row, at, limit).unwrap_or(at);
        self.fill_one_by_one(row, at, limit)
    }

    /// Sends the first cells of [`Terminal::fill`] while they follow at a steady rate and each finds the line
    /// free. Returns the time of the shaper's next transmission; `None` if no cell was sent. ACR does not change
    /// in this time.
    #[inline(always)]
    fn fill_apart<E: RowEnd>(&mut self, row: &mut Row<'_, E>, at: Ps, limit: Ps) -> Option<Ps> {
        let Shaper::Abr(source) = &mut self.shaper else {
            return None;
        };
        let mut steady = source.steady(at)?;
        let room = row.room_apart(at, steady.interval());
        let limit = limit.min(steady.until());
        let most = self.queue.cells_before_last().min(steady.most()).min(room);
        let mut pdu = self.queue.row()?;
        while steady.sent() < most && steady.next() < limit {
            let at = steady.next();
            let (info, _) = stamped(self.stamps, at, pdu.pop(at));
            let label = self.label;
            row.arrive_apart(at, Queued { label, info });
            if self.stamps {
                row.stamp(at);
            }
            steady.send();
        }
        let sent = steady.sent();
        pdu.close(sent);
        let (last, next) = steady.close()?;
        row.note_apart(sent, last);
        self.now = last;
        Some(next)
    }

    /// Sends the remaining cells of [`Terminal::fill`] one by one.
    #[inline(always)]
    fn fill_one_by_one<E: RowEnd>(&mut self, row: &mut Row<'_, E>, mut at: Ps, limit: Ps) -> Ps {
        let Shaper::Abr(source) = &mut self.shaper else {
            return at;
        };
        for _ in 0..self.queue.cells_before_last() {
            if at >= limit || !source.sends_plainly(at) || !row.admits(at) {
                break;
            }
            source.send_plainly(at);
            note_acr(at, source, (&mut self.acr_mean, &mut self.acr_range));
            let Some(info) = self.queue.pop_of_pdu(at) else {
                unreachable!("a row is no longer than its PDU");
            };
            let (info, _) = stamped(self.stamps, at, info);
            row.arrive(at, &arrival(self.label, self.slot, info));
            if self.stamps {
                row.stamp(at);
            }
            self.now = at;
            at = source.next_wake(true).max(at);
        }
        at
    }

    /// Sends a data cell. Returns true if a timer of TCP may have changed.
    fn send_data<S: Server>(&mut self, at: Ps, out: &mut Outside<'_, S>) -> bool {
        let info = match self.app {
            App::Persistent => Info::data(self.queue.next_number()),
            App::Cells(_) => self.queue.pop_bare(at),
            _ => {
                if S::OBSERVED {
                    self.tell_observer(at, out.log);
                }
                match self.queue.pop(at) {
                    Some(info) => info,
                    None => return true,
                }
            }
        };
        // A persistent source is always limited by its rate; sending a cell does not change this.
        if self.queue.cells() == 0 && !matches!(self.app, App::Persistent) {
            self.note_limits(at);
        }
        self.counts.data_sent += 1;
        self.counts.cells_sent += 1;
        if !info.is_eom() {
            let (info, stamp) = stamped(self.stamps, at, info);
            send(out, at, (self.label, self.slot), info, stamp);
            return false;
        }
        let pdu = self.queue.pop_pdu(at);
        self.counts.pdus_sent += 1;
        let transmitted = if let App::Sender(sender) = &mut self.app {
            sender.on_transmitted(at, &pdu.segment);
            true
        } else {
            false
        };
        send_with(out, at, (self.label, self.slot), info, &mut Body::Pdu(pdu));
        transmitted
    }

    /// If the next cell is the first cell of a PDU, reports this PDU to the observer, if there is one.
    fn tell_observer(&mut self, at: Ps, log: &mut Log) {
        if let (Some(tap), Some((segment, first, cells, sent))) =
            (&mut log.tap, self.queue.beginning())
        {
            tap.pdus.push(PduStart {
                at,
                channel: self.channel,
                first,
                cells,
                sent,
                segment,
            });
        }
    }
}

/// Adds ACR to its statistics if ACR has changed at `at`. ACR changes with a forward RM cell; a user-defined rate
/// law may change ACR with any cell.
#[inline(always)]
fn note_acr(at: Ps, source: &AbrSource, (mean, range): (&mut TimeIntegral, &mut Extremes)) {
    if source.acr_changed_at() == at {
        mean.set(at, source.acr());
        range.set(source.acr());
    }
}

/// A data cell and, if cell delays are measured (`stamps`), its sending time.
#[inline]
fn stamped(stamps: bool, at: Ps, info: Info) -> (Info, Option<Ps>) {
    if stamps {
        (info.with_body(), Some(at))
    } else {
        (info, None)
    }
}

/// A cell for the port of an end system, which has no control scheme.
#[inline]
fn arrival(label: u32, slot: u32, info: Info) -> Arrival {
    Arrival {
        slot,
        control_slot: 0,
        queue: 0,
        controlled: false,
        cell: Queued { label, info },
    }
}

/// Sends a data cell that does not end a PDU. `to` is the label (VPI/VCI) of the cell, and the index of its channel at
/// the port.
#[inline]
fn send<S: Server>(
    out: &mut Outside<'_, S>,
    at: Ps,
    to: (u32, u32),
    info: Info,
    stamp: Option<Ps>,
) {
    let arrival = arrival(to.0, to.1, info);
    let alone = out.alone;
    let Some((port, out)) = &mut out.way else {
        return;
    };
    // All cells that the terminal sends at one instant join one queue. So the order of the first cell's service
    // start and the second cell's arrival does not matter.
    if alone && stamp.is_none() && port.takes(at, 0) {
        // The host examines its port afterwards in any case, so the result is not needed.
        port.arrive_alone(at, arrival, out);
        return;
    }
    // The port of an end system has no queue limit: excess cells wait in the source queue.
    if port.arrive_express(at, &arrival, out) {
        if let Some(sent) = stamp {
            out.link.push_stamp(sent);
        }
        return;
    }
    port.arrive(at, arrival, stamp.map(Body::Stamp).as_mut(), out);
}

/// Sends a cell that has a [`Body`], such as an RM cell or the last cell of a PDU. `to` is the label (VPI/VCI) of the
/// cell, and the index of its channel at the port.
#[inline]
fn send_with<S: Server>(
    out: &mut Outside<'_, S>,
    at: Ps,
    to: (u32, u32),
    info: Info,
    body: &mut Body,
) {
    if let Some((port, out)) = &mut out.way {
        port.arrive(at, arrival(to.0, to.1, info), Some(body), out);
    }
}
