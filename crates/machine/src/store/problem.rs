//! Reports of damage in a store.

use std::path::{Path, PathBuf};

use super::key::Key;

/// Bytes in the store that cannot be used. The store ignores them: the result is computed again,
/// and all other results stay usable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Key of the result, if known.
    pub key: Option<String>,
    /// Path of the damaged file, or of the directory that has the problem.
    pub path: PathBuf,
    /// Offset of the damage in the file, in bytes; `None` if the problem is not in one file.
    pub offset: Option<u64>,
    /// Description of the damage.
    pub message: String,
}

impl Problem {
    pub(super) fn of_record(key: Key, path: &Path, offset: u64, what: &str) -> Problem {
        let message =
            format!("a damaged record ({what}): set aside, its run is repeated when it is needed");
        Problem {
            key: Some(key.text()),
            path: path.into(),
            offset: Some(offset),
            message,
        }
    }
}
