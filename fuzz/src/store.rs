//! Stores with arbitrary files.

mod segment;

use std::fs;
use std::path::Path;

use cellrate::run::key;
use cellrate_machine::store::Store;

use super::input::Input;
use segment::{Piece, piece};

/// Most segments of one store.
const SEGMENTS: u8 = 4;
/// Number of results that may exist.
const NAMES: u8 = 8;
/// Files that locks, merges or other programs leave among the segments.
const STRAY: [&str; 8] = [
    "00000000.lock",
    "00000001.merging",
    "18446744073709551615.seg",
    "99999999999999999999.seg",
    "7.seg",
    "+0000003.seg",
    "x.seg",
    "00000002.lock",
];

/// The input is the contents of the other files, then pieces of segments. Every record in a segment
/// without tampered records is found, whatever rubbish is around it.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let Ok(directory) = tempfile::Builder::new()
        .prefix("cellrate-fuzz")
        .tempdir_in(place())
    else {
        return;
    };
    let segments = directory.path().join("segments");
    fs::create_dir(&segments).expect("a directory of our own");
    around(&mut input, directory.path(), &segments);
    let (mut sound, mut tampered) = (Vec::new(), false);
    for number in 0..=input.byte() % SEGMENTS {
        match write_segment(&mut input, &segments, number) {
            Some(records) => sound.extend(records),
            None => tampered = true,
        }
    }
    let Ok(store) = Store::open(directory.path()) else {
        return;
    };
    look(&store, &sound, tampered);
    used(&store);
    drop(store);
    // Merges and damage set aside are permanent.
    if let Ok(again) = Store::open(directory.path()) {
        look(&again, &sound, tampered);
        assert_eq!(
            again.get(&key("new")).ok().flatten().as_deref(),
            Some(&b"result"[..])
        );
    }
}

/// A directory in memory, if the system has one: disks are not tested here.
fn place() -> &'static Path {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        memory
    } else {
        Path::new("/tmp")
    }
}

/// Writes files beside the segments: the format, locks, remains of merges and foreign files.
fn around(input: &mut Input<'_>, root: &Path, segments: &Path) {
    let format: &[u8] = match input.byte() % 8 {
        0 => input.bytes(40),
        1 => b"cellrate store 2\n",
        _ => b"cellrate store 1\nwritten by cellrate 0.1.0\n",
    };
    fs::write(root.join("format"), format).expect("a file of our own");
    for _ in 0..input.byte() % 4 {
        let name = STRAY[usize::from(input.byte()) % STRAY.len()];
        fs::write(segments.join(name), input.bytes(16)).expect("a file of our own");
    }
}

/// Names of the records of a segment with their results; `None` if a record was tampered with.
fn write_segment(
    input: &mut Input<'_>,
    segments: &Path,
    number: u8,
) -> Option<Vec<(String, Vec<u8>)>> {
    let (mut bytes, mut sound, mut tampered) = (Vec::new(), Vec::new(), false);
    for _ in 0..input.byte() % 16 {
        match piece(input) {
            Piece::Sound {
                name,
                result,
                record,
            } => {
                sound.push((name, result));
                bytes.extend(record);
            }
            Piece::Tampered(record) => {
                tampered = true;
                bytes.extend(record);
            }
            Piece::Rubbish(rubbish) => bytes.extend(rubbish),
        }
    }
    fs::write(segments.join(format!("{number:08}.seg")), bytes).expect("a file of our own");
    (!tampered).then_some(sound)
}

/// Reads every result.
fn look(store: &Store, sound: &[(String, Vec<u8>)], tampered: bool) {
    let Ok(keys) = store.keys() else { return };
    for found in &keys {
        let _ = store.get(found);
    }
    for (name, _) in sound {
        let found = store.get(&key(name)).expect("the segments can be read");
        let found =
            found.unwrap_or_else(|| panic!("a result of {name} is lost: {:?}", store.problems()));
        let written = sound
            .iter()
            .any(|(other, result)| other == name && found == *result);
        assert!(written || tampered, "nobody wrote {found:?} under {name}");
    }
    let problems = store.problems();
    assert!(problems.iter().all(|problem| !problem.message.is_empty()));
}

/// Checks that a store that was opened can be written to.
fn used(store: &Store) {
    store.put(&key("new"), b"result").expect("there is room");
    assert_eq!(
        store.get(&key("new")).expect("it was written").as_deref(),
        Some(&b"result"[..])
    );
}
