//! Copies the papers' data to the directory from which the wheel is built, since maturin packs no
//! other files from outside the package.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

const PAPERS: &str = "../../papers";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed={PAPERS}");
    let place = env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .ok_or(io::ErrorKind::NotFound)?
        .join("data");
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    copy(Path::new(PAPERS), &place)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
