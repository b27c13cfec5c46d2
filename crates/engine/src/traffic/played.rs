//! Common part of sources that play a file.

use alloc::boxed::Box;
use alloc::string::String;

use super::changes::too_often;
use super::piecewise::{Line, Listed, PeakBucket, Pieces, Piecewise};
use super::{Cells, Demand, Load};
use crate::kernel::{Ps, Rate, Stream};

/// Settings for playing pieces.
#[derive(Clone, Copy, Debug)]
pub struct Playing {
    /// Greatest rate of the output.
    pub peak: Option<Rate>,
    /// True if the pieces begin again at their end.
    pub repeat: bool,
    /// True if the pieces are entered at a random time.
    pub random_phase: bool,
}

/// A source that plays the pieces of a file.
pub trait PlaysFile {
    /// Settings for playing the pieces.
    fn playing(&self) -> Playing;
    /// Contents of the file, once it has been read.
    fn read(&self) -> Option<&Pieces>;

    /// Contents of the file, which must have been read before.
    fn content(&self) -> &Pieces {
        self.read()
            .expect("the file of a source is read before the run")
    }
    /// Fault of the settings: field, and allowed values.
    fn check(&self) -> Option<(&'static str, String)> {
        let Playing {
            peak,
            repeat,
            random_phase,
        } = self.playing();
        if random_phase && !repeat {
            return Some((
                "random_phase",
                String::from(
                    "a random phase needs repeat = true, so that the file continues after its end",
                ),
            ));
        }
        let content = self.read().filter(|_| repeat)?;
        if peak.is_some_and(|peak| peak.cells_per_second() <= content.mean()) {
            return Some((
                "peak",
                String::from(
                    "with a peak that is not above the mean rate the backlog of the bucket grows without end",
                ),
            ));
        }
        let wrong = too_often(
            content.lasts().as_secs_f64() / content.all().len() as f64,
            content.mean(),
        )?;
        Some(("repeat", wrong))
    }
    /// Load of the played file on the links.
    fn load(&self) -> Load {
        let content = self.content();
        let peak = content
            .peak()
            .min(self.playing().peak.unwrap_or(Rate(u64::MAX)));
        Load::Own {
            mean: content.mean(),
            peak: peak.cells_per_second(),
        }
    }
    /// The cells from `start` on.
    fn demand(&self, start: Ps, mut stream: Stream) -> Demand {
        let Playing {
            peak,
            repeat,
            random_phase,
        } = self.playing();
        let mut listed = Listed::new(self.content().clone(), repeat);
        if random_phase {
            listed = listed.entered_at(stream.below(self.content().lasts()));
        }
        let bucket = PeakBucket::new(listed, peak.unwrap_or(Rate(u64::MAX)));
        Demand::Cells(Cells::Played(Box::new(Piecewise::new([Line::new(
            bucket, start, 0.0,
        )]))))
    }
}
