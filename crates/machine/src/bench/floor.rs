//! Lower bounds for the cost of the bench's workloads W1 and W2 on this machine: bare loops with
//! only the arithmetic of their cells, without tables, classes, statistics or conservation checks.
//! The bench states its figures as multiples of these bounds.

mod feedback;

pub use feedback::feedback;

use cellrate_engine::kernel::{Ps, Ring, Tournament};

use super::workloads::{BUFFER, LINE, PLAIN_SOURCES, period};

#[derive(Clone, Copy, Default)]
struct Bare {
    at: Ps,
    source: u32,
    number: u32,
}

/// Cells that a bare loop delivered. Two loops over the same load deliver the same cells. Their
/// `hops` may differ, because the loops cross the links in another order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Number of times that a cell crossed a link.
    pub hops: u64,
    /// Number of cells that reached their destination.
    pub cells: u64,
    /// Number of cells that found the bottleneck's buffer full.
    pub dropped: u64,
    /// Hash of source, number and arrival time of every delivered cell.
    pub checksum: u64,
}

impl Delivered {
    #[inline(always)]
    fn deliver(&mut self, cell: Bare) {
        self.hops += 1;
        self.cells += 1;
        let name = (cell.source as u64) << 32 | cell.number as u64;
        let hash = (name.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ cell.at.0)
            .wrapping_mul(0xD6E8_FEB8_6659_FD93);
        self.checksum = self.checksum.wrapping_add(hash);
    }
}

/// Finds the earliest of many clocks: times at which something is scheduled.
pub trait Merge {
    /// `n` clocks, none of which is scheduled.
    fn of(n: usize) -> Self;
    /// The earliest clock, and its index.
    fn first(&self) -> (Ps, usize);
    /// Sets clock `i` to the time `at`.
    fn set(&mut self, i: usize, at: Ps);
}

/// The winner tree (tournament tree) of the engine, which decides its matches without branches.
impl Merge for Tournament {
    fn of(n: usize) -> Self {
        Tournament::new(n)
    }
    #[inline(always)]
    fn first(&self) -> (Ps, usize) {
        self.first()
    }
    #[inline(always)]
    fn set(&mut self, i: usize, at: Ps) {
        self.set(i, at);
    }
}

/// A winner tree whose matches compile to branches. It is faster where few sources take turns so
/// regularly that the processor predicts the winner.
pub struct Branching {
    leaves: usize,
    keys: Vec<u128>,
}

impl Merge for Branching {
    fn of(n: usize) -> Self {
        let leaves = n.next_power_of_two();
        let mut tree = Branching {
            leaves,
            keys: vec![u128::MAX; 2 * leaves],
        };
        (0..n).for_each(|i| tree.set(i, Ps::NEVER));
        tree
    }
    #[inline(always)]
    fn first(&self) -> (Ps, usize) {
        (
            Ps((self.keys[1] >> 64) as u64),
            self.keys[1] as u64 as usize,
        )
    }
    #[inline(always)]
    fn set(&mut self, i: usize, at: Ps) {
        let mut node = self.leaves + i;
        assert!(node < self.keys.len());
        let mut winner = (at.0 as u128) << 64 | i as u128;
        self.keys[node] = winner;
        while node > 1 {
            winner = winner.min(self.keys[node ^ 1]);
            node >>= 1;
            self.keys[node] = winner;
        }
    }
}

/// Workload W1 with all times in whole picoseconds.
#[derive(Clone, Debug)]
pub struct Load {
    end: Ps,
    access: Ps,
    bottleneck: Ps,
    delay: Ps,
    periods: Vec<Ps>,
    phases: Vec<Ps>,
}

impl Load {
    /// The load of `n` sources over links of `delay` until `end`.
    pub fn new(n: usize, delay: Ps, end: Ps) -> Load {
        let cell = 424e12 / LINE as f64;
        Load {
            end,
            delay,
            access: Ps(cell as u64),
            bottleneck: Ps((cell * PLAIN_SOURCES as f64 / n as f64) as u64),
            periods: (0..n).map(|i| Ps(period(i, n) as u64)).collect(),
            phases: (0..n)
                .map(|i| Ps((period(i, n) * i as f64 / n as f64) as u64))
                .collect(),
        }
    }
    /// True if an access link holds fewer than 100 cells. A loop that works in time windows as long as the link delay
    /// then has few cells in each window.
    pub fn is_short(&self) -> bool {
        self.delay.0 < 100 * self.access.0
    }
    fn most_wait(&self) -> Ps {
        Ps(BUFFER * self.bottleneck.0)
    }
}

/// Serves a cell that arrives at `now` on a line that is free from `free_at` on, and returns the
/// time at which the cell has been sent. Returns `None` if the cell would wait for `most` or
/// longer.
#[inline(always)]
fn serve(now: Ps, free_at: &mut Ps, service: Ps, most: Ps) -> Option<Ps> {
    let start = now.max(*free_at);
    if start - now >= most {
        return None;
    }
    *free_at = start + service;
    Some(*free_at)
}

/// Delivers the cells of a load, in time windows as long as the link delay. Every source fills its
/// access link, switch A merges the links with a winner tree, switch B distributes the cells, and
/// the sinks empty their links.
pub fn trains<M: Merge>(load: &Load) -> Delivered {
    let n = load.periods.len();
    let mut result = Delivered::default();
    let mut access: Vec<Ring<Bare>> = (0..n).map(|_| Ring::default()).collect();
    let mut egress: Vec<Ring<Bare>> = (0..n).map(|_| Ring::default()).collect();
    let mut trunk: Ring<Bare> = Ring::default();
    let mut source_free = vec![Ps::ZERO; n];
    let mut egress_free = vec![Ps::ZERO; n];
    let mut trunk_free = Ps::ZERO;
    let mut next = load.phases.clone();
    let mut numbers = vec![0; n];
    let mut heads = M::of(n);
    let head = |ring: &Ring<Bare>| ring.front().map_or(Ps::NEVER, |cell| cell.at);
    let mut begin = Ps::ZERO;
    while begin < load.end {
        let until = (begin + load.delay).min(load.end);
        for link in &mut egress {
            while head(link) < until
                && let Some(cell) = link.pop()
            {
                result.deliver(cell);
            }
        }
        while head(&trunk) < until
            && let Some(mut cell) = trunk.pop()
        {
            result.hops += 1;
            let to = cell.source as usize;
            if let Some(done) = serve(cell.at, &mut egress_free[to], load.access, Ps::NEVER) {
                cell.at = done + load.delay;
                egress[to].push(cell);
            }
        }
        for (i, link) in access.iter().enumerate() {
            heads.set(i, head(link));
        }
        loop {
            let (at, from) = heads.first();
            if at >= until {
                break;
            }
            let Some((mut cell, behind)) = access[from].pop_and_peek() else {
                break;
            };
            heads.set(from, behind.map_or(Ps::NEVER, |cell| cell.at));
            result.hops += 1;
            match serve(cell.at, &mut trunk_free, load.bottleneck, load.most_wait()) {
                Some(done) => {
                    cell.at = done + load.delay;
                    trunk.push(cell);
                }
                None => result.dropped += 1,
            }
        }
        for i in 0..n {
            let (mut at, mut free, mut number) = (next[i], source_free[i], numbers[i]);
            while at < until {
                free = at.max(free) + load.access;
                access[i].push(Bare {
                    at: free + load.delay,
                    source: i as u32,
                    number,
                });
                number += 1;
                at += load.periods[i];
            }
            (next[i], source_free[i], numbers[i]) = (at, free, number);
        }
        begin = until;
    }
    result
}

/// Number of cells that [`sorted`] sorts at once: enough to outweigh the cost of visiting every
/// link.
const BATCH: u64 = 1_024;

/// Delivers the cells of a load as [`trains`] does, but stage by stage: sources, switch A, switch
/// B, sinks. This is possible because there is no feedback. The time windows can therefore be
/// longer than the link delay. Switch A sorts the cells that arrive in a window by a counting sort
/// on the time.
pub fn sorted(load: &Load) -> Delivered {
    let n = load.periods.len();
    let mut result = Delivered::default();
    let mut access: Vec<Ring<Bare>> = (0..n).map(|_| Ring::default()).collect();
    let mut egress: Vec<Ring<Bare>> = (0..n).map(|_| Ring::default()).collect();
    let mut trunk: Ring<Bare> = Ring::default();
    let mut source_free = vec![Ps::ZERO; n];
    let mut egress_free = vec![Ps::ZERO; n];
    let mut trunk_free = Ps::ZERO;
    let mut next = load.phases.clone();
    let mut numbers = vec![0; n];
    let mut batch = Sorted::default();
    let head = |ring: &Ring<Bare>| ring.front().map_or(Ps::NEVER, |cell| cell.at);
    let span = Ps(BATCH.max(4 * n as u64) * load.bottleneck.0);
    let mut begin = Ps::ZERO;
    while begin < load.end {
        let until = (begin + span).min(load.end);
        for i in 0..n {
            let (mut at, mut free, mut number) = (next[i], source_free[i], numbers[i]);
            while at < until {
                free = at.max(free) + load.access;
                access[i].push(Bare {
                    at: free + load.delay,
                    source: i as u32,
                    number,
                });
                number += 1;
                at += load.periods[i];
            }
            (next[i], source_free[i], numbers[i]) = (at, free, number);
        }
        for mut cell in batch.sort(&mut access, begin, until).iter().copied() {
            result.hops += 1;
            match serve(cell.at, &mut trunk_free, load.bottleneck, load.most_wait()) {
                Some(done) => {
                    cell.at = done + load.delay;
                    trunk.push(cell);
                }
                None => result.dropped += 1,
            }
        }
        while head(&trunk) < until
            && let Some(mut cell) = trunk.pop()
        {
            result.hops += 1;
            let to = cell.source as usize;
            if let Some(done) = serve(cell.at, &mut egress_free[to], load.access, Ps::NEVER) {
                cell.at = done + load.delay;
                egress[to].push(cell);
            }
        }
        for link in &mut egress {
            while head(link) < until
                && let Some(cell) = link.pop()
            {
                result.deliver(cell);
            }
        }
        begin = until;
    }
    result
}

/// Buffers of the counting sort by which a bare loop orders the cells of a time window.
#[derive(Default)]
struct Sorted {
    arrived: Vec<Bare>,
    sorted: Vec<Bare>,
    places: Vec<u32>,
}

impl Sorted {
    /// Takes the cells that arrive in `begin..until` off the links. Returns the cells in order of
    /// time; cells with equal times have the order of their links.
    fn sort(&mut self, links: &mut [Ring<Bare>], begin: Ps, until: Ps) -> &[Bare] {
        self.arrived.clear();
        for link in links {
            loop {
                let stretch = link.stretch();
                let taken = stretch.iter().take_while(|cell| cell.at < until).count();
                self.arrived.extend_from_slice(&stretch[..taken]);
                link.discard(taken);
                if link.front().is_none_or(|cell| cell.at >= until) {
                    break;
                }
            }
        }
        let buckets = (2 * self.arrived.len() as u64).next_power_of_two();
        let shift = ((until - begin).0 / buckets)
            .checked_ilog2()
            .map_or(0, |bits| bits + 1);
        let bucket = |cell: &Bare| ((cell.at - begin).0 >> shift) as usize;
        self.places.clear();
        self.places
            .resize(((until - begin).0 >> shift) as usize + 1, 0);
        for cell in &self.arrived {
            self.places[bucket(cell)] += 1;
        }
        let mut sum = 0;
        for place in &mut self.places {
            sum += std::mem::replace(place, sum);
        }
        self.sorted.resize(self.arrived.len(), Bare::default());
        for cell in &self.arrived {
            let place = &mut self.places[bucket(cell)];
            self.sorted[*place as usize] = *cell;
            *place += 1;
        }
        for i in 1..self.sorted.len() {
            let moving = self.sorted[i];
            let mut hole = i;
            while hole > 0 && moving.at < self.sorted[hole - 1].at {
                self.sorted[hole] = self.sorted[hole - 1];
                hole -= 1;
            }
            self.sorted[hole] = moving;
        }
        &self.sorted
    }
}

/// Delivers the cells of a load with one event for each cell at each switch. Sources and sinks are
/// computed together with their access links, and a winner tree over all links finds the earliest
/// arrival.
pub fn folded(load: &Load) -> Delivered {
    let n = load.periods.len();
    let mut result = Delivered::default();
    let mut trunk: Ring<Bare> = Ring::default();
    let mut source_free = vec![Ps::ZERO; n];
    let mut egress_free = vec![Ps::ZERO; n];
    let mut trunk_free = Ps::ZERO;
    let mut next = load.phases.clone();
    let mut pending = vec![Bare::default(); n];
    let mut heads = Tournament::new(n + 1);
    let mut generate = |i: usize, number: u32| {
        let free = source_free[i].max(next[i]) + load.access;
        source_free[i] = free;
        next[i] += load.periods[i];
        Bare {
            at: free + load.delay,
            source: i as u32,
            number,
        }
    };
    for (i, cell) in pending.iter_mut().enumerate() {
        *cell = generate(i, 0);
        heads.set(i, cell.at);
    }
    loop {
        let (now, from) = heads.first();
        if now >= load.end {
            return result;
        }
        result.hops += 1;
        if from < n {
            let mut cell = pending[from];
            pending[from] = generate(from, cell.number + 1);
            heads.set(from, pending[from].at);
            match serve(now, &mut trunk_free, load.bottleneck, load.most_wait()) {
                Some(done) => {
                    cell.at = done + load.delay;
                    if trunk.is_empty() {
                        heads.set(n, cell.at);
                    }
                    trunk.push(cell);
                }
                None => result.dropped += 1,
            }
        } else if let Some((mut cell, behind)) = trunk.pop_and_peek() {
            heads.set(n, behind.map_or(Ps::NEVER, |cell| cell.at));
            let to = cell.source as usize;
            if let Some(done) = serve(now, &mut egress_free[to], load.access, Ps::NEVER) {
                cell.at = done + load.delay;
                if cell.at < load.end {
                    result.deliver(cell);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_loops_deliver_the_same_cells_at_the_same_times() {
        for (n, delay) in [
            (15, Ps::from_ms(5)),
            (100, Ps::from_us(300)),
            (15, Ps::from_us(5)),
        ] {
            let load = Load::new(n, delay, Ps::from_ms(40));
            let folded = folded(&load);
            assert!(folded.cells > 1_000);
            let trains = [trains::<Tournament>(&load), trains::<Branching>(&load)];
            for others in trains.into_iter().chain([sorted(&load)]) {
                assert_eq!(
                    (others.cells, others.checksum),
                    (folded.cells, folded.checksum)
                );
            }
        }
    }
}
