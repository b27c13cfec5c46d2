//! Parameters of credit control.

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MODULUS, MOST_RECORDS};
use crate::atm::cell::ServiceClass;
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps, Rate, ServiceRate};

/// Shortest time between marks (counts of cells sent). With shorter times a run would do little else than send marks.
const SHORTEST_MARK_INTERVAL: Ps = Ps::from_us(1);

/// Priority of credit cells at an output port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CreditPriority {
    /// Before all other cells, so that the delay of a credit does not depend on traffic.
    #[default]
    Highest,
    /// After the classes without credit control, before the classes with credit control.
    BelowGuaranteed,
}

/// Division of a node's buffer among channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Allocation {
    /// N2 + N3 cells for each channel.
    #[default]
    Static,
    /// In proportion to use, from one memory for all channels of an output port (Kung and Chang
    /// 1995).
    Adaptive,
}

/// FCVC: credit control on every link that channels of class `ubr` or `random` use. It acts in both
/// directions, and on the links of hosts (ATM Forum report of Kung and Chapman, January 1994;
/// Gerla, Pazos and Signore 1995, sections II.B and III.D). Sources send only the cells that their
/// credit allows; the rest waits in the source queue. CBR and VBR need no credit; `[switch]` sets
/// their priority.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FcvcConfig {
    /// Number of cells that a node forwards between two credits for a channel (N2); 10 in Gerla et
    /// al.
    #[schemars(extend("x-search" = { "low": 1, "high": 100, "scale": "log" }))]
    pub n2: Cells,
    /// Cells of buffer beyond N2 (N3). If absent, the cells that arrive at `vc_rate` in a round
    /// trip of the link.
    #[schemars(extend("x-search" = { "low": 1, "high": 1000, "scale": "log", "when": {"n3": true} }))]
    pub n3: Option<Cells>,
    /// Target rate of a channel (B_VC): N3 = RTT B_VC / 424 bits, rounded up (Gerla et al. (1)).
    /// RTT is twice a cell time plus the propagation both ways. If absent, the rate of the link.
    #[schemars(extend("x-not-searched" = "the target; `n3` is what it sets"))]
    pub vc_rate: Option<Rate>,
    /// Greatest number of records (counters of one channel each) in a credit cell, 1 to 6. A cell
    /// carries all records that wait when it leaves, up to this number. It is not certain that the
    /// switch of Harvard and BNR has six.
    #[schemars(range(min = 1, max = 6), extend("x-search" = { "low": 1, "high": 6, "scale": "linear", "step": 1 }))]
    pub records_per_cell: u32,
    /// Priority of credit cells; no paper specifies it.
    pub priority: CreditPriority,
    /// Time between marks, at least 1 us. A mark tells the next node how many cells of a channel
    /// were sent, so that credit for lost cells is restored. Without losses, marks are not needed.
    /// No marks if absent.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "1 s", "scale": "log", "when": {"mark_interval": true} }))]
    pub mark_interval: Option<Ps>,
    /// Division of a node's buffer among channels.
    pub allocation: Allocation,
    /// Memory of each output port, and of a destination's interface, under adaptive allocation: at
    /// least two cells for each channel. If absent, the cells that the line sends in four round
    /// trips of the longest link to the node, plus two cells for each channel. The factor of four
    /// is the authors'.
    #[schemars(extend("x-search" = { "low": 16, "high": 100000, "scale": "log", "when": {"memory": true} }))]
    pub memory: Option<Cells>,
    /// Number of cells that a port forwards between two allocations of its memory. If absent, half
    /// the memory, a value that is not certain.
    #[schemars(extend("x-search" = { "low": 8, "high": 100000, "scale": "log", "when": {"window": true} }))]
    pub window: Option<Cells>,
}

impl Default for FcvcConfig {
    fn default() -> FcvcConfig {
        FcvcConfig {
            n2: Cells(10),
            n3: None,
            vc_rate: None,
            records_per_cell: 1,
            priority: CreditPriority::Highest,
            mark_interval: None,
            allocation: Allocation::Static,
            memory: None,
            window: None,
        }
    }
}

/// A link under credit control, and the opposite link, on which the credit returns.
#[derive(Clone, Copy, Debug)]
pub struct Loop {
    /// Rate of the link.
    pub rate: ServiceRate,
    /// Rate of the opposite link.
    pub back_rate: ServiceRate,
    /// Propagation delay of both links together.
    pub delay: Ps,
    /// Number of units of a cell (1), or of the largest frame.
    pub largest: u32,
    /// Number of units of the cell or frame that carries a credit.
    pub credit: u32,
}

impl Loop {
    /// Time from the sending of a cell or frame to the arrival of the credit for it. The time has these parts:
    /// the propagation both ways, the service time of the cell or frame, and that of its credit.
    pub fn round_trip(self) -> Ps {
        let (forwarded, _) = self.rate.time_of(self.largest.into());
        let (told, _) = self.back_rate.time_of(self.credit.into());
        self.delay + forwarded + told
    }
    /// Number of units that arrive at `rate` in one round trip, rounded up.
    pub fn units(self, rate: Rate) -> u64 {
        // Gerla et al. (1): N3 = ceil(RTT B_VC / N_bits), in integer arithmetic.
        self.rate.units_in(self.round_trip(), rate)
    }
}

impl FcvcConfig {
    /// True if channels of `class` are under credit control.
    pub const fn covers(class: ServiceClass) -> bool {
        matches!(class, ServiceClass::Ubr | ServiceClass::Random)
    }
    /// Buffer of a channel at the end of a link, in units of service (cells, or octets on the line): N2 + N3 (Gerla et
    /// al., section II.B).
    pub fn static_allocation(&self, link: Loop) -> u64 {
        let n3 = self.n3.map_or_else(
            || link.units(self.vc_rate.unwrap_or(link.rate.line())),
            |n3| n3.0,
        );
        self.n2.0.saturating_add(n3)
    }
    /// Memory in units under adaptive allocation, for `channels` channels, with `link` as the longest link: the
    /// parameter `memory`, or its default.
    pub fn memory_in_force(&self, link: Loop, channels: usize) -> u64 {
        self.memory.map_or_else(
            // Kung and Chang: 4 round trips
            || 4 * link.units(link.rate.line()) + 2 * channels as u64 * u64::from(link.largest),
            |memory| memory.0,
        )
    }
    /// Number of units that a port forwards between two allocations of `memory` units: the parameter `window`, or
    /// else half of `memory`.
    pub fn window_in_force(&self, memory: u64) -> u64 {
        self.window.map_or(memory / 2, |window| window.0).max(1)
    }
    /// Findings about the parameters that need no facts about the network.
    pub fn check(&self) -> Vec<Finding> {
        let most = u64::from(MODULUS / 4);
        let mut findings = Vec::new();
        let mut require = |field: &'static str, holds: bool, message: alloc::string::String| {
            if !holds {
                findings.push(Finding::impossible(field, message));
            }
        };
        require(
            "n2",
            (1..=most).contains(&self.n2.0),
            format!("must be from 1 to {most} cells, but is {}", self.n2),
        );
        for (field, cells) in [
            ("n3", self.n3),
            ("memory", self.memory),
            ("window", self.window),
        ] {
            let cells = cells.unwrap_or(Cells(1));
            require(
                field,
                (1..=most).contains(&cells.0),
                format!("must be from 1 to {most} cells, but is {cells}"),
            );
        }
        let records = self.records_per_cell;
        let holds = (1..=MOST_RECORDS as u32).contains(&records);
        require(
            "records_per_cell",
            holds,
            format!("must be from 1 to {MOST_RECORDS}, but is {records}"),
        );
        let interval = self.mark_interval.unwrap_or(Ps::NEVER);
        require(
            "mark_interval",
            interval >= SHORTEST_MARK_INTERVAL,
            format!("must be at least {SHORTEST_MARK_INTERVAL}, but is {interval}"),
        );
        findings.extend(self.without_effect());
        findings
    }

    fn without_effect(&self) -> Vec<Finding> {
        let adaptive = self.allocation == Allocation::Adaptive;
        let unused = [
            (
                "n3",
                self.n3.is_some() && adaptive,
                "allocation is adaptive",
            ),
            (
                "vc_rate",
                self.vc_rate.is_some() && (adaptive || self.n3.is_some()),
                "`n3` or the allocation decides",
            ),
            (
                "memory",
                self.memory.is_some() && !adaptive,
                "allocation is static",
            ),
            (
                "window",
                self.window.is_some() && !adaptive,
                "allocation is static",
            ),
        ];
        let used = unused.into_iter().filter(|(_, is_unused, _)| *is_unused);
        used.map(|(field, _, why)| Finding::warning(field, format!("has no effect: {why}")))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_cells(rate: Rate, delay: Ps) -> Loop {
        let rate = ServiceRate::of_cells(rate);
        Loop {
            rate,
            back_rate: rate,
            delay,
            largest: 1,
            credit: 1,
        }
    }

    #[test]
    fn n3_of_the_local_network_of_gerla() {
        // 70 us both ways at 2.5 Mbit/s are 0.83 cells; with the two cell times at 150 Mbit/s,
        // 0.86.
        let rate = Rate::from_bps(150_000_000);
        let link = of_cells(rate, Ps::from_us(140));
        let config = FcvcConfig {
            vc_rate: Some(Rate::from_bps(2_500_000)),
            ..FcvcConfig::default()
        };
        assert_eq!(config.static_allocation(link), 11);
        // At the rate of the link, 140 us are 49.5 cells; two cell times are added.
        assert_eq!(FcvcConfig::default().static_allocation(link), 10 + 52);
        assert_eq!(
            FcvcConfig {
                n3: Some(Cells(3)),
                ..config
            }
            .static_allocation(link),
            13
        );
    }
    #[test]
    fn memory_in_force_is_four_round_trips_and_two_cells_for_each_channel() {
        let rate = Rate::from_bps(150_000_000);
        // 52 cells in a round trip, as above.
        let link = of_cells(rate, Ps::from_us(140));
        assert_eq!(
            FcvcConfig::default().memory_in_force(link, 5),
            4 * 52 + 2 * 5
        );
        let own = FcvcConfig {
            memory: Some(Cells(7)),
            ..FcvcConfig::default()
        };
        assert_eq!(own.memory_in_force(link, 5), 7);
    }

    #[test]
    fn a_window_is_half_the_memory_and_never_nothing() {
        let config = FcvcConfig::default();
        assert_eq!(
            [0, 1, 2, 3, 10].map(|memory| config.window_in_force(memory)),
            [1, 1, 1, 1, 5]
        );
        let own = FcvcConfig {
            window: Some(Cells(3)),
            ..config
        };
        assert_eq!(own.window_in_force(100), 3);
    }
}
