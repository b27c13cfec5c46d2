//! File operations that the standard library lacks, and errors that name the path and give advice.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Fills `buffer` with the bytes of the file from `offset` on, without moving the file's position.
pub fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    match read_at(file, buffer, offset)? {
        read if read == buffer.len() => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Fills `buffer` with the bytes of the file from `offset` on, at most up to the end of the file.
/// Returns the number of bytes read.
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

/// Syncs a directory to the disk, so that the making and removal of its files survive a power
/// failure.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(directory)?.sync_all()
    } else {
        Ok(())
    }
}

/// Removes a file; it is no error if another process has removed it already.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).at("cannot remove", path)
        }
        _ => Ok(()),
    }
}

/// Adds to `error` the operation that failed (`tried`), the path and advice.
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

/// Adds operation, path and advice to the error of a result, as [`located`] does.
pub trait Located<T> {
    /// Returns the result, with [`located`] applied to its error.
    fn at(self, tried: &str, path: &Path) -> io::Result<T>;
}

impl<T> Located<T> for io::Result<T> {
    fn at(self, tried: &str, path: &Path) -> io::Result<T> {
        self.map_err(|error| located(error, tried, path))
    }
}
