//! The files of a store: segments `segments/N.seg`, numbered in the order of their creation. A
//! segment that is being written has a file `N.lock`, which its writer holds locked.
//!
//! The lock is a separate file, made before the segment and removed when the segment is closed, so
//! a segment that is being written never looks closed. A writer that was killed leaves the file,
//! but not the lock on it; the next process that opens the store removes the file. Numbers of
//! segments are never used again, so the bytes at a position in a segment never change while the
//! segment exists.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::disk::{Located, remove_if_there};
use super::format;

/// Number of a segment, which names its files.
pub type Number = u64;

const SEGMENT: &str = "seg";
const LOCK: &str = "lock";
const MERGED: &str = "merging";
/// New numbers count up from the largest one in use, so a file with a number beyond this limit is
/// foreign.
const BEYOND: Number = 1_000_000_000_000_000;

/// The directory with the segments of a store.
#[derive(Clone, Debug)]
pub struct Directory {
    /// The store's directory.
    pub root: PathBuf,
    segments: PathBuf,
}

impl Directory {
    /// Opens the store's directory `root`, or makes it.
    pub fn open(root: PathBuf) -> io::Result<Directory> {
        format::establish(&root)?;
        let segments = root.join("segments");
        Ok(Directory { root, segments })
    }

    /// Path of the directory of the segments.
    pub fn segments(&self) -> &Path {
        &self.segments
    }

    /// Path of a segment.
    pub fn segment(&self, number: Number) -> PathBuf {
        self.file(number, SEGMENT)
    }

    /// Path of a segment that a merge is writing; it is renamed when it is complete.
    pub fn unfinished(&self, number: Number) -> PathBuf {
        self.file(number, MERGED)
    }

    fn file(&self, number: Number, extension: &str) -> PathBuf {
        self.segments.join(format!("{number:08}.{extension}"))
    }

    /// Time at which files were last made or removed; `None` if the directory of the segments does
    /// not exist yet.
    pub fn modified(&self) -> io::Result<Option<SystemTime>> {
        match fs::metadata(&self.segments).and_then(|m| m.modified()) {
            Ok(at) => Ok(Some(at)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).at("cannot read the directory", &self.segments),
        }
    }

    /// Numbers of all segments, in order.
    pub fn list(&self) -> io::Result<Vec<Number>> {
        self.numbers(&[SEGMENT])
    }

    fn numbers(&self, extensions: &[&str]) -> io::Result<Vec<Number>> {
        let entries = match fs::read_dir(&self.segments) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).at("cannot read the directory", &self.segments),
        };
        let mut numbers = Vec::new();
        for entry in entries {
            let entry = entry.at("cannot read the directory", &self.segments)?;
            let name = entry.file_name();
            let found = name.to_str().and_then(|name| name.split_once('.'));
            if let Some((stem, extension)) = found
                && extensions.contains(&extension)
                && let Ok(number) = stem.parse()
                && number < BEYOND
                // Otherwise `1.seg` would be taken for `00000001.seg`, which does not exist.
                && self.file(number, extension).file_name() == Some(&name)
                && entry.path().is_file()
            {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// A number that no process has or had, claimed until the claim is dropped.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub fn claim(&self) -> io::Result<Claim> {
        if !self.segments.is_dir() {
            format::establish(&self.root)?;
            fs::create_dir_all(&self.segments).at("cannot make", &self.segments)?;
        }
        let mut number = self
            .numbers(&[SEGMENT, LOCK])?
            .last()
            .map_or(0, |last| last + 1);
        loop {
            let path = self.file(number, LOCK);
            match File::create_new(&path) {
                Ok(lock) => {
                    let claim = Claim {
                        number,
                        path,
                        process: std::process::id(),
                        lock,
                    };
                    // If the system has no locks, the existence of the file shows that somebody
                    // writes.
                    let _ = claim.lock.lock();
                    // Until it was locked, another process could take it for the lock of a killed
                    // writer and remove it.
                    if is_at(&claim.lock, &claim.path) && !self.segment(number).exists() {
                        return Ok(claim);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).at("cannot write", &path),
            }
            number += 1;
        }
    }

    /// True if another process, or this one, may still write the segment.
    pub fn lives(&self, number: Number) -> bool {
        let path = self.file(number, LOCK);
        // Opening a pipe would wait for somebody who writes to it.
        if path.exists() && !path.is_file() {
            return false;
        }
        match File::open(path) {
            // A shared lock, so that two processes that ask do not take each other for writers.
            Ok(lock) => lock.try_lock_shared().is_err(),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    /// Removes a closed segment and the lock file that its writer may have left.
    pub fn remove(&self, number: Number) -> io::Result<()> {
        remove_if_there(&self.segment(number))?;
        remove_if_there(&self.file(number, LOCK))
    }

    /// Removes the lock files of killed writers, and remains of the store's creation.
    pub fn clear(&self) -> io::Result<()> {
        format::clear(&self.root)?;
        // On other systems it is unknown if the opened lock is the file that now has this name.
        if !cfg!(unix) {
            return Ok(());
        }
        for number in self.numbers(&[LOCK])? {
            let path = self.file(number, LOCK);
            if let Ok(lock) = File::open(&path)
                && lock.try_lock().is_ok()
                // While it is locked, no other process removes or claims it.
                && is_at(&lock, &path)
            {
                remove_if_there(&path)?;
            }
        }
        Ok(())
    }

    /// Removes the remains of an interrupted merge. Only the process that holds the right to merge
    /// may call it.
    pub fn sweep(&self) -> io::Result<()> {
        for number in self.numbers(&[MERGED])? {
            let path = self.unfinished(number);
            remove_if_there(&path)?;
            remove_if_there(&self.file(number, LOCK))?;
        }
        Ok(())
    }

    /// The right to merge, which only one process has at a time. `None` if another process has it,
    /// or if the system has no locks.
    pub fn merging(&self) -> io::Result<Option<File>> {
        let path = self.root.join("merge.lock");
        let lock = File::options()
            .create(true)
            .append(true)
            .open(&path)
            .at("cannot write", &path)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => Ok(None),
        }
    }
}

/// True if `path` still names this file; the file may have been removed, and its name given to another.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(opened), Ok(named)) => (opened.dev(), opened.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// A number for a new segment, which no other process will use.
#[derive(Debug)]
pub struct Claim {
    /// The claimed number.
    pub number: Number,
    path: PathBuf,
    process: u32,
    lock: File,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A forked process has a copy of its parent's claim. Before it was locked, another process may
        // have removed the file, and a third made it anew: then it is not this claim's.
        if self.process == std::process::id() && is_at(&self.lock, &self.path) {
            // If it remains, another process sees that it is not locked.
            let _ = fs::remove_file(&self.path);
        }
    }
}
