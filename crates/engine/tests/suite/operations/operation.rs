//! Operations on subjects; `drawing` draws them at random.

use cellrate_engine::atm::cell::RmCell;
use cellrate_engine::kernel::Ps;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// End of the clock of a scenario; later times can be represented, but no run lasts longer.
pub const END: Ps = Ps(18_000_000_000_000_000_000);

/// An operation. Each subject applies it in its own terms and skips operations that make no sense
/// for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Operation {
    /// Time passes; timers that are due on the way expire.
    Pass(Span),
    /// Data cells of a channel arrive, `count` in number; the last may end a PDU.
    Cells {
        vc: u8,
        count: u8,
        efci: bool,
        ends: bool,
    },
    /// Cells of classes without control arrive, as many as the number.
    Background(u16),
    /// Classes without control use the whole link until the next timer.
    Flood,
    /// An RM cell passes.
    Rm {
        vc: u8,
        backward: bool,
        cell: Contents,
    },
    /// Cells leave, as many as the number: served by a port, forwarded by a node, sent by a source,
    /// or handed over by TCP as segments.
    Serve(u8),
    /// The queue jumps to another length; a host becomes congested.
    Queue(Level),
    /// A channel has data, or is set up.
    Open(u8),
    /// A channel becomes silent.
    Close(u8),
    /// The application writes bytes.
    Supply(Supply),
    /// Items on the way arrive, or are lost, `count` in number.
    Arrive {
        backward: bool,
        count: u8,
        lost: bool,
    },
    /// The first two items on the way change places.
    Reorder { backward: bool },
    /// The first item on the way arrives once more.
    Duplicate { backward: bool },
    /// A credit sender reports the number of cells of a channel that it has sent.
    Mark(u8),
    /// An acknowledgement of any number, window and blocks arrives.
    Acknowledge {
        to: Position,
        window: Option<u32>,
        blocks: Vec<(u32, u32)>,
        payload: bool,
    },
    /// A segment with these bytes arrives.
    Segment { from: Position, bytes: u16 },
}

/// The simulated time that an operation lets pass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Span {
    /// A number of picoseconds.
    Ps(u64),
    /// The span to the next timer, and a number of picoseconds more or less.
    ToTimer(i8),
    /// A year, or the span to the end of the clock if that is shorter.
    Year,
}

impl Span {
    /// The end of the span if it begins at `now` and the next timer is at `timer`.
    pub fn from(self, now: Ps, timer: Ps) -> Ps {
        let until = match self {
            Span::Ps(ps) => now.saturating_add(Ps(ps)),
            Span::ToTimer(off) => Ps(timer.0.saturating_add_signed(i64::from(off))),
            Span::Year => Ps::NEVER,
        };
        until.clamp(now, END.max(now))
    }
}

/// A queue length, relative to the buffer of the subject.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    Empty,
    Full,
    Cells(u16),
}

/// Data that the application hands to a TCP sender.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Supply {
    Bytes(u32),
    Endless,
}

/// A position in a stream of bytes, relative to the next byte that its receiver expects.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// A number of bytes from the next expected byte.
    Next(i32),
    /// A number of segments from the next expected byte.
    Segments(i8),
    /// A number of bytes from one above the highest byte sent.
    Highest(i32),
    /// Any byte of the stream.
    At(u64),
}

impl Position {
    /// The number of the byte at this position of the sender's data.
    pub fn byte(self, next: u64, highest: u64, mss: u64) -> u64 {
        match self {
            Position::Next(bytes) => next.saturating_add_signed(i64::from(bytes)),
            Position::Segments(count) => next.saturating_add_signed(i64::from(count) * mss as i64),
            Position::Highest(bytes) => highest.saturating_add_signed(i64::from(bytes)),
            Position::At(byte) => byte,
        }
    }
}

/// A rate in an RM cell, in cells/s. Written as text, which keeps every bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellsPerSecond(pub f64);

impl Serialize for CellsPerSecond {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:e}", self.0))
    }
}

impl<'de> Deserialize<'de> for CellsPerSecond {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CellsPerSecond, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map(CellsPerSecond)
            .map_err(serde::de::Error::custom)
    }
}

/// Drawn contents of an RM cell that an operation sends to the subject.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contents {
    pub er: CellsPerSecond,
    pub ccr: CellsPerSecond,
    pub mcr: CellsPerSecond,
    /// CI, NI, BN.
    pub bits: [bool; 3],
}

impl Contents {
    pub fn rm(self) -> RmCell {
        let [ci, ni, bn] = self.bits;
        RmCell {
            er: self.er.0,
            ccr: self.ccr.0,
            mcr: self.mcr.0,
            ci,
            ni,
            bn,
        }
    }
}
