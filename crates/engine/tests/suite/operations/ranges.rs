//! Bytes of a stream that have arrived.

use std::collections::BTreeMap;

/// The bytes that have arrived, as ranges that do not touch, by their beginnings.
#[derive(Clone, Debug, Default)]
pub struct Got(BTreeMap<u64, u64>);

impl Got {
    pub fn add(&mut self, mut from: u64, mut to: u64) {
        let touching: Vec<(u64, u64)> = self
            .0
            .range(..=to)
            .filter(|(_, end)| **end >= from)
            .map(|(from, to)| (*from, *to))
            .collect();
        for (first, end) in touching {
            self.0.remove(&first);
            (from, to) = (from.min(first), to.max(end));
        }
        self.0.insert(from, to);
    }
    pub fn holds(&self, from: u64, to: u64) -> bool {
        self.0
            .range(..=from)
            .next_back()
            .is_some_and(|(_, end)| *end >= to)
    }
    /// The first byte that has not arrived.
    pub fn missing(&self) -> u64 {
        self.0.get(&0).copied().unwrap_or(0)
    }
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|(from, to)| to - from).sum()
    }
}
