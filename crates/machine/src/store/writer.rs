//! Writes the one segment that this process appends to.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::sync::Arc;

use super::directory::{Claim, Directory};
use super::disk::{Located, sync_directory};
use super::index::Location;
use super::syncing::Syncer;

/// Size in bytes at which a segment is closed. 100,000 results of the usual size fill a few
/// segments. The undamaged records of a damaged segment are copied within a second.
pub const FULL: u64 = 256 << 20;

/// Appends records to the segment of this process. A store has one writer, behind a mutex.
#[derive(Debug)]
pub struct Writer {
    directory: Directory,
    full: u64,
    syncer: Syncer,
    segment: Option<Segment>,
    process: u32,
}

#[derive(Debug)]
struct Segment {
    claim: Claim,
    file: Arc<File>,
    end: u64,
}

impl Writer {
    /// Makes a writer without a segment. The writer closes each segment that reaches `full` bytes.
    pub fn new(directory: Directory, full: u64) -> Writer {
        Writer {
            directory,
            full,
            syncer: Syncer::default(),
            segment: None,
            process: std::process::id(),
        }
    }

    /// Appends a record. From now on the record survives the end of the process, and after about 1
    /// s also a power failure. If the record cannot be written, nothing of it remains.
    ///
    /// # Errors
    /// If the record cannot be written, or an earlier sync failed.
    pub fn append(&mut self, record: &[u8]) -> io::Result<Location> {
        if self.process != std::process::id() {
            // After a fork the segment belongs to the parent process.
            *self = Writer::new(self.directory.clone(), self.full);
        }
        self.syncer.check()?;
        let length = record.len() as u64;
        if self
            .segment
            .as_ref()
            .is_some_and(|segment| segment.end > 0 && segment.end + length > self.full)
        {
            self.close()?;
        }
        let segment = match &mut self.segment {
            Some(segment) => segment,
            none => none.insert(begin(&self.directory)?),
        };
        let (number, offset) = (segment.claim.number, segment.end);
        let path = self.directory.segment(number);
        if let Err(error) = (&*segment.file).write_all(record) {
            let restored = segment
                .file
                .set_len(offset)
                .and_then(|()| (&*segment.file).seek(SeekFrom::Start(offset)));
            if restored.is_err() {
                // The incomplete record ends this segment; the next record begins another segment.
                self.segment = None;
            }
            return Err(error).at("cannot write", &path);
        }
        segment.end += length;
        self.syncer.mark(&segment.file, &path)?;
        Ok(Location {
            segment: number,
            offset,
            length,
        })
    }

    /// Syncs all appended records to the disk.
    ///
    /// # Errors
    /// If the sync fails.
    pub fn sync(&mut self) -> io::Result<()> {
        self.syncer.sync()
    }

    /// Syncs and closes the segment; the next record begins another segment.
    ///
    /// # Errors
    /// As [`Writer::sync`].
    pub fn close(&mut self) -> io::Result<()> {
        let synced = self.sync();
        self.segment = None;
        synced
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.process == std::process::id() {
            // If this fails, the system still writes the data, only later.
            let _ = self.close();
        }
    }
}

fn begin(directory: &Directory) -> io::Result<Segment> {
    let claim = directory.claim()?;
    let path = directory.segment(claim.number);
    let file = File::create_new(&path).at("cannot write", &path)?;
    sync_directory(directory.segments()).at("cannot write", directory.segments())?;
    Ok(Segment {
        claim,
        file: Arc::new(file),
        end: 0,
    })
}
