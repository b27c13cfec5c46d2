//! The clocks of the parts of a run, and how threads wait for them.

use std::hint;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use cellrate_engine::kernel::Ps;

/// Number of times that a waiting thread reads the other clocks before it begins to yield the core
/// after each reading. After `LOOKS_AND_YIELDS` readings it goes to sleep. Together these readings
/// take some hundred microseconds. Waking a thread takes tens of microseconds, and most waits are
/// shorter than that.
const LOOKS: u32 = 1_000;
const LOOKS_AND_YIELDS: u32 = 1_400;

/// A clock in a cache line of its own, because a different core writes each clock.
#[repr(align(128))]
struct Clock(AtomicU64);

/// The clocks of all parts, and a flag that the run has been stopped.
pub struct Clocks {
    clocks: Vec<Clock>,
    is_stopped: AtomicBool,
    sleepers: AtomicUsize,
    bed: Mutex<()>,
    alarm: Condvar,
}

impl Clocks {
    /// Clocks of `parts` parts, all at `now`.
    pub fn new(parts: usize, now: Ps) -> Clocks {
        Clocks {
            clocks: (0..parts).map(|_| Clock(AtomicU64::new(now.0))).collect(),
            is_stopped: AtomicBool::new(false),
            sleepers: AtomicUsize::new(0),
            bed: Mutex::new(()),
            alarm: Condvar::new(),
        }
    }

    /// Time of the clock of a part: the part has processed all events before it and posted their
    /// effects.
    pub fn of(&self, part: usize) -> Ps {
        Ps(self.clocks[part].0.load(Ordering::SeqCst))
    }

    /// Simulated time of the part that is least advanced.
    pub fn earliest(&self) -> Ps {
        let all = (0..self.clocks.len()).map(|part| self.of(part));
        all.min().unwrap_or(Ps::NEVER)
    }

    /// Sets the clock of a part to `at`, after the part has posted all effects of its events before
    /// `at`.
    pub fn set(&self, part: usize, at: Ps) {
        self.clocks[part].0.store(at.0, Ordering::SeqCst);
        self.wake();
    }

    /// Stops the run: no thread waits any longer.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        self.wake();
    }

    /// True if the run has been stopped.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::SeqCst)
    }

    /// Waits until `ready` returns a value, and returns this value. Returns `None` if the run has
    /// been stopped or after `patience`. `ready` may only read the clocks.
    ///
    /// No change of a clock is missed. A thread that goes to sleep first counts itself as a sleeper
    /// and then reads the clocks again. A thread that sets a clock first sets it and then checks
    /// for sleepers. These operations are sequentially consistent, so at least one of the two
    /// threads sees the other. The signal cannot come between the reading and the sleep, because
    /// both are under the lock.
    pub fn wait<T>(&self, patience: Duration, ready: impl Fn(&Clocks) -> Option<T>) -> Option<T> {
        for look in 0..LOOKS_AND_YIELDS {
            if self.is_stopped() {
                return None;
            }
            if let Some(found) = ready(self) {
                return Some(found);
            }
            if look < LOOKS {
                hint::spin_loop();
            } else {
                thread::yield_now();
            }
        }
        let lock = self.lock();
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let found = ready(self);
        let found = if found.is_some() || self.is_stopped() {
            drop(lock);
            found
        } else {
            let woken = self.alarm.wait_timeout(lock, patience);
            drop(woken.unwrap_or_else(PoisonError::into_inner));
            ready(self)
        };
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        found
    }

    fn wake(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            drop(self.lock());
            self.alarm.notify_all();
        }
    }

    /// Locks the mutex of the sleepers. The mutex holds no data, so a panic under it damages
    /// nothing.
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.bed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops the run when its thread panics, so that no other thread waits for it.
pub struct StopsOnPanic<'a>(pub &'a Clocks);

impl Drop for StopsOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Longest wait in a test; a test that waits so long has failed.
    const LONG: Duration = Duration::from_secs(300);

    #[test]
    fn a_thread_that_sleeps_sees_every_clock_that_is_set() {
        let clocks = Clocks::new(2, Ps::ZERO);
        // Two threads wake each other in turn. If one signal were missed, both would sleep.
        let count = |own: usize| {
            for turn in 1..=2_000 {
                clocks.set(own, Ps(turn));
                let seen = clocks.wait(LONG, |clocks| {
                    (clocks.of(1 - own) >= Ps(turn)).then_some(())
                });
                assert_eq!(seen, Some(()));
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| count(1));
            count(0);
        });
        assert_eq!(clocks.earliest(), Ps(2_000));
    }

    #[test]
    fn a_panic_in_one_thread_ends_the_wait_of_another() {
        let clocks = Clocks::new(2, Ps::ZERO);
        thread::scope(|scope| {
            let failing = scope.spawn(|| {
                let _stop = StopsOnPanic(&clocks);
                panic!("on purpose");
            });
            assert_eq!(clocks.wait(LONG, |_| None::<()>), None);
            assert!(failing.join().is_err());
        });
        assert!(clocks.is_stopped());
    }
}
