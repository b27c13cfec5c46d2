//! A store of results, found by the hash of their inputs. If a result was computed once for a
//! program version, a complete scenario and a seed, it is not computed again.
//!
//! A store is a log, after Sheehy and Smith, "Bitcask: a log-structured hash table for fast
//! key/value data" (2010): results are appended to files called segments, and an index in memory
//! holds the location of each result. Several threads and processes may use one directory at once.
//! Each process appends to a segment of its own, and a lock on this segment shows that the process
//! still runs. The bytes of a segment are never changed.
//!
//! As soon as [`Store::put`] has returned, every process can read the result, even if the writing
//! process is then killed. After a power failure the results of about the last second may be
//! missing. If a key has several records (stored results), the latest is used. As a key is the hash
//! of everything that a result depends on, these records hold equal results.

mod directory;
mod disk;
mod format;
mod handles;
mod index;
mod key;
mod merging;
mod problem;
mod record;
mod scan;
mod syncing;
mod writer;

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use directory::Directory;
use disk::Located;
use handles::Handles;
use index::{Index, Location};
use key::Key;
use merging::Closed;
use writer::Writer;

pub use problem::Problem;

/// The store of results: a directory of segments, with an index in memory.
#[derive(Debug)]
pub struct Store {
    directory: Directory,
    index: RwLock<Index>,
    handles: Handles,
    writer: Mutex<Writer>,
    problems: Mutex<Vec<Problem>>,
}

impl Store {
    /// Opens the store in the directory `root`; the directory is made if it does not exist. Merges
    /// segments if there are many small ones or a damaged one, and removes files that killed
    /// processes left.
    ///
    /// # Errors
    /// If the directory can be neither made nor read. Also if it contains something else, or a
    /// store of a newer format.
    pub fn open(root: impl Into<PathBuf>) -> io::Result<Store> {
        Store::with_segments_of(root.into(), writer::FULL)
    }

    fn with_segments_of(root: PathBuf, full: u64) -> io::Result<Store> {
        let directory = Directory::open(root)?;
        let store = Store {
            index: RwLock::default(),
            handles: Handles::default(),
            writer: Mutex::new(Writer::new(directory.clone(), full)),
            problems: Mutex::default(),
            directory,
        };
        store.refresh()?;
        store.tidy(full)?;
        Ok(store)
    }

    /// Returns the bytes stored under `key`. Returns `None` if there are none, or if they are
    /// damaged; [`Store::problems`] then reports the damage.
    ///
    /// # Errors
    /// If `key` is not a valid key, or if a segment exists but cannot be read.
    pub fn get(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        let key = Key::parse(key)?;
        let mut missing = None;
        while let Some(location) = self.find(&key)? {
            let path = self.directory.segment(location.segment);
            match self.read(location) {
                Ok(record) => match record::decode(key, &record) {
                    Ok(bytes) => return Ok(Some(bytes)),
                    Err(what) => self.set_aside(key, location, what),
                },
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    self.set_aside(key, location, "it is cut off");
                }
                // Another process has merged the segment, so the record is now in another one.
                Err(error)
                    if error.kind() == io::ErrorKind::NotFound && missing != Some(location) =>
                {
                    missing = Some(location);
                    self.index_mut().distrust();
                    self.refresh()?;
                }
                Err(error) => return Err(error).at("cannot read", &path),
            }
        }
        Ok(None)
    }

    /// True if there is a record under `key`. Damage of the record is noticed only when
    /// [`Store::get`] reads it.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub fn contains(&self, key: &str) -> io::Result<bool> {
        Ok(self.find(&Key::parse(key)?)?.is_some())
    }

    /// Stores `bytes` under `key`. If this fails, the store stays as it was before.
    ///
    /// # Errors
    /// If `key` is not a valid key, if the segment cannot be written, or if earlier results could
    /// not be synced to the disk.
    pub fn put(&self, key: &str, bytes: &[u8]) -> io::Result<()> {
        let key = Key::parse(key)?;
        let record = record::encode(key, bytes);
        let location = self.writer().append(&record)?;
        self.index_mut().written(key, location);
        Ok(())
    }

    /// Removes the bytes under `key` from the index, because they are undamaged but not usable.
    /// [`Store::problems`] then reports the reason `why`.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub fn reject(&self, key: &str, why: &str) -> io::Result<()> {
        let key = Key::parse(key)?;
        if let Some(location) = self.find(&key)? {
            self.set_aside(key, location, why);
        }
        Ok(())
    }

    /// Keys of all stored results, in order. Keys of records whose damage is not known yet are
    /// included.
    ///
    /// # Errors
    /// If the segments cannot be read.
    pub fn keys(&self) -> io::Result<Vec<String>> {
        self.refresh()?;
        Ok(self.index().keys().iter().map(Key::text).collect())
    }

    /// All damage found so far; each damage is reported once.
    pub fn problems(&self) -> Vec<Problem> {
        self.problems
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Syncs all results to the disk, so that they survive a power failure.
    ///
    /// # Errors
    /// If the system cannot sync the files.
    pub fn sync(&self) -> io::Result<()> {
        self.writer().sync()
    }

    /// Does [`Store::sync`] and closes the segment. The store can still be used: the next result
    /// begins another segment. A store that is dropped is also closed.
    ///
    /// # Errors
    /// As [`Store::sync`].
    pub fn close(&self) -> io::Result<()> {
        self.writer().close()
    }

    fn index(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn index_mut(&self) -> RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: &Key) -> io::Result<Option<Location>> {
        let found = self.index().find(key);
        if found.is_some() {
            return Ok(found);
        }
        self.refresh()?;
        Ok(self.index().find(key))
    }

    fn read(&self, location: Location) -> io::Result<Vec<u8>> {
        let file = self.handles.get(&self.directory, location.segment)?;
        let mut record = vec![0; usize::try_from(location.length).map_err(io::Error::other)?];
        disk::read_exact_at(&file, &mut record, location.offset)?;
        Ok(record)
    }

    fn refresh(&self) -> io::Result<()> {
        let problems = self.index_mut().refresh(&self.directory, &self.handles)?;
        problems.into_iter().for_each(|problem| self.note(problem));
        Ok(())
    }

    /// Merges segments, and removes files that killed writers left.
    fn tidy(&self, full: u64) -> io::Result<()> {
        let closed = |(number, known): (&_, &index::Known)| {
            (!known.living).then_some(Closed {
                number: *number,
                size: known.scanned,
                damaged: known.damaged,
            })
        };
        let closed: Vec<Closed> = self.index().segments().iter().filter_map(closed).collect();
        let groups = merging::groups(&closed, full);
        let merged = match &groups[..] {
            [] => Ok(Vec::new()),
            groups => merging::merge(&self.directory, groups, &mut |_| {}),
        };
        match self.directory.clear().and(merged) {
            Ok(problems) => problems.into_iter().for_each(|problem| self.note(problem)),
            // Without write permission the store cannot be tidied, but results can still be read.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                ) => {}
            Err(error) => {
                let path = self.directory.segments().into();
                let message = format!(
                    "all results are intact, but small segments could not be merged, so the store stays slow: {error}"
                );
                self.note(Problem {
                    key: None,
                    path,
                    offset: None,
                    message,
                });
            }
        }
        if groups.is_empty() {
            return Ok(());
        }
        self.index_mut().distrust();
        self.refresh()
    }

    fn set_aside(&self, key: Key, location: Location, what: &str) {
        self.index_mut().set_aside(key, location);
        self.note(Problem::of_record(
            key,
            &self.directory.segment(location.segment),
            location.offset,
            what,
        ));
    }

    fn note(&self, problem: Problem) {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}

#[cfg(test)]
mod tests;
