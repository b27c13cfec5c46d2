//! Program tables of a transport stream: sections, reassembled from packets.

use std::collections::BTreeMap;

/// Table identifier that marks the rest of the packet as stuffing.
const STUFFING: u8 = 0xff;

/// A program of a transport stream, such as a television channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// PID (packet identifier) of the packets that carry the program's clock references (PCR).
    pub pcr_pid: u16,
    /// PIDs of the packets of the program's elementary streams, such as video and sound.
    pub streams: Vec<u16>,
}

/// The part of a table section that has arrived so far on a PID; empty between two sections.
#[derive(Clone, Debug, Default)]
pub struct Section {
    bytes: Vec<u8>,
}

impl Section {
    /// Adds the payload of a packet, and returns the undamaged sections that the payload completes.
    /// If `starts_unit` is true, a section begins in the packet. The first byte then is the number
    /// of bytes that still belong to the section before. Further sections may follow (ISO/IEC
    /// 13818-1, 2.4.4).
    pub fn take(&mut self, payload: &[u8], starts_unit: bool) -> Vec<Vec<u8>> {
        let (before, begun) = match (starts_unit, payload.split_first()) {
            (false, _) => (payload, None),
            (true, None) => return Vec::new(),
            (true, Some((pointer, rest))) => match rest.split_at_checked(usize::from(*pointer)) {
                Some((before, begun)) => (before, Some(begun)),
                None => return Vec::new(),
            },
        };
        let mut found = Vec::new();
        if !self.bytes.is_empty() {
            self.bytes.extend_from_slice(before);
            found.extend(std::iter::from_fn(|| self.cut_off()));
        }
        if let Some(begun) = begun {
            self.bytes = begun.to_vec();
            found.extend(std::iter::from_fn(|| self.cut_off()));
        }
        found.retain(|section| crc(section) == 0);
        found
    }

    /// Removes and returns the first section, if it is complete.
    fn cut_off(&mut self) -> Option<Vec<u8>> {
        if self.bytes.first() == Some(&STUFFING) {
            self.bytes.clear();
        }
        let length = 3 + usize::from(u16::from_be_bytes([
            *self.bytes.get(1)? & 0x0f,
            *self.bytes.get(2)?,
        ]));
        if self.bytes.len() < length {
            return None;
        }
        let rest = self.bytes.split_off(length);
        Some(std::mem::replace(&mut self.bytes, rest))
    }
}

/// True if a section of a table is in force; a section with `current_next_indicator` 0 is not yet
/// in force.
fn is_current(section: &[u8]) -> bool {
    section.get(5).is_some_and(|flags| flags & 1 == 1)
}

/// Number of each program and PID of its map, from a program association section. The section must
/// be in force; otherwise the list is empty.
pub fn associations(section: &[u8]) -> Vec<(u16, u16)> {
    let entries = section.get(8..section.len().saturating_sub(4));
    let Some(entries) = entries.filter(|_| section[0] == 0 && is_current(section)) else {
        return Vec::new();
    };
    let entry = |bytes: &[u8]| {
        (
            u16::from_be_bytes([bytes[0], bytes[1]]),
            pid(bytes[2], bytes[3]),
        )
    };
    // Program number 0 is the network information table, not a program.
    entries
        .chunks_exact(4)
        .map(entry)
        .filter(|(number, _)| *number != 0)
        .collect()
}

/// Number and contents of the program in a program map section; `None` if the section is not in
/// force.
pub fn program(section: &[u8]) -> Option<(u16, Program)> {
    let end = section.len().checked_sub(4)?;
    let head = section
        .get(..12)
        .filter(|head| head[0] == 2 && is_current(head))?;
    let mut found = Program {
        pcr_pid: pid(head[8], head[9]),
        streams: Vec::new(),
    };
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

/// The CRC of sections (ISO/IEC 13818-1, annex A). Over an undamaged section, its own CRC included,
/// the result is zero.
pub fn crc(bytes: &[u8]) -> u32 {
    bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte) << 24, |crc, _| {
            crc << 1 ^ if crc >> 31 == 1 { 0x04c1_1db7 } else { 0 }
        })
    })
}

/// The programs of a transport stream, by program number (ISO/IEC 13818-1, PAT).
pub type Programs = BTreeMap<u16, Program>;
