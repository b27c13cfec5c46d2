//! The rate of a source under EPRCA by Smith's principle (Mascolo, Cavendish and Gerla 1996). The source
//! subtracts its cells on the way from the queue space that the network offers. So the delay of the loop does not
//! cause oscillation.
//!
//! u = (X0 - x - n) / tau. X0 is the set point, x the queue that the last feedback reports, and n the number of
//! cells that x does not contain yet. These are the cells sent within one round trip before the feedback arrived,
//! and all cells since. Between two feedbacks each cell lowers the rate by 1 / tau, so the rate falls
//! exponentially in time.

use alloc::collections::VecDeque;

use super::config::AbrConfig;
use crate::kernel::Ps;

/// State of a source with a Smith predictor. Rates are in cells/s.
#[derive(Clone, Debug)]
pub(super) struct SmithPredictor {
    /// Amount by which each cell on the way lowers the rate: 1 / tau.
    per_cell: f64,
    round_trip: Ps,
    /// Rate (X0 - x) / tau of the last feedback; ICR before the first feedback.
    offered: f64,
    /// Sending times of the cells that the last feedback does not include, oldest first.
    on_the_way: VecDeque<Ps>,
    mcr: f64,
    pcr: f64,
}

impl SmithPredictor {
    /// State of a source that begins with the rate `icr`. If `rtd` is absent, the fixed round-trip time `frtt`
    /// replaces it.
    pub fn new(config: &AbrConfig, (icr, mcr, pcr): (f64, f64, f64), frtt: Ps) -> SmithPredictor {
        SmithPredictor {
            per_cell: per_cell(config),
            round_trip: config.rtd.unwrap_or(frtt),
            offered: icr,
            on_the_way: VecDeque::new(),
            mcr,
            pcr,
        }
    }

    /// Replaces the time constant. The rate changes with the next cell or BRM.
    pub fn change(&mut self, config: &AbrConfig) {
        self.per_cell = per_cell(config);
    }

    /// The rate u = (X0 - x - n) / tau, limited to MCR and PCR.
    fn rate(&self) -> f64 {
        (self.offered - self.on_the_way.len() as f64 * self.per_cell)
            .min(self.pcr)
            .max(self.mcr)
    }

    /// The new ACR after a cell was sent at `now`.
    pub fn after_cell(&mut self, now: Ps) -> f64 {
        self.on_the_way.push_back(now);
        self.rate()
    }

    /// The new ACR after a BRM with the explicit rate `er` arrived at `now`. Cells sent at least a round trip
    /// before `now` are part of the queue that the BRM reports.
    pub fn after_brm(&mut self, now: Ps, er: f64) -> f64 {
        self.offered = er;
        // Cells sent at least a round trip ago are included in x.
        while self
            .on_the_way
            .front()
            .is_some_and(|sent| sent.saturating_add(self.round_trip) <= now)
        {
            self.on_the_way.pop_front();
        }
        self.rate()
    }
}

/// Amount by which each cell on the way lowers the rate: 1 / tau.
fn per_cell(config: &AbrConfig) -> f64 {
    1.0 / config.time_constant.unwrap_or(Ps::NEVER).as_secs_f64()
}
