//! Tests of the store's guarantees, with real files.

mod damage;
mod formats;
mod killed;
mod leftovers;
mod merges;
mod sharing;

use std::fs;
use std::path::Path;

use cellrate::run::{VERSION, key};

use super::*;

fn open() -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path()).unwrap();
    (directory, store)
}

/// Files below `segments` with this extension, in order.
fn files(root: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root.join("segments"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    files.sort();
    files
}

/// Bytes that LZ4 cannot compress, different for each `seed`.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// Makes `count` closed segments with one result each: the value `i` under the key of `i`.
fn short_runs(root: &Path, count: usize) -> Vec<String> {
    let directory = Directory::open(root.into()).unwrap();
    let keys: Vec<String> = (0..count).map(|i| key(&i.to_string())).collect();
    for (i, name) in keys.iter().enumerate() {
        let record = record::encode(Key::parse(name).unwrap(), i.to_string().as_bytes());
        let claim = directory.claim().unwrap();
        fs::write(directory.segment(claim.number), record).unwrap();
    }
    keys
}

#[track_caller]
fn assert_has_runs(store: &Store, keys: &[String]) {
    for (i, key) in keys.iter().enumerate() {
        assert_eq!(
            store.get(key).unwrap(),
            Some(i.to_string().into_bytes()),
            "result {i}"
        );
    }
}

#[test]
fn what_was_put_is_found_again_under_its_key_alone() {
    let (_directory, store) = open();
    let (one, two) = (key("one"), key("two"));
    assert_eq!(store.get(&one).unwrap(), None);
    store.put(&one, b"first").unwrap();
    store.put(&two, b"").unwrap();
    assert_eq!(store.get(&one).unwrap().as_deref(), Some(&b"first"[..]));
    assert_eq!(store.get(&two).unwrap().as_deref(), Some(&b""[..]));
    assert!(!store.contains(&key("three")).unwrap());
    let mut both = vec![one.clone(), two];
    both.sort();
    assert_eq!(store.keys().unwrap(), both);
    store.put(&one, b"second").unwrap();
    assert_eq!(store.get(&one).unwrap().as_deref(), Some(&b"second"[..]));
    assert!(store.problems().is_empty());
}

#[test]
fn a_store_opened_again_has_what_it_had() {
    let (directory, store) = open();
    let dull = vec![b'x'; 300_000];
    store.put(&key("x"), b"old").unwrap();
    store.put(&key("dull"), &dull).unwrap();
    store.put(&key("x"), b"kept").unwrap();
    drop(store);
    assert!(files(directory.path(), "lock").is_empty());
    let [segment] = &files(directory.path(), "seg")[..] else {
        panic!("one segment")
    };
    assert!(
        fs::metadata(segment).unwrap().len() < 3000,
        "results are compressed"
    );
    let again = Store::open(directory.path()).unwrap();
    assert_eq!(again.get(&key("x")).unwrap().as_deref(), Some(&b"kept"[..]));
    assert_eq!(again.get(&key("dull")).unwrap(), Some(dull));
}

#[test]
fn a_store_that_was_closed_begins_another_segment() {
    let (directory, store) = open();
    store.put(&key("a"), b"a").unwrap();
    store.sync().unwrap();
    assert_eq!(files(directory.path(), "lock").len(), 1);
    store.close().unwrap();
    assert!(files(directory.path(), "lock").is_empty());
    store.put(&key("b"), b"b").unwrap();
    assert_eq!(files(directory.path(), "seg").len(), 2);
    assert!(store.contains(&key("a")).unwrap() && store.contains(&key("b")).unwrap());
}

#[test]
fn a_full_segment_is_followed_by_another_one() {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::with_segments_of(directory.path().into(), 10_000).unwrap();
    for i in 0..20 {
        store.put(&key(&i.to_string()), &noise(i, 2000)).unwrap();
    }
    // Larger than a full segment, so it gets a segment of its own.
    store.put(&key("long"), &noise(99, 30_000)).unwrap();
    // Four times 2100 bytes fit into 10,000.
    assert_eq!(files(directory.path(), "seg").len(), 6);
    assert_eq!(files(directory.path(), "lock").len(), 1);
    for store in [&store, &Store::open(directory.path()).unwrap()] {
        for i in 0..20 {
            assert_eq!(
                store.get(&key(&i.to_string())).unwrap(),
                Some(noise(i, 2000))
            );
        }
        assert_eq!(store.get(&key("long")).unwrap(), Some(noise(99, 30_000)));
    }
}

#[test]
fn a_store_whose_directory_was_removed_begins_anew() {
    let (directory, store) = open();
    store.put(&key("a"), b"a").unwrap();
    store.close().unwrap();
    fs::remove_dir_all(directory.path()).unwrap();
    assert_eq!(store.keys().unwrap(), [""; 0]);
    store.put(&key("b"), b"b").unwrap();
    assert_eq!(
        Store::open(directory.path()).unwrap().keys().unwrap(),
        [key("b")]
    );
}

#[test]
fn what_is_no_key_is_refused() {
    let (_directory, store) = open();
    for text in [
        "",
        "../../etc/passwd",
        &"A".repeat(64),
        &"ä".repeat(32),
        &"a".repeat(63),
        &"a".repeat(66),
    ] {
        assert!(store.get(text).is_err(), "{text}");
        assert!(store.contains(text).is_err(), "{text}");
        assert!(store.put(text, b"x").is_err(), "{text}");
    }
}

#[test]
fn the_key_depends_on_every_byte_and_on_nothing_else() {
    use sha2::{Digest, Sha256};
    assert_eq!(key("a"), key("a"));
    assert_ne!(key("a"), key("a "));
    // SHA-256 of "cellrate result\0" VERSION "\0a", by hand for this version only.
    let mut hash = Sha256::new();
    hash.update(format!("cellrate result\0{VERSION}\0a"));
    assert_eq!(key("a"), Key(hash.finalize().into()).text());
    assert_eq!(Key::parse(&key("a")).unwrap().text(), key("a"));
}
