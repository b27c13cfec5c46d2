//! Cells that a link loses: the header has a bit error, the receiver detects the error by the HEC and discards
//! the cell.

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cell::{Info, Kind};
use crate::kernel::{Finding, Stream};

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

/// Loss of cells on every link, after transmission. By default no cell is lost: an optical fibre
/// loses one cell of 10^8 or fewer.
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
    /// Kinds of cells that are counted and lost.
    pub cells: Victims,
}

impl Default for LinkErrors {
    fn default() -> LinkErrors {
        LinkErrors {
            cell_loss_ratio: 0.0,
            lose_every: None,
            cells: Victims::All,
        }
    }
}

impl LinkErrors {
    /// True if the parameters let a link lose any cell.
    pub fn occur(&self) -> bool {
        self.cell_loss_ratio > 0.0 || self.lose_every.is_some()
    }
    /// Findings about the parameters of link errors.
    pub fn check(&self) -> Vec<Finding> {
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
        findings
    }
    /// The error process of the link named `link` in a run with `seed`; `None` if no cell can be
    /// lost.
    pub fn of_link(&self, seed: u64, link: &str) -> Option<Errors> {
        self.occur().then(|| Errors {
            settings: self.clone(),
            seen: 0,
            stream: Stream::new(seed, link, "link errors"),
        })
    }
}

/// The error process of one link: decides which cells are lost.
#[derive(Clone, Debug)]
pub struct Errors {
    settings: LinkErrors,
    seen: u64,
    stream: Stream,
}

impl Errors {
    /// True if the next cell, with the header `info`, is lost on the link.
    pub fn hit(&mut self, info: Info) -> bool {
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

    #[test]
    fn every_nth_cell_of_the_kind_in_question_is_lost() {
        let settings = LinkErrors {
            lose_every: Some(3),
            cells: Victims::Data,
            ..LinkErrors::default()
        };
        let mut errors = settings.of_link(1, "a->b").unwrap();
        let data: Vec<bool> = (0..6)
            .map(|number| errors.hit(Info::data(number)))
            .collect();
        assert_eq!(data, [false, false, true, false, false, true]);
        assert!((0..6).all(|_| !errors.hit(Info::credit())));
    }

    #[test]
    fn cells_are_lost_with_the_probability_asked_for() {
        let settings = LinkErrors {
            cell_loss_ratio: 0.1,
            ..LinkErrors::default()
        };
        let mut errors = settings.of_link(1, "a->b").unwrap();
        let lost = (0..100_000)
            .filter(|number| errors.hit(Info::data(*number % 7)))
            .count();
        // 10,000 lost cells are expected, with a standard deviation of 95.
        assert!((9_600..10_400).contains(&lost), "{lost}");
    }
}
