//! Files in a store's directory that are not segments of the store.

use std::fs::File;

use super::*;

fn names(root: &Path) -> Vec<String> {
    let mut names: Vec<_> = [root.to_path_buf(), root.join("segments")]
        .iter()
        .flat_map(|directory| fs::read_dir(directory).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
#[cfg(unix)]
fn locks_of_the_dead_go_and_those_of_the_living_stay() {
    let (directory, store) = open();
    store.put(&key("x"), b"x").unwrap();
    let segments = directory.path().join("segments");
    // Remains of processes killed before they wrote, while they wrote, and while they made the
    // store.
    File::create(segments.join("00000008.lock")).unwrap();
    File::create(segments.join("00000007.lock")).unwrap();
    fs::write(
        segments.join("00000007.seg"),
        record::encode(Key::parse(&key("y")).unwrap(), b"y"),
    )
    .unwrap();
    File::create(directory.path().join("format.1.0.tmp")).unwrap();
    let other = Store::open(directory.path()).unwrap();
    assert_eq!(
        names(directory.path()),
        [
            "00000000.lock",
            "00000000.seg",
            "00000007.seg",
            "format",
            "segments"
        ]
    );
    // The store continues with the segment whose lock it holds.
    store.put(&key("z"), b"z").unwrap();
    assert_eq!(
        ["x", "y", "z"].map(|name| other.contains(&key(name)).unwrap()),
        [true; 3]
    );
    store.close().unwrap();
    assert_eq!(
        names(directory.path()),
        ["00000000.seg", "00000007.seg", "format", "segments"]
    );
    assert_eq!((store.problems(), other.problems()), (vec![], vec![]));
}

#[test]
fn locks_are_cleared_away_while_they_are_made() {
    let (directory, store) = open();
    store.put(&key("x"), b"x").unwrap();
    drop(store);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let root = directory.path();
            scope.spawn(move || {
                for i in 0..60 {
                    let store = Store::open(root).unwrap();
                    let name = key(&format!("{thread} {i}"));
                    store.put(&name, &noise(i, 300)).unwrap();
                    // Other stores that open, merge and tidy must not take the segment of this
                    // store for a closed one.
                    store
                        .put(&key(&format!("{thread} {i} again")), &noise(i, 400))
                        .unwrap();
                    assert_eq!(store.get(&name).unwrap(), Some(noise(i, 300)));
                }
            });
        }
    });
    let store = Store::open(directory.path()).unwrap();
    for (thread, i) in (0..3).flat_map(|thread| (0..60).map(move |i| (thread, i))) {
        assert_eq!(
            store.get(&key(&format!("{thread} {i}"))).unwrap(),
            Some(noise(i, 300))
        );
        assert_eq!(
            store.get(&key(&format!("{thread} {i} again"))).unwrap(),
            Some(noise(i, 400))
        );
    }
    assert_eq!(
        (store.problems(), files(directory.path(), "lock")),
        (vec![], vec![])
    );
}

#[test]
fn foreign_names_are_passed_over() {
    let (directory, store) = open();
    store.put(&key("x"), b"x").unwrap();
    store.close().unwrap();
    let segments = directory.path().join("segments");
    let foreign = [
        "1.seg",
        "+0000002.seg",
        "18446744073709551615.seg",
        "00000001 (copy).seg",
        ".seg",
        "notes.txt",
    ];
    for name in foreign {
        fs::write(segments.join(name), "mine").unwrap();
    }
    fs::create_dir(segments.join("00000009.seg")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", segments.join("00000010.seg")).unwrap();
    let store = Store::open(directory.path()).unwrap();
    assert_eq!(store.get(&key("x")).unwrap().as_deref(), Some(&b"x"[..]));
    store.put(&key("y"), b"y").unwrap();
    assert_eq!(
        Store::open(directory.path()).unwrap().keys().unwrap().len(),
        2
    );
    assert_eq!(store.problems(), []);
    for name in foreign {
        assert_eq!(fs::read(segments.join(name)).unwrap(), b"mine", "{name}");
    }
}

/// A pipe in place of a file of the store is not opened: opening would block until another process
/// writes to the pipe.
#[test]
#[cfg(unix)]
fn pipes_in_place_of_its_files_are_not_waited_for() {
    let made = |path: &Path| {
        let status = std::process::Command::new("mkfifo").arg(path).status();
        assert!(status.unwrap().success());
    };
    let place = tempfile::tempdir().unwrap();
    made(&place.path().join("format"));
    let told = Store::open(place.path()).err().unwrap().to_string();
    assert!(told.contains("not a store of results"), "{told}");

    let (place, store) = open();
    store.put(&key("x"), b"kept").unwrap();
    drop(store);
    for name in ["00000009.seg", "00000000.lock"] {
        made(&place.path().join("segments").join(name));
    }
    let again = Store::open(place.path()).unwrap();
    assert_eq!(again.get(&key("x")).unwrap().as_deref(), Some(&b"kept"[..]));
}
