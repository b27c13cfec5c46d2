//! A source that plays an MPEG-2 transport stream from a file.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::piecewise::Pieces;
use super::{Playing, PlaysFile};
use crate::kernel::Rate;

/// Raw cells (without TCP) that carry a real MPEG-2 transport stream (ISO/IEC 13818-1): a file of
/// packets of 188 bytes. The program clock references in the file give the times at which packets
/// leave the encoder. Between two references the rate is constant and cells are evenly spaced, as
/// modelled by Kalyanaraman 1997 (section 8.17.1). Packets before the first reference are sent at
/// the rate between the first two references. Packets after the last reference are sent at the rate
/// between the last two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransportStreamConfig {
    /// Path of the file, relative to the directory of the scenario file.
    pub file: String,
    /// SHA-256 of the file in hexadecimal digits. If present, the file must match it. Complete
    /// scenarios contain it, so that stored results belong to the contents of the file.
    pub sha256: Option<String>,
    /// Number of the program to send; required if the file has several. Only packets of this
    /// program are then sent.
    #[schemars(range(min = 1, max = 65_535))]
    pub program: Option<u32>,
    /// PID of the packets whose clock references are used. If absent, that of the program.
    #[schemars(range(min = 0, max = 8_190))]
    pub pcr_pid: Option<u32>,
    /// Also sends null packets, whose only purpose is to fill up a constant rate.
    #[serde(default)]
    pub null_packets: bool,
    /// Transport packets in an AAL5 PDU, 1 to 300. The default, two in eight cells, is that of
    /// Kalyanaraman 1997.
    #[serde(default = "TransportStreamConfig::two")]
    #[schemars(range(min = 1, max = 300))]
    pub packets_per_pdu: u32,
    /// Greatest rate of the cells; a bucket delays cells above it. No limit if absent.
    pub peak: Option<Rate>,
    /// Plays the stream repeatedly.
    #[serde(default)]
    pub repeat: bool,
    /// Each flow begins the stream at a random time of its own instead of the beginning; needs
    /// `repeat`.
    #[serde(default)]
    pub random_phase: bool,
    /// Contents of the file; `None` until the file is read, before the run.
    #[serde(skip)]
    #[schemars(skip)]
    pub content: Option<Pieces>,
}

impl TransportStreamConfig {
    fn two() -> u32 {
        2
    }
}

impl PlaysFile for TransportStreamConfig {
    fn playing(&self) -> Playing {
        Playing {
            peak: self.peak,
            repeat: self.repeat,
            random_phase: self.random_phase,
        }
    }
    fn read(&self) -> Option<&Pieces> {
        self.content.as_ref()
    }
}
