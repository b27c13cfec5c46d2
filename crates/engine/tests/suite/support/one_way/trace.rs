//! Traces of the events at a sender, from files and from runs.

/// Kind of an event in the trace of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A packet was sent.
    Send,
    /// An acknowledgement arrived; its number is the next packet expected.
    Ack,
}

/// One event, and cwnd in packets after everything that it caused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    pub time_us: u64,
    pub event: Event,
    pub packet: u64,
    pub cwnd: f64,
}

impl Row {
    /// True if two events are equal, with a tolerance of `tolerance` for cwnd.
    pub fn is(&self, other: &Row, tolerance: f64) -> bool {
        let same =
            (self.time_us, self.event, self.packet) == (other.time_us, other.event, other.packet);
        same && (self.cwnd - other.cwnd).abs() < tolerance
    }
}

/// The rows of one pattern of a file: one line for each instant, with the acknowledgement, cwnd and
/// the packets sent; the name of a pattern stands in its first line.
pub fn of(data: &str, pattern: &str) -> Vec<Row> {
    let mut name = "";
    let mut rows = Vec::new();
    for line in data.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        if !fields[0].is_empty() {
            name = fields[0];
        }
        if name == pattern {
            instant(&fields, &mut rows);
        }
    }
    rows
}

fn instant(fields: &[&str], rows: &mut Vec<Row>) {
    let (time_us, cwnd) = (fields[1].parse().unwrap(), fields[3].parse().unwrap());
    let row = |event, packet: &str| Row {
        time_us,
        event,
        packet: packet.parse().unwrap(),
        cwnd,
    };
    if !fields[2].is_empty() {
        rows.push(row(Event::Ack, fields[2]));
    }
    rows.extend(
        fields[4]
            .split(' ')
            .filter(|packet| !packet.is_empty())
            .map(|packet| row(Event::Send, packet)),
    );
}

/// Number of rows that are equal before the first difference; `None` if all are equal.
pub fn common(found: &[Row], expected: &[Row], tolerance: f64) -> Option<usize> {
    found
        .iter()
        .zip(expected)
        .position(|(found, expected)| !found.is(expected, tolerance))
}
