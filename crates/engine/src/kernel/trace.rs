//! Traces of bounded size: series of samples. If there are too many samples, neighbours are replaced by their
//! minimum and maximum.

use alloc::vec::Vec;

use super::time::Ps;

/// A point of a trace, for the samples of an interval that begins at `at`. All these samples are
/// between `low` and `high`. For a single sample `low` and `high` are equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Time of the first sample in the interval.
    pub at: Ps,
    /// Least value sampled in the interval.
    pub low: f64,
    /// Greatest value sampled in the interval.
    pub high: f64,
}

impl Point {
    fn join(self, later: Point) -> Point {
        Point {
            at: self.at,
            low: self.low.min(later.low),
            high: self.high.max(later.high),
        }
    }
}

/// A series of samples with a bounded number of points. At the bound, neighbouring points are
/// combined in pairs to their minimum and maximum, so that no peak is lost.
#[derive(Clone, Debug)]
pub struct Trace {
    bound: usize,
    points: Vec<Point>,
    /// Number of samples in each complete point: a power of two.
    stride: u64,
    /// The newest point, if it has fewer than `stride` samples, and the number of its samples.
    open: Option<(Point, u64)>,
}

impl Trace {
    /// Least allowed bound on the number of points.
    pub const LEAST_BOUND: usize = 16;

    /// An empty trace of at most `bound` points. A bound below [`Trace::LEAST_BOUND`] is raised to
    /// [`Trace::LEAST_BOUND`]; an odd bound is reduced by one.
    pub fn new(bound: usize) -> Trace {
        Trace {
            bound: bound.max(Trace::LEAST_BOUND) & !1,
            points: Vec::new(),
            stride: 1,
            open: None,
        }
    }
    /// Adds a sample of `value` at `at`, which must not be earlier than the time of the last sample.
    pub fn add(&mut self, at: Ps, value: f64) {
        let sample = Point {
            at,
            low: value,
            high: value,
        };
        let (point, samples) = self.open.take().map_or((sample, 1), |(point, samples)| {
            (point.join(sample), samples + 1)
        });
        if samples < self.stride {
            self.open = Some((point, samples));
            return;
        }
        if self.points.len() == self.bound {
            // After neighbouring points have been joined, the new point is the first half of the next point.
            self.join_pairs();
            self.open = Some((point, samples));
        } else {
            self.points.push(point);
        }
    }
    /// All points so far, in order of time. Their number is at most the bound.
    pub fn points(&self) -> Vec<Point> {
        let mut points = self.points.clone();
        points.extend(self.open.map(|(point, _)| point));
        points
    }
    /// Bytes allocated for the points.
    pub fn bytes(&self) -> usize {
        self.points.capacity() * size_of::<Point>()
    }

    fn join_pairs(&mut self) {
        self.points = self
            .points
            .chunks(2)
            .map(|pair| pair[0].join(pair[pair.len() - 1]))
            .collect();
        self.stride *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_trace_is_bounded_and_keeps_its_extremes_where_they_were() {
        let mut trace = Trace::new(101);
        for i in 0..100_000u64 {
            let value = if i == 51_234 { 1e6 } else { (i % 97) as f64 };
            trace.add(Ps(i), value);
        }
        let points = trace.points();
        // 100,000 / 1,024 = 97.7. With this stride, 98 points hold all samples.
        assert_eq!(points.len(), 98);
        assert!(
            points
                .iter()
                .enumerate()
                .all(|(i, point)| point.at == Ps(1_024 * i as u64))
        );
        assert_eq!(
            points[51_234 / 1_024],
            Point {
                at: Ps(51_200),
                low: 0.0,
                high: 1e6
            }
        );
        assert!(
            points
                .iter()
                .all(|point| point.low == 0.0 && point.high >= 96.0)
        );
    }

    #[test]
    fn a_short_trace_keeps_every_sample() {
        let mut trace = Trace::new(100);
        (0..100).for_each(|i| trace.add(Ps(i), i as f64));
        let points = trace.points();
        assert_eq!(points.len(), 100);
        assert!(
            points
                .iter()
                .all(|point| point.low == point.high && point.low == point.at.0 as f64)
        );
        trace.add(Ps(100), 100.0);
        assert_eq!(trace.points().len(), 51);
        assert_eq!(
            trace.points()[49],
            Point {
                at: Ps(98),
                low: 98.0,
                high: 99.0
            }
        );
        assert_eq!(
            trace.points()[50],
            Point {
                at: Ps(100),
                low: 100.0,
                high: 100.0
            }
        );
    }

    #[test]
    fn storage_does_not_grow_with_the_samples() {
        let after = |samples: u64| {
            let mut trace = Trace::new(1_000);
            (0..samples).for_each(|i| trace.add(Ps(i), 0.0));
            trace.bytes()
        };
        assert!(after(1_000_000) <= after(2_000));
    }
}
