//! The index of a store: the location of each result. It is read from the segments when the store
//! is opened, and again when the segments have changed.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io;
use std::time::{Duration, SystemTime};

use super::Problem;
use super::directory::{Directory, Number};
use super::disk::Located;
use super::handles::Handles;
use super::key::Key;
use super::scan::{Scan, scan};

/// Coarsest resolution of a directory's time stamp. If the time stamp is younger than this, the
/// directory may change once more without a change of the time stamp.
const COARSEST_CLOCK: Duration = Duration::from_secs(2);
/// Number of attempts to list a directory that other processes change at the same time.
const LISTINGS: usize = 10;

/// Location of a record (a result with its header) in the store. Later records have greater
/// locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// Segment that holds the record.
    pub segment: Number,
    /// Offset of the record's first byte in the segment.
    pub offset: u64,
    /// Length of the record in bytes, including its header.
    pub length: u64,
}

/// State of a segment, as the index knows it.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Offset up to which the segment's records are in the index.
    pub scanned: u64,
    /// True if another process may still write the segment.
    pub living: bool,
    /// True if parts of the segment cannot be read as records.
    pub damaged: bool,
}

impl Location {
    const FIRST: Location = Location {
        segment: Number::MIN,
        offset: 0,
        length: 0,
    };
    const LAST: Location = Location {
        segment: Number::MAX,
        offset: u64::MAX,
        length: u64::MAX,
    };
}

/// Locations of records (results with their headers) by key.
#[derive(Debug, Default)]
pub struct Index {
    /// Keys and locations of all records that are not known to be damaged. Several records of one
    /// key are in the order of their locations.
    records: BTreeSet<(Key, Location)>,
    aside: HashSet<Location>,
    segments: BTreeMap<Number, Known>,
    /// Time stamp of the directory when it was last listed, and the time of this listing.
    listed: Option<(Option<SystemTime>, SystemTime)>,
}

impl Index {
    /// Location of the latest record of `key` that is not known to be damaged.
    pub fn find(&self, key: &Key) -> Option<Location> {
        let records = self
            .records
            .range((*key, Location::FIRST)..=(*key, Location::LAST));
        records.last().map(|(_, location)| *location)
    }

    /// All keys that have a record, in order.
    pub fn keys(&self) -> Vec<Key> {
        let mut keys: Vec<Key> = self.records.iter().map(|(key, _)| *key).collect();
        keys.dedup();
        keys
    }

    /// All segments by number, with their states.
    pub fn segments(&self) -> &BTreeMap<Number, Known> {
        &self.segments
    }

    /// Adds a record that this process has written.
    pub fn written(&mut self, key: Key, location: Location) {
        let known = self.segments.entry(location.segment).or_insert(Known {
            scanned: 0,
            living: true,
            damaged: false,
        });
        known.scanned = known.scanned.max(location.offset + location.length);
        self.records.insert((key, location));
    }

    /// Removes a damaged record from the index. If `key` has other records, the latest of them
    /// takes its place.
    pub fn set_aside(&mut self, key: Key, location: Location) {
        self.aside.insert(location);
        self.records.remove(&(key, location));
    }

    /// Makes the next [`Index::refresh`] list the directory, whatever its time stamp.
    pub fn distrust(&mut self) {
        self.listed = None;
    }

    /// Brings the index up to date with records that other processes have written, merged or
    /// removed. Returns the damage found.
    ///
    /// # Errors
    /// If the directory or a segment cannot be read.
    pub fn refresh(
        &mut self,
        directory: &Directory,
        handles: &Handles,
    ) -> io::Result<Vec<Problem>> {
        let mut problems = Vec::new();
        for attempt in 1..=LISTINGS {
            let modified = directory.modified()?;
            let listed = !self.settled(modified);
            if listed {
                let now = SystemTime::now();
                self.list(directory, handles)?;
                self.listed = Some((modified, now));
            }
            match self.scan(listed, directory, handles, &mut problems) {
                // A merge has removed the segment after the listing; its records are now in
                // another segment.
                Err(error) if error.kind() == io::ErrorKind::NotFound && attempt < LISTINGS => {
                    self.listed = None
                }
                Err(error) => return Err(error),
                Ok(()) if directory.modified()? == modified => break,
                Ok(()) => {}
            }
        }
        Ok(problems)
    }

    /// True if the directory cannot have changed since it was listed.
    fn settled(&self, modified: Option<SystemTime>) -> bool {
        self.listed.is_some_and(|(before, at)| {
            let old = |before| {
                at.duration_since(before)
                    .is_ok_and(|age| age > COARSEST_CLOCK)
            };
            before == modified && before.is_none_or(old)
        })
    }

    fn list(&mut self, directory: &Directory, handles: &Handles) -> io::Result<()> {
        let there = directory.list()?;
        let gone = |number: &Number| there.binary_search(number).is_err();
        if self.segments.keys().any(gone) {
            self.segments.retain(|number, _| !gone(number));
            self.records.retain(|(_, at)| !gone(&at.segment));
            self.aside.retain(|at| !gone(&at.segment));
            handles.retain(|number| !gone(&number));
        }
        for number in there {
            self.segments.entry(number).or_insert(Known {
                scanned: 0,
                living: true,
                damaged: false,
            });
        }
        Ok(())
    }

    /// Reads the new records of segments that may still be written. If the directory was `listed`,
    /// reads all such segments, otherwise only those that have grown.
    fn scan(
        &mut self,
        listed: bool,
        directory: &Directory,
        handles: &Handles,
        problems: &mut Vec<Problem>,
    ) -> io::Result<()> {
        let living: Vec<_> = self
            .segments
            .iter()
            .filter(|(_, known)| known.living)
            .map(|(n, k)| (*n, k.scanned))
            .collect();
        for (number, scanned) in living {
            let path = directory.segment(number);
            if listed || fs::metadata(&path).at("cannot read", &path)?.len() > scanned {
                problems.extend(self.grow(number, directory, handles)?);
            }
        }
        Ok(())
    }

    fn grow(
        &mut self,
        number: Number,
        directory: &Directory,
        handles: &Handles,
    ) -> io::Result<Vec<Problem>> {
        // This is checked before the scan, so that a segment that is found closed is scanned to
        // its end.
        let living = directory.lives(number);
        let from = self.segments.get(&number).map_or(0, |known| known.scanned);
        let path = directory.segment(number);
        let file = handles.get(directory, number).at("cannot read", &path)?;
        let Scan {
            records,
            gaps,
            end,
            size,
        } = scan(&file, from).at("cannot read", &path)?;
        for found in records {
            let location = Location {
                segment: number,
                offset: found.offset,
                length: found.length,
            };
            if !self.aside.contains(&location) {
                self.records.insert((found.key, location));
            }
        }
        let mut problems: Vec<Problem> = gaps
            .iter()
            .map(|(from, to)| {
                let message = format!(
                    "the next {} bytes are not a record and are not used",
                    to - from
                );
                Problem {
                    key: None,
                    path: path.clone(),
                    offset: Some(*from),
                    message,
                }
            })
            .collect();
        if !living && end < size {
            let message = "the last record is cut off or damaged, and is not used".into();
            problems.push(Problem {
                key: None,
                path,
                offset: Some(end),
                message,
            });
        }
        if let Some(known) = self.segments.get_mut(&number) {
            known.damaged |= !problems.is_empty();
            known.scanned = known.scanned.max(end);
            known.living = living;
        }
        Ok(problems)
    }
}
