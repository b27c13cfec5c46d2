//! Sorting of many arrivals at once: a counting sort on the time, then an insertion sort.

use alloc::vec::Vec;

use super::simultaneous::Order;
use crate::atm::cell::Cell;
use crate::kernel::Ps;

/// A cell and the input it came from.
#[derive(Clone, Copy)]
pub struct Arrived {
    /// The cell.
    pub cell: Cell,
    /// Its input; breaks ties.
    pub input: u32,
}

/// A batch of arrivals at a node, and their recent density.
#[derive(Clone)]
pub struct Batch {
    inputs: u64,
    arrived: Vec<Arrived>,
    sorted: Vec<Arrived>,
    places: Vec<u32>,
    /// Recent number of arrivals per picosecond.
    density: f64,
}

impl Batch {
    /// Least number of inputs for which batches can be faster.
    pub const INPUTS: usize = 4;
    /// Approximate number of cells of a batch, unless a few for each input are more: enough to make
    /// up for a look at every input, few enough for the cache.
    const CELLS: u64 = 1_024;
    const CELLS_PER_INPUT: u64 = 4;

    /// An empty batch for a node with `inputs` inputs.
    pub fn new(inputs: usize) -> Batch {
        let inputs = inputs as u64;
        Batch {
            inputs,
            arrived: Vec::new(),
            sorted: Vec::new(),
            places: Vec::new(),
            density: 0.0,
        }
    }
    /// True if enough cells are expected between `begin` and `limit`.
    #[inline]
    pub fn is_worth_it(&self, begin: Ps, limit: Ps) -> bool {
        limit.saturating_sub(begin).0 as f64 * self.density >= (2 * self.inputs) as f64
    }
    /// Records that `cells` cells arrived over `span`.
    pub fn note(&mut self, cells: u64, span: Ps) {
        self.density = cells as f64 / span.0.max(1) as f64;
    }
    /// Time at which a batch that begins at `begin` should end.
    pub fn end(&self, begin: Ps, limit: Ps) -> Ps {
        let cells = Self::CELLS.max(Self::CELLS_PER_INPUT * self.inputs);
        let span = (cells as f64 / self.density) as u64;
        limit.min(begin.saturating_add(Ps(span.max(1))))
    }
    /// Adds arrivals of one input, in their order.
    #[inline]
    pub fn add(&mut self, cells: &[Cell], input: u32) {
        self.arrived
            .extend(cells.iter().map(|cell| Arrived { cell: *cell, input }));
    }
    /// Sorts the arrivals, all of which lie in `begin..end`, by time and input.
    pub fn sort(&mut self, begin: Ps, end: Ps) {
        self.note(self.arrived.len() as u64, end - begin);
        let Some(first) = self.arrived.first().copied() else {
            return self.sorted.clear();
        };
        let buckets = (2 * self.arrived.len()).next_power_of_two() as u64;
        let shift = ((end.0 - begin.0) / buckets)
            .checked_ilog2()
            .map_or(0, |bits| bits + 1);
        let bucket = |arrived: &Arrived| ((arrived.cell.at.0 - begin.0) >> shift) as usize;
        self.places.clear();
        self.places
            .resize((((end.0 - begin.0) >> shift) + 2) as usize, 0);
        for arrived in &self.arrived {
            self.places[bucket(arrived) + 1] += 1;
        }
        let mut sum = 0;
        for place in &mut self.places {
            sum += *place;
            *place = sum;
        }
        self.sorted.clear();
        self.sorted.resize(self.arrived.len(), first);
        for arrived in self.arrived.drain(..) {
            let place = &mut self.places[bucket(&arrived)];
            self.sorted[*place as usize] = arrived;
            *place += 1;
        }
        sort_nearly_sorted(&mut self.sorted);
    }
    /// Sorts arrivals of the same instant into the random order.
    pub fn draw(&mut self, order: &Order) {
        for simultaneous in self
            .sorted
            .chunk_by_mut(|one, other| one.cell.at == other.cell.at)
        {
            simultaneous.sort_unstable_by_key(|arrived| {
                order.rank(arrived.cell.at, arrived.input as usize)
            });
        }
    }
    /// The arrivals in order.
    pub fn arrivals(&self) -> &[Arrived] {
        &self.sorted
    }
}

fn key(arrived: &Arrived) -> (u64, u32) {
    (arrived.cell.at.0, arrived.input)
}

fn sort_nearly_sorted(arrivals: &mut [Arrived]) {
    for i in 1..arrivals.len() {
        let moving = arrivals[i];
        let mut hole = i;
        while hole > 0 && key(&moving) < key(&arrivals[hole - 1]) {
            arrivals[hole] = arrivals[hole - 1];
            hole -= 1;
        }
        arrivals[hole] = moving;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atm::cell::Info;
    use crate::kernel::Stream;

    #[test]
    fn sorts_by_time_and_input() {
        let mut stream = Stream::new(1, "batch", "test");
        for span in [1u64, 7, 1_000, 5_000_000_000] {
            let mut batch = Batch::new(4);
            let mut expected = Vec::new();
            for label in 0..500u32 {
                let at = Ps(1_000 + stream.below(Ps(span)).0);
                let input = label % 4;
                batch.add(
                    &[Cell {
                        at,
                        label,
                        info: Info::data(0),
                    }],
                    input,
                );
                expected.push((at.0, input));
            }
            batch.sort(Ps(1_000), Ps(1_000 + span));
            expected.sort_unstable();
            assert!(batch.arrivals().iter().map(key).eq(expected));
        }
    }
}
