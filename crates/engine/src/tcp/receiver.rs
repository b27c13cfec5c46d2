//! The receiving half of a connection: cumulative acknowledgements, and a store for segments that
//! arrive out of order (RFC 793, RFC 1122). Duplicate acknowledgements are sent at once, as in
//! 4.3BSD.

use alloc::boxed::Box;

use super::blocks::Blocks;
use super::closing::{ReceiverClosing, State};
use super::config::TcpConfig;
use super::echo::Echo;
use super::handshake::Handshake;
use super::intervals::Intervals;
use super::listening::Listening;
use super::segment::{OwnFin, Segment, StampedNumber};
use super::stamps::Stamping;
use super::ticks::Ticks;
use crate::kernel::Ps;

/// Result of one received segment, in bytes. Bytes counted as `held` count later as `delivered`, with the segment
/// that fills the gap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiveOutcome {
    /// Bytes that the application can now read, including bytes that waited for this segment.
    pub delivered: u64,
    /// Bytes of this segment that had arrived before; all bytes if PAWS refuses the segment (RFC
    /// 7323 5.3).
    pub duplicate: u64,
    /// Bytes of this segment that wait for missing earlier bytes.
    pub held: u64,
}

/// Counts since the start of the connection. Each payload byte that arrived is counted in exactly
/// one of `delivered_bytes`, `duplicate_bytes` and [`TcpReceiver::held_bytes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Number of segments with payload that arrived.
    pub segments: u64,
    /// Bytes delivered to the application, in order and once.
    pub delivered_bytes: u64,
    /// Bytes dropped because they had arrived before, or because PAWS refused their segment.
    pub duplicate_bytes: u64,
    /// Number of acknowledgements sent.
    pub acks_sent: u64,
}

/// A receiver whose application reads at once, so that the receive window never shrinks. The host
/// must call [`Self::poll_ack`] after each segment and timer.
#[derive(Clone, Debug)]
pub struct TcpReceiver {
    rcv_nxt: u64,
    /// Bytes that have arrived above rcv_nxt, the next expected byte.
    store: Intervals,
    /// True if acknowledgements carry SACK blocks.
    selective: bool,
    window: u32,
    delayed_ack: Option<Ticks>,
    unacknowledged: bool,
    ack_now: bool,
    /// Time at which a delayed acknowledgement, a repeated SYN-ACK or a repeated FIN must be sent.
    ack_at: Ps,
    /// State of the connection set-up; `None` without it.
    setup: Option<Box<Listening>>,
    /// State of the connection's closing; `None` without `connection_close`.
    closing: Option<Box<ReceiverClosing>>,
    /// State of the ECN reports; `None` once the connection is known to have no ECN.
    echo: Option<Box<Echo>>,
    /// State of the time stamps; `None` once the connection is known to have none.
    stamping: Option<Box<Stamping>>,
    stats: ReceiverStats,
}

impl TcpReceiver {
    /// A receiver that expects byte 0, whose clocks tick at multiples of `delayed_ack_interval` and
    /// `granularity`.
    pub fn new(config: &TcpConfig) -> TcpReceiver {
        TcpReceiver::with_phases(config, Ps::ZERO, Ps::ZERO)
    }

    /// A receiver whose clocks are shifted. `delayed_ack` is the phase of the clock of delayed acknowledgements.
    /// `timer` is the phase of the clock of time stamps and of the timers for SYN-ACK and FIN.
    pub fn with_phases(config: &TcpConfig, delayed_ack: Ps, timer: Ps) -> TcpReceiver {
        let window = config.window.0 as u32;
        TcpReceiver {
            rcv_nxt: 0,
            store: Intervals::default(),
            selective: config.recovery.is_selective(),
            window: if config.connection_setup {
                config.syn_options().scaled(window)
            } else {
                window
            },
            delayed_ack: config
                .delayed_ack
                .then(|| Ticks::new(config.delayed_ack_interval, delayed_ack)),
            unacknowledged: false,
            ack_now: false,
            ack_at: Ps::NEVER,
            setup: config
                .connection_setup
                .then(|| Box::new(Listening::new(config, timer))),
            closing: config
                .connection_close
                .then(|| Box::new(ReceiverClosing::new(config, timer))),
            echo: config
                .has_ecn()
                .then(|| Box::new(Echo::new(config.recovery.reports_each_mark()))),
            stamping: config.stamping(timer).map(Box::new),
            stats: ReceiverStats::default(),
        }
    }

    /// Processes a segment in an unmarked IP packet. A segment without payload matters only for
    /// set-up and closing.
    #[inline]
    pub fn on_segment(&mut self, now: Ps, segment: &Segment) -> ReceiveOutcome {
        self.on_packet(now, segment, segment.is_ce())
    }

    /// Processes a segment that arrived in an IP packet. `marked` is true if the packet has the mark CE.
    pub fn on_packet(&mut self, now: Ps, segment: &Segment, marked: bool) -> ReceiveOutcome {
        match *segment {
            Segment::Data {
                flags, seq, len, ..
            } if !flags.closes() => self.on_data(now, (seq, len), segment.has_cwr(), marked),
            _ => self.on_other(now, segment, marked),
        }
    }

    /// Closes the connection for the application, whatever the other end does. Without this call the application
    /// closes the connection when it has read everything. Has an effect only with `connection_close`.
    pub fn close(&mut self) {
        if let Some(closing) = &mut self.closing {
            closing.close();
            self.ack_now = true;
        }
    }
    /// State of the connection at `now`, from ESTABLISHED on; `None` without `connection_close`.
    pub fn closing_state(&self, now: Ps) -> Option<State> {
        self.closing.as_ref().map(|closing| closing.state(now))
    }

    #[inline(always)]
    fn on_data(
        &mut self,
        now: Ps,
        (seq, len): (u64, u16),
        cwr: bool,
        marked: bool,
    ) -> ReceiveOutcome {
        if self.setup.as_mut().is_some_and(|setup| setup.establish()) {
            self.ack_at = Ps::NEVER;
        }
        let (from, to) = (seq, seq + len as u64);
        // RFC 3168 6.1.5: marks of segments outside the receive window are ignored.
        if to > self.rcv_nxt
            && let Some(echo) = &mut self.echo
        {
            let waits = self.unacknowledged.then_some(self.rcv_nxt);
            self.ack_now |= echo.on_segment(marked, cwr, waits);
        }
        let in_order = from <= self.rcv_nxt && to > self.rcv_nxt && self.store.is_empty();
        let outcome = self.take(from, to);
        self.stats.segments += 1;
        self.stats.delivered_bytes += outcome.delivered;
        self.stats.duplicate_bytes += outcome.duplicate;
        // RFC 5681 4.2: a segment out of order, or one that fills a gap, is acknowledged at once.
        if in_order {
            self.schedule_ack(now)
        } else {
            self.ack_now = true
        }
        if self.closing.is_some() {
            self.on_closing_data(now);
        }
        outcome
    }

    /// Updates the state of closing after data have arrived. If all data up to the other end's FIN have arrived,
    /// they are acknowledged at once. An end in the state CLOSED does not answer.
    #[inline(never)]
    fn on_closing_data(&mut self, now: Ps) {
        let Some(closing) = &mut self.closing else {
            return;
        };
        closing.on_data(now, self.rcv_nxt);
        if closing.has_fin() {
            self.ack_now = closing.state(now) != State::Closed;
        }
    }

    /// Records that the FIN of this end is acknowledged, so that it is not sent again.
    fn on_fin_acknowledged(&mut self, now: Ps) {
        let Some(closing) = &mut self.closing else {
            return;
        };
        closing.on_fin_acknowledged(now);
        if !self.unacknowledged {
            self.ack_at = Ps::NEVER;
        }
    }

    /// Processes a segment that has time stamps, carries or acknowledges a FIN, or has no payload.
    #[inline(never)]
    fn on_other(&mut self, now: Ps, segment: &Segment, marked: bool) -> ReceiveOutcome {
        let Some((seq, len)) = segment.data_range() else {
            self.on_control(now, segment);
            return ReceiveOutcome::default();
        };
        let accepts = match (&mut self.stamping, segment.stamps()) {
            (Some(stamping), Some(stamps)) => stamping.accepts(now, stamps.value, seq),
            _ => true,
        };
        if accepts {
            if segment.acknowledges_fin() {
                self.on_fin_acknowledged(now);
            }
            if let Some(closing) = self.closing.as_mut().filter(|_| segment.has_fin()) {
                closing.note_fin(seq + len as u64);
            }
            return self.on_data(now, (seq, len), segment.has_cwr(), marked);
        }
        // RFC 7323 5.3 R1: the segment is dropped and acknowledged.
        self.ack_now = true;
        self.stats.segments += 1;
        self.stats.duplicate_bytes += len as u64;
        ReceiveOutcome {
            duplicate: len as u64,
            ..ReceiveOutcome::default()
        }
    }

    fn on_control(&mut self, now: Ps, segment: &Segment) {
        if let Some(Handshake::AckOfFin { .. }) = segment.handshake() {
            return self.on_fin_acknowledged(now);
        }
        let Some(setup) = &mut self.setup else { return };
        self.ack_now |= setup.on_control(segment);
        if segment.handshake().is_some() && !setup.agrees_to_ecn() {
            self.echo = None; // RFC 3168 6.1.1
        }
        if segment.handshake().is_some() && !setup.agrees_to_stamps() {
            self.stamping = None; // RFC 7323 3.2
        }
        if let (Some(stamping), Some(stamps)) = (&mut self.stamping, segment.stamps()) {
            stamping.accepts(now, stamps.value, 0);
        }
        if !setup.answers() && !self.unacknowledged {
            self.ack_at = Ps::NEVER;
        }
    }

    fn take(&mut self, from: u64, to: u64) -> ReceiveOutcome {
        if from > self.rcv_nxt {
            let held = self.store.insert(from, to);
            return ReceiveOutcome {
                delivered: 0,
                duplicate: to - from - held,
                held,
            };
        }
        let (before, held_before) = (self.rcv_nxt, self.store.bytes());
        self.rcv_nxt = self.store.release(self.rcv_nxt.max(to));
        let delivered = self.rcv_nxt - before;
        // `delivered` includes bytes that were in the store. These bytes are not new.
        let new = delivered - (held_before - self.store.bytes());
        ReceiveOutcome {
            delivered,
            duplicate: to - from - new,
            held: 0,
        }
    }

    /// Delays the acknowledgement of a segment until the next segment. The segment must have arrived in order,
    /// with the store of out-of-order data empty. At least every second full segment is acknowledged (RFC 1122
    /// section 4.2.3.2; RFC 5681 section 4.2).
    fn schedule_ack(&mut self, now: Ps) {
        match self.delayed_ack {
            Some(ticks) if !self.unacknowledged => {
                self.unacknowledged = true;
                self.ack_at = ticks.after(now, 1);
            }
            _ => self.ack_now = true,
        }
    }

    /// The acknowledgement or SYN-ACK that must be sent now, if any. Once this end closes, its
    /// acknowledgements carry FIN until the FIN is acknowledged.
    pub fn poll_ack(&mut self, now: Ps) -> Option<Segment> {
        if !self.ack_now {
            return None;
        }
        if self.stamping.is_some() {
            return self.poll_stamped(now);
        }
        self.poll_due(now)
    }

    /// Does the work of [`Self::poll_ack`] for a connection with time stamps.
    #[inline(never)]
    fn poll_stamped(&mut self, now: Ps) -> Option<Segment> {
        let due = self.poll_due(now)?;
        let (
            Some(stamping),
            Segment::Ack {
                ece,
                fin,
                ack,
                blocks,
                ..
            },
        ) = (&mut self.stamping, due)
        else {
            return Some(due);
        };
        Some(Segment::StampedAck {
            number: StampedNumber::new(ack, ece, fin),
            stamps: stamping.acknowledge(now, ack),
            blocks,
        })
    }

    /// The acknowledgement or SYN-ACK that must be sent now, if any. Only a SYN-ACK has its time stamps already.
    #[inline(always)]
    fn poll_due(&mut self, now: Ps) -> Option<Segment> {
        if let Some((ack, ece)) = self.echo.as_mut().and_then(|echo| echo.take_due()) {
            self.stats.acks_sent += 1;
            // Acknowledgements are delayed only while the store of out-of-order data is empty, so there are no
            // SACK blocks.
            return Some(Segment::Ack {
                ece,
                fin: OwnFin::NotYet,
                ack,
                window: self.window,
                blocks: Blocks::NONE,
            });
        }
        self.ack_now = false;
        self.unacknowledged = false;
        self.ack_at = Ps::NEVER;
        if let Some(setup) = self.setup.as_mut().filter(|setup| setup.answers()) {
            let (answer, again) =
                setup.answer(now, self.stamping.as_ref().map(|it| it.stamps(now)));
            self.ack_at = again;
            return Some(answer);
        }
        self.stats.acks_sent += 1;
        let blocks = if self.selective {
            Blocks::latest(&self.store, self.rcv_nxt)
        } else {
            Blocks::NONE
        };
        let (mut fin, mut ack) = (OwnFin::NotYet, self.rcv_nxt);
        if let Some(closing) = &mut self.closing {
            (fin, self.ack_at) = closing.own_fin(now);
            ack += closing.has_fin() as u64;
        }
        Some(Segment::Ack {
            ece: self.echo.as_mut().is_some_and(|echo| echo.take_flag()),
            fin,
            ack,
            window: self.window,
            blocks,
        })
    }

    /// Time at which the host must call [`Self::on_timer`]: the next tick while an acknowledgement
    /// is delayed, or the time to repeat the SYN-ACK or FIN.
    #[inline]
    pub fn next_timer(&self) -> Ps {
        self.ack_at
    }

    /// At the time of the timer, makes a delayed acknowledgement due, or repeats the SYN-ACK or FIN. Returns true
    /// if a SYN-ACK or FIN is repeated.
    pub fn on_timer(&mut self, now: Ps) -> bool {
        if now < self.ack_at {
            return false;
        }
        self.ack_now = true;
        self.ack_at = Ps::NEVER;
        let unanswered = self.setup.as_mut().filter(|setup| setup.answers());
        if let Some(setup) = unanswered {
            setup.on_timeout();
            return true;
        }
        let closing = self.closing.as_mut();
        let unclosed = closing.filter(|it| !self.unacknowledged && it.awaits_acknowledgement());
        unclosed.map(|closing| closing.on_timeout()).is_some()
    }
    /// True if `segment`, which [`Self::poll_ack`] has just returned, repeats an earlier segment.
    pub fn is_repetition(&self, segment: &Segment) -> bool {
        let setup = self.setup.as_ref();
        let closing = self.closing.as_ref();
        (segment.handshake().is_some() && setup.is_some_and(|setup| setup.has_repeated()))
            || (segment.has_fin() && closing.is_some_and(|closing| closing.has_repeated()))
    }

    /// Sequence number of the next expected byte. All bytes below this number have been delivered to the
    /// application.
    pub fn rcv_nxt(&self) -> u64 {
        self.rcv_nxt
    }
    /// Number of bytes that wait for missing earlier bytes.
    pub fn held_bytes(&self) -> u64 {
        self.store.bytes()
    }
    /// Counts since the start of the connection.
    pub fn stats(&self) -> &ReceiverStats {
        &self.stats
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::tcp::{DataFlags, Recovery};

    fn receiver() -> TcpReceiver {
        TcpReceiver::new(&TcpConfig::default())
    }

    fn bytes(from: u64, to: u64) -> Segment {
        Segment::data(from, (to - from) as u16)
    }

    fn outcome(delivered: u64, duplicate: u64, held: u64) -> ReceiveOutcome {
        ReceiveOutcome {
            delivered,
            duplicate,
            held,
        }
    }

    #[test]
    fn a_gap_is_filled_and_everything_behind_it_delivered_at_once() {
        let mut r = receiver();
        assert_eq!(r.on_segment(Ps(0), &bytes(20, 30)), outcome(0, 0, 10));
        assert_eq!(r.on_segment(Ps(0), &bytes(10, 20)), outcome(0, 0, 10));
        assert_eq!(r.on_segment(Ps(0), &bytes(0, 10)), outcome(30, 0, 0));
        assert_eq!(
            (r.rcv_nxt(), r.held_bytes(), r.store.as_slice().len()),
            (30, 0, 0)
        );
    }

    #[test]
    fn a_partly_duplicate_segment_is_split() {
        let mut r = receiver();
        r.on_segment(Ps(0), &bytes(0, 10));
        // Bytes 0..10 had arrived, 10..15 are new.
        assert_eq!(r.on_segment(Ps(0), &bytes(0, 15)), outcome(5, 10, 0));
        r.on_segment(Ps(0), &bytes(20, 30));
        // 18..20 and 30..32 are new, 20..30 had arrived.
        assert_eq!(r.on_segment(Ps(0), &bytes(18, 32)), outcome(0, 10, 4));
        // Bytes 15..18 are new, 18..25 had arrived before; with the new bytes, 18..32 can be delivered.
        assert_eq!(r.on_segment(Ps(0), &bytes(15, 25)), outcome(17, 7, 0));
    }

    #[test]
    fn every_segment_is_acknowledged_at_once_when_acknowledgements_are_not_delayed() {
        let mut r = receiver();
        for (from, to, ack) in [(0, 10, 10), (20, 30, 10), (20, 30, 10), (10, 20, 30)] {
            r.on_segment(Ps(5), &bytes(from, to));
            assert_eq!(r.poll_ack(Ps(5)).unwrap().ack(), ack);
            assert_eq!(r.poll_ack(Ps(5)), None);
        }
        assert_eq!(r.stats().acks_sent, 4);
    }

    #[test]
    fn only_a_selective_receiver_says_what_it_holds() {
        for recovery in [Recovery::NewReno, Recovery::Sack] {
            let mut r = TcpReceiver::new(&TcpConfig {
                recovery: recovery.clone(),
                ..TcpConfig::default()
            });
            r.on_segment(Ps(5), &bytes(10, 20));
            let ack = r.poll_ack(Ps(5)).unwrap();
            let block = (recovery == Recovery::Sack).then_some((10, 20));
            assert_eq!(
                (ack.ack(), ack.payload(), ack.blocks().above(0).next()),
                (0, 0, block)
            );
            // Delivered data are no longer reported.
            r.on_segment(Ps(6), &bytes(0, 10));
            let ack = r.poll_ack(Ps(6)).unwrap();
            assert_eq!((ack.ack(), ack.option_bytes()), (20, 0));
        }
    }

    #[test]
    fn a_delayed_acknowledgement_waits_for_the_second_segment_or_the_next_tick() {
        let mut r = TcpReceiver::new(&TcpConfig {
            delayed_ack: true,
            ..TcpConfig::default()
        });
        r.on_segment(Ps::from_ms(150), &bytes(0, 10));
        assert_eq!(
            (r.poll_ack(Ps::from_ms(150)), r.next_timer()),
            (None, Ps::from_ms(200))
        );
        r.on_segment(Ps::from_ms(160), &bytes(10, 20));
        assert_eq!(r.poll_ack(Ps::from_ms(160)).unwrap().ack(), 20);
        r.on_segment(Ps::from_ms(200), &bytes(20, 30));
        assert_eq!(r.next_timer(), Ps::from_ms(400));
        r.on_timer(Ps::from_ms(400));
        assert_eq!(r.poll_ack(Ps::from_ms(400)).unwrap().ack(), 30);
        assert_eq!(r.next_timer(), Ps::NEVER);
    }

    /// A receiver with ECN and the defaults of `recovery` gets segments of ten bytes, all at 1 ms. Each segment
    /// is given by its number, mark and CWR flag. Returns the acknowledgements, each with its number and
    /// ECN-Echo.
    fn echoes(
        recovery: Recovery,
        delayed_ack: bool,
        segments: &[(u64, bool, bool)],
    ) -> Vec<Vec<(u64, bool)>> {
        let mut r = TcpReceiver::new(&TcpConfig {
            recovery,
            delayed_ack,
            ecn: Some(true),
            ..TcpConfig::default()
        });
        let mut take = |&(number, marked, cwr): &(u64, bool, bool)| {
            let segment = Segment::Data {
                flags: if cwr {
                    DataFlags::ECT_0_CWR
                } else {
                    DataFlags::ECT_0
                },
                len: 10,
                window: 0,
                ack: 0,
                seq: number * 10,
                sent: Ps::ZERO,
            };
            r.on_packet(Ps::from_ms(1), &segment, marked);
            core::iter::from_fn(|| r.poll_ack(Ps::from_ms(1)))
                .map(|ack| (ack.ack() / 10, ack.has_ece()))
                .collect()
        };
        segments.iter().map(&mut take).collect()
    }

    #[test]
    fn marks_are_echoed_until_cwr_comes() {
        let segments = [
            (0, false, false),
            (1, true, false),
            (2, false, false),
            (3, false, true),
            // The segment with CWR is itself marked.
            (4, true, true),
            // A mark on a copy of old data does not count.
            (5, false, true),
            (1, true, false),
        ];
        let found = echoes(Recovery::NewReno, false, &segments);
        assert_eq!(
            found.concat(),
            [
                (1, false),
                (2, true),
                (3, true),
                (4, false),
                (5, true),
                (6, false),
                (6, false)
            ]
        );
    }

    #[test]
    fn a_delayed_acknowledgement_echoes_a_mark_of_either_segment_in_spite_of_cwr() {
        let segments = [
            (0, true, false),
            (1, false, true),
            (2, false, false),
            (3, false, false),
        ];
        let found = echoes(Recovery::NewReno, true, &segments);
        assert_eq!(found.concat(), [(2, true), (4, false)]);
    }

    #[test]
    fn dctcp_acknowledges_data_before_and_after_a_change_of_the_mark_apart() {
        let recovery = Recovery::Dctcp(Default::default());
        let segments = [
            // Two segments without marks; CWR has no effect.
            (0, false, false),
            (1, false, true),
            // In the following segments, the mark begins within a pair of segments, ...
            (2, false, false),
            (3, true, false),
            // ... continues, ...
            (4, true, false),
            (5, true, false),
            // ... and ends at the beginning of a pair.
            (6, false, false),
            (7, false, false),
            (8, false, false),
        ];
        let found = echoes(recovery.clone(), true, &segments);
        let expected: [&[(u64, bool)]; 9] = [
            &[],
            &[(2, false)],
            &[],
            &[(3, false), (4, true)],
            &[],
            &[(6, true)],
            &[(7, false)],
            &[],
            &[(9, false)],
        ];
        assert_eq!(found, expected);
        // Without delayed acknowledgements, each segment has its own acknowledgement.
        let found = echoes(recovery, false, &segments[2..5]);
        assert_eq!(found.concat(), [(0, false), (0, true), (0, true)]);
    }

    #[test]
    fn duplicates_and_gaps_are_never_delayed() {
        let mut r = TcpReceiver::new(&TcpConfig {
            delayed_ack: true,
            ..TcpConfig::default()
        });
        for (from, to) in [(10, 20), (10, 20), (0, 10), (0, 10)] {
            r.on_segment(Ps(0), &bytes(from, to));
            assert!(r.poll_ack(Ps(0)).is_some(), "{from}..{to}");
        }
    }

    #[test]
    fn pure_acknowledgements_are_not_acknowledged() {
        let mut r = receiver();
        let ack = Segment::Ack {
            ece: false,
            fin: OwnFin::NotYet,
            ack: 5,
            window: 100,
            blocks: Blocks::NONE,
        };
        assert_eq!(r.on_segment(Ps(0), &ack), outcome(0, 0, 0));
        assert_eq!(r.poll_ack(Ps(0)), None);
    }
}
