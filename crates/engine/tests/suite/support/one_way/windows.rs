//! cwnd of a sender of the engine beside that of its counterpart in another simulator, over seconds.

use cellrate_engine::kernel::Ps;
use cellrate_engine::tcp::TcpConfig;

use super::engine::EngineSender;
use super::pattern::Pattern;
use super::trace::{self, Event, Row};
use super::{Connection, Sizes};

/// Differences between the congestion windows of the engine and of another simulator.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// Acknowledgements in the other simulator's trace.
    pub acks: usize,
    /// Number of these acknowledgements that arrive in the engine at the same microsecond.
    pub timely: usize,
    /// Largest difference of cwnd after an acknowledgement of the other simulator, in packets.
    pub largest: f64,
    /// Mean of the differences of cwnd, in packets.
    pub mean: f64,
    /// cwnd at the end, in the engine and in the other simulator.
    pub last: [f64; 2],
}

/// Runs `pattern` here and compares it with its trace in `data`.
pub fn distance(config: &TcpConfig, sizes: Sizes, data: &str, pattern: &Pattern) -> Distance {
    let theirs = trace::of(data, &pattern.name);
    let end = Ps::from_us(theirs.last().expect("a trace").time_us);
    let ours = Connection::new(EngineSender::new(config), config, sizes, pattern)
        .run(end)
        .rows;
    let acks: Vec<&Row> = theirs
        .iter()
        .filter(|row| row.event == Event::Ack)
        .collect();
    let differences = acks
        .iter()
        .map(|ack| (cwnd_at(&ours, ack.time_us) - ack.cwnd).abs());
    let timely = |ack: &&&Row| {
        let same = |row: &Row| row.time_us == ack.time_us && row.event == Event::Ack;
        ours.iter().any(same)
    };
    let end = acks[acks.len() - 1];
    Distance {
        acks: acks.len(),
        timely: acks.iter().filter(timely).count(),
        largest: differences.clone().fold(0.0, f64::max),
        mean: differences.sum::<f64>() / acks.len() as f64,
        last: [cwnd_at(&ours, end.time_us), end.cwnd],
    }
}

fn cwnd_at(rows: &[Row], time_us: u64) -> f64 {
    let after = rows.partition_point(|row| row.time_us <= time_us);
    rows[after - 1].cwnd
}
