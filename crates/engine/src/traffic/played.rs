//! The methods of [`Source`] that are the same for all sources that play a file.

use alloc::boxed::Box;
use alloc::string::String;

use super::changes::too_often;
use super::piecewise::{Line, Listed, PeakBucket, Piecewise};
use super::{Cells, Demand, Load, Playing, PlaysFile, Source};
use crate::kernel::{Ps, Rate, Stream};

impl<T: PlaysFile> Source for T {
    const OVER_TCP: bool = false;

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
                    "`random_phase` needs `repeat = true`, so that the file continues after its end",
                ),
            ));
        }
        let content = self.read().filter(|_| repeat)?;
        if peak.is_some_and(|peak| peak.cells_per_second() <= content.mean()) {
            return Some((
                "peak",
                String::from(
                    "`peak` is not above the mean rate, so the backlog of cells beyond the peak grows without end",
                ),
            ));
        }
        let wrong = too_often(
            content.lasts().as_secs_f64() / content.all().len() as f64,
            content.mean(),
        )?;
        Some(("repeat", wrong))
    }
    fn load(&self) -> Load {
        let content = self.content();
        let peak = content
            .peak()
            .min(self.playing().peak.unwrap_or(Rate(u64::MAX)));
        Load::Own {
            mean: content.mean(),
            peak: peak.cells_per_second(),
            burst: libm::ceil(content.largest_burst()) as u64 + 1,
        }
    }
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
    fn player(&self) -> Option<&dyn PlaysFile> {
        Some(self)
    }
}
