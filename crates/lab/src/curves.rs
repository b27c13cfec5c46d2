//! Curves of a run. The quantities are read at equal intervals of time. Where a curve has more
//! points than pixels, only the least and greatest value for each pixel are kept.

use std::collections::VecDeque;

use cellrate_engine::kernel::Ps;

use crate::shown::Shown;
use crate::tracks::Track;

/// Curves of several quantities over a span of time. A count is shown as its rate of growth over
/// the last readings.
#[derive(Clone, Debug)]
pub struct Curves {
    tracks: Vec<Track>,
    from: Ps,
    step: Ps,
    /// Readings so far: one row for each time, with a value for each quantity.
    rows: Vec<Vec<f32>>,
    /// The last values read, the oldest first: one more than the number of readings over which
    /// growth is averaged.
    last: VecDeque<Vec<f64>>,
    averaged: usize,
    /// Number of readings before `from`, which only rates of growth need.
    lead: u64,
    looks: u64,
}

impl Curves {
    /// Prepares curves that begin at `from` and are read every `step`. Rates of growth are means
    /// over `averaged` readings, at least 1. For these means up to `averaged` readings are taken
    /// before `from`.
    pub fn new(tracks: Vec<Track>, from: Ps, step: Ps, averaged: u64) -> Curves {
        Curves {
            tracks,
            from,
            step,
            rows: Vec::new(),
            last: VecDeque::new(),
            averaged: averaged as usize,
            lead: if averaged > 1 {
                averaged.min(from.0 / step.0)
            } else {
                0
            },
            looks: 0,
        }
    }

    /// The quantities that the curves show, one for each curve.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// Time of the next reading.
    pub fn due(&self) -> Ps {
        let after = |readings: u64| Ps(self.step.0.saturating_mul(readings));
        self.from
            .saturating_sub(after(self.lead))
            .saturating_add(after(self.looks))
    }

    /// Reads every quantity at [`Curves::due`], which the simulation must have reached.
    pub fn read<S: Shown>(&mut self, simulation: &mut S) {
        let values = simulation.read(&self.tracks);
        if self.looks >= self.lead {
            let seconds = self.step.as_secs_f64() * self.last.len() as f64;
            let shown = |number: usize, track: &Track| {
                let value = values[number];
                match self.last.front() {
                    _ if !track.probe.grows() => value,
                    Some(before) => (value - before[number]) / seconds,
                    None => f64::NAN,
                }
            };
            let tracks = self.tracks.iter().enumerate();
            let row = tracks.map(|(number, track)| shown(number, track) as f32);
            self.rows.push(row.collect());
        }
        self.looks += 1;
        self.last.push_back(values);
        if self.last.len() > self.averaged {
            self.last.pop_front();
        }
    }

    /// Least and greatest value of every quantity in each of `pixels` equal parts of a span. For
    /// each quantity the result has `2 pixels` numbers; they are NaN where nothing has been read.
    pub fn thinned(&self, from: Ps, to: Ps, pixels: usize) -> Vec<f32> {
        let width = to.0.saturating_sub(from.0).max(1) as f64 / pixels as f64;
        let row_at = |time: f64| (time - self.from.0 as f64) / self.step.0 as f64;
        let mut values = vec![f32::NAN; self.tracks.len() * 2 * pixels];
        for pixel in 0..pixels {
            let begin = row_at(from.0 as f64 + pixel as f64 * width);
            let end = row_at(from.0 as f64 + (pixel + 1) as f64 * width);
            // Each part has at least one reading: the last before the part began.
            let first = begin.floor().max(0.0) as usize;
            let last = (end.ceil().max(0.0) as usize).clamp(first + 1, usize::MAX);
            if begin < 0.0 && end <= 0.0 {
                continue;
            }
            let Some(rows) = self.rows.get(first..last.min(self.rows.len()).max(first)) else {
                continue;
            };
            for row in rows {
                for (track, value) in row.iter().enumerate() {
                    let at = (track * pixels + pixel) * 2;
                    values[at] = values[at].min(*value);
                    values[at + 1] = values[at + 1].max(*value);
                }
            }
        }
        values
    }
}
