//! A recovery of TCP: after a loss the window is a part of what it was, and the oldest segment is sent
//! again. In a scenario `recovery = { policy = "halving" }`.

use cellrate::scenario::custom::{Parameters, Refused};
use cellrate_engine::tcp::recovery::{Ack, Facts, Loss, RecoveryPolicy, Resend};
use cellrate_engine::tcp::window::Window;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the recovery.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HalvingConfig {
    /// Part of the window that is left after a loss.
    part: f64,
}

impl Default for HalvingConfig {
    fn default() -> HalvingConfig {
        HalvingConfig { part: 0.5 }
    }
}

impl Parameters for HalvingConfig {
    fn check(&self) -> Result<(), Refused> {
        if self.part > 0.0 && self.part < 1.0 {
            return Ok(());
        }
        Err(Refused {
            key: "part".into(),
            why: format!("{} is not between 0 and 1", self.part),
        })
    }
}

/// The recovery at a connection.
#[derive(Clone, Debug)]
pub struct Halving {
    part: f64,
}

impl Halving {
    /// The recovery of the connection of `facts`.
    pub fn new(config: &HalvingConfig, _: &Facts) -> Halving {
        Halving { part: config.part }
    }
    fn reduce(&self, window: &mut Window) {
        let left = (self.part * window.cwnd as f64) as u64;
        window.ssthresh = left.max(2 * window.mss);
    }
}

impl RecoveryPolicy for Halving {
    fn on_timeout(&mut self, window: &mut Window, _: &Loss) {
        self.reduce(window);
        window.cwnd = window.mss;
    }
    fn on_third_dup_ack(&mut self, window: &mut Window, _: &Loss) -> Option<Resend> {
        self.reduce(window);
        window.cwnd = window.ssthresh;
        Some(Resend::Oldest)
    }
    fn grow(&mut self, window: &mut Window, _: &Ack) {
        window.grow_as_bsd();
    }
}
