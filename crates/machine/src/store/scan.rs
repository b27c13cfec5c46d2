//! Finds the records of a segment by their headers, without reading the results.

use std::fs::File;
use std::io;

use super::disk::read_at;
use super::key::Key;
use super::record::{HEADER, Header, MAGIC};

/// Number of bytes read at once. Small results lie close together, so one read brings several
/// headers.
const CHUNK: usize = 64 * 1024;

/// A record whose result has not been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Key of the record.
    pub key: Key,
    /// Offset of the record's first byte in the segment.
    pub offset: u64,
    /// Length of the record in bytes, including its header.
    pub length: u64,
}

/// Records found in a segment, and the ranges between them that contain no record.
#[derive(Debug, Default)]
pub struct Scan {
    /// Records of the segment, in order.
    pub records: Vec<Found>,
    /// Start and end of each range before the last record that contains no record, in bytes.
    pub gaps: Vec<(u64, u64)>,
    /// Offset of the first byte after the last record.
    pub end: u64,
    /// Size of the file in bytes. If it is larger than `end`, an incomplete or damaged record
    /// follows the last record.
    pub size: u64,
}

/// Scans a segment from the offset `from` on, at which a record should begin.
///
/// # Errors
/// If the file cannot be read.
pub fn scan(file: &File, from: u64) -> io::Result<Scan> {
    let size = file.metadata()?.len();
    let mut window = Window {
        file,
        offset: 0,
        bytes: Vec::new(),
    };
    let mut scan = Scan {
        end: from,
        size,
        ..Scan::default()
    };
    while scan.end < size {
        let offset = scan.end;
        match Header::parse(window.at(offset, HEADER)?) {
            Some(header) if header.length() <= size - offset => {
                scan.records.push(Found {
                    key: header.key,
                    offset,
                    length: header.length(),
                });
                scan.end = offset + header.length();
            }
            // The record is still being written, or the file ends within it.
            Some(_) => break,
            None => match next_header(&mut window, offset + 1, size)? {
                Some(next) => {
                    scan.gaps.push((offset, next));
                    scan.end = next;
                }
                None => break,
            },
        }
    }
    Ok(scan)
}

/// Offset of the next valid header from `from` on; `None` if there is none before `size`, the end
/// of the file.
fn next_header(window: &mut Window<'_>, from: u64, size: u64) -> io::Result<Option<u64>> {
    let mut offset = from;
    while offset + HEADER as u64 <= size {
        let bytes = window.at(offset, CHUNK)?;
        match bytes.windows(MAGIC.len()).position(|found| found == MAGIC) {
            Some(place) => {
                offset += place as u64;
                if Header::parse(window.at(offset, HEADER)?).is_some() {
                    return Ok(Some(offset));
                }
                offset += 1;
            }
            // The first bytes of a record may begin in the last bytes of this chunk.
            None => offset += (bytes.len().max(MAGIC.len()) - MAGIC.len() + 1) as u64,
        }
    }
    Ok(None)
}

/// A part of a file that is in memory.
struct Window<'f> {
    file: &'f File,
    offset: u64,
    bytes: Vec<u8>,
}

impl Window<'_> {
    /// The `length` bytes of the file from `offset` on; fewer at the end of the file.
    fn at(&mut self, offset: u64, length: usize) -> io::Result<&[u8]> {
        let inside = |window: &Self| {
            let start = usize::try_from(offset.checked_sub(window.offset)?).ok()?;
            (start + length <= window.bytes.len()).then_some(start)
        };
        let start = match inside(self) {
            Some(start) => start,
            None => {
                self.bytes.resize(CHUNK.max(length), 0);
                let filled = read_at(self.file, &mut self.bytes, offset)?;
                self.bytes.truncate(filled);
                self.offset = offset;
                0
            }
        };
        Ok(&self.bytes[start..self.bytes.len().min(start + length)])
    }
}
