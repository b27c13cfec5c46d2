//! State of one channel in ERICA.

/// State of one channel in ERICA. Numbers of averaging intervals replace the flags of the pseudo-code, so that
/// the end of an interval need not clear flags.
#[derive(Clone, Debug, Default)]
pub(super) struct Channel {
    /// Number of the last averaging interval in which the channel was active; 0 if it never was.
    pub seen: u32,
    /// Number of the last averaging interval in which the scheme wrote feedback into a BRM of the channel; 0 if
    /// it never did.
    pub answered: u32,
    /// Number of the averaging interval in which the units counted in `units` arrived.
    counted: u32,
    /// Units of the channel that arrived in the interval with the number `counted`.
    units: u64,
    /// Units of the channel that arrived in interval `counted` - 1.
    units_before: u64,
    /// CCR in the channel's last FRM, in units/s.
    pub ccr: f64,
    /// Explicit rate that the channel got in the interval `answered` (Last Allocated ER), in
    /// units/s.
    pub last_er: f64,
}

impl Channel {
    /// Counts `units` units of the channel that arrive in the averaging interval with the number `epoch`.
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

    /// CCR of the channel in units/s, measured over the interval before the interval `epoch`: the number of units
    /// of the channel, divided by `seconds`, the length of that interval.
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
        // No cell arrived in interval 7.
        channel.count(8, 1);
        assert_eq!(channel.measured_rate(8, 0.5), 0.0);
    }
}
