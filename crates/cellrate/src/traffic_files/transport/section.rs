//! Tables of programs: sections that are put together from packets.

use std::collections::BTreeMap;

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// PID of its clock references.
    pub pcr_pid: u16,
    /// PIDs of its streams.
    pub streams: Vec<u16>,
}

/// The section that is arriving on a PID.
#[derive(Clone, Debug, Default)]
pub struct Section {
    bytes: Vec<u8>,
    running: bool,
}

impl Section {
    /// Takes the payload of a packet; a section that is now complete and undamaged.
    pub fn take(&mut self, payload: &[u8], starts_unit: bool) -> Option<Vec<u8>> {
        let mut payload = payload;
        if starts_unit {
            let pointer = usize::from(*payload.first()?);
            payload = payload.get(1 + pointer..)?;
            self.bytes.clear();
            self.running = true;
        }
        if !self.running {
            return None;
        }
        self.bytes.extend_from_slice(payload);
        let length = 3 + usize::from(u16::from_be_bytes([*self.bytes.get(1)? & 0x0f, *self.bytes.get(2)?]));
        if self.bytes.len() < length {
            return None;
        }
        self.bytes.truncate(length);
        self.running = false;
        let section = std::mem::take(&mut self.bytes);
        (crc(&section) == 0).then_some(section)
    }
}

/// Number of each program and the PID of its map, of a program association section.
pub fn associations(section: &[u8]) -> Vec<(u16, u16)> {
    let Some(entries) = section.get(8..section.len().saturating_sub(4)).filter(|_| section[0] == 0) else {
        return Vec::new();
    };
    let entry = |bytes: &[u8]| (u16::from_be_bytes([bytes[0], bytes[1]]), pid(bytes[2], bytes[3]));
    // Number 0 is the network, no program.
    entries.chunks_exact(4).map(entry).filter(|(number, _)| *number != 0).collect()
}

/// Number and description of the program of a program map section.
pub fn program(section: &[u8]) -> Option<(u16, Program)> {
    let end = section.len().checked_sub(4)?;
    let head = section.get(..12).filter(|head| head[0] == 2)?;
    let mut found = Program { pcr_pid: pid(head[8], head[9]), streams: Vec::new() };
    let mut at = 12 + usize::from(pid(head[10], head[11]) & 0x0fff);
    while let Some(entry) = section.get(at..at + 5).filter(|_| at + 5 <= end) {
        found.streams.push(pid(entry[1], entry[2]));
        at += 5 + usize::from(u16::from_be_bytes([entry[3] & 0x0f, entry[4]]));
    }
    Some((u16::from_be_bytes([head[3], head[4]]), found))
}

fn pid(high: u8, low: u8) -> u16 {
    u16::from_be_bytes([high & 0x1f, low])
}

/// The CRC of sections (ISO/IEC 13818-1, annex A); zero over a section with its own.
pub fn crc(bytes: &[u8]) -> u32 {
    bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte) << 24, |crc, _| crc << 1 ^ if crc >> 31 == 1 { 0x04c1_1db7 } else { 0 })
    })
}

/// All programs by their numbers.
pub type Programs = BTreeMap<u16, Program>;
