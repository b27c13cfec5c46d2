//! The queue of flow credits (ExpressPass) in front of a line, behind a token bucket.
//!
//! A flow credit makes its source send one packet with data over the opposite line. The bucket lets one credit pass in the
//! time in which the opposite line carries a credit and the longest such packet. So data and credits of both directions fit
//! each line.

use alloc::collections::VecDeque;

use crate::kernel::Ps;

/// Flow credits that wait in front of a line, the oldest first, and a token bucket in units of time: a credit costs `span`.
#[derive(Clone, Debug)]
pub struct Limiter<T> {
    waiting: VecDeque<T>,
    limit: usize,
    span: Ps,
    /// Time in which the bucket gains all its tokens but those of one credit.
    spare: Ps,
    /// Time at which the bucket is full again.
    full_at: Ps,
    most: usize,
    sent: u64,
    dropped: u64,
}

/// Counts of flow credits at a [`Limiter`] since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Credits that have passed.
    pub sent: u64,
    /// Credits that met a full queue and were dropped.
    pub dropped: u64,
    /// Greatest number of credits that have waited.
    pub most: u64,
}

impl<T> Limiter<T> {
    /// A queue in which at most `limit` credits wait. One may pass in each `span`, and up to `burst` at once after a
    /// silence. The bucket is full at the start.
    pub fn new((limit, burst): (u32, u32), span: Ps) -> Limiter<T> {
        Limiter {
            waiting: VecDeque::new(),
            limit: limit as usize,
            span,
            spare: Ps(span.0.saturating_mul(u64::from(burst.saturating_sub(1)))),
            full_at: Ps::ZERO,
            most: 0,
            sent: 0,
            dropped: 0,
        }
    }
    /// Adds a credit that arrives. Returns false if the queue is full, so that the credit is dropped.
    #[must_use]
    pub fn push(&mut self, credit: T) -> bool {
        let fits = self.waiting.len() < self.limit;
        if fits {
            self.waiting.push_back(credit);
            self.most = self.most.max(self.waiting.len());
        } else {
            self.dropped += 1;
        }
        fits
    }
    /// Earliest time at which the first credit may pass, possibly in the past; `NEVER` without a credit.
    #[inline]
    pub fn opens_at(&self) -> Ps {
        if self.waiting.is_empty() {
            Ps::NEVER
        } else {
            self.full_at.saturating_sub(self.spare)
        }
    }
    /// Removes and returns the first credit, if it may pass at `now`.
    pub fn take(&mut self, now: Ps) -> Option<T> {
        if self.opens_at() > now {
            return None;
        }
        self.full_at = self.full_at.max(now).saturating_add(self.span);
        self.sent += 1;
        self.waiting.pop_front()
    }
    /// The credits that wait.
    pub fn waiting(&self) -> impl Iterator<Item = &T> {
        self.waiting.iter()
    }
    /// Counts of credits since the start of the run.
    pub fn counts(&self) -> Counts {
        Counts {
            sent: self.sent,
            dropped: self.dropped,
            most: self.most as u64,
        }
    }
    /// Bytes of the simulator's memory that are allocated.
    pub fn storage(&self) -> usize {
        self.waiting.capacity() * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// A bucket of two credits, with one each 100 ps; three credits may wait. Two pass at once, and two again after a
    /// silence of 250 ps.
    #[test]
    fn a_bucket_of_two_lets_two_pass_at_once() {
        let mut limiter = Limiter::new((3, 2), Ps(100));
        assert_eq!(limiter.opens_at(), Ps::NEVER);
        let pushed: Vec<bool> = (0..4).map(|credit| limiter.push(credit)).collect();
        assert_eq!(pushed, [true, true, true, false]);
        assert_eq!(
            (limiter.take(Ps(7)), limiter.take(Ps(7))),
            (Some(0), Some(1))
        );
        assert_eq!((limiter.take(Ps(7)), limiter.opens_at()), (None, Ps(107)));
        assert_eq!(limiter.take(Ps(107)), Some(2));
        for credit in 3..6 {
            assert!(limiter.push(credit));
        }
        // The bucket is full again at 307 ps.
        assert_eq!(
            (limiter.take(Ps(357)), limiter.take(Ps(357))),
            (Some(3), Some(4))
        );
        assert_eq!(
            (limiter.take(Ps(456)), limiter.take(Ps(457))),
            (None, Some(5))
        );
        let counts = Counts {
            sent: 6,
            dropped: 1,
            most: 3,
        };
        assert_eq!(limiter.counts(), counts);
    }
}
