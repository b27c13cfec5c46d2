//! Cells that a link loses: a share of all cells, or cells whose bits are errored ([`hec`](super::hec)).

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cell::{Info, Kind};
use super::hec::{Errored, Fate, Hec, HecReceiver};
use crate::kernel::{Finding, Ps, Rate, Stream};
use crate::net::LinkPlan;
use crate::net::bit_errors::{BitErrorConfig, BurstConfig};

/// Kinds of cells that a link may lose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Victims {
    /// All cells.
    #[default]
    All,
    /// Cells of channels: data cells and RM cells.
    Data,
    /// Credit cells.
    Credit,
}

/// Loss of cells on every link, after transmission, and bit errors of every link that has no `errors` of its own. By default
/// no cell is lost: an optical fibre loses one cell of 10^8 or fewer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LinkErrors {
    /// Probability that a cell is lost, independently of other cells. Each link has its own random
    /// numbers.
    #[schemars(range(min = 0.0, max = 1.0), extend("x-not-searched" = "a property of the lines"))]
    pub cell_loss_ratio: f64,
    /// Additionally loses every n-th cell of each link.
    #[schemars(range(min = 1), extend("x-not-searched" = "a property of the lines"))]
    pub lose_every: Option<u64>,
    /// Kinds of cells to which `cell_loss_ratio` and `lose_every` apply; bit errors affect cells of all kinds.
    pub cells: Victims,
    /// Probability that a bit is errored, independently of other bits, and outside of `bursts` if these are given. At most
    /// 0.5. The HEC finds errored headers, AAL5 drops a PDU with an errored payload, and an RM cell with an errored payload is
    /// lost.
    #[schemars(range(min = 0.0, max = 0.5), extend("x-not-searched" = "a property of the lines"))]
    pub bit_error_ratio: f64,
    /// Bursts of bit errors (Gilbert and Elliott). If absent, bit errors are independent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bursts: Option<BurstConfig>,
    /// Treatment of errored headers by receivers (ITU-T I.432.1 section 4.3.2).
    pub hec: Hec,
}

impl Default for LinkErrors {
    fn default() -> LinkErrors {
        LinkErrors {
            cell_loss_ratio: 0.0,
            lose_every: None,
            cells: Victims::All,
            bit_error_ratio: 0.0,
            bursts: None,
            hec: Hec::default(),
        }
    }
}

impl LinkErrors {
    /// True if the parameters let a link lose any cell, or damage it.
    pub fn occur(&self) -> bool {
        self.cell_loss_ratio > 0.0 || self.lose_every.is_some() || self.of_bits().occur()
    }
    /// Bit errors of links without errors of their own.
    pub fn of_bits(&self) -> BitErrorConfig {
        BitErrorConfig {
            bit_error_ratio: self.bit_error_ratio,
            bursts: self.bursts.clone(),
        }
    }
    /// Findings about the parameters of link errors. `rate` is the rate of the slowest line that has these errors; `None` if
    /// no line has them.
    pub fn check(&self, rate: Option<Rate>) -> Vec<Finding> {
        let mut findings = Vec::new();
        if !(0.0..=1.0).contains(&self.cell_loss_ratio) {
            let message = format!("must be from 0 to 1, but is {}", self.cell_loss_ratio);
            findings.push(Finding::impossible("cell_loss_ratio", message));
        }
        if self.lose_every == Some(0) {
            findings.push(Finding::impossible(
                "lose_every",
                "must be at least 1, but is 0".into(),
            ));
        }
        findings.extend(self.of_bits().check(rate));
        findings
    }
    /// The error process of `link` in a run with `seed`; `None` if the link loses and damages no cell.
    pub fn of_link(&self, seed: u64, link: &LinkPlan) -> Option<Errors> {
        let of_bits = link.errors.clone().unwrap_or_else(|| self.of_bits());
        let of_bits = of_bits.of_link(seed, &link.name);
        let of_cells = self.cell_loss_ratio > 0.0 || self.lose_every.is_some();
        (of_cells || of_bits.is_some()).then(|| Errors {
            settings: self.clone(),
            seen: 0,
            stream: Stream::new(seed, &link.name, "link errors"),
            receiver: of_bits.map(|errors| HecReceiver::new(errors, self.hec, link.rate)),
            errored: Errored::default(),
        })
    }
}

/// The error process of one link: decides which cells are lost.
#[derive(Clone, Debug)]
pub struct Errors {
    settings: LinkErrors,
    seen: u64,
    stream: Stream,
    /// The receiver of a link with bit errors; `None` without bit errors.
    receiver: Option<HecReceiver>,
    errored: Errored,
}

impl Errors {
    /// Fate of the next cell, with the header `info` and the label (VPI/VCI) `label`; the sender sends the cell's last bit at
    /// `end`. The last cell of a PDU counts as errored if the payload of any cell of the PDU is errored. RM cells and cells of
    /// credit control have a CRC-10 (ITU-T I.610), so with an errored payload they are lost.
    pub fn meet(&mut self, info: Info, label: u32, end: Ps) -> Fate {
        let is_lost = self.is_lost(info);
        let Some(receiver) = &mut self.receiver else {
            return if is_lost { Fate::Lost } else { Fate::Whole };
        };
        let received = receiver.receive(end);
        if is_lost || received == Fate::Lost || (received == Fate::Errored && !info.is_data()) {
            return Fate::Lost;
        }
        if received == Fate::Errored {
            self.errored.add(label);
        }
        if info.is_eom() && self.errored.end(label) {
            Fate::Errored
        } else {
            Fate::Whole
        }
    }

    /// True if the next cell is lost by `cell_loss_ratio` or `lose_every`, whatever its bit errors.
    fn is_lost(&mut self, info: Info) -> bool {
        let concerned = match self.settings.cells {
            Victims::All => true,
            Victims::Data => info.kind() != Kind::Credit,
            Victims::Credit => info.kind() == Kind::Credit,
        };
        if !concerned {
            return false;
        }
        self.seen += 1;
        let in_turn = self
            .settings
            .lose_every
            .is_some_and(|n| self.seen.is_multiple_of(n));
        let by_chance = self.settings.cell_loss_ratio > 0.0
            && self.stream.uniform() < self.settings.cell_loss_ratio;
        in_turn || by_chance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link() -> LinkPlan {
        LinkPlan {
            name: "a->b".into(),
            from: 0,
            to: 1,
            rate: Rate::from_bps(155_520_000),
            delay: Ps::ZERO,
            errors: None,
        }
    }

    /// Half of all bits are errored. The `errors` of a link replace the bit errors that are set for all links.
    #[test]
    fn errors_of_a_link_replace_those_of_all() {
        let settings = LinkErrors {
            bit_error_ratio: 0.5,
            ..LinkErrors::default()
        };
        let mut errors = settings.of_link(1, &link()).unwrap();
        let whole = (1..=1_000).filter(|number| {
            errors.meet(Info::end_of_message(0), 0, Ps(number * 2_726_338)) != Fate::Lost
        });
        assert_eq!(whole.count(), 0);
        let clean = LinkPlan {
            errors: Some(BitErrorConfig::default()),
            ..link()
        };
        assert!(settings.of_link(1, &clean).is_none());
        let own = LinkPlan {
            errors: Some(BitErrorConfig::independent(1e-3)),
            ..link()
        };
        assert!(LinkErrors::default().of_link(1, &own).is_some());
    }

    #[test]
    fn every_nth_cell_of_the_kind_in_question_is_lost() {
        let settings = LinkErrors {
            lose_every: Some(3),
            cells: Victims::Data,
            ..LinkErrors::default()
        };
        let mut errors = settings.of_link(1, &link()).unwrap();
        let mut meet = |info: Info| errors.meet(info, 0, Ps::ZERO) == Fate::Lost;
        let data: Vec<bool> = (0..6).map(|number| meet(Info::data(number))).collect();
        assert_eq!(data, [false, false, true, false, false, true]);
        assert!((0..6).all(|_| !meet(Info::credit())));
    }

    #[test]
    fn cells_are_lost_with_the_probability_asked_for() {
        let settings = LinkErrors {
            cell_loss_ratio: 0.1,
            ..LinkErrors::default()
        };
        let mut errors = settings.of_link(1, &link()).unwrap();
        let lost = (0..100_000)
            .filter(|number| errors.meet(Info::data(*number % 7), 0, Ps::ZERO) == Fate::Lost)
            .count();
        // 10,000 lost cells are expected, with a standard deviation of 95.
        assert!((9_600..10_400).contains(&lost), "{lost}");
    }
}
