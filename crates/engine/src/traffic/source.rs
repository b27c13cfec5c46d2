//! The trait of all sources of traffic, and the load that a source puts on the network.

use alloc::string::String;

use super::piecewise::Pieces;
use super::{Cells, Demand};
use crate::kernel::{Ps, Rate, Stream};

/// Load that a source puts on the links of its path, known before the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// The source sends as much as TCP or the network allows.
    Elastic,
    /// The source generates cells at rates of its own.
    Own {
        /// Mean rate of the source in cells/s.
        mean: f64,
        /// Greatest rate of the source in cells/s; infinity if any number of cells may come at
        /// once.
        peak: f64,
        /// Number of cells by which the source's largest burst exceeds the mean rate. Larger bursts
        /// are impossible, or so improbable that they do not occur.
        burst: u64,
    },
}

impl Load {
    /// True for a source of the kind [`Load::Own`] with a rate of 0.
    pub fn is_idle(self) -> bool {
        matches!(self, Load::Own { mean, .. } if mean <= 0.0)
    }
}

/// Bursts that a source sends with a fixed period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// Name of the parameter that determines the period.
    pub field: &'static str,
    /// Time from one burst to the next.
    pub every: Ps,
    /// Rate of the cells within a burst.
    pub peak: Rate,
}

/// Parameters of a source of traffic.
pub trait Source {
    /// True if the source sends over TCP, so that its [`Demand`] is bytes or writes.
    const OVER_TCP: bool;
    /// True if the source is measured from its start to its end, without a warm-up. If false, the source is
    /// measured in the measurement window.
    const MEASURED_WHOLE: bool = false;
    /// True if the source can send packets instead of cells, see [`Source::packets`].
    const SENDS_PACKETS: bool = false;

    /// Fault of the parameters, if there is one: the field, and the allowed values.
    fn check(&self) -> Option<(&'static str, String)>;
    /// Load that the source puts on the links of its path.
    fn load(&self) -> Load;
    /// Bursts of a source with a fixed period; `None` for other sources. The pause between two bursts must be at
    /// least one cell time.
    fn bursts(&self) -> Option<Bursts> {
        None
    }
    /// Facilities that the source needs from its end system, from `start` on. `stream` provides the source's random numbers.
    fn demand(&self, start: Ps, stream: Stream) -> Demand;
    /// State of the source with packets of `bits` bits instead of cells of 424 bits; `None` if
    /// [`SENDS_PACKETS`](Source::SENDS_PACKETS) is false.
    fn packets(&self, _bits: u64, _start: Ps, _stream: Stream) -> Option<Cells> {
        None
    }
    /// The source as a player of a file; `None` for other sources.
    fn player(&self) -> Option<&dyn PlaysFile> {
        None
    }
}

/// Settings with which a source plays its file: greatest rate, repetition, and random start.
#[derive(Clone, Copy, Debug)]
pub struct Playing {
    /// Greatest rate of the cells; `None` for no limit.
    pub peak: Option<Rate>,
    /// True if the file is played repeatedly.
    pub repeat: bool,
    /// True if playing begins at a random time within the file.
    pub random_phase: bool,
}

/// A source that plays a file, which gives the rate as a sequence of pieces (spans of time with a constant rate).
pub trait PlaysFile {
    /// Settings with which the source plays its file: greatest rate, repetition, and random start.
    fn playing(&self) -> Playing;
    /// The pieces (spans of time with a constant rate) of the file; `None` until the file has been read.
    fn read(&self) -> Option<&Pieces>;

    /// The pieces (spans of time with a constant rate) of the file, which must have been read before.
    fn content(&self) -> &Pieces {
        self.read()
            .expect("the file of a source is read before the run")
    }
}
