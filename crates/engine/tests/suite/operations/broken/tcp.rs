//! Broken ends of TCP.

use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::segment::StampedNumber;
use cellrate_engine::tcp::{
    OwnFin, ReceiveOutcome, ReceiverStats, Segment, TcpReceiver, TcpSender,
};
use proptest::prelude::*;
use serde_json::json;

use super::super::Subject;
use super::super::tcp_receiver::{Observed, Receiver, Receiving, Setting, phases};
use super::super::tcp_sender::{Sender, Sending, View, Watched};
use super::caught;

/// The faults that a broken TCP sender can have.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    NoWindow,
    NoThreshold,
    Backwards,
    HastyTimer,
    LazyTimer,
    NoTimer,
    IdleTimer,
    StuckPace,
    DropsDelayed,
    BelievesAnything,
    LeavesGaps,
    OpensWindow,
    Miscounts,
    Overlong,
}

#[derive(Clone)]
struct Faulty {
    inner: TcpSender,
    fault: Fault,
    /// A delayed segment was due.
    dropped: bool,
}

impl Sending for Faulty {
    fn supply(&mut self, bytes: u64) {
        self.inner.supply(bytes);
    }
    fn poll_segment(&mut self, now: Ps) -> Option<Segment> {
        if self.dropped {
            return None;
        }
        let mut segment = self.inner.poll_segment(now)?;
        if let Segment::Data { seq, len, .. } | Segment::StampedData { seq, len, .. } = &mut segment
        {
            match self.fault {
                Fault::LeavesGaps => *seq += 600,
                Fault::OpensWindow => (*seq, *len) = ((*seq).min(400_000), 512),
                Fault::Overlong => *len = 513,
                _ => {}
            }
        }
        Some(segment)
    }
    fn on_transmitted(&mut self, now: Ps, segment: &Segment) {
        self.inner.on_transmitted(now, segment);
    }
    fn on_ack(&mut self, now: Ps, segment: &Segment) {
        let most = self.inner.snd_max();
        let (mut segment, ack) = (*segment, segment.ack());
        if self.fault == Fault::BelievesAnything {
            match &mut segment {
                Segment::Ack { ack, .. } | Segment::Data { ack, .. } => *ack = (*ack).min(most),
                Segment::StampedAck { number, .. } => {
                    *number = StampedNumber::new(ack.min(most), false, OwnFin::NotYet);
                }
                _ => {}
            }
        }
        self.inner.on_ack(now, &segment);
    }
    fn on_timer(&mut self, now: Ps) {
        let delayed = self.inner.is_delayed();
        self.dropped |= delayed && self.fault == Fault::DropsDelayed;
        let idle = match self.fault {
            Fault::IdleTimer => true,
            Fault::StuckPace => delayed,
            _ => false,
        };
        if !idle {
            self.inner.on_timer(now);
        }
    }
    fn view(&self) -> View {
        let mut view = self.inner.view();
        match self.fault {
            Fault::NoWindow => view.cwnd = 511,
            Fault::NoThreshold => view.ssthresh = 1,
            Fault::Backwards => view.snd_nxt = view.snd_max + 1,
            Fault::HastyTimer => view.rto = Ps(1),
            Fault::LazyTimer => view.rto = Ps::from_s(1_000),
            Fault::NoTimer => view.timer = Ps::NEVER,
            Fault::Miscounts => view.stats.bytes_sent_once += 1,
            // As if the receiver had never advertised a window.
            Fault::OpensWindow => view.rwnd = 512,
            _ => {}
        }
        view
    }
}

#[test]
fn broken_senders_are_caught() {
    let expected = [
        (Fault::NoWindow, "cwnd of"),
        (Fault::NoThreshold, "ssthresh of"),
        (Fault::Backwards, "snd_nxt"),
        (Fault::HastyTimer, "below the least"),
        (Fault::LazyTimer, "above the largest"),
        (Fault::NoTimer, "a sender that waits for ever"),
        (Fault::IdleTimer, "a timer that is due and does nothing"),
        (Fault::StuckPace, "a timer without progress"),
        (Fault::DropsDelayed, "a delayed segment that is never sent"),
        (
            Fault::BelievesAnything,
            "an impossible acknowledgement had an effect",
        ),
        (Fault::LeavesGaps, "sent"),
        (Fault::OpensWindow, "sent beyond the receive window"),
        (Fault::Miscounts, "bytes sent for the first time"),
        (Fault::Overlong, "513 bytes in a segment"),
    ];
    for (fault, why) in expected {
        let paced = [Fault::StuckPace, Fault::DropsDelayed].contains(&fault);
        let settings = phases().prop_map(move |phase| Setting {
            tcp: json!({ "recovery": if paced { "bbr" } else { "reno" } }),
            phase,
        });
        caught(settings, Sender::VOCABULARY, why, |setting, operations| {
            let faulty = Faulty {
                inner: TcpSender::new(&setting.config(), setting.phase),
                fault,
                dropped: false,
            };
            let mut sender = Watched::with(faulty, setting);
            sender.supply(10_000_000);
            for operation in operations {
                sender.happen(operation);
                sender.holds();
            }
        });
    }
}

/// The faults that a broken TCP receiver can have.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lie {
    AcksMore,
    NeverAcks,
    NoTimer,
    CountsTwice,
    DeliversMore,
    HoldsMore,
}

struct Lying {
    inner: TcpReceiver,
    lie: Lie,
}

impl Receiving for Lying {
    fn on_packet(&mut self, now: Ps, segment: &Segment, marked: bool) -> ReceiveOutcome {
        let mut outcome = self.inner.on_packet(now, segment, marked);
        outcome.delivered += u64::from(self.lie == Lie::DeliversMore && segment.payload() > 0);
        outcome
    }
    fn poll_ack(&mut self, now: Ps) -> Option<Segment> {
        let mut segment = self.inner.poll_ack(now)?;
        let ack = segment.ack();
        match (self.lie, &mut segment) {
            (Lie::NeverAcks, _) => return None,
            (Lie::AcksMore, Segment::Ack { ack, .. }) => *ack += 1,
            (Lie::AcksMore, Segment::StampedAck { number, .. }) => {
                *number = StampedNumber::new(ack + 1, false, OwnFin::NotYet);
            }
            _ => {}
        }
        Some(segment)
    }
    fn next_timer(&self) -> Ps {
        if self.lie == Lie::NoTimer {
            Ps::NEVER
        } else {
            self.inner.next_timer()
        }
    }
    fn on_timer(&mut self, now: Ps) {
        self.inner.on_timer(now);
    }
    fn held_bytes(&self) -> u64 {
        self.inner.held_bytes() + u64::from(self.lie == Lie::HoldsMore)
    }
    fn stats(&self) -> ReceiverStats {
        let mut stats = *self.inner.stats();
        stats.duplicate_bytes += u64::from(self.lie == Lie::CountsTwice);
        stats
    }
}

#[test]
fn broken_receivers_are_caught() {
    let expected = [
        (Lie::AcksMore, "not what has come without a gap"),
        (Lie::NeverAcks, "a segment without acknowledgement"),
        (Lie::NoTimer, "an acknowledgement delayed for ever"),
        (Lie::CountsTwice, "a byte counted twice or never"),
        (Lie::DeliversMore, "what can be read"),
        (Lie::HoldsMore, "left == right"),
    ];
    for (lie, why) in expected {
        let settings = phases().prop_map(move |phase| Setting {
            tcp: json!({ "recovery": "sack", "delayed_ack": lie == Lie::NoTimer }),
            phase,
        });
        caught(
            settings,
            Receiver::VOCABULARY,
            why,
            |setting, operations| {
                let inner = TcpReceiver::with_phases(&setting.config(), setting.phase, Ps::ZERO);
                let mut receiver = Observed::with(Lying { inner, lie }, setting);
                for operation in operations {
                    receiver.happen(operation);
                    receiver.holds();
                }
            },
        );
    }
}
