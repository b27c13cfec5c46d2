//! Segments that stay open for reading, so that reading a result takes one system call instead of
//! three.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use super::directory::{Directory, Number};

/// Largest number of open files, far below the usual limit of a process.
const MOST: usize = 64;

/// Files that are open for reading, by segment.
#[derive(Debug, Default)]
pub struct Handles(Mutex<HashMap<Number, Arc<File>>>);

impl Handles {
    /// Returns the file of a segment, and opens it first if it is not open.
    ///
    /// # Errors
    /// If the segment does not exist or cannot be opened.
    pub fn get(&self, directory: &Directory, number: Number) -> io::Result<Arc<File>> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = open.get(&number) {
            return Ok(file.clone());
        }
        let file = Arc::new(File::open(directory.segment(number))?);
        if open.len() >= MOST {
            open.clear();
        }
        open.insert(number, file.clone());
        Ok(file)
    }

    /// Closes the segments for which `kept` is false.
    pub fn retain(&self, kept: impl Fn(Number) -> bool) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|number, _| kept(*number));
    }
}
