//! The source of EPRCA by Smith's principle (Mascolo, Cavendish and Gerla 1996). The source
//! subtracts its cells on the way from the space that the network offers, so that the delay of the
//! loop does not cause oscillation.
//!
//! u = (X0 - x - n) / tau, where n counts the cells that the queue x does not show yet: those sent
//! within the round trip before the feedback arrived, and all since. Between two feedbacks the rate
//! falls by 1 / tau with every cell, exponentially in time.

use alloc::collections::VecDeque;

use super::config::AbrConfig;
use crate::kernel::Ps;

/// State of a source with a Smith predictor; rates in cells/s.
#[derive(Clone, Debug)]
pub(super) struct SmithPredictor {
    /// Reduction of the rate by each cell on the way, 1 / tau.
    per_cell: f64,
    round_trip: Ps,
    /// Rate (X0 - x) / tau of the last feedback; ICR before the first.
    offered: f64,
    /// Sending times of the cells that the feedback does not account for, the oldest first.
    on_the_way: VecDeque<Ps>,
    mcr: f64,
    pcr: f64,
}

impl SmithPredictor {
    /// The state of a source that starts at `icr`, with a round trip of `frtt`.
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

    /// Replaces the time constant. The rate follows with the next cell or BRM.
    pub fn change(&mut self, config: &AbrConfig) {
        self.per_cell = per_cell(config);
    }

    /// The rate u = (X0 - x - n) / tau, limited to MCR and PCR.
    fn rate(&self) -> f64 {
        (self.offered - self.on_the_way.len() as f64 * self.per_cell)
            .min(self.pcr)
            .max(self.mcr)
    }

    /// ACR after a cell that is sent at `now`.
    pub fn after_cell(&mut self, now: Ps) -> f64 {
        self.on_the_way.push_back(now);
        self.rate()
    }

    /// ACR after a BRM with the explicit rate `er`. Cells sent a round trip ago or earlier were in
    /// the queue that the BRM reports, or had left it.
    pub fn after_brm(&mut self, now: Ps, er: f64) -> f64 {
        self.offered = er;
        // Cells older than a round trip are part of x.
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

/// Reduction of the rate by each cell on the way, 1 / tau.
fn per_cell(config: &AbrConfig) -> f64 {
    1.0 / config.time_constant.unwrap_or(Ps::NEVER).as_secs_f64()
}
