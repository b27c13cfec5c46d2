//! Traces of bounded size: sampled values, thinned to their minima and maxima when they grow long.

use alloc::vec::Vec;

use super::time::Ps;

/// A sampled series. When it reaches its bound, every four points are replaced by the lowest and
/// the highest of them in their order of time, so no peak is ever lost.
#[derive(Clone, Debug)]
pub struct Trace {
    bound: usize,
    points: Vec<(Ps, f64)>,
    /// Points per bucket of which only the extremes are kept; 1 keeps all.
    stride: u32,
    bucket: Vec<(Ps, f64)>,
}

impl Trace {
    /// A trace of at most `bound` points (at least 16).
    pub fn new(bound: usize) -> Trace {
        Trace { bound: bound.max(16), points: Vec::new(), stride: 1, bucket: Vec::new() }
    }
    /// Adds a sample; times must not go back.
    pub fn add(&mut self, at: Ps, value: f64) {
        self.bucket.push((at, value));
        if self.bucket.len() as u32 >= self.stride {
            Self::keep_extremes(&self.bucket, &mut self.points);
            self.bucket.clear();
            if self.points.len() > self.bound {
                self.thin();
            }
        }
    }
    /// The samples kept, in order of time.
    pub fn points(&self) -> Vec<(Ps, f64)> {
        let mut points = self.points.clone();
        Self::keep_extremes(&self.bucket, &mut points);
        points
    }

    fn keep_extremes(bucket: &[(Ps, f64)], kept: &mut Vec<(Ps, f64)>) {
        let by_value = |a: &&(Ps, f64), b: &&(Ps, f64)| a.1.total_cmp(&b.1);
        let (Some(low), Some(high)) = (bucket.iter().min_by(by_value), bucket.iter().max_by(by_value)) else {
            return;
        };
        match low.0.cmp(&high.0) {
            core::cmp::Ordering::Equal => kept.push(*low),
            core::cmp::Ordering::Less => kept.extend([*low, *high]),
            core::cmp::Ordering::Greater => kept.extend([*high, *low]),
        }
    }

    fn thin(&mut self) {
        let old = core::mem::take(&mut self.points);
        for bucket in old.chunks(4) {
            Self::keep_extremes(bucket, &mut self.points);
        }
        self.stride = if self.stride == 1 { 4 } else { self.stride * 2 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_trace_is_bounded_and_keeps_its_extremes_in_order() {
        let mut trace = Trace::new(100);
        for i in 0..100_000u64 {
            let value = if i == 51_234 { 1e6 } else { (i % 97) as f64 };
            trace.add(Ps(i), value);
        }
        let points = trace.points();
        assert!(points.len() <= 102, "{}", points.len());
        assert!(points.contains(&(Ps(51_234), 1e6)));
        assert!(points.is_sorted_by(|a, b| a.0 < b.0));
        assert!(points.iter().any(|p| p.1 == 0.0));
    }

    #[test]
    fn a_short_trace_keeps_every_sample() {
        let mut trace = Trace::new(100);
        (0..50).for_each(|i| trace.add(Ps(i), i as f64));
        assert_eq!(trace.points().len(), 50);
    }
}
