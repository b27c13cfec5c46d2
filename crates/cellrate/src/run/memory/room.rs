//! The free memory into which a run may still grow.
//!
//! The estimate before a run follows from the plan of the network; the memory that the run really
//! takes follows from its events. A run that is about to fill the memory is ended with an error,
//! before an allocation fails and ends the whole process.

use cellrate_engine::net::Storage;

use super::free::available_bytes;

/// Bytes that a run may hold before it reads for the first time how much memory the system has free.
const FREELY: u64 = 64 << 20;

/// The memory that a run may take. The free memory of the system is read again whenever the run has
/// grown.
#[derive(Clone, Debug)]
pub struct Room {
    free: fn() -> Option<u64>,
    /// Number of runs, or of parts of one run, that grow side by side in the same memory.
    sharers: u64,
    /// Bytes that the run may hold before the free memory is read again.
    granted: u64,
}

impl Room {
    /// The memory limit of a run that alone grows into the free memory of this machine.
    pub fn here() -> Room {
        Room::of(available_bytes)
    }

    /// The memory limit of a run that grows alone. `free` returns the free bytes, or `None` if they
    /// are not known.
    pub fn of(free: fn() -> Option<u64>) -> Room {
        Room {
            free,
            sharers: 1,
            granted: FREELY,
        }
    }

    /// The memory limit for each of `sharers` runs, or parts of a run, that grow side by side.
    pub fn shared(&self, sharers: usize) -> Room {
        Room {
            sharers: sharers.max(1) as u64,
            ..self.clone()
        }
    }

    /// Returns the bytes that are left, if they are too few for the next growth of `held`. Returns
    /// `None` if they are enough, or if the system does not report its free memory.
    ///
    /// A ring buffer that is full is copied into one of twice its size. Half of the allocated bytes
    /// may never have been written to, and the system counts such bytes as free.
    pub fn lacking(&mut self, held: &Storage) -> Option<u64> {
        if held.bytes <= self.granted {
            return None;
        }
        let left = (self.free)()?;
        let largest = held.fullest.map_or(0, |holder| holder.bytes);
        let next = largest
            .saturating_mul(2)
            .saturating_add(held.bytes / 2)
            .saturating_mul(self.sharers);
        let Some(spare) = left.checked_sub(next) else {
            return Some(left);
        };
        self.granted = held.bytes.saturating_add(spare / 4 / self.sharers);
        None
    }
}

#[cfg(test)]
mod tests {
    use cellrate_engine::net::{Holder, Place};

    use super::*;

    fn held(bytes: u64, largest: u64) -> Storage {
        let fullest = Holder {
            place: Place::Link(0),
            units: 1,
            bytes: largest,
        };
        Storage {
            units: 1,
            bytes,
            fullest: Some(fullest),
        }
    }

    #[test]
    fn a_run_ends_before_its_largest_ring_cannot_be_doubled() {
        const LEFT: u64 = 1 << 30;
        let lacking = |bytes, largest, sharers| {
            Room::of(|| Some(LEFT))
                .shared(sharers)
                .lacking(&held(bytes, largest))
        };
        assert_eq!(lacking(FREELY, FREELY, 1), None);
        assert_eq!(lacking(400 << 20, 400 << 20, 1), None);
        assert_eq!(lacking(420 << 20, 420 << 20, 1), Some(LEFT));
        assert_eq!(lacking(210 << 20, 210 << 20, 2), Some(LEFT));
        assert_eq!(lacking(1_500 << 20, 1 << 20, 1), None);
        assert_eq!(Room::of(|| None).lacking(&held(u64::MAX, u64::MAX)), None);
    }

    #[test]
    fn the_system_is_asked_again_only_after_growth() {
        let mut room = Room::of(|| Some(1 << 30));
        assert_eq!(room.lacking(&held(100 << 20, 100 << 20)), None);
        // Of 1,024 MiB, 250 MiB may be needed at once; a quarter of the remaining memory is
        // granted.
        room.free = || Some(0);
        assert_eq!(room.lacking(&held(290 << 20, 290 << 20)), None);
        assert_eq!(room.lacking(&held(294 << 20, 294 << 20)), Some(0));
    }
}
