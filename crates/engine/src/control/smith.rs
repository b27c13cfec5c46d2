//! EPRCA by Smith's principle (Mascolo, Cavendish and Gerla 1996), at a switch: backward RM cells
//! carry the space that a channel's cells leave below a set point.
//!
//! The law is certain: u = (X0 - x - cells on the way) / tau, where x is the channel's number of queued cells.
//! The encoding of u in an RM cell is cellrate's choice. The switch lowers ER to (X0 - x) / tau, and the source
//! subtracts its cells on the way (see `abr.rules = "smith-predictor"`).

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranges::Ranges;
use super::{PortFacts, QueueReading, SchemeParameters, SwitchControl, SwitchFacts};
use crate::discard::accounts::Accounts;
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps};
use crate::passing::{Passing, RateRecord};

/// Parameters of EPRCA by Smith's principle. If the sum of the set points of all channels is below
/// the buffer, no cell is lost. A channel alone on a link of rate C fills the link if its set point
/// is above C (RTD + tau).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SmithConfig {
    /// Greatest number of cells of a channel in the queue and on the way together (X0). The value
    /// depends on the network; there is no usual one.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub set_point: Cells,
    /// Time constant of the closed loop (tau), the inverse of its gain. The sources should have the
    /// same time constant.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "100 ms", "scale": "log" }))]
    pub time_constant: Ps,
}

impl Default for SmithConfig {
    fn default() -> SmithConfig {
        SmithConfig {
            set_point: Cells(1_000),
            time_constant: Ps::from_ms(1),
        }
    }
}

impl SchemeParameters for SmithConfig {
    /// Findings about values outside their range, and about a set point that exceeds the buffer.
    fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
        let ranges = Ranges::new(facts).some_cells("set_point", self.set_point);
        let mut findings = ranges
            .interval("time_constant", self.time_constant)
            .findings();
        if self.set_point.0 > facts.buffer {
            let message = format!(
                "{} do not fit into a buffer of {} cells",
                self.set_point, facts.buffer
            );
            findings.push(Finding::warning("set_point", message));
        }
        findings
    }
    fn predictor_time_constant(&self) -> Option<Ps> {
        Some(self.time_constant)
    }
}

/// State of the scheme at one output port. The number of each channel's cells in the queue is derived from the
/// order of arrivals. The derivation is exact while ABR has the queue alone and no cell is lost. Queued cells of
/// other classes count as cells of the channels, so the free space of the channels is then underestimated.
#[derive(Clone, Debug)]
pub struct Smith {
    set_point: f64,
    time_constant: f64,
    queued: Accounts,
}

impl Smith {
    /// State of the scheme at a port with these `facts`.
    pub fn new(config: &SmithConfig, facts: PortFacts) -> Smith {
        Smith {
            set_point: config.set_point.0 as f64,
            time_constant: config.time_constant.as_secs_f64(),
            queued: Accounts::new(facts.channels),
        }
    }
    /// Replaces set point and time constant. The counts of queued cells are kept.
    pub fn change(&mut self, config: &SmithConfig) {
        self.set_point = config.set_point.0 as f64;
        self.time_constant = config.time_constant.as_secs_f64();
    }
}

impl SwitchControl for Smith {
    const FOLLOWS_ORDER: bool = true;

    #[inline]
    fn on_forward(
        &mut self,
        _: Ps,
        slot: u32,
        passing: &mut Passing,
        rm: Option<&mut RateRecord>,
        queue: u64,
    ) {
        if rm.is_some() {
            self.queued.settle(queue);
        }
        self.queued.add(slot, passing.units);
    }
    fn on_backward(&mut self, _: Ps, slot: u32, rm: &mut RateRecord, queue: u64) {
        self.queued.settle(queue);
        let space = self.set_point - self.queued.units(slot) as f64; // X0 - x
        rm.er = rm.er.min(space.max(0.0) / self.time_constant); // (X0 - x) / tau
    }
    fn reads_queue(&self) -> QueueReading {
        QueueReading::AtRmCells
    }
}
