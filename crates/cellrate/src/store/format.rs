//! The file `format` of a store: that the directory is one, and what it takes to read it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::VERSION;
use super::directory::remove_if_there;
use super::disk::{Located, sync_directory};

const NAME: &str = "format";
const FIRST_WORDS: &str = "cellrate store ";
/// Counts changes after which this program no longer reads what is there, or an older one what this
/// one writes.
const FORMAT: u64 = 1;
/// Distinguishes the temporary files of one process.
static ATTEMPTS: AtomicU64 = AtomicU64::new(0);

/// Makes the directory `root` a store, or finds that it is one.
///
/// # Errors
/// If it holds something else, is of a newer format, or can be neither made nor read.
pub fn establish(root: &Path) -> io::Result<()> {
    let path = root.join(NAME);
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
        None => refuse("this directory is no store of results; choose another one".into()),
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
        // Another process may be making the same store.
        if !name.starts_with(NAME) {
            if path.exists() {
                break;
            }
            let message = format!(
                "{}: holds `{name}`, which is no result; choose another directory",
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
            // Another process has made the store meanwhile and cleared this away.
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.exists() => {}
            renamed => renamed?,
        }
        sync_directory(root)
    };
    write().at("cannot write", path).inspect_err(|_| {
        // On a full disk it is there, empty.
        let _ = fs::remove_file(&temporary);
    })
}

/// Removes what processes left that were killed while they made the store.
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
