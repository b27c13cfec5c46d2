//! A source as its end system uses it: the trait of all sources, and the load that one puts on the
//! network.

use alloc::string::String;

use super::piecewise::Pieces;
use super::{Cells, Demand};
use crate::kernel::{Ps, Rate, Stream};

/// Load that a source puts on the links of its route, known before the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// The source sends as much as TCP or the network allows.
    Elastic,
    /// The source generates cells at a rate of its own.
    Own {
        /// Mean rate of the source in cells/s.
        mean: f64,
        /// Greatest rate of the source in cells/s; infinity if any number of cells may come at once.
        peak: f64,
        /// Number of cells by which the source's largest burst exceeds the mean rate. More are
        /// impossible, or so improbable that they do not occur.
        burst: u64,
    },
}

impl Load {
    /// True for a source with a rate of its own that is 0.
    pub fn is_idle(self) -> bool {
        matches!(self, Load::Own { mean, .. } if mean <= 0.0)
    }
}

/// Bursts that a source sends in a fixed rhythm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// Parameter that sets the rhythm.
    pub field: &'static str,
    /// Time from one burst to the next.
    pub every: Ps,
    /// Rate of the cells within a burst.
    pub peak: Rate,
}

/// Parameters of a source.
pub trait Source {
    /// True if the source runs over TCP, so that its [`Demand`] is bytes or writes.
    const OVER_TCP: bool;
    /// True if what the source sends is measured from its start to its end, so that it needs no
    /// warm-up; all other sources are measured in the window.
    const MEASURED_WHOLE: bool = false;
    /// True if the source can send packets instead of cells, see [`Source::packets`].
    const SENDS_PACKETS: bool = false;

    /// Fault of the parameters, if there is one: field, and allowed values.
    fn check(&self) -> Option<(&'static str, String)>;
    /// Load that the source puts on the links of its path.
    fn load(&self) -> Load;
    /// Bursts of a source with a fixed period. The period must be longer than a burst by at least
    /// one cell time.
    fn bursts(&self) -> Option<Bursts> {
        None
    }
    /// Requirements of the source from `start` on; `stream` provides its random numbers.
    fn demand(&self, start: Ps, stream: Stream) -> Demand;
    /// The source with packets of `bits` each in place of cells of 424 bits; `None` unless it
    /// [`SENDS_PACKETS`](Source::SENDS_PACKETS).
    fn packets(&self, _bits: u64, _start: Ps, _stream: Stream) -> Option<Cells> {
        None
    }
    /// The player of the file, for a source that plays one.
    fn player(&self) -> Option<&dyn PlaysFile> {
        None
    }
}

/// Settings for playing pieces of constant rate.
#[derive(Clone, Copy, Debug)]
pub struct Playing {
    /// Greatest rate of the output; `None` if it is not limited.
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
    /// Contents of the file; `None` until it has been read.
    fn read(&self) -> Option<&Pieces>;

    /// Contents of the file, which must have been read before.
    fn content(&self) -> &Pieces {
        self.read()
            .expect("the file of a source is read before the run")
    }
}
