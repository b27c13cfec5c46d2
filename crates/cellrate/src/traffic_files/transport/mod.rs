//! MPEG-2 transport streams (ISO/IEC 13818-1, 2.4): counts the packets between the clock references
//! of a program.

mod clock;
mod contents;
mod packet;
mod section;

use cellrate_engine::traffic::mpeg2::TRANSPORT_PACKET_BYTES;

use clock::Clock;
use contents::Contents;
use packet::{Packet, packets};

pub use clock::CLOCK_HERTZ;

/// PID of null packets, which carry no data.
const NULL_PID: u16 = 0x1fff;

/// A stretch of a stream: a number of packets that are sent within a time at a constant rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Duration in cycles of [`CLOCK_HERTZ`].
    pub ticks: u64,
    /// Number of packets that are sent in this time.
    pub packets: u64,
}

/// Choice of the part of a stream that is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Number of the program whose packets are sent.
    pub program: Option<u32>,
    /// PID (packet identifier) of the packets with the clock references.
    pub pcr_pid: Option<u32>,
    /// True if null packets are sent, too.
    pub null_packets: bool,
}

/// A fault of a stream, or of the choice among its programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Key of the source to which the report of the fault points.
    pub key: &'static str,
    /// Offset of the fault in the file, in bytes.
    pub byte: Option<u64>,
    /// Description of the fault.
    pub message: String,
    /// Advice to the user; may be empty.
    pub help: String,
}

impl Broken {
    fn at(byte: u64, message: impl Into<String>) -> Broken {
        Broken {
            key: "file",
            byte: Some(byte),
            message: message.into(),
            help: String::new(),
        }
    }
    fn asked(key: &'static str, message: impl Into<String>, help: impl Into<String>) -> Broken {
        Broken {
            key,
            byte: None,
            message: message.into(),
            help: help.into(),
        }
    }
}

/// Divides the stream in `bytes` into stretches: numbers of packets that are sent within a time at
/// a constant rate.
///
/// # Errors
/// The first fault of the stream, with its offset, or a choice that fits several programs.
pub fn read(bytes: &[u8], choice: &Choice) -> Result<Vec<Stretch>, Broken> {
    let mut contents = Contents::default();
    for packet in packets(bytes) {
        contents.look_at(&packet?);
    }
    let selection = contents.select(choice)?;
    let is_sent = |packet: &Packet<'_>| match packet.pid {
        NULL_PID => choice.null_packets,
        pid => selection
            .pids
            .as_ref()
            .is_none_or(|pids| pids.contains(&pid)),
    };
    let mut clock = Clock::default();
    let (mut pcr_pid, mut moves) = (NULL_PID, selection.clocks.iter().peekable());
    for packet in packets(bytes) {
        let packet = packet?;
        // A new map may move the clock to another PID. Both PIDs have the time of the same
        // program.
        while let Some((_, pid)) = moves.next_if(|(from, _)| *from <= packet.byte) {
            pcr_pid = *pid;
        }
        clock.count(is_sent(&packet));
        if packet.pid == pcr_pid {
            clock.look_at(&packet)?;
        }
    }
    clock.stretches(pcr_pid)
}

#[cfg(test)]
mod tests;
