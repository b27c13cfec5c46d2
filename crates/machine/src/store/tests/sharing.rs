//! Several threads, and several stores that stand for several processes, in one directory.

use super::*;

#[test]
fn what_one_store_has_put_another_one_finds_at_once() {
    let (directory, one) = open();
    let two = Store::open(directory.path()).unwrap();
    for i in 0..100 {
        let (name, (from, to)) = (
            key(&i.to_string()),
            if i % 3 == 0 {
                (&two, &one)
            } else {
                (&one, &two)
            },
        );
        assert_eq!(to.get(&name).unwrap(), None, "result {i}");
        from.put(&name, &noise(i, 500)).unwrap();
        assert_eq!(to.get(&name).unwrap(), Some(noise(i, 500)), "result {i}");
        if i % 10 == 0 {
            from.close().unwrap();
        }
    }
    assert_eq!(one.keys().unwrap(), two.keys().unwrap());
    assert_eq!((one.problems(), two.problems()), (vec![], vec![]));
}

#[test]
fn many_threads_put_into_one_store() {
    let (directory, store) = open();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for i in 0..50 {
                    store
                        .put(&key(&format!("{thread} {i}")), &noise(i, 1000 + thread))
                        .unwrap();
                }
            });
        }
    });
    for store in [&store, &Store::open(directory.path()).unwrap()] {
        for (thread, i) in (0..4).flat_map(|thread| (0..50).map(move |i| (thread, i))) {
            assert_eq!(
                store.get(&key(&format!("{thread} {i}"))).unwrap(),
                Some(noise(i, 1000 + thread))
            );
        }
    }
    assert_eq!(files(directory.path(), "seg").len(), 1);
}

#[test]
fn many_writers_and_readers_never_see_half_a_result() {
    let (directory, store) = open();
    let name = key("x");
    let bytes = |writer: u8| [vec![writer], noise(u64::from(writer), 100_000)].concat();
    store.put(&name, &bytes(0)).unwrap();
    std::thread::scope(|scope| {
        for writer in 1..4 {
            let (name, root) = (&name, directory.path());
            scope.spawn(move || {
                // A separate store, as another process would have.
                let store = Store::open(root).unwrap();
                for _ in 0..5 {
                    store.put(name, &bytes(writer)).unwrap();
                }
            });
        }
        for _ in 0..50 {
            // A new store reads everything each time, also a record that is being written.
            let store = Store::open(directory.path()).unwrap();
            let found = store.get(&name).unwrap().unwrap();
            assert_eq!(found, bytes(found[0]));
            assert_eq!(store.problems(), []);
        }
    });
    assert_eq!(store.keys().unwrap().len(), 1);
}
