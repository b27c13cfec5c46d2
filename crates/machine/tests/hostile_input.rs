//! Runs the checks of the fuzz targets on their seeds, and on every input that once broke the
//! program.

#[path = "../../../fuzz/src/lib.rs"]
mod checks;

use std::fs;
use std::path::{Path, PathBuf};

/// Files of a target, in order; an empty list if it has none.
fn inputs(of: &str, target: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz")
        .join(of)
        .join(target);
    let entries = fs::read_dir(directory).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a directory of ours").path())
        .collect();
    paths.sort();
    paths
}

fn replay(of: &str) -> usize {
    let all = checks::CHECKS.iter().flat_map(|(target, _)| {
        inputs(of, target)
            .into_iter()
            .map(move |path| (*target, path))
    });
    all.map(|(target, path)| {
        let data = fs::read(&path).expect("an input of ours");
        let done = std::panic::catch_unwind(|| checks::run(target, &data));
        assert!(done.is_ok(), "{target} does not stand {}", path.display());
    })
    .count()
}

#[test]
fn every_seed_is_read_or_refused() {
    for (target, _) in checks::CHECKS {
        assert!(!inputs("seeds", target).is_empty(), "{target} has no seeds");
    }
    assert!(replay("seeds") > 0);
}

/// The seeds of `two_engines` must reach an engine. A seed that names a renamed scheme, for
/// example, would be refused before.
#[test]
fn every_seed_of_two_engines_reaches_the_engines() {
    let missed: Vec<PathBuf> = inputs("seeds", "two_engines")
        .into_iter()
        .filter(|path| {
            let data = fs::read(path).expect("an input of ours");
            checks::two_engines::network(&data).is_none()
        })
        .collect();
    assert_eq!(missed, Vec::<PathBuf>::new(), "no engine runs these seeds");
}

#[test]
fn what_once_broke_something_does_so_no_more() {
    assert!(replay("regressions") > 0);
}
