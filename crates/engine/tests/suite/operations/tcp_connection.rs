//! Both ends of a TCP connection, and a network between them that loses, repeats and reorders
//! segments at random. Acknowledged data has arrived, and once the network loses nothing any more
//! everything arrives.

use std::collections::VecDeque;

use cellrate_engine::kernel::{Digest, Ps};
use cellrate_engine::tcp::{Segment, TcpReceiver, TcpSender};
use proptest::prelude::*;

use super::Subject;
use super::drawing::Kind;
use super::operation::{END, Operation, Supply};
use super::tcp_receiver::{Receiver, Setting, settings};
use super::tcp_sender::Sender;

/// Largest number of segments and timers until the end must be reached, and of bytes per segment to
/// be sent.
const MOST_ROUNDS: usize = 3_000;

/// A connection: both ends and the segments between them.
pub struct Connection {
    sender: Sender,
    receiver: Receiver,
    /// Segments and acknowledgements on the way.
    forward: VecDeque<Segment>,
    backward: VecDeque<Segment>,
    mss: u64,
    now: Ps,
}

impl Connection {
    /// Lets time pass up to `until`, with every timer of both ends.
    fn advance(&mut self, until: Ps) {
        if let Some(ack) = self.receiver.advance(until) {
            self.backward.push_back(ack);
        }
        self.sender.advance(until);
        self.now = until;
    }

    fn send(&mut self) -> bool {
        let Some(segment) = self.sender.poll() else {
            return false;
        };
        self.sender.transmitted(self.now, &segment);
        self.forward.push_back(segment);
        true
    }

    /// Lets the first segment on the way arrive, or be lost.
    fn arrive(&mut self, backward: bool, lost: bool) -> bool {
        let way = if backward {
            &mut self.backward
        } else {
            &mut self.forward
        };
        let Some(segment) = way.pop_front() else {
            return false;
        };
        match (lost, backward) {
            (true, _) => {}
            (false, true) => self.sender.hear(self.now, &segment),
            (false, false) => self.backward.extend(self.receiver.take(
                self.now,
                segment.sequence().unwrap(),
                segment.payload(),
            )),
        }
        true
    }

    /// Performs one step of a network that loses nothing.
    fn behave(&mut self) {
        if !(self.arrive(true, false) || self.arrive(false, false) || self.send()) {
            let timer = self.sender.view().timer.min(self.receiver.next_timer());
            assert!(
                timer.is_scheduled(),
                "a connection that waits for ever: {:?}",
                self.sender.view()
            );
            self.advance(timer.max(self.now));
        }
    }
}

impl Subject for Connection {
    type Setting = Setting;
    const NAME: &'static str = "tcp-connection";
    const VOCABULARY: &'static [(u32, Kind)] = &[
        (2, Kind::Pass),
        (4, Kind::Serve),
        (8, Kind::Way),
        (1, Kind::Supply),
    ];

    /// Settings of a connection without time stamps. Segments wait for months here, longer than half of the
    /// numbers of a stamp last, and PAWS would refuse them for as long (RFC 7323 section 5.5).
    fn settings() -> BoxedStrategy<Setting> {
        let unstamped = |mut setting: Setting| {
            let tcp = setting.tcp.as_object_mut().expect("a table");
            tcp.remove("timestamps");
            setting
        };
        settings().prop_map(unstamped).boxed()
    }

    fn new(setting: &Setting) -> Self {
        let config = setting.config();
        let mut sender = Sender::with(TcpSender::new(&config, setting.phase), setting);
        sender.supply(20 * config.mss.0);
        Connection {
            sender,
            receiver: Receiver::with(
                TcpReceiver::with_phases(&config, setting.phase, Ps::ZERO),
                setting,
            ),
            forward: VecDeque::new(),
            backward: VecDeque::new(),
            mss: config.mss.0,
            now: Ps::ZERO,
        }
    }

    fn apply(&mut self, operation: &Operation) {
        match *operation {
            Operation::Pass(span) => {
                let timer = self.sender.view().timer.min(self.receiver.next_timer());
                self.advance(span.from(self.now, timer));
            }
            // Limits the number of bytes, so that the rounds suffice.
            Operation::Supply(Supply::Bytes(bytes)) => {
                self.sender.supply(u64::from(bytes) % (20 * self.mss) + 1)
            }
            Operation::Serve(segments) => (0..segments).for_each(|_| _ = self.send()),
            Operation::Arrive {
                backward,
                count,
                lost,
            } => (0..count).for_each(|_| _ = self.arrive(backward, lost)),
            Operation::Reorder { backward } => {
                let way = if backward {
                    &mut self.backward
                } else {
                    &mut self.forward
                };
                if way.len() > 1 {
                    way.swap(0, 1);
                }
            }
            Operation::Duplicate { backward } => {
                let way = if backward {
                    &mut self.backward
                } else {
                    &mut self.forward
                };
                way.extend(way.front().copied());
            }
            _ => {}
        }
    }

    fn check(&self) {
        self.sender.holds();
        self.receiver.holds();
        let view = self.sender.view();
        let missing = self.receiver.missing();
        assert!(
            view.snd_una <= missing,
            "{} is acknowledged, {missing} has not come",
            view.snd_una
        );
        assert!(missing <= view.snd_max);
    }

    fn finish(&mut self) {
        for _ in 0..MOST_ROUNDS {
            // Timers of months reach the end of the clock.
            if self.sender.view().done || self.now > Ps(END.0 / 4) {
                return;
            }
            self.behave();
            self.check();
        }
        panic!("not everything has arrived: {:?}", self.sender.view());
    }

    fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        digest.add(self.sender.hash());
        digest.add(self.receiver.hash());
        digest.value()
    }
}
