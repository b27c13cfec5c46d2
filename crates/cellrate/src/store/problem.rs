//! What is told of damage.

use std::path::{Path, PathBuf};

use super::key::Key;

/// Something in the store that could not be used, though it is there. It is set aside: its run is
/// repeated, and what is around it stays usable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Of the result, if it can still be told.
    pub key: Option<String>,
    /// Its file.
    pub path: PathBuf,
    /// Where in the file.
    pub offset: u64,
    /// What is wrong with it.
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
