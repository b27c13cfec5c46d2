//! The files of a store: segments `segments/N.seg`, which hold the results, numbered in the order
//! of their creation. While a segment is written there is also a file `N.lock`, which the segment's
//! writer keeps locked.
//!
//! The lock is a separate file. It is made before the segment and removed when the segment is
//! closed, so a segment that is being written never looks closed. A killed writer leaves the file,
//! but the system releases its lock; the next process that opens the store removes the file.
//! Numbers of segments are never used again, so the bytes at a position in a segment never change
//! while the segment exists.

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
/// Largest number that the store gives to a segment. New numbers count up from the largest in use,
/// so a file with a larger number does not belong to the store.
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

    /// Path of a segment that a merge is writing; the merge renames it when it is complete.
    pub fn unfinished(&self, number: Number) -> PathBuf {
        self.file(number, MERGED)
    }

    fn file(&self, number: Number, extension: &str) -> PathBuf {
        self.segments.join(format!("{number:08}.{extension}"))
    }

    /// Time at which a file was last made or removed in the directory of the segments; `None` if
    /// this directory does not exist yet.
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
                // A file `1.seg` is ignored: the store would look for segment 1 under the name
                // `00000001.seg`.
                && self.file(number, extension).file_name() == Some(&name)
                && entry.path().is_file()
            {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Claims a number that no process has or had for a segment, until the claim is dropped.
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
                    // If the system has no locks, the existence of the file alone shows that a
                    // process writes the segment.
                    let _ = claim.lock.lock();
                    // Before this process locked the file, another process could take it for the
                    // file of a killed writer and remove it.
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

    /// True if a process, possibly this one, may still write the segment.
    pub fn lives(&self, number: Number) -> bool {
        let path = self.file(number, LOCK);
        // Opening a pipe would wait until some process writes to it.
        if path.exists() && !path.is_file() {
            return false;
        }
        match File::open(path) {
            // The lock is a shared one: two processes that ask at the same time do not take each
            // other for the writer.
            Ok(lock) => lock.try_lock_shared().is_err(),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    /// Removes a closed segment and the lock file that its writer may have left.
    pub fn remove(&self, number: Number) -> io::Result<()> {
        remove_if_there(&self.segment(number))?;
        remove_if_there(&self.file(number, LOCK))
    }

    /// Removes the lock files of killed writers, and files that remain from the creation of the
    /// store.
    pub fn clear(&self) -> io::Result<()> {
        format::clear(&self.root)?;
        // Except on Unix it is unknown whether the opened lock is still the file of this name.
        if !cfg!(unix) {
            return Ok(());
        }
        for number in self.numbers(&[LOCK])? {
            let path = self.file(number, LOCK);
            if let Ok(lock) = File::open(&path)
                && lock.try_lock().is_ok()
                // While this process holds the lock, no other process removes the file or claims
                // its number.
                && is_at(&lock, &path)
            {
                remove_if_there(&path)?;
            }
        }
        Ok(())
    }

    /// Removes the files that an interrupted merge left. Only the process that holds the right to
    /// merge may call this function.
    pub fn sweep(&self) -> io::Result<()> {
        for number in self.numbers(&[MERGED])? {
            let path = self.unfinished(number);
            remove_if_there(&path)?;
            remove_if_there(&self.file(number, LOCK))?;
        }
        Ok(())
    }

    /// Takes the right to merge segments, which only one process has at a time. Returns `None` if
    /// another process has it, or if the system has no locks.
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

/// True if `file` still is the file with the name `path`. Another process may have removed it and
/// made a new file of this name.
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
        // A forked process has a copy of its parent's claim. Another process may also have removed
        // the file before it was locked, and a third process may have made it again. In both cases
        // the file does not belong to this claim.
        if self.process == std::process::id() && is_at(&self.lock, &self.path) {
            // If the file remains, other processes see that it is not locked.
            let _ = fs::remove_file(&self.path);
        }
    }
}
