//! What sources that play a file share.

use alloc::boxed::Box;
use alloc::string::String;

use super::changes::too_often;
use super::piecewise::{Line, Listed, PeakBucket, Pieces, Piecewise};
use super::{Cells, Demand, Load};
use crate::kernel::{Ps, Rate, Stream};

/// How pieces are played.
#[derive(Clone, Copy, Debug)]
pub struct Playing {
    /// Greatest rate that leaves.
    pub peak: Option<Rate>,
    /// Whether the pieces begin again at their end.
    pub repeat: bool,
    /// Whether they are entered at a random time.
    pub random_phase: bool,
}

impl Playing {
    /// What is wrong with it: field, and what is allowed.
    pub fn check(&self, content: Option<&Pieces>) -> Option<(&'static str, String)> {
        if self.random_phase && !self.repeat {
            return Some((
                "random_phase",
                String::from("a random phase needs repeat = true: there must be a beginning again"),
            ));
        }
        let content = content.filter(|_| self.repeat)?;
        if self.peak.is_some_and(|peak| peak.cells_per_second() <= content.mean()) {
            return Some(("peak", String::from("a peak not above the mean rate lets the bucket grow without end")));
        }
        let wrong = too_often(content.lasts().as_secs_f64() / content.all().len() as f64, content.mean())?;
        Some(("repeat", wrong))
    }
    /// What playing `content` asks of the links.
    pub fn load(&self, content: &Pieces) -> Load {
        let peak = content.peak().min(self.peak.unwrap_or(Rate(u64::MAX)));
        Load::Own { mean: content.mean(), peak: peak.cells_per_second() }
    }
    /// The cells of `content` from `start` on.
    pub fn cells(&self, content: &Pieces, start: Ps, mut stream: Stream) -> Demand {
        let mut listed = Listed::new(content.clone(), self.repeat);
        if self.random_phase {
            listed = listed.entered_at(stream.below(content.lasts()));
        }
        let bucket = PeakBucket::new(listed, self.peak.unwrap_or(Rate(u64::MAX)));
        Demand::Cells(Cells::Played(Box::new(Piecewise::new([Line::new(bucket, start, 0.0)]))))
    }
}
