//! Directories that are not a store, or one of a newer format.

use super::*;

fn refusal(root: &Path) -> String {
    Store::open(root).unwrap_err().to_string()
}

#[test]
fn a_newer_format_is_refused_with_the_program_that_reads_it() {
    let (directory, store) = open();
    drop(store);
    let path = directory.path().join("format");
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        format!("cellrate store 1\nwritten by cellrate {VERSION}\n")
    );
    fs::write(&path, "cellrate store 2\nwritten by cellrate 9.9.9\n").unwrap();
    let message = refusal(directory.path());
    assert!(
        message.contains("format 2, written by cellrate 9.9.9"),
        "{message}"
    );
    assert!(message.contains(&path.display().to_string()), "{message}");
}

#[test]
fn something_else_than_a_store_is_refused_and_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("thesis.tex"), "mine").unwrap();
    let message = refusal(directory.path());
    assert!(message.contains("thesis.tex"), "{message}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    for format in [&b"cellrate"[..], b"", b"cellrate store one", b"\xff\xfe"] {
        fs::write(directory.path().join("format"), format).unwrap();
        let message = refusal(directory.path());
        assert!(message.contains("not a store of results"), "{message}");
    }
    let file = directory.path().join("thesis.tex");
    assert!(refusal(&file).contains("thesis.tex"));
}

#[test]
fn many_may_make_the_same_store_at_once() {
    for _ in 0..20 {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("new");
        std::thread::scope(|scope| {
            for i in 0..4 {
                let root = &root;
                scope.spawn(move || {
                    Store::open(root)
                        .unwrap()
                        .put(&key(&i.to_string()), b"x")
                        .unwrap()
                });
            }
        });
        assert_eq!(Store::open(&root).unwrap().keys().unwrap().len(), 4);
    }
}

#[test]
fn a_claim_leaves_the_lock_of_another_writer() {
    let (directory, _store) = open();
    let root = directory.path().to_path_buf();
    let segments = crate::store::directory::Directory::open(root).unwrap();
    let claim = segments.claim().unwrap();
    // Another process took this lock file for that of a killed writer; another writer has the
    // number now.
    let path = fs::read_dir(directory.path().join("segments"))
        .unwrap()
        .find_map(|entry| Some(entry.ok()?.path()).filter(|path| path.extension().is_some()))
        .unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&path, "").unwrap();
    drop(claim);
    assert!(path.exists());
}

#[test]
fn an_error_names_the_file() {
    let (directory, store) = open();
    fs::write(directory.path().join("segments"), "in the way").unwrap();
    let message = store.put(&key("x"), b"x").unwrap_err().to_string();
    assert!(
        message.contains(&directory.path().join("segments").display().to_string()),
        "{message}"
    );
}
