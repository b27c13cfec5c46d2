//! The files of a store: `segments/N.seg`, numbered as they were begun, and beside each that is being
//! written `N.lock`, which its writer holds.
//!
//! The lock is a file of its own, made before the segment and removed when it is closed: there is no
//! moment at which a segment that is being written looks closed. A writer that was killed leaves the
//! file, but not the lock on it; the next to open the store removes it. Numbers of segments are never
//! used again, so what stood at a place in a segment stands there as long as the segment exists.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::disk::Located;
use super::format;

/// Name of a segment.
pub type Number = u64;

const SEGMENT: &str = "seg";
const LOCK: &str = "lock";
const MERGED: &str = "merging";
/// Whoever claims a number counts up from the largest one, so a name with one far beyond any count is
/// not ours.
const BEYOND: Number = 1_000_000_000_000_000;

/// Where the segments of a store are.
#[derive(Clone, Debug)]
pub struct Directory {
    /// The store's directory.
    pub root: PathBuf,
    segments: PathBuf,
}

impl Directory {
    /// The one of the store in `root`, which is made if it is not there.
    pub fn open(root: PathBuf) -> io::Result<Directory> {
        format::establish(&root)?;
        let segments = root.join("segments");
        Ok(Directory { root, segments })
    }

    /// The directory of the segments.
    pub fn segments(&self) -> &Path {
        &self.segments
    }

    /// File of a segment.
    pub fn segment(&self, number: Number) -> PathBuf {
        self.file(number, SEGMENT)
    }

    /// File that becomes a segment when it is complete.
    pub fn unfinished(&self, number: Number) -> PathBuf {
        self.file(number, MERGED)
    }

    fn file(&self, number: Number, extension: &str) -> PathBuf {
        self.segments.join(format!("{number:08}.{extension}"))
    }

    /// When files were last made or removed; `None` if there have never been any.
    pub fn modified(&self) -> io::Result<Option<SystemTime>> {
        match fs::metadata(&self.segments).and_then(|m| m.modified()) {
            Ok(at) => Ok(Some(at)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).at("cannot look into", &self.segments),
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
            Err(error) => return Err(error).at("cannot look into", &self.segments),
        };
        let mut numbers = Vec::new();
        for entry in entries {
            let entry = entry.at("cannot look into", &self.segments)?;
            let name = entry.file_name();
            let found = name.to_str().and_then(|name| name.split_once('.'));
            if let Some((stem, extension)) = found
                && extensions.contains(&extension)
                && let Ok(number) = stem.parse()
                && number < BEYOND
                // Else `1.seg` would stand for `00000001.seg`, which is not there.
                && self.file(number, extension).file_name() == Some(&name)
                && entry.path().is_file()
            {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// A number that nobody else has or had, claimed until the claim is dropped.
    ///
    /// # Errors
    /// If nothing can be made in the directory.
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
                    // Where locks are unknown the file alone says that somebody writes.
                    let _ = claim.lock.lock();
                    // Before it was locked it could be taken for one of a killed writer.
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

    /// Whether somebody may still write the segment.
    pub fn lives(&self, number: Number) -> bool {
        match File::open(self.file(number, LOCK)) {
            // Shared, so that two who ask do not take each other for writers.
            Ok(lock) => lock.try_lock_shared().is_err(),
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    }

    /// Removes a closed segment and what its writer may have left.
    pub fn remove(&self, number: Number) -> io::Result<()> {
        remove_if_there(&self.segment(number))?;
        remove_if_there(&self.file(number, LOCK))
    }

    /// Removes the lock files of writers that were killed, and what was left of making the store.
    pub fn clear(&self) -> io::Result<()> {
        format::clear(&self.root)?;
        // Elsewhere it cannot be told whether a lock is that of the file that has its name.
        if !cfg!(unix) {
            return Ok(());
        }
        for number in self.numbers(&[LOCK])? {
            let path = self.file(number, LOCK);
            if let Ok(lock) = File::open(&path)
                && lock.try_lock().is_ok()
                // Nobody else removes it or takes it for his own while it is locked.
                && is_at(&lock, &path)
            {
                remove_if_there(&path)?;
            }
        }
        Ok(())
    }

    /// Removes what a merge left that was interrupted. Asked only by who merges.
    pub fn sweep(&self) -> io::Result<()> {
        for number in self.numbers(&[MERGED])? {
            let path = self.unfinished(number);
            remove_if_there(&path)?;
            remove_if_there(&self.file(number, LOCK))?;
        }
        Ok(())
    }

    /// The right to merge, which one process has at a time; `None` if another one has it, or if locks
    /// are unknown here.
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

/// Whether the file has this name, which may have been removed and given to another one.
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

/// Removes a file, which another process may have done before.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).at("cannot remove", path)
        }
        _ => Ok(()),
    }
}

/// A number that only its holder makes a segment of.
#[derive(Debug)]
pub struct Claim {
    /// The number.
    pub number: Number,
    path: PathBuf,
    process: u32,
    lock: File,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A fork has a copy of what its parent claimed.
        if self.process == std::process::id() {
            // Whoever finds it later sees that nobody holds it.
            let _ = fs::remove_file(&self.path);
        }
    }
}
