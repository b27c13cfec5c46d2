//! Curves of a run: quantities that are read at equal distances of time, and are thinned to their
//! least and greatest value where more points than pixels lie.

use std::collections::VecDeque;

use cellrate_engine::kernel::Ps;

use crate::shown::Shown;
use crate::tracks::Track;

/// The tracks over a span of time. Growths are rates over the last readings.
#[derive(Clone, Debug)]
pub struct Curves {
    tracks: Vec<Track>,
    from: Ps,
    step: Ps,
    /// Readings so far, one row for each time.
    rows: Vec<Vec<f32>>,
    /// The last values read, the oldest first: one more than readings over which growth is averaged.
    last: VecDeque<Vec<f64>>,
    averaged: usize,
    /// Readings before `from`, which only growths need.
    lead: u64,
    looks: u64,
}

impl Curves {
    /// Curves that begin at `from` and are read every `step`. Growths are means over `averaged` readings, at
    /// least 1, for which up to `averaged` readings are made before `from`.
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

    /// The quantities.
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

    /// Least and greatest value of every track in each of `pixels` equal parts of a span: for each
    /// track `2 pixels` numbers, NaN where nothing has been read.
    pub fn thinned(&self, from: Ps, to: Ps, pixels: usize) -> Vec<f32> {
        let width = to.0.saturating_sub(from.0).max(1) as f64 / pixels as f64;
        let row_at = |time: f64| (time - self.from.0 as f64) / self.step.0 as f64;
        let mut values = vec![f32::NAN; self.tracks.len() * 2 * pixels];
        for pixel in 0..pixels {
            let begin = row_at(from.0 as f64 + pixel as f64 * width);
            let end = row_at(from.0 as f64 + (pixel + 1) as f64 * width);
            // At least the reading that was last when the part began.
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
