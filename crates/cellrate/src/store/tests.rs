use super::*;

fn open() -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let store = Store::open(directory.path().join("results")).unwrap();
    (directory, store)
}

fn file_of(store: &Store, key: &str) -> PathBuf {
    store.path(key).unwrap()
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
    store.put(&key("x"), b"kept").unwrap();
    drop(store);
    let again = Store::open(directory.path().join("results")).unwrap();
    assert_eq!(again.get(&key("x")).unwrap().as_deref(), Some(&b"kept"[..]));
}

#[test]
fn every_cut_and_every_changed_byte_makes_an_entry_missing_and_is_reported() {
    let (_directory, store) = open();
    let key = key("x");
    store.put(&key, b"some result").unwrap();
    let path = file_of(&store, &key);
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        assert_eq!(store.get(&key).unwrap(), None, "cut to {length}");
    }
    for i in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[i] ^= 0x10;
        fs::write(&path, &damaged).unwrap();
        assert_eq!(store.get(&key).unwrap(), None, "byte {i}");
    }
    let problems = store.problems();
    // Cut within the header, another magic, length, checksum: each told once.
    assert_eq!(problems.len(), 4, "{problems:?}");
    assert!(problems.iter().all(|problem| problem.key == key && problem.path == path));
    store.put(&key, b"some result").unwrap();
    assert!(store.contains(&key).unwrap(), "a damaged entry can be replaced");
}

#[test]
fn a_writer_that_was_killed_leaves_nothing_that_counts() {
    let (directory, store) = open();
    let key = key("x");
    store.put(&key, b"x").unwrap();
    let abandoned = file_of(&store, &key).with_extension("1.1.tmp");
    fs::write(&abandoned, b"half").unwrap();
    assert_eq!(store.keys().unwrap(), [key]);
    let fresh = Store::open(directory.path().join("results")).unwrap();
    assert!(abandoned.exists(), "it may belong to a living writer");
    let old = std::time::SystemTime::now() - 2 * ABANDONED;
    File::options().write(true).open(&abandoned).unwrap().set_modified(old).unwrap();
    fresh.sweep().unwrap();
    assert!(!abandoned.exists());
}

#[test]
fn a_failed_write_leaves_the_old_entry_and_no_other_file() {
    let (_directory, store) = open();
    let key = key("x");
    store.put(&key, b"x").unwrap();
    let path = file_of(&store, &key);
    // A directory in its place makes the rename fail.
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(store.put(&key, b"y").is_err());
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn what_is_no_key_never_becomes_a_path() {
    let (_directory, store) = open();
    for text in ["", "../../etc/passwd", &"A".repeat(64), &"ä".repeat(32), &"a".repeat(63)] {
        assert!(store.get(text).is_err(), "{text}");
        assert!(store.put(text, b"x").is_err(), "{text}");
    }
}

#[test]
fn many_writers_and_readers_never_see_half_an_entry() {
    let (directory, store) = open();
    let key = key("x");
    let root = directory.path().join("results");
    let bytes = |writer: u8| vec![writer; 100_000];
    store.put(&key, &bytes(0)).unwrap();
    std::thread::scope(|scope| {
        for writer in 1..4 {
            let (key, root) = (&key, &root);
            scope.spawn(move || {
                // A store of its own, as another process would have.
                let store = Store::open(root).unwrap();
                for _ in 0..5 {
                    store.put(key, &bytes(writer)).unwrap();
                }
            });
        }
        for _ in 0..50 {
            let found = store.get(&key).unwrap().unwrap();
            assert_eq!(found, bytes(found[0]));
        }
    });
    assert!(store.problems().is_empty());
    assert_eq!(store.keys().unwrap().len(), 1);
}

#[test]
fn the_key_depends_on_every_byte_and_on_nothing_else() {
    assert_eq!(key("a"), key("a"));
    assert_ne!(key("a"), key("a "));
    // SHA-256 of "cellrate result\0" VERSION "\0a", by hand for this version only.
    let mut hash = Sha256::new();
    hash.update(format!("cellrate result\0{VERSION}\0a"));
    assert_eq!(key("a"), hex(&hash.finalize()));
}
