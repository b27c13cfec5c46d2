//! Lower bound for the time of the bench's workload W2 (TCP over ABR with ERICA): segments are cut into cells and
//! reassembled, each is acknowledged, RM cells go there and back, and the rate of a source follows them.

use cellrate_engine::kernel::{Ps, Ring, Tournament};

use super::{Bare, Delivered, Load, serve};

/// Number of cells of a segment of 512 bytes with its headers, and of an acknowledgement.
const SEGMENT: u32 = 12;
const ACKNOWLEDGEMENT: u32 = 2;
/// Number of cells from one RM cell of a source to the next (Nrm).
const NRM: u32 = 32;
/// Number of cells in an averaging interval of the switch.
const INTERVAL: u32 = 100;
/// Largest number of segments in flight: a window of 1 MiB.
const WINDOW: u64 = 2_048;
/// Share of the line that the switch allocates.
const TARGET: f64 = 0.9;

/// Kinds of cells, in the upper bits of `number`.
const DATA: u32 = 0;
const END: u32 = 1 << 30;
const FORWARD_RM: u32 = 2 << 30;
const BACKWARD_RM: u32 = 3 << 30;
const KIND: u32 = 3 << 30;

/// A link with its port: its cells, the contents of RM cells and PDU ends, and the time from which
/// on the line is free.
#[derive(Default)]
struct Line {
    cells: Ring<Bare>,
    bodies: Ring<u64>,
    free: Ps,
}

impl Line {
    #[inline(always)]
    fn head(&self) -> Ps {
        self.cells.front().map_or(Ps::NEVER, |cell| cell.at)
    }
    /// Sends a cell at `now`. Returns true if the link was empty.
    #[inline(always)]
    fn send(&mut self, now: Ps, mut cell: Bare, body: Option<u64>, service: Ps, delay: Ps) -> bool {
        let was_empty = self.cells.is_empty();
        if let Some(done) = serve(now, &mut self.free, service, Ps::NEVER) {
            cell.at = done + delay;
            self.cells.push(cell);
        }
        if let Some(body) = body {
            self.bodies.push(body);
        }
        was_empty
    }
    #[inline(always)]
    fn take(&mut self, until: Ps) -> Option<(Bare, Option<u64>)> {
        if self.head() >= until {
            return None;
        }
        let cell = self.cells.pop()?;
        let body = if cell.number & KIND == DATA {
            None
        } else {
            self.bodies.pop()
        };
        Some((cell, body))
    }
}

/// Lines that meet at a switch, and the first cell of each to arrive.
struct Meeting {
    lines: Vec<Line>,
    heads: Tournament,
}

impl Meeting {
    fn of(n: usize) -> Meeting {
        Meeting {
            lines: (0..n).map(|_| Line::default()).collect(),
            heads: Tournament::new(n),
        }
    }
    #[inline(always)]
    fn send(&mut self, i: usize, now: Ps, cell: Bare, body: Option<u64>, load: &Load) {
        if self.lines[i].send(now, cell, body, load.access, load.delay) {
            self.heads.bring_forward(i, self.lines[i].head());
        }
    }
    #[inline(always)]
    fn take(&mut self, until: Ps) -> Option<(Bare, Option<u64>)> {
        let (at, from) = self.heads.first();
        if at >= until {
            return None;
        }
        let taken = self.lines[from].take(until);
        self.heads.set(from, self.lines[from].head());
        taken
    }
}

struct Source {
    next: Ps,
    gap: Ps,
    number: u32,
    since_rm: u32,
    sent: u64,
    acknowledged: u64,
}

#[derive(Default)]
struct Destination {
    cells: u32,
    acknowledged: u64,
}

/// Delivers the cells of a load, in time windows of one link delay and one cell time. No cell that
/// is sent in a window arrives before the end of the window, so every node can process all arrivals
/// of a window at once. RM cells and acknowledgements return through the same switches.
pub fn feedback(load: &Load) -> Delivered {
    let n = load.periods.len();
    let mut result = Delivered::default();
    let (mut up, mut back_up) = (Meeting::of(n), Meeting::of(n));
    let (mut trunk, mut back_trunk) = (Line::default(), Line::default());
    let lines = || -> Vec<Line> { (0..n).map(|_| Line::default()).collect() };
    let (mut down, mut back_down) = (lines(), lines());
    let mut destinations: Vec<Destination> = (0..n).map(|_| Destination::default()).collect();
    let source = |phase: &Ps| Source {
        next: *phase,
        gap: load.periods[0],
        number: 0,
        since_rm: 0,
        sent: 0,
        acknowledged: 0,
    };
    let mut sources: Vec<Source> = load.phases.iter().map(source).collect();
    let (mut counted, mut since, mut seen, mut active) = (0, Ps::ZERO, vec![0u32; n], 0u32);
    let (mut interval, mut share) = (1, 1.0 / load.periods[0].0 as f64);
    let capacity = TARGET / load.bottleneck.0 as f64;
    let window = load.delay + load.access.min(load.bottleneck);
    let mut begin = Ps::ZERO;
    while begin < load.end {
        let until = (begin + window).min(load.end);
        // Destinations.
        for (i, line) in down.iter_mut().enumerate() {
            while let Some((cell, body)) = line.take(until) {
                let here = &mut destinations[i];
                let named = |number| Bare { number, ..cell };
                match cell.number & KIND {
                    FORWARD_RM => {
                        result.hops += 1;
                        back_up.send(i, cell.at, named(BACKWARD_RM), body, load);
                    }
                    END => {
                        result.deliver(cell);
                        let whole = std::mem::take(&mut here.cells) == SEGMENT - 1;
                        here.acknowledged += whole as u64;
                        for number in (1..ACKNOWLEDGEMENT).map(|_| DATA) {
                            back_up.send(i, cell.at, named(number), None, load);
                        }
                        let number = Some(here.acknowledged);
                        back_up.send(i, cell.at, named(END), number, load);
                    }
                    _ => {
                        result.deliver(cell);
                        here.cells += 1;
                    }
                }
            }
        }
        // Switch B, forward.
        while let Some((cell, body)) = trunk.take(until) {
            result.hops += 1;
            let to = &mut down[cell.source as usize];
            to.send(cell.at, cell, body, load.access, load.delay);
        }
        // Switch A, forward: it counts the cells, and the sources that send, in each interval.
        while let Some((cell, body)) = up.take(until) {
            result.hops += 1;
            let seen = &mut seen[cell.source as usize];
            if *seen != interval {
                (*seen, active) = (interval, active + 1);
            }
            counted += 1;
            if counted == INTERVAL {
                let input = INTERVAL as f64 / (cell.at - since).0 as f64;
                share = (capacity / active as f64).max(share * capacity / input);
                (counted, since, active, interval) = (0, cell.at, 0, interval + 1);
            }
            trunk.send(cell.at, cell, body, load.bottleneck, load.delay);
        }
        // Switch B, backward.
        while let Some((cell, body)) = back_up.take(until) {
            result.hops += 1;
            back_trunk.send(cell.at, cell, body, load.bottleneck, load.delay);
        }
        // Switch A, backward: it marks RM cells.
        while let Some((cell, mut body)) = back_trunk.take(until) {
            result.hops += 1;
            if let (BACKWARD_RM, Some(rate)) = (cell.number & KIND, &mut body) {
                *rate = f64::from_bits(*rate).min(share).to_bits();
            }
            let to = &mut back_down[cell.source as usize];
            to.send(cell.at, cell, body, load.access, load.delay);
        }
        // Sources.
        for (i, line) in back_down.iter_mut().enumerate() {
            let Source {
                mut next,
                mut gap,
                mut number,
                mut since_rm,
                mut sent,
                mut acknowledged,
            } = sources[i];
            loop {
                let arrival = line.head().min(until);
                while next < arrival && sent < acknowledged + WINDOW {
                    let source = i as u32;
                    let cell = |number| Bare {
                        at: Ps::ZERO,
                        source,
                        number,
                    };
                    if since_rm == 0 {
                        let rate = Some(1.0f64.to_bits());
                        up.send(i, next, cell(FORWARD_RM), rate, load);
                    } else {
                        number += 1;
                        let ends = number.is_multiple_of(SEGMENT);
                        sent += ends as u64;
                        let kind = if ends { END } else { DATA };
                        let body = ends.then_some(sent);
                        up.send(i, next, cell(kind | number & !KIND), body, load);
                    }
                    since_rm = (since_rm + 1) % NRM;
                    next += gap;
                }
                let Some((cell, body)) = line.take(until) else {
                    break;
                };
                result.hops += 1;
                match (cell.number & KIND, body) {
                    (BACKWARD_RM, Some(rate)) => gap = Ps((1.0 / f64::from_bits(rate)) as u64),
                    (END, Some(number)) => {
                        acknowledged = number;
                        next = next.max(cell.at);
                    }
                    _ => {}
                }
            }
            sources[i] = Source {
                next,
                gap,
                number,
                since_rm,
                sent,
                acknowledged,
            };
        }
        begin = until;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_settles_at_its_target() {
        for delay in [Ps::from_ms(5), Ps::from_us(5)] {
            let (half, end) = (Ps::from_ms(200), Ps::from_ms(400));
            let of = |end| feedback(&Load::new(15, delay, end)).cells;
            let rate = (of(end) - of(half)) as f64 / (end - half).0 as f64;
            let bottleneck = Load::new(15, delay, end).bottleneck;
            // One of 32 cells is an RM cell.
            let used = rate * bottleneck.0 as f64 * 32.0 / 31.0;
            assert!((used - TARGET).abs() < 0.03, "{used} over {delay:?}");
        }
    }
}
