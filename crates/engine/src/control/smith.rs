//! The switch of EPRCA by Smith's principle (Mascolo, Cavendish and Gerla 1996): backward RM cells are told how much
//! room a channel's cells leave below a set point.
//!
//! The law is certain: u = (X0 - x - cells on the way) / tau. How the room travels in an RM cell is ours: ER is lowered to
//! (X0 - x) / tau, and the source subtracts what it has on the way (see `abr.rules = "smith-predictor"`).

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ranges::Ranges;
use super::{PortFacts, QueueReading, SwitchControl, SwitchFacts};
use crate::atm::cell::{Info, RmCell};
use crate::discard::accounts::Accounts;
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps};

/// Parameters of EPRCA by Smith's principle. Nothing is lost if the set points of all channels together are below the
/// buffer; the link is full if a channel that has it alone has a set point above C (RTD + tau), C the rate of the link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SmithConfig {
    /// Cells of a channel that may be in the queue and on the way together (X0). It depends on the network and has no
    /// usual value.
    #[schemars(extend("x-search" = { "low": 0.02, "high": 0.95, "scale": "linear", "of": "buffer" }))]
    pub set_point: Cells,
    /// Time constant of the closed loop (tau), the inverse of its gain. That of the sources should be the same.
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

impl SmithConfig {
    /// Values outside their range, and a set point that does not fit into the buffer.
    pub fn check(&self, facts: SwitchFacts) -> Vec<Finding> {
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
}

/// The scheme at one output port. It follows which cells the queue holds by their order: exactly while ABR has the queue
/// to itself and nothing is lost; cells of other classes in it count as the channels', so that their rooms are
/// underestimated.
#[derive(Clone, Debug)]
pub struct Smith {
    set_point: f64,
    time_constant: f64,
    queued: Accounts,
}

impl Smith {
    /// The scheme at the port of `facts`.
    pub fn new(config: &SmithConfig, facts: PortFacts) -> Smith {
        Smith {
            set_point: config.set_point.0 as f64,
            time_constant: config.time_constant.as_secs_f64(),
            queued: Accounts::new(facts.channels),
        }
    }
}

impl SwitchControl for Smith {
    #[inline]
    fn on_forward(&mut self, _: Ps, slot: u32, _: &mut Info, rm: Option<&mut RmCell>, queue: u64) {
        if rm.is_some() {
            self.queued.settle(queue);
        }
        self.queued.add(slot);
    }
    fn on_backward(&mut self, _: Ps, slot: u32, rm: &mut RmCell, queue: u64) {
        self.queued.settle(queue);
        let room = self.set_point - self.queued.cells(slot) as f64;
        rm.er = rm.er.min(room.max(0.0) / self.time_constant);
    }
    fn reads_queue(&self) -> QueueReading {
        QueueReading::AtRmCells
    }
}
