//! Closing at the end that sends the data (RFC 9293 section 3.6). The segment with the last byte
//! carries the FIN, as if the application closed directly after its last write. The FIN is
//! retransmitted together with the last byte.

use super::{TcpEvent, TcpSender};
use crate::kernel::Ps;
use crate::tcp::closing::{Closing, State};
use crate::tcp::handshake::Handshake;
use crate::tcp::segment::{DataFlags, Segment};

/// State of the closing at the sender.
#[derive(Clone, Debug)]
pub(super) struct SenderClosing {
    states: Closing,
    /// Sequence number of the sender's FIN, the end of the data; `None` until the application has
    /// closed the connection.
    fin: Option<u64>,
    /// True if the FIN of the other end must be acknowledged.
    ack_due: bool,
}

impl SenderClosing {
    /// State of a connection that neither end has closed.
    pub fn new() -> SenderClosing {
        SenderClosing {
            states: Closing::new(),
            fin: None,
            ack_due: false,
        }
    }
}

impl TcpSender {
    /// State of the connection at `now`, from ESTABLISHED on; `None` without `connection_close`.
    pub fn closing_state(&self, now: Ps) -> Option<State> {
        self.closing
            .as_ref()
            .map(|closing| closing.states.state(now))
    }

    /// Closes the connection: the application supplies no further data.
    pub(super) fn close(&mut self) {
        let end = self.withheld.unwrap_or(self.snd_end);
        if let Some(closing) = &mut self.closing {
            closing.fin = Some(end);
        }
    }

    /// Adds FIN and the acknowledgement of the other end's FIN to the `flags` of a segment that
    /// ends at `end`. Returns the flags and the acknowledgement number.
    #[inline(never)]
    pub(super) fn closing_flags(&mut self, mut flags: DataFlags, end: u64) -> (DataFlags, u64) {
        let Some(closing) = &mut self.closing else {
            return (flags, 0);
        };
        if closing.fin == Some(end) {
            closing.states.on_fin_sent();
            flags = flags.with(DataFlags::FIN);
        }
        if closing.states.has_fin() {
            flags = flags.with(DataFlags::ACKS_FIN);
        }
        (flags, closing.states.has_fin() as u64)
    }

    /// The acknowledgement of the other end's FIN, if it must be sent now.
    pub(super) fn poll_closing(&mut self, now: Ps) -> Option<Segment> {
        let closing = self.closing.as_mut()?;
        if !core::mem::take(&mut closing.ack_due) {
            return None;
        }
        let has_sent_fin = closing.fin == Some(self.snd_max);
        let ack = Handshake::AckOfFin {
            seq: self.snd_max + has_sent_fin as u64,
        };
        Some(Segment::setup(ack, self.rcv_window, now, self.stamps(now)))
    }

    /// Processes an acknowledgement of a connection that may be closed. The acknowledgement number may count the
    /// sender's FIN, and the segment may carry the other end's FIN. An end in the state CLOSED ignores both.
    #[inline(never)]
    pub(super) fn on_closing_ack(&mut self, now: Ps, segment: &Segment) -> Option<TcpEvent> {
        let mut ack = *segment;
        let closing = self.closing.as_mut()?;
        let fin = closing.fin.filter(|fin| *fin == self.snd_max);
        if let Some(fin) = fin.filter(|fin| segment.ack() == fin + 1) {
            closing.states.on_fin_acknowledged(now);
            ack = segment.acknowledging(fin);
        }
        if segment.has_fin() {
            closing.states.on_fin(now);
            closing.ack_due = closing.states.state(now) != State::Closed;
            if ack.ack() <= self.snd_una {
                return None; // RFC 5681 section 2: a segment with FIN is not a duplicate acknowledgement
            }
        }
        self.on_ack_of_data(now, &ack)
    }
}
