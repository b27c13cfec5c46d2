//! Patterns of losses and delays.

/// The patterns, which are the same for all simulators. `lost` has packets of the first
/// transmission, or `packet:copy`; `delayed`, `lost_acks` and `marked` count in order of
/// transmission, from 0.
const PATTERNS: &str = include_str!("../../data/tcp_patterns.csv");

/// A pattern of losses and delays.
#[derive(Clone, Debug, Default)]
pub struct Pattern {
    /// Name of the pattern.
    pub name: String,
    /// Packets that are lost, with the number of the copy.
    pub lost: Vec<(u64, u64)>,
    /// Packets that come later, and their additional delay.
    pub delayed: Vec<u64>,
    pub delay_ms: u64,
    /// Acknowledgements that are lost.
    pub lost_acks: Vec<u64>,
    /// Packets that a queue marks.
    pub marked: Vec<u64>,
}

/// The longer patterns, in which the window function shows.
const WINDOWS: &str = include_str!("../../data/tcp_windows.csv");

/// The patterns with marks.
const MARKS: &str = include_str!("../../data/tcp_marks.csv");

/// Every pattern of losses and delays.
pub fn all() -> Vec<Pattern> {
    PATTERNS.lines().skip(1).map(read).collect()
}

/// Every pattern for the longer runs in which congestion windows are compared.
pub fn of_windows() -> Vec<Pattern> {
    WINDOWS.lines().skip(1).map(read).collect()
}

/// Every pattern with ECN marks in place of losses.
pub fn of_marks() -> Vec<Pattern> {
    MARKS.lines().skip(1).map(read).collect()
}

fn read(line: &str) -> Pattern {
    let fields: Vec<&str> = line.split(',').collect();
    let [
        name,
        _end_ms,
        lost,
        delayed,
        delay_ms,
        lost_acks,
        ref marked @ ..,
    ] = fields[..]
    else {
        panic!("{line}")
    };
    Pattern {
        name: name.into(),
        lost: lost
            .split(' ')
            .filter(|word| !word.is_empty())
            .map(copy)
            .collect(),
        delayed: numbers(delayed),
        delay_ms: numbers(delay_ms).first().copied().unwrap_or(0),
        lost_acks: numbers(lost_acks),
        marked: numbers(&marked.concat()),
    }
}

fn numbers(text: &str) -> Vec<u64> {
    text.split(' ')
        .filter(|word| !word.is_empty())
        .map(|word| word.parse().unwrap())
        .collect()
}

fn copy(word: &str) -> (u64, u64) {
    let (packet, copy) = word.split_once(':').unwrap_or((word, "1"));
    (packet.parse().unwrap(), copy.parse().unwrap())
}
