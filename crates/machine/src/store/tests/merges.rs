//! Merges turn many small segments into few, without loss.

use super::merging::{FEW, groups};
use super::*;

#[test]
fn many_small_segments_become_one() {
    let directory = tempfile::tempdir().unwrap();
    let keys = short_runs(directory.path(), FEW);
    assert_has_runs(&Store::open(directory.path()).unwrap(), &keys);
    assert_eq!(
        files(directory.path(), "seg").len(),
        FEW,
        "so few are let be"
    );
    let keys = short_runs(directory.path(), FEW + 1);
    let before = Store::with_segments_of(directory.path().into(), 1).unwrap();
    let store = Store::open(directory.path()).unwrap();
    assert_eq!(
        (
            files(directory.path(), "seg").len(),
            files(directory.path(), "lock").len()
        ),
        (1, 0)
    );
    assert_has_runs(&store, &keys);
    // Without its open files the store must find the segments again.
    before.handles.retain(|_| false);
    assert_has_runs(&before, &keys);
    assert_eq!((store.problems(), before.problems()), (vec![], vec![]));
    drop(store);
    assert_has_runs(&Store::open(directory.path()).unwrap(), &keys);
}

#[test]
fn what_is_being_written_is_not_merged() {
    let directory = tempfile::tempdir().unwrap();
    let living: Vec<Store> = (0..FEW + 5)
        .map(|_| Store::open(directory.path()).unwrap())
        .collect();
    let put = |round: &str| {
        for (i, store) in living.iter().enumerate() {
            store
                .put(&key(&format!("{round} {i}")), round.as_bytes())
                .unwrap();
        }
    };
    put("first");
    drop(Store::open(directory.path()).unwrap());
    assert_eq!(files(directory.path(), "seg").len(), living.len());
    put("second");
    drop(living);
    let store = Store::open(directory.path()).unwrap();
    assert_eq!(files(directory.path(), "seg").len(), 1);
    assert_eq!(store.keys().unwrap().len(), 2 * (FEW + 5));
}

#[test]
fn one_process_merges_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let keys = short_runs(directory.path(), 40);
    let right = Directory::open(directory.path().into())
        .unwrap()
        .merging()
        .unwrap();
    assert!(right.is_some());
    assert_has_runs(&Store::open(directory.path()).unwrap(), &keys);
    assert_eq!(
        files(directory.path(), "seg").len(),
        40,
        "another one is at it"
    );
    drop(right);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_has_runs(&Store::open(directory.path()).unwrap(), &keys));
        }
    });
    assert_eq!(files(directory.path(), "seg").len(), 1);
}

#[test]
fn a_merge_leaves_out_what_is_damaged_and_tells_it() {
    let directory = tempfile::tempdir().unwrap();
    let keys = short_runs(directory.path(), FEW + 1);
    let damaged = &files(directory.path(), "seg")[7];
    let mut bytes = fs::read(damaged).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(damaged, bytes).unwrap();
    let store = Store::open(directory.path()).unwrap();
    assert_eq!(
        (store.problems().len(), store.problems()[0].key.as_ref()),
        (1, Some(&keys[7]))
    );
    assert_eq!(store.get(&keys[7]).unwrap(), None);
    store.put(&keys[7], b"7").unwrap();
    drop(store);
    let again = Store::open(directory.path()).unwrap();
    assert_has_runs(&again, &keys);
    assert_eq!(again.problems(), []);
}

/// Ten thousand commands, each with one run, leave a segment each; each command first opens the
/// store.
#[test]
fn merging_copies_each_result_a_few_times_only() {
    const FULL: u64 = 1 << 40;
    let closed = |number, size| Closed {
        number,
        size,
        damaged: false,
    };
    let mut segments: Vec<Closed> = Vec::new();
    let (runs, size) = (10_000, 100);
    let mut copied = 0;
    for run in 0..runs {
        for group in groups(&segments, FULL) {
            assert!(group.len() > 1);
            let (merged, kept): (Vec<_>, Vec<_>) =
                segments.iter().partition(|one| group.contains(&one.number));
            segments = kept;
            let total = merged.iter().map(|one| one.size).sum();
            copied += total;
            segments.push(closed(2 * run, total));
        }
        segments.push(closed(2 * run + 1, size));
        assert!(segments.len() <= FEW + 1, "{} after {run}", segments.len());
    }
    assert_eq!(
        segments.iter().map(|one| one.size).sum::<u64>(),
        runs * size
    );
    // A record's segment at least doubles whenever it is copied: at most log2(10,000) = 13.3 times.
    assert!(copied <= 14 * runs * size, "{}", copied / runs / size);
}

#[test]
fn a_merge_never_makes_more_than_a_full_segment() {
    let closed = |(number, size): (u64, u64)| Closed {
        number,
        size,
        damaged: false,
    };
    let equal: Vec<Closed> = (0..50).map(|number| closed((number, 40))).collect();
    assert_eq!(groups(&equal, 100), [[0, 1]]);
    let full: Vec<Closed> = (0..50).map(|number| closed((number, 50))).collect();
    assert_eq!(groups(&full, 100), [[0; 0]; 0]);
    let damaged = Closed {
        number: 3,
        size: 1000,
        damaged: true,
    };
    assert_eq!(groups(&[damaged], 100), [[3]]);
}
