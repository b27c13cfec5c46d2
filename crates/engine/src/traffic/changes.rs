//! A check that the rate of a source does not change so often that a run would take too much processor time.

use alloc::format;
use alloc::string::String;

use crate::kernel::Ps;

/// Shortest mean time between changes of the rate: a cell time at 4.24 Gbit/s.
const SHORTEST: Ps = Ps::from_ns(100);
/// Greatest mean number of rate changes from one cell to the next.
const MOST: f64 = 1e7;

/// Text of the fault if an endless source changes its rate too often; `None` otherwise. The rate changes every
/// `seconds` on average, while the source sends `cells` cells/s. Every change takes processor time, even if no
/// cell is sent.
pub fn too_often(seconds: f64, cells: f64) -> Option<String> {
    if seconds < SHORTEST.as_secs_f64() {
        let found = Ps::from_secs_f64(seconds);
        return Some(format!(
            "the rate changes every {found} on average; allowed: every {SHORTEST} or less often"
        ));
    }
    let changes = 1.0 / (seconds * cells);
    (changes > MOST).then(|| {
        format!("the rate changes {changes:.1e} times from a cell to the next on average; allowed: up to {MOST:.0e}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_bounded_by_time_and_by_cells() {
        assert_eq!(too_often(101e-9, 1.0), None);
        assert_eq!(too_often(60.0, 1e-8), None);
        let told = |seconds, cells| too_often(seconds, cells).unwrap();
        assert!(told(1e-12, 1e9).contains("changes every 1 ps on average; allowed: every 100 ns"));
        assert!(told(99e-9, 1e9).contains("every 99 ns"));
        assert!(told(1e-6, 0.05).contains(
            "changes 2.0e7 times from a cell to the next on average; allowed: up to 1e7"
        ));
    }
}
