//! State of one channel in ERICA.

/// State of one channel in ERICA. Interval numbers replace the flags of the pseudo-code, so that
/// nothing has to be cleared when an interval ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Channel {
    /// Number of the last interval in which the channel was active.
    pub seen: u32,
    /// Number of the last interval in which a BRM of the channel was answered.
    pub answered: u32,
    /// Number of the interval in which `units` were counted.
    counted: u32,
    /// Units of the channel that arrived in interval `counted`.
    units: u64,
    /// Units of the channel that arrived in the interval before `counted`.
    units_before: u64,
    /// CCR of the last FRM, in units/s.
    pub ccr: f64,
    /// Feedback to the channel in interval `answered` (Last Allocated ER), in units/s.
    pub last_er: f64,
}

impl Channel {
    /// Counts units of the channel in interval `epoch`.
    #[inline]
    pub fn count(&mut self, epoch: u32, units: u64) {
        if self.counted != epoch {
            self.units_before = if self.counted + 1 == epoch {
                self.units
            } else {
                0
            };
            (self.counted, self.units) = (epoch, 0);
        }
        self.units += units;
    }

    /// CCR measured over the interval before `epoch`, which lasted `seconds`: units / seconds.
    #[inline]
    pub fn measured_rate(&self, epoch: u32, seconds: f64) -> f64 {
        let units = match epoch - self.counted {
            0 => self.units_before,
            1 => self.units,
            _ => 0,
        };
        if units == 0 {
            0.0
        } else {
            units as f64 / seconds
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_those_of_the_interval_before() {
        let mut channel = Channel::default();
        [5, 5, 6]
            .into_iter()
            .for_each(|epoch| channel.count(epoch, 1));
        assert_eq!(
            (channel.measured_rate(6, 0.5), channel.measured_rate(7, 0.5)),
            (4.0, 2.0)
        );
        assert_eq!(channel.measured_rate(8, 0.5), 0.0);
        // No cell came in the interval before the eighth.
        channel.count(8, 1);
        assert_eq!(channel.measured_rate(8, 0.5), 0.0);
    }
}
