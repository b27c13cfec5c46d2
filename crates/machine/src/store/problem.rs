//! Reports of damage in a store.

use std::path::{Path, PathBuf};

use super::key::Key;

/// Bytes in the store that cannot be used. They are set aside: the run is repeated, and all other
/// results stay usable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Key of the result, if known.
    pub key: Option<String>,
    /// Path of the damaged file.
    pub path: PathBuf,
    /// Offset of the damage in the file.
    pub offset: u64,
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
            offset,
            message,
        }
    }
}
