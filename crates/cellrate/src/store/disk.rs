//! What is asked of files beyond the standard library, and errors that say where and what to do.

use std::fs::File;
use std::io;
use std::path::Path;

/// Fills `buffer` from `offset` on, wherever other readers of the same handle are.
pub fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    match read_at(file, buffer, offset)? {
        read if read == buffer.len() => Ok(()),
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Fills `buffer` from `offset` on as far as the file goes; how much that is.
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

/// Names made in a directory, or taken from it, survive a power failure once it is on the disk.
pub fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(directory)?.sync_all()
    } else {
        Ok(())
    }
}

/// `error` with what was tried, where, and what to do about it.
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

/// [`located`] for what comes of an attempt.
pub trait Located<T> {
    /// See [`located`].
    fn at(self, tried: &str, path: &Path) -> io::Result<T>;
}

impl<T> Located<T> for io::Result<T> {
    fn at(self, tried: &str, path: &Path) -> io::Result<T> {
        self.map_err(|error| located(error, tried, path))
    }
}
