//! Arrivals at a terminal: cells for AAL5, segments for TCP, RM cells for the ABR end system.

use super::{App, Outside, Supply, Terminal};
use crate::atm::aal5::Outcome;
use crate::atm::cell::{Body, Cell, Info, Kind, RmCell};
use crate::atm::event::What;
use crate::atm::server::Server;
use crate::kernel::Ps;
use crate::tcp::Segment;
use crate::traffic::Application;

impl Terminal {
    /// Processes a data cell without a body: the cell does not end a PDU, and carries no stamp (the time of sending,
    /// by which cell delays are measured).
    #[inline]
    pub fn receive_plain(&mut self, cell: Cell) {
        self.count_data(cell);
        self.reassembler.on_cell(cell.info);
    }

    /// Receives plain cells, all with stamps (`STAMPED`) or all without, as [`Terminal::receive`]
    /// receives one cell. Hash and reassembler stay in registers. `stamp` removes a stamp from the
    /// link. Returns the number of cells.
    #[inline(always)]
    pub fn receive_row<'a, const STAMPED: bool>(
        &mut self,
        cells: impl Iterator<Item = &'a Cell>,
        mut stamp: impl FnMut() -> Option<Ps>,
    ) -> usize {
        let (mut digest, mut reassembler) = (self.digest, self.reassembler.clone());
        let (mut bytes, mut received, mut last) = (0, 0, None);
        for cell in cells {
            // The digest (hash) must not depend on whether delays are measured, so the stamp is not hashed.
            let info = if STAMPED {
                cell.info.without_stamp()
            } else {
                cell.info
            };
            digest.add(cell.at.0 ^ (info.0 as u64) << 32);
            if STAMPED && let Some(sent) = stamp() {
                self.cell_delay.add(cell.at.0 - sent.0);
            }
            bytes += cell.info.payload() as u64;
            reassembler.on_cell(cell.info);
            last = Some(cell.info);
            received += 1;
        }
        (self.digest, self.reassembler) = (digest, reassembler);
        self.partial_bytes += bytes;
        self.counts.cells_received += received;
        self.counts.data_received += received;
        // The destination stores only the EFCI bit of the last cell.
        if let (Some(destination), Some(info)) = (&mut self.destination, last) {
            destination.on_data(info.efci());
        }
        received as usize
    }

    #[inline]
    fn count_data(&mut self, cell: Cell) {
        self.counts.cells_received += 1;
        self.counts.data_received += 1;
        self.digest.add(cell.at.0 ^ (cell.info.0 as u64) << 32);
        self.partial_bytes += cell.info.payload() as u64;
        if let Some(destination) = &mut self.destination {
            destination.on_data(cell.info.efci());
        }
    }

    /// Processes a cell with a body: an RM cell, the last cell of a PDU, or a data cell with its sending time.
    #[inline(always)]
    pub fn receive<S: Server>(&mut self, cell: Cell, body: Body, out: &mut Outside<'_, S>) {
        if let Body::Rm(rm) = body {
            self.counts.cells_received += 1;
            self.digest.add(cell.at.0 ^ (cell.info.0 as u64) << 32);
            self.receive_rm(cell.at, cell.info, rm, out);
        } else {
            // The digest (hash) must not depend on whether delays are measured, so the stamp is not hashed.
            self.count_data(Cell {
                info: cell.info.without_stamp(),
                ..cell
            });
            self.receive_marked(cell.at, cell.info, body, out);
        }
    }

    fn receive_marked<S: Server>(
        &mut self,
        now: Ps,
        info: Info,
        body: Body,
        out: &mut Outside<'_, S>,
    ) {
        match body {
            Body::Stamp(sent) => {
                self.cell_delay.add(now.0 - sent.0);
                self.reassembler.on_cell(info);
            }
            Body::Pdu(pdu) => {
                if self.stamps {
                    self.cell_delay.add(now.0 - pdu.sent.0);
                }
                let bytes = core::mem::take(&mut self.partial_bytes);
                match self.reassembler.on_eom(info, &pdu) {
                    Outcome::Delivered(segment) => {
                        self.counts.pdus_received += 1;
                        self.deliver(now, segment, out);
                    }
                    damaged @ (Outcome::Corrupt | Outcome::Errored) => {
                        self.counts.aal5_bytes += bytes;
                        self.counts.aal5_pdus += 1;
                        self.counts.errored_pdus += u64::from(damaged == Outcome::Errored);
                        self.digest.add(now.0.wrapping_add(1));
                    }
                }
            }
            Body::Rm(_) | Body::Credit(_) => {}
        }
    }

    fn deliver<S: Server>(&mut self, now: Ps, segment: Segment, out: &mut Outside<'_, S>) {
        if let Some(processing) = &mut self.processing {
            let variation = processing.stream.below(processing.variation);
            processing.busy_until = processing.busy_until.max(now) + processing.time + variation;
            processing.segments.push((processing.busy_until, segment));
            self.app_at = self.app_at.min(processing.busy_until);
            self.wake = self.wake.min(processing.busy_until);
            return;
        }
        self.now = self.now.max(now);
        self.on_segment(now, &segment, out);
        self.note_wake();
    }

    pub(super) fn on_segment<S: Server>(
        &mut self,
        now: Ps,
        segment: &Segment,
        out: &mut Outside<'_, S>,
    ) {
        match &mut self.app {
            App::Sender(sender) => {
                let event = sender.on_ack(now, segment);
                if sender.is_done() {
                    match &mut self.supply {
                        Supply::Bytes(_) => self.completed = self.completed.or(Some(now)),
                        Supply::Writes(writes) => writes.on_all_acknowledged(now),
                    }
                }
                self.note_event(now, event, out.log);
                self.send_segments(now, out);
            }
            App::Receiver(receiver) => {
                if let Some(sent) = segment.sent() {
                    self.packet_delay.add(now.0 - sent.0);
                }
                receiver.on_segment(now, segment);
                self.send_acks(now, out);
            }
            App::Router(router) => router.arrive(now, segment),
            App::Cells(_) | App::Persistent | App::Sink => {}
        }
    }

    fn receive_rm<S: Server>(&mut self, now: Ps, info: Info, rm: RmCell, out: &mut Outside<'_, S>) {
        self.digest.add(
            rm.er.to_bits() ^ rm.ccr.to_bits().rotate_left(17) ^ (rm.ci as u64) << 1 ^ rm.ni as u64,
        );
        let Some(source) = self.shaper.abr_mut() else {
            return;
        };
        self.now = self.now.max(now);
        if info.kind() == Kind::Brm {
            source.on_brm(now, &rm);
            self.acr_mean.set(now, source.acr());
            self.acr_range.set(source.acr());
        } else if let Some(destination) = &mut self.destination {
            let turned = destination.on_frm(rm);
            source.offer_brm(turned);
            if turned.ci && !rm.ci {
                let what = What::Mark { er: turned.er };
                out.log.note(now, self.channel.reverse(), what);
            }
        }
        self.note_shaper();
    }
}
