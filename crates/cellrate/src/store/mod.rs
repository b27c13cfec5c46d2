//! Results kept by content: what was computed once for a version, a resolved scenario and a seed is
//! not computed again.
//!
//! An entry is a file of its own, `DIR/ab/cdef...`, named by its key and written whole: to a
//! temporary file, flushed to the disk, then renamed. Several threads and processes may use one
//! directory at once: who puts the same key last wins with the same bytes.

mod entry;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sha2::{Digest, Sha256};

/// Version of the program; part of every key, so a result never outlives the program that made it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Key of the result of a resolved scenario, its seed included: SHA-256 over both and the version,
/// as 64 hexadecimal digits.
pub fn key(resolved: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(b"cellrate result\0");
    hash.update(VERSION.as_bytes());
    hash.update(b"\0");
    hash.update(resolved.as_bytes());
    hex(&hash.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An entry that could not be used, though it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Its key.
    pub key: String,
    /// Its file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub message: String,
}

/// A directory of results.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    problems: Mutex<Vec<Problem>>,
}

/// Temporary files older than this belong to no living writer.
const ABANDONED: Duration = Duration::from_secs(3600);
const TEMPORARY: &str = "tmp";
/// Distinguishes the temporary files of one process.
static WRITES: AtomicU64 = AtomicU64::new(0);

impl Store {
    /// The store in the directory `root`, which is made if it is not there. What writers left behind
    /// that were killed more than an hour ago is removed.
    ///
    /// # Errors
    /// If the directory can be neither made nor read.
    pub fn open(root: impl Into<PathBuf>) -> io::Result<Store> {
        let root = root.into();
        fs::create_dir_all(&root)?;
        let store = Store { root, problems: Mutex::default() };
        store.sweep()?;
        Ok(store)
    }

    /// The bytes kept under `key`; `None` if there are none, or if they are damaged, which is then
    /// reported by [`Store::problems`].
    ///
    /// # Errors
    /// If `key` is no key, or the file is there and cannot be read.
    pub fn get(&self, key: &str) -> io::Result<Option<Vec<u8>>> {
        let path = self.path(key)?;
        let file = match fs::read(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match entry::unwrap(file) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(message) => {
                self.note(Problem { key: key.into(), path, message: message.into() });
                Ok(None)
            }
        }
    }

    /// Whether [`Store::get`] would find something.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub fn contains(&self, key: &str) -> io::Result<bool> {
        Ok(self.get(key)?.is_some())
    }

    /// Keeps `bytes` under `key`. Either all of them are there afterwards or what was there before.
    ///
    /// # Errors
    /// If `key` is no key, or the file cannot be written.
    pub fn put(&self, key: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(key)?;
        let shard = path.parent().unwrap_or(&self.root);
        fs::create_dir_all(shard)?;
        let number = WRITES.fetch_add(1, Ordering::Relaxed);
        let temporary = Temporary(shard.join(format!("{key}.{}.{number}.{TEMPORARY}", std::process::id())));
        let mut file = File::create_new(&temporary.0)?;
        file.write_all(&entry::header(bytes))?;
        file.write_all(bytes)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&temporary.0, &path)?;
        sync_directory(shard)
    }

    /// Keys of all entries, damaged ones included, in order.
    ///
    /// # Errors
    /// If a directory cannot be read.
    pub fn keys(&self) -> io::Result<Vec<String>> {
        let mut keys: Vec<String> = self.files()?.iter().filter_map(|path| key_of(path)).collect();
        keys.sort();
        Ok(keys)
    }

    /// Damaged entries met so far; each is told once.
    pub fn problems(&self) -> Vec<Problem> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, problem: Problem) {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }

    fn path(&self, key: &str) -> io::Result<PathBuf> {
        if !is_key(key) {
            let message = format!("`{key}` is no key: 64 hexadecimal digits in lower case");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        Ok(self.root.join(&key[..2]).join(&key[2..]))
    }

    fn files(&self) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for shard in fs::read_dir(&self.root)? {
            let shard = shard?.path();
            if shard.is_dir() {
                for file in fs::read_dir(shard)? {
                    files.push(file?.path());
                }
            }
        }
        Ok(files)
    }

    fn sweep(&self) -> io::Result<()> {
        for path in self.files()?.iter().filter(|path| path.extension().is_some_and(|e| e == TEMPORARY)) {
            let age = fs::metadata(path).and_then(|m| m.modified()).ok().and_then(|at| at.elapsed().ok());
            if age.is_some_and(|age| age > ABANDONED) {
                // Another process may have been quicker.
                let _ = fs::remove_file(path);
            }
        }
        Ok(())
    }
}

fn is_key(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn key_of(path: &Path) -> Option<String> {
    let name = |path: &Path| path.file_name()?.to_str().map(String::from);
    let key = name(path.parent()?)? + &name(path)?;
    is_key(&key).then_some(key)
}

/// A file that is removed unless it was renamed.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // After the rename there is nothing left under this name.
        let _ = fs::remove_file(&self.0);
    }
}

/// A rename survives a power failure once its directory is on the disk.
fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests;
