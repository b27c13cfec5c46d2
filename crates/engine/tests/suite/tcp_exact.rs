//! Sender and receiver over a small channel that loses, duplicates and delays: every byte arrives
//! exactly once, in order, and is counted exactly.

use std::collections::BTreeMap;

use crate::support::repeatable::repeatable;
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::tcp::{
    ReceiveOutcome, Recovery, Segment, TcpConfig, TcpEvent, TcpReceiver, TcpSender,
};
use proptest::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    ToReceiver,
    ToSender,
    Transmitted,
}

/// Arrival times of the copies of one segment.
type Fate = Vec<Ps>;

/// A segment as the sender sent it.
type Sent = (Ps, u64, u32);

struct Channel<F> {
    fate: F,
    transmission: Ps,
    pending: BTreeMap<(Ps, u64), (Event, Segment)>,
    scheduled: u64,
    forward: u64,
    backward: u64,
    payload_in: u64,
    payload_out: u64,
    payload_lost: u64,
    payload_copied: u64,
}

impl<F: FnMut(Event, u64) -> Fate> Channel<F> {
    fn new(fate: F) -> Self {
        Channel {
            fate,
            transmission: Ps::from_ms(13),
            pending: BTreeMap::new(),
            scheduled: 0,
            forward: 0,
            backward: 0,
            payload_in: 0,
            payload_out: 0,
            payload_lost: 0,
            payload_copied: 0,
        }
    }

    fn schedule(&mut self, at: Ps, event: Event, segment: Segment) {
        self.pending.insert((at, self.scheduled), (event, segment));
        self.scheduled += 1;
    }

    fn put(&mut self, now: Ps, event: Event, segment: Segment) {
        let count = if event == Event::ToReceiver {
            &mut self.forward
        } else {
            &mut self.backward
        };
        let copies = (self.fate)(event, *count);
        *count += 1;
        let len = segment.payload() as u64;
        self.payload_in += len;
        match copies.len() as u64 {
            0 => self.payload_lost += len,
            n => self.payload_copied += (n - 1) * len,
        }
        for delay in copies {
            self.schedule(now + delay, event, segment);
        }
    }

    fn next(&self) -> Ps {
        self.pending.keys().next().map_or(Ps::NEVER, |key| key.0)
    }

    fn take(&mut self, now: Ps) -> Option<(Event, Segment)> {
        let entry = self
            .pending
            .first_entry()
            .filter(|entry| entry.key().0 <= now)?;
        let (event, segment) = entry.remove();
        self.payload_out += if event == Event::ToReceiver {
            segment.payload() as u64
        } else {
            0
        };
        Some((event, segment))
    }
}

/// The receiver as a set of bytes.
struct ByteModel {
    arrived: Vec<bool>,
    prefix: usize,
}

impl ByteModel {
    fn take(&mut self, segment: &Segment) -> ReceiveOutcome {
        let (from, to) = (
            segment.sequence().unwrap() as usize,
            segment.sequence().unwrap() as usize + segment.payload() as usize,
        );
        let in_order = from <= self.prefix;
        let duplicate = self.arrived[from..to]
            .iter()
            .filter(|arrived| **arrived)
            .count();
        self.arrived[from..to].fill(true);
        let before = self.prefix;
        while self.arrived.get(self.prefix) == Some(&true) {
            self.prefix += 1;
        }
        let held = if in_order { 0 } else { to - from - duplicate };
        ReceiveOutcome {
            delivered: (self.prefix - before) as u64,
            duplicate: duplicate as u64,
            held: held as u64,
        }
    }
}

struct Transfer<F> {
    now: Ps,
    sender: TcpSender,
    receiver: TcpReceiver,
    model: ByteModel,
    channel: Channel<F>,
    config: TcpConfig,
    sent: Vec<Sent>,
    events: Vec<TcpEvent>,
    /// Passes the time to the function that decides the fate of segments.
    clock: Option<std::rc::Rc<std::cell::Cell<Ps>>>,
}

impl<F: FnMut(Event, u64) -> Fate> Transfer<F> {
    fn new(config: &TcpConfig, phase: Ps, capacity: u64, fate: F) -> Self {
        assert_eq!(config.validate(), Ok(()));
        Transfer {
            now: Ps(1),
            sender: TcpSender::new(config, phase),
            receiver: TcpReceiver::new(config),
            model: ByteModel {
                arrived: vec![false; capacity as usize],
                prefix: 0,
            },
            channel: Channel::new(fate),
            config: config.clone(),
            sent: Vec::new(),
            events: Vec::new(),
            clock: None,
        }
    }

    /// Sends `bytes` and runs until all is acknowledged and the channel is empty.
    fn send(&mut self, bytes: u64) {
        self.sender.open();
        self.sender.supply(bytes);
        for _ in 0..1_000_000 {
            self.flush();
            self.check_sender();
            let next = self
                .channel
                .next()
                .min(self.sender.next_timer())
                .min(self.receiver.next_timer());
            if !next.is_scheduled() {
                assert!(self.sender.is_done(), "stuck at {:?}", self.sender);
                return;
            }
            self.now = next;
            if let Some(clock) = &self.clock {
                clock.set(next);
            }
            self.step();
        }
        panic!("the transfer does not end");
    }

    fn step(&mut self) {
        match self.channel.take(self.now) {
            Some((Event::ToReceiver, segment)) => {
                let outcome = self.receiver.on_segment(self.now, &segment);
                let is_data = segment.payload() > 0;
                assert_eq!(
                    outcome,
                    if is_data {
                        self.model.take(&segment)
                    } else {
                        ReceiveOutcome::default()
                    }
                );
            }
            Some((Event::ToSender, segment)) => {
                self.events.extend(self.sender.on_ack(self.now, &segment))
            }
            Some((Event::Transmitted, segment)) => self.sender.on_transmitted(self.now, &segment),
            None => {
                let delayed = self.sender.is_delayed() && self.sender.next_timer() == self.now;
                let event = self.sender.on_timer(self.now);
                assert!(
                    !delayed
                        || event.is_some()
                        || self.sender.clone().poll_segment(self.now).is_some(),
                    "a delayed segment is not sent: {:?}",
                    self.sender
                );
                self.events.extend(event);
                self.receiver.on_timer(self.now);
            }
        }
    }

    fn flush(&mut self) {
        while let Some(segment) = self.sender.poll_segment(self.now) {
            if segment.payload() > 0 {
                assert!(self.sender.is_open());
                self.sent
                    .push((self.now, segment.sequence().unwrap(), segment.payload()));
            }
            self.channel.put(self.now, Event::ToReceiver, segment);
            self.channel.schedule(
                self.now + self.channel.transmission,
                Event::Transmitted,
                segment,
            );
        }
        while let Some(ack) = self.receiver.poll_ack(self.now) {
            self.channel.put(self.now, Event::ToSender, ack);
        }
    }

    fn check_sender(&self) {
        let s = &self.sender;
        assert!(s.snd_una() <= s.snd_nxt() && s.snd_nxt() <= s.snd_max());
        assert!(s.bytes_in_flight() <= self.config.window.0);
        assert!(s.cwnd() >= self.config.mss.0 && s.rto() > Ps::ZERO);
        let waits = self.config.rtt_excludes_transmission
            && self
                .channel
                .pending
                .values()
                .any(|(event, _)| *event == Event::Transmitted);
        let (timed, outstanding) = (
            s.next_timer().is_scheduled(),
            s.bytes_in_flight() > 0 || !s.is_open(),
        );
        if s.is_delayed() {
            assert!(s.next_timer() > self.now && !s.is_done(), "{s:?}");
        } else {
            assert!(timed == outstanding || (waits && !timed), "{s:?}");
        }
        assert!(s.snd_una() <= self.receiver.rcv_nxt());
    }

    fn check_balance(&self, bytes: u64) {
        let (sent, got, c) = (self.sender.stats(), self.receiver.stats(), &self.channel);
        assert_eq!(got.delivered_bytes, bytes);
        assert_eq!(self.receiver.rcv_nxt(), bytes);
        assert_eq!(self.receiver.held_bytes(), 0);
        assert_eq!(sent.bytes_sent_once, bytes);
        assert_eq!(
            sent.bytes_sent_once + sent.bytes_retransmitted,
            c.payload_in
        );
        assert_eq!(
            c.payload_in - c.payload_lost + c.payload_copied,
            c.payload_out
        );
        assert_eq!(c.payload_out, got.delivered_bytes + got.duplicate_bytes);
        assert_eq!(sent.segments_sent, self.sent.len() as u64);
        let timeouts = self.events.iter().filter(|event| {
            matches!(
                event,
                TcpEvent::Timeout { .. } | TcpEvent::SynTimeout { .. }
            )
        });
        let timeouts = timeouts.count() as u64;
        assert_eq!(
            (sent.timeouts, sent.fast_retransmits),
            (timeouts, self.events.len() as u64 - timeouts)
        );
    }
}

/// A random generator (SplitMix64) that does not depend on the engine's generator.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % n
    }
}

/// Loses `loss` and copies `copy` percent of all segments and delays each copy by up to `jitter`.
fn noisy(seed: u64, loss: u64, copy: u64, jitter: Ps) -> impl FnMut(Event, u64) -> Fate {
    let mut random = Random(seed);
    move |_, _| {
        let copies = if random.below(100) < loss {
            0
        } else {
            1 + (random.below(100) < copy) as usize
        };
        (0..copies)
            .map(|_| Ps::from_ms(20) + Ps(random.below(jitter.0 + 1)))
            .collect()
    }
}

/// Loses the data segments with the given numbers of transmission; 50 ms each way.
fn losing(lost: &[u64]) -> impl FnMut(Event, u64) -> Fate + '_ {
    move |event, n| match event {
        Event::ToReceiver if lost.contains(&n) => vec![],
        _ => vec![Ps::from_ms(50)],
    }
}

fn configs() -> impl Strategy<Value = TcpConfig> {
    let flags = any::<[bool; 5]>();
    let granularity = prop_oneof![Just(100_000), Just(10_000_000), Just(500_000_000u64)];
    (300u64..1_000, 1u64..40, 1u32..5, granularity, flags).prop_map(
        |(mss, windows, initial_window, ns, flags)| {
            let [
                delayed_ack,
                restore_snd_nxt,
                net3_increment,
                rtt_excludes_transmission,
                connection_setup,
            ] = flags;
            TcpConfig {
                mss: Bytes(mss),
                window: Bytes(mss * windows + 17),
                initial_window,
                granularity: Ps::from_ns(ns),
                min_rto: Ps::from_ms(100),
                delayed_ack,
                restore_snd_nxt,
                net3_increment,
                rtt_excludes_transmission,
                connection_setup,
                ..TcpConfig::default()
            }
        },
    )
}

proptest! {
    #![proptest_config(repeatable(64))]

    #[test]
    fn every_byte_arrives_once_in_order_under_every_policy(
        config in configs(),
        seed: u64,
        loss in 0u64..30,
        copy in 0u64..20,
        jitter_ms in 0u64..80,
        bytes in 1u64..30_000,
        phase: u64,
    ) {
        for recovery in Recovery::ALL.iter().cloned() {
            let config = TcpConfig { recovery, ..config.clone() };
            let fate = noisy(seed, loss, copy, Ps::from_ms(jitter_ms));
            let mut transfer = Transfer::new(&config, Ps(phase), bytes, fate);
            transfer.send(bytes / 2);
            transfer.send(bytes - bytes / 2);
            transfer.check_balance(bytes);
        }
    }

    #[test]
    fn nothing_is_sent_twice_without_loss_or_reordering(config in configs(), bytes in 1u64..60_000) {
        for recovery in Recovery::ALL.iter().cloned() {
            let config = TcpConfig { recovery, min_rto: Ps::from_s(1), ..config.clone() };
            let mut transfer = Transfer::new(&config, Ps::ZERO, bytes, losing(&[]));
            transfer.send(bytes);
            transfer.check_balance(bytes);
            prop_assert_eq!(transfer.sender.stats().bytes_retransmitted, 0);
        }
    }
}

/// A path of 50 ms on which the segments that are sent from 0.7 to 1.5 s all wait until 1.5 s, longer than
/// the timeout of 0.5 s, and shorter than the next. F-RTO sends the oldest segment again, and no other.
#[test]
fn after_a_pause_of_the_network_frto_sends_one_segment_again() {
    let copies = |frto, recovery: &Recovery| {
        let config = TcpConfig {
            recovery: recovery.clone(),
            granularity: Ps::from_ms(10),
            min_rto: Ps::from_ms(500),
            frto,
            ..TcpConfig::default()
        };
        let bytes = 400 * config.mss.0;
        let now = std::rc::Rc::new(std::cell::Cell::new(Ps::ZERO));
        let clock = now.clone();
        let fate = move |event, _| {
            let pauses = (Ps::from_ms(700)..Ps::from_ms(1_500)).contains(&clock.get());
            let end = Ps::from_ms(1_500);
            if pauses && event == Event::ToReceiver {
                vec![end.saturating_sub(clock.get())]
            } else {
                vec![Ps::from_ms(50)]
            }
        };
        let mut transfer = Transfer::new(&config, Ps::ZERO, bytes, fate);
        transfer.clock = Some(now);
        transfer.send(bytes);
        transfer.check_balance(bytes);
        let stats = *transfer.sender.stats();
        assert_eq!(stats.spurious_timeouts > 0, frto, "{}", recovery.name());
        stats.segments_retransmitted
    };
    for recovery in [
        Recovery::Tahoe,
        Recovery::Reno,
        Recovery::NewReno,
        Recovery::Sack,
    ] {
        let (with, without) = (copies(true, &recovery), copies(false, &recovery));
        assert!(
            with == 1 && without > 5,
            "{}: {with}, {without}",
            recovery.name()
        );
    }
}

/// Figure 8.2 of Kalyanaraman's thesis: packets 1 and 2 are lost, 3 and 4 are held.
#[test]
fn after_a_timeout_a_held_packet_arrives_a_second_time_as_a_duplicate() {
    const MSS: u64 = 512;
    let config = TcpConfig {
        recovery: Recovery::TimeoutOnly,
        initial_window: 4,
        ..TcpConfig::default()
    };
    let mut s = TcpSender::new(&config, Ps::ZERO);
    let mut r = TcpReceiver::new(&config);
    s.supply(4 * MSS);
    let drain =
        |s: &mut TcpSender, now| std::iter::from_fn(|| s.poll_segment(now)).collect::<Vec<_>>();
    let packets = |sent: &[Segment]| {
        sent.iter()
            .map(|p| p.sequence().unwrap() / MSS + 1)
            .collect::<Vec<_>>()
    };

    let sent = drain(&mut s, Ps(1));
    assert_eq!(packets(&sent), [1, 2, 3, 4]);
    for packet in &sent[2..] {
        assert_eq!(
            r.on_segment(Ps(2), packet),
            ReceiveOutcome {
                held: MSS,
                ..Default::default()
            }
        );
        // Duplicate acknowledgements request packet 1.
        assert_eq!(s.on_ack(Ps(3), &r.poll_ack(Ps(2)).unwrap()), None);
    }
    assert_eq!(drain(&mut s, Ps(3)), []);

    let timeout = s.next_timer();
    s.on_timer(timeout);
    assert_eq!((s.cwnd(), s.ssthresh()), (MSS, 2 * MSS));
    let sent = drain(&mut s, timeout);
    assert_eq!(packets(&sent), [1]);
    assert_eq!(r.on_segment(timeout, &sent[0]).delivered, MSS);
    s.on_ack(timeout, &r.poll_ack(timeout).unwrap());

    let sent = drain(&mut s, timeout);
    assert_eq!((s.cwnd(), packets(&sent)), (2 * MSS, vec![2, 3]));
    assert_eq!(r.on_segment(timeout, &sent[0]).delivered, 3 * MSS);
    assert_eq!(r.poll_ack(timeout).unwrap().ack() / MSS + 1, 5);
    let second_copy = r.on_segment(timeout, &sent[1]);
    assert_eq!(
        second_copy,
        ReceiveOutcome {
            duplicate: MSS,
            ..Default::default()
        }
    );
    assert_eq!(r.poll_ack(timeout).unwrap().ack() / MSS + 1, 5);
}

/// Transmissions of the sender when two segments of a large window, or the first segment eight
/// times, are lost, and after an idle time.
fn behaviour(config: &TcpConfig) -> Vec<Sent> {
    let mut sent = Vec::new();
    for lost in [&[40, 42][..], &[0, 1, 2, 3, 4, 5, 6, 7]] {
        let mut transfer = Transfer::new(config, Ps::ZERO, 200_000, losing(lost));
        transfer.send(120_000);
        transfer.now += Ps::from_s(300);
        transfer.send(80_000);
        sent.append(&mut transfer.sent);
    }
    sent
}

fn base() -> TcpConfig {
    TcpConfig {
        granularity: Ps::from_ms(10),
        min_rto: Ps::from_ms(10),
        ..TcpConfig::default()
    }
}

#[test]
fn every_policy_behaves_differently_from_every_other() {
    let traces: Vec<_> = Recovery::ALL
        .iter()
        .cloned()
        .map(|recovery| behaviour(&TcpConfig { recovery, ..base() }))
        .collect();
    for (i, a) in traces.iter().enumerate() {
        for (j, b) in traces.iter().enumerate().skip(i + 1) {
            assert!(a != b, "{:?} and {:?}", Recovery::ALL[i], Recovery::ALL[j]);
        }
    }
}

#[test]
fn every_option_changes_what_is_sent() {
    type Change = fn(&mut TcpConfig);
    let changes: [(&str, Change); 17] = [
        ("mss", |c| c.mss = Bytes(1_024)),
        ("window", |c| c.window = Bytes(8_192)),
        ("initial_window", |c| c.initial_window = 2),
        ("initial_ssthresh", |c| {
            c.initial_ssthresh = Some(Bytes(4_096))
        }),
        ("granularity", |c| c.granularity = Ps::from_ms(7)),
        ("initial_rto", |c| c.initial_rto = Ps::from_s(2)),
        ("min_rto", |c| c.min_rto = Ps::from_s(1)),
        ("max_rto", |c| c.max_rto = Ps::from_s(20)),
        ("max_backoff", |c| c.max_backoff = 2),
        ("delayed_ack", |c| c.delayed_ack = true),
        ("idle_restart", |c| c.idle_restart = false),
        ("restore_snd_nxt", |c| c.restore_snd_nxt = false),
        ("net3_increment", |c| c.net3_increment = true),
        ("rtt_excludes_transmission", |c| {
            c.rtt_excludes_transmission = true
        }),
        ("connection_setup", |c| c.connection_setup = true),
        ("limited_transmit", |c| c.limited_transmit = true),
        ("recovery", |c| c.recovery = Recovery::Reno),
    ];
    let reference = behaviour(&base());
    for (name, change) in changes {
        let mut config = base();
        change(&mut config);
        assert!(behaviour(&config) != reference, "{name}");
    }
}

#[test]
fn the_interval_of_delayed_acknowledgements_and_the_tick_phase_matter() {
    let delayed = TcpConfig {
        delayed_ack: true,
        ..base()
    };
    let faster = TcpConfig {
        delayed_ack_interval: Ps::from_ms(70),
        ..delayed.clone()
    };
    assert!(behaviour(&delayed) != behaviour(&faster));
    let timeout_at = |phase| {
        let mut sender = TcpSender::new(&TcpConfig::default(), phase);
        sender.supply(1);
        sender.poll_segment(Ps::from_ms(100));
        sender.next_timer()
    };
    // Six ticks of 500 ms: the sixth boundary after 100 ms.
    assert_eq!(
        [Ps::ZERO, Ps::from_ms(50), Ps::from_ms(150)].map(timeout_at),
        [3_000, 3_050, 2_650].map(Ps::from_ms)
    );
}

#[test]
fn only_policies_with_fast_retransmit_avoid_the_timeout_of_a_single_loss() {
    for recovery in Recovery::ALL.iter().cloned() {
        let config = TcpConfig {
            recovery: recovery.clone(),
            ..base()
        };
        let mut transfer = Transfer::new(&config, Ps::ZERO, 100_000, losing(&[40]));
        transfer.send(100_000);
        let stats = transfer.sender.stats();
        let fast = !matches!(recovery, Recovery::TimeoutOnly | Recovery::Jacobson88);
        assert_eq!(
            (stats.fast_retransmits, stats.timeouts),
            (fast as u64, !fast as u64),
            "{recovery:?}"
        );
    }
}

#[test]
fn sack_fills_the_holes_in_one_round_trip_and_newreno_in_one_each() {
    let run = |recovery: Recovery| {
        let config = TcpConfig {
            recovery: recovery.clone(),
            initial_ssthresh: Some(Bytes(20_480)),
            ..TcpConfig::default()
        };
        let mut transfer = Transfer::new(&config, Ps::ZERO, 200_000, losing(&[60, 63, 66, 69, 72]));
        transfer.send(200_000);
        let mut seen = std::collections::BTreeSet::new();
        let again: Vec<Ps> = transfer
            .sent
            .iter()
            .filter(|sent| !seen.insert(sent.1))
            .map(|sent| sent.0)
            .collect();
        assert_eq!(
            (again.len(), transfer.sender.stats().timeouts),
            (5, 0),
            "{recovery:?}"
        );
        (again[4] - again[0]).as_secs_f64()
    };
    // A round trip lasts 100 ms, and all segments of a window leave together.
    assert!(run(Recovery::Sack) < 0.1 && run(Recovery::NewReno) >= 0.4);
}

#[test]
fn newreno_and_sack_recover_from_several_losses_of_a_window_without_a_timeout_where_reno_does_not()
{
    let run = |recovery| {
        // A timer longer than three round trips, which the impatient variant does not restart for
        // each hole.
        let config = TcpConfig {
            recovery,
            ..TcpConfig::default()
        };
        let mut transfer = Transfer::new(&config, Ps::ZERO, 100_000, losing(&[40, 42, 44]));
        transfer.send(100_000);
        let stats = *transfer.sender.stats();
        (stats.timeouts, stats.segments_retransmitted)
    };
    // One fast retransmission, two holes filled by partial acknowledgements or from the scoreboard,
    // nothing else retransmitted.
    assert_eq!([Recovery::NewReno, Recovery::Sack].map(run), [(0, 3); 2]);
    assert!(run(Recovery::Reno).0 > 0);
}
