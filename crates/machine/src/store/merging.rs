//! Merges small segments into few large ones, because each short command leaves a segment of its
//! own.
//!
//! The new segment is written beside the old segments, synced to the disk, and renamed; only then
//! the old segments are removed. If the merge is interrupted, each record is still in at least one
//! segment. A damaged segment is copied in the same way, without its damaged parts.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};

use super::Problem;
use super::directory::{Directory, Number};
use super::disk::{Located, read_exact_at, sync_directory};
use super::key::Key;
use super::record::decode;
use super::scan::{Found, scan};

/// Largest number of closed segments, each below half of the full size, that are left unmerged.
pub const FEW: usize = 32;

/// Steps of a merge. Tests interrupt it at each step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A number is claimed for the new segment, but nothing is written.
    Claimed,
    /// Some records are copied, but not all.
    Copying,
    /// All records are copied and synced to the disk.
    Copied,
    /// The new segment has been renamed to its final name.
    Named,
    /// One of the old segments has been removed.
    Removed,
}

/// A closed segment, to which no process writes any more.
#[derive(Clone, Copy, Debug)]
pub struct Closed {
    /// Number of the segment.
    pub number: Number,
    /// Size of the segment in bytes.
    pub size: u64,
    /// True if parts of the segment cannot be read as records.
    pub damaged: bool,
}

/// Groups of segments that are worth merging: each damaged segment by itself, and small segments if
/// there are more than [`FEW`]. As many of the smallest segments are merged as possible, such that
/// the largest of these is no larger than the others together. A record is therefore copied only if
/// its segment at least doubles.
pub fn groups(closed: &[Closed], full: u64) -> Vec<Vec<Number>> {
    let mut groups: Vec<_> = closed
        .iter()
        .filter(|one| one.damaged)
        .map(|one| vec![one.number])
        .collect();
    let mut small: Vec<_> = closed
        .iter()
        .filter(|one| !one.damaged && one.size < full / 2)
        .collect();
    if small.len() > FEW {
        small.sort_by_key(|one| (one.size, one.number));
        let (mut total, mut taken) = (0, 0);
        for (index, one) in small.iter().enumerate() {
            if total + one.size > full {
                break;
            }
            if one.size <= total {
                taken = index + 1;
            }
            total += one.size;
        }
        if taken > 1 {
            let mut group: Vec<_> = small[..taken].iter().map(|one| one.number).collect();
            group.sort_unstable();
            groups.push(group);
        }
    }
    groups
}

/// Copies the records of each group into one segment and removes the old segments. Does nothing if
/// another process is merging. Returns the damaged records that were not copied.
///
/// # Errors
/// If a segment cannot be read, written or removed; every record is then still in a segment.
pub fn merge(
    directory: &Directory,
    groups: &[Vec<Number>],
    at: &mut dyn FnMut(Step),
) -> io::Result<Vec<Problem>> {
    let mut problems = Vec::new();
    let Some(_right) = directory.merging()? else {
        return Ok(problems);
    };
    directory.sweep()?;
    let there = directory.list()?;
    for group in groups {
        // Another process may have merged these segments since they were listed.
        if group
            .iter()
            .all(|number| there.binary_search(number).is_ok() && !directory.lives(*number))
        {
            problems.extend(merge_group(directory, group, at)?);
        }
    }
    Ok(problems)
}

fn merge_group(
    directory: &Directory,
    group: &[Number],
    at: &mut dyn FnMut(Step),
) -> io::Result<Vec<Problem>> {
    let claim = directory.claim()?;
    at(Step::Claimed);
    let unfinished = Unfinished {
        directory,
        number: claim.number,
    };
    let path = directory.unfinished(claim.number);
    let mut target = BufWriter::new(File::create_new(&path).at("cannot write", &path)?);
    let problems = copy(directory, group, &mut target, at)?;
    let file = target
        .into_inner()
        .map_err(io::IntoInnerError::into_error)
        .at("cannot write", &path)?;
    file.sync_all().at("cannot write", &path)?;
    at(Step::Copied);
    let segment = directory.segment(claim.number);
    fs::rename(&path, &segment).at("cannot write", &segment)?;
    sync_directory(directory.segments()).at("cannot write", directory.segments())?;
    drop(unfinished);
    drop(claim);
    at(Step::Named);
    for number in group {
        directory.remove(*number)?;
        at(Step::Removed);
    }
    Ok(problems)
}

/// Copies the latest undamaged record of each key. The copies are in the order of the first record
/// of each key.
fn copy(
    directory: &Directory,
    group: &[Number],
    target: &mut impl Write,
    at: &mut dyn FnMut(Step),
) -> io::Result<Vec<Problem>> {
    let mut problems = Vec::new();
    let mut keys = Vec::new();
    let mut places: HashMap<Key, Vec<(usize, Found)>> = HashMap::new();
    let mut sources = Vec::new();
    for (index, number) in group.iter().enumerate() {
        let path = directory.segment(*number);
        let file = File::open(&path).at("cannot read", &path)?;
        for found in scan(&file, 0).at("cannot read", &path)?.records {
            let places = places.entry(found.key).or_default();
            if places.is_empty() {
                keys.push(found.key);
            }
            places.push((index, found));
        }
        sources.push((file, path));
    }
    for key in keys {
        for (source, found) in places.remove(&key).unwrap_or_default().into_iter().rev() {
            let (file, path) = &sources[source];
            let mut record = vec![0; usize::try_from(found.length).map_err(io::Error::other)?];
            read_exact_at(file, &mut record, found.offset).at("cannot read", path)?;
            match decode(key, &record) {
                Ok(_) => {
                    target
                        .write_all(&record)
                        .at("cannot write a copy of", path)?;
                    at(Step::Copying);
                    break;
                }
                Err(what) => problems.push(Problem::of_record(key, path, found.offset, what)),
            }
        }
    }
    Ok(problems)
}

/// A segment that is not complete. When it is dropped, its file is removed, unless the file was
/// renamed.
struct Unfinished<'d> {
    directory: &'d Directory,
    number: Number,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        // After the rename no file has this name. If the removal fails, the next merge removes the
        // file.
        let _ = fs::remove_file(self.directory.unfinished(self.number));
    }
}
