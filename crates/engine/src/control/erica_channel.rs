//! What ERICA knows of one channel, interval by interval.

/// What is known of one channel. Numbers of intervals stand in for flags, so that nothing has to
/// be cleared when an interval ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Channel {
    /// Last interval in which the channel was active.
    pub seen: u32,
    /// Last interval in which a BRM was answered.
    pub answered: u32,
    /// Interval of `cells`.
    counted: u32,
    /// Cells in interval `counted`.
    cells: u32,
    /// Cells in the interval before `counted`.
    cells_before: u32,
    /// CCR of the last FRM, in cells/s.
    pub ccr: f64,
    /// Feedback given in interval `answered`.
    pub last_er: f64,
}

impl Channel {
    /// A cell in interval `epoch`.
    #[inline]
    pub fn count_cell(&mut self, epoch: u32) {
        if self.counted != epoch {
            self.cells_before = if self.counted + 1 == epoch {
                self.cells
            } else {
                0
            };
            (self.counted, self.cells) = (epoch, 0);
        }
        self.cells += 1;
    }

    /// Rate measured over the interval before `epoch`, which lasted `seconds`.
    #[inline]
    pub fn measured_rate(&self, epoch: u32, seconds: f64) -> f64 {
        let cells = match epoch - self.counted {
            0 => self.cells_before,
            1 => self.cells,
            _ => 0,
        };
        if cells == 0 {
            0.0
        } else {
            cells as f64 / seconds
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
            .for_each(|epoch| channel.count_cell(epoch));
        assert_eq!(
            (channel.measured_rate(6, 0.5), channel.measured_rate(7, 0.5)),
            (4.0, 2.0)
        );
        assert_eq!(channel.measured_rate(8, 0.5), 0.0);
        // None came in the interval before the eighth.
        channel.count_cell(8);
        assert_eq!(channel.measured_rate(8, 0.5), 0.0);
    }
}
