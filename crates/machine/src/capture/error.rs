//! Reasons why a capture was not made.

use std::fmt;
use std::io;
use std::path::PathBuf;

use cellrate_engine::atm::PlanError;

/// Reason why a capture was not made.
#[derive(Debug)]
pub enum CaptureError {
    /// The capture was stopped.
    Cancelled,
    /// The request is wrong, or the capture cannot be completed; the text gives the reason.
    Request(String),
    /// A file cannot be written.
    File(PathBuf, io::Error),
    /// The network cannot be simulated.
    Plan(PlanError),
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaptureError::Cancelled => f.write_str("the capture was stopped"),
            CaptureError::Request(message) => f.write_str(message),
            CaptureError::File(path, error) => {
                write!(f, "cannot write {}: {error}", path.display())
            }
            CaptureError::Plan(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CaptureError {}
