//! The file `format` of a store: it marks the directory as a store of results and states the
//! version of the store's format.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::disk::{Located, remove_if_there, sync_directory};
use cellrate::run::VERSION;

const NAME: &str = "format";
const FIRST_WORDS: &str = "cellrate store ";
/// Version of the format. It increases with a change after which this program cannot read older
/// stores, or older programs cannot read new stores.
const FORMAT: u64 = 1;
/// Number of temporary files that this process has made; it gives each of them a name of its own.
static ATTEMPTS: AtomicU64 = AtomicU64::new(0);

/// Makes the directory `root` a store, unless it already is one.
///
/// # Errors
/// If the directory contains something else, is a store of a newer format, or can be neither made
/// nor read.
pub fn establish(root: &Path) -> io::Result<()> {
    let path = root.join(NAME);
    // Opening a pipe would wait until some process writes to it.
    if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
        return check("", &path);
    }
    match fs::read_to_string(&path) {
        Ok(text) => check(&text, &path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(root, &path),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => check("", &path),
        Err(error) => Err(error).at("cannot read", &path),
    }
}

fn check(text: &str, path: &Path) -> io::Result<()> {
    let first = text.lines().next().unwrap_or_default();
    let refuse = |why: String| Err(io::Error::other(format!("{}: {why}", path.display())));
    match first
        .strip_prefix(FIRST_WORDS)
        .and_then(|number| number.parse::<u64>().ok())
    {
        None => refuse("this directory is not a store of results; choose another directory".into()),
        Some(number) if number > FORMAT => {
            let by = text.lines().nth(1).unwrap_or("written by a newer cellrate");
            refuse(format!(
                "a store of format {number}, {by}; this is cellrate {VERSION}, which reads formats up to {FORMAT}: \
                 use the newer program, or another directory"
            ))
        }
        Some(_) => Ok(()),
    }
}

fn make(root: &Path, path: &Path) -> io::Result<()> {
    fs::create_dir_all(root).at("cannot make", root)?;
    for entry in fs::read_dir(root).at("cannot read", root)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        // Another process may be making the same store at this time.
        if !name.starts_with(NAME) {
            if path.exists() {
                break;
            }
            let message = format!(
                "the directory {} holds `{name}`, which is not a stored result; choose another directory",
                root.display()
            );
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, message));
        }
    }
    let number = ATTEMPTS.fetch_add(1, Ordering::Relaxed);
    let temporary = root.join(format!("{NAME}.{}.{number}.tmp", std::process::id()));
    let write = || {
        let mut file = File::create(&temporary)?;
        writeln!(file, "{FIRST_WORDS}{FORMAT}\nwritten by cellrate {VERSION}")?;
        file.sync_all()?;
        match fs::rename(&temporary, path) {
            // Meanwhile another process has made the store and removed this temporary file.
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.exists() => {}
            renamed => renamed?,
        }
        sync_directory(root)
    };
    write().at("cannot write", path).inspect_err(|_| {
        // If the disk is full, the temporary file exists but is empty.
        let _ = fs::remove_file(&temporary);
    })
}

/// Removes temporary files of processes that were killed while they made the store.
pub fn clear(root: &Path) -> io::Result<()> {
    for entry in fs::read_dir(root).at("cannot read", root)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(&format!("{NAME}.")) && name.ends_with(".tmp") {
            remove_if_there(&root.join(&*name))?;
        }
    }
    Ok(())
}
