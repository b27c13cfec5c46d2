//! File operations beyond the standard library, and errors with path and advice.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Fills `buffer` from `offset` of the file on, independent of the file's position.
pub fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    match read_at(file, buffer, offset)? {
        read if read == buffer.len() => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Fills `buffer` from `offset` of the file on, up to the end of the file. Returns the number of
/// bytes read.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read_some(file, &mut buffer[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(unix)]
fn read_some(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_some(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}

/// Syncs a directory to the disk, so that files made or removed in it survive a power failure.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(directory)?.sync_all()
    } else {
        Ok(())
    }
}

/// Removes a file, unless another process has removed it already.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).at("cannot remove", path)
        }
        _ => Ok(()),
    }
}

/// Adds to `error` the failed operation, the path and advice.
pub fn located(error: io::Error, tried: &str, path: &Path) -> io::Error {
    let advice = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            "; free some space, or keep results elsewhere; what was kept before is untouched"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; allow writing there, or keep results elsewhere"
        }
        _ => "",
    };
    io::Error::new(
        error.kind(),
        format!("{tried} {}: {error}{advice}", path.display()),
    )
}

/// Adds operation, path and advice to the errors of results, as [`located`] does.
pub trait Located<T> {
    /// The result with its error as [`located`] makes it.
    fn at(self, tried: &str, path: &Path) -> io::Result<T>;
}

impl<T> Located<T> for io::Result<T> {
    fn at(self, tried: &str, path: &Path) -> io::Result<T> {
        self.map_err(|error| located(error, tried, path))
    }
}
