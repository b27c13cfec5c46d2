//! TCP against traces of ns-2, event by event. `tools/ns2/one_way.tcl` made the data and describes
//! the line; the losses below are those of its runs.
//!
//! Where the two differ, and what is done about it:
//! - ns-2 leaves slow start when cwnd reaches ssthresh, 4.3BSD (Tahoe, Reno) when it exceeds it; and
//!   it halves cwnd in whole packets, `timeout-only` in bytes. The script corrects ssthresh of ns-2 by
//!   that, and touches nothing else.
//! - ns-2 goes back to the lost packet after Tahoe's fast retransmission; 4.3BSD goes on where it was,
//!   unless `restore_snd_nxt` is false as here.
//! - ns-2 keeps Reno's inflation by duplicates apart from cwnd; 4.3BSD adds it to cwnd.
//! - 4.3BSD measures round trips in ticks counted from 1, and its timers expire at ticks. Both clocks
//!   tick every 20 us here, all events lie on ticks, and the timeout is fixed at 1 s but in the run
//!   `backoff`, where no round trip can be measured before the timeouts.

use std::collections::VecDeque;

use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::tcp::{Recovery, Segment, TcpConfig, TcpReceiver, TcpSender};

const DATA: &str = include_str!("data/ns2_one_way.csv");
/// A large segment, so that cwnd in whole bytes is as good as a real number of packets.
const MSS: u64 = 65_000;
const WINDOW: u64 = 64;
/// Rounding of cwnd in the trace, and of 1/cwnd to bytes.
const CWND_TOLERANCE: f64 = 0.005;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Send,
    Ack,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    time_us: u64,
    event: Event,
    packet: u64,
    cwnd: f64,
}

fn trace(run: &str) -> Vec<Row> {
    let rows = DATA.lines().map(|line| line.split(',').collect::<Vec<_>>()).filter(|fields| fields[0] == run);
    let row = |fields: Vec<&str>| Row {
        time_us: fields[1].parse().unwrap(),
        event: match fields[2] {
            "send" => Event::Send,
            "ack" => Event::Ack,
            other => panic!("{other}"),
        },
        packet: fields[3].parse().unwrap(),
        cwnd: fields[4].parse().unwrap(),
    };
    rows.map(row).collect()
}

/// One direction of the link: 1 Mbit/s, 40 ms.
struct Line {
    service: Ps,
    free: Ps,
    sent: u64,
    lost: &'static [u64],
    arrivals: VecDeque<(Ps, Segment)>,
}

impl Line {
    fn new(bytes: u64, lost: &'static [u64]) -> Line {
        Line { service: Ps::from_us(8 * bytes), free: Ps::ZERO, sent: 0, lost, arrivals: VecDeque::new() }
    }
    fn send(&mut self, now: Ps, segment: Segment) {
        self.free = self.free.max(now) + self.service;
        if !self.lost.contains(&self.sent) {
            self.arrivals.push_back((self.free + Ps::from_ms(40), segment));
        }
        self.sent += 1;
    }
    fn next(&self) -> Ps {
        self.arrivals.front().map_or(Ps::NEVER, |(at, _)| *at)
    }
}

/// The same run here.
struct Connection {
    now: Ps,
    sender: TcpSender,
    receiver: TcpReceiver,
    there: Line,
    back: Line,
    /// Duplicate acknowledgements since the last new one.
    duplicates: u64,
    inflates: bool,
    rows: Vec<Row>,
}

impl Connection {
    fn new(config: TcpConfig, lost: &'static [u64]) -> Connection {
        let config = TcpConfig {
            mss: Bytes(MSS),
            window: Bytes(WINDOW * MSS),
            granularity: Ps::from_us(20),
            restore_snd_nxt: false,
            ..config
        };
        let mut sender = TcpSender::new(&config, Ps::ZERO);
        sender.supply(u64::MAX);
        Connection {
            now: Ps::ZERO,
            sender,
            receiver: TcpReceiver::new(&config),
            there: Line::new(1_040, lost),
            back: Line::new(40, &[]),
            duplicates: 0,
            inflates: config.recovery == Recovery::Reno,
            rows: Vec::new(),
        }
    }

    fn note(&mut self, event: Event, packet: u64) {
        let inflation = if self.inflates && self.duplicates >= 3 { self.duplicates } else { 0 };
        let cwnd = self.sender.cwnd() as f64 / MSS as f64 - inflation as f64;
        self.rows.push(Row { time_us: self.now.0 / 1_000_000, event, packet, cwnd });
    }

    fn run(&mut self, end: Ps) {
        while self.now < end {
            while let Some(segment) = self.sender.poll_segment(self.now) {
                self.note(Event::Send, segment.seq / MSS);
                self.there.send(self.now, segment);
            }
            self.now = self.there.next().min(self.back.next()).min(self.sender.next_timer());
            self.step();
        }
    }

    fn step(&mut self) {
        if self.there.next() == self.now {
            let (_, segment) = self.there.arrivals.pop_front().unwrap();
            self.receiver.on_segment(self.now, &segment);
            self.back.send(self.now, self.receiver.poll_ack(self.now).unwrap());
        } else if self.back.next() == self.now {
            let (_, ack) = self.back.arrivals.pop_front().unwrap();
            self.duplicates = if ack.ack > self.sender.snd_una() { 0 } else { self.duplicates + 1 };
            self.sender.on_ack(self.now, &ack);
            self.note(Event::Ack, ack.ack / MSS);
        } else {
            self.sender.on_timer(self.now);
            self.duplicates = 0;
        }
    }
}

fn fixed_rto(recovery: Recovery) -> TcpConfig {
    let rto = Ps::from_s(1);
    TcpConfig { recovery, initial_rto: rto, min_rto: rto, max_rto: rto, ..TcpConfig::default() }
}

/// Both runs agree in every event, its time and cwnd after it. Returns timeouts, fast
/// retransmissions and segments sent again.
fn compare(run: &str, config: TcpConfig, lost: &'static [u64]) -> (u64, u64, u64) {
    let expected = trace(run);
    let mut connection = Connection::new(config, lost);
    connection.run(Ps::from_us(expected[expected.len() - 1].time_us + 1));
    for (number, (found, expected)) in connection.rows.iter().zip(&expected).enumerate() {
        let same = (found.time_us, found.event, found.packet) == (expected.time_us, expected.event, expected.packet);
        let near = (found.cwnd - expected.cwnd).abs() < CWND_TOLERANCE;
        assert!(same && near, "event {number} of {run}: {found:?} instead of {expected:?}");
    }
    assert!(connection.rows.len() >= expected.len() && expected.len() > 100);
    let stats = connection.sender.stats();
    (stats.timeouts, stats.fast_retransmits, stats.segments_retransmitted)
}

#[test]
fn tahoe_as_in_ns_2() {
    let lost = &[22, 70, 73, 120, 121, 150, 151, 152, 158];
    assert_eq!(compare("tahoe", fixed_rto(Recovery::Tahoe), lost), (1, 4, 13));
}

#[test]
fn reno_as_in_ns_2() {
    let lost = &[22, 70, 110, 111, 190, 191, 192, 193];
    assert_eq!(compare("reno", fixed_rto(Recovery::Reno), lost), (1, 5, 10));
}

#[test]
fn timeouts_alone_as_in_ns_2() {
    let lost = &[24, 81, 82, 88, 160];
    assert_eq!(compare("timeout", fixed_rto(Recovery::TimeoutOnly), lost), (3, 0, 8));
}

#[test]
fn backoff_as_in_ns_2() {
    let config = TcpConfig { recovery: Recovery::TimeoutOnly, ..TcpConfig::default() };
    assert_eq!(compare("backoff", config, &[0, 1, 2]), (3, 0, 3));
}
