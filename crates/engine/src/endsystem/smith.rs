//! The source of EPRCA by Smith's principle (Mascolo, Cavendish and Gerla 1996): what it has on the way is subtracted from
//! the room that the network offers, so that the delay of the loop does not make it oscillate.
//!
//! u = (X0 - x - n) / tau, where n counts the cells that the queue x does not show yet: those sent within the round trip
//! before the feedback came, and all since. Between two feedbacks the rate falls by 1 / tau with every cell,
//! exponentially in time.

use alloc::collections::VecDeque;

use super::config::AbrConfig;
use crate::kernel::Ps;

/// What such a source remembers; rates in cells/s.
#[derive(Clone, Debug)]
pub(super) struct SmithPredictor {
    /// 1 / tau: what a cell on the way takes from the rate.
    per_cell: f64,
    round_trip: Ps,
    /// (X0 - x) / tau as it was told last; at first ICR.
    told: f64,
    /// When the cells were sent that the feedback does not account for, the oldest first.
    on_the_way: VecDeque<Ps>,
    mcr: f64,
    pcr: f64,
}

impl SmithPredictor {
    /// The state of a source that starts at `icr`, on a way of `frtt`.
    pub fn new(config: &AbrConfig, (icr, mcr, pcr): (f64, f64, f64), frtt: Ps) -> SmithPredictor {
        let time_constant = config.time_constant.unwrap_or(Ps::NEVER).as_secs_f64();
        SmithPredictor {
            per_cell: 1.0 / time_constant,
            round_trip: config.rtd.unwrap_or(frtt),
            told: icr,
            on_the_way: VecDeque::new(),
            mcr,
            pcr,
        }
    }

    fn rate(&self) -> f64 {
        (self.told - self.on_the_way.len() as f64 * self.per_cell)
            .min(self.pcr)
            .max(self.mcr)
    }

    /// ACR after a cell that is sent at `now`.
    pub fn after_cell(&mut self, now: Ps) -> f64 {
        self.on_the_way.push_back(now);
        self.rate()
    }

    /// ACR after a BRM with the explicit rate `er`. What was sent a round trip ago or earlier is in the queue that it
    /// tells of, or gone.
    pub fn after_brm(&mut self, now: Ps, er: f64) -> f64 {
        self.told = er;
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
