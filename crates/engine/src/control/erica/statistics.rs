//! Statistics of ERICA, for the study of its errors under TCP.

use alloc::vec::Vec;

/// Counts of ERICA's events at one port since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EricaStatistics {
    /// Number of intervals that have ended.
    pub intervals: u64,
    /// Number of intervals without input in which a BRM got feedback: the out-of-phase effect.
    pub out_of_phase: u64,
    /// Number of intervals without input.
    pub without_input: u64,
    /// Sum over all intervals of the number of channels with cells. Compared with `intervals * established`, this
    /// sum shows the clustering effect: cells of one channel arrive together, and other channels have none.
    pub seen: u64,
    /// Number of channels that are set up.
    pub established: u64,
    /// Number of times that the explicit rate was zero.
    pub zero_er: u64,
}

impl EricaStatistics {
    /// Values of the statistics in their order: the counts, then the present load factor and fair
    /// share (units/s).
    pub(super) fn counted(&self, load_factor: f64, fair_share: f64) -> Vec<f64> {
        let EricaStatistics {
            intervals,
            out_of_phase,
            without_input,
            seen,
            established,
            zero_er,
        } = *self;
        let counts = [
            intervals,
            out_of_phase,
            without_input,
            seen,
            established,
            zero_er,
        ]
        .map(|n| n as f64);
        counts
            .into_iter()
            .chain([load_factor, fair_share])
            .collect()
    }
}
