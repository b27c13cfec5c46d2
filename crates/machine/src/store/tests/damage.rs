//! Damage is reported and costs only the damaged records.

use super::*;

const RESULTS: [&[u8]; 3] = [b"the first", b"the second result", b"3"];

fn keys() -> [String; 3] {
    ["one", "two", "three"].map(key)
}

/// A segment with three records, and the offset at which each ends.
fn segment() -> (Vec<u8>, [usize; 3]) {
    let records = [0, 1, 2].map(|i| record::encode(Key::parse(&keys()[i]).unwrap(), RESULTS[i]));
    let mut end = 0;
    let ends = [0, 1, 2].map(|i: usize| {
        end += records[i].len();
        end
    });
    (records.concat(), ends)
}

/// Opens a store with the segment `bytes` and checks that it finds all results except those for
/// which `lost` is true. If `damage` is true, exactly one problem must be reported. Then stores the
/// lost results again.
fn assert_loses(bytes: &[u8], lost: impl Fn(usize) -> bool, damage: bool, what: &str) {
    let directory = tempfile::tempdir().unwrap();
    drop(Store::open(directory.path()).unwrap());
    fs::create_dir(directory.path().join("segments")).unwrap();
    fs::write(directory.path().join("segments/00000000.seg"), bytes).unwrap();
    let store = Store::open(directory.path()).unwrap();
    for (i, key) in keys().iter().enumerate() {
        let expected = (!lost(i)).then(|| RESULTS[i].to_vec());
        assert_eq!(store.get(key).unwrap(), expected, "result {i}, {what}");
        assert_eq!(store.contains(key).unwrap(), !lost(i), "result {i}, {what}");
    }
    let problems = store.problems();
    assert_eq!(problems.len(), damage as usize, "{what}: {problems:?}");
    for (i, key) in keys().iter().enumerate().filter(|(i, _)| lost(*i)) {
        store.put(key, RESULTS[i]).unwrap();
    }
    drop(store);
    let again = Store::open(directory.path()).unwrap();
    for (i, key) in keys().iter().enumerate() {
        assert_eq!(
            again.get(key).unwrap().as_deref(),
            Some(RESULTS[i]),
            "result {i} again, {what}"
        );
    }
    assert_eq!(again.problems(), [], "{what}: told once");
}

#[test]
fn every_cut_loses_the_records_that_it_hits() {
    let (bytes, ends) = segment();
    for length in 0..=bytes.len() {
        let whole = length == 0 || ends.contains(&length);
        assert_loses(
            &bytes[..length],
            |i| length < ends[i],
            !whole,
            &format!("cut to {length}"),
        );
    }
}

#[test]
fn every_changed_byte_loses_one_record() {
    let (bytes, ends) = segment();
    for place in 0..bytes.len() {
        let mut bytes = bytes.clone();
        bytes[place] ^= 0x10;
        let hit = ends.iter().position(|end| place < *end).unwrap();
        assert_loses(&bytes, |i| i == hit, true, &format!("byte {place}"));
    }
}

#[test]
fn damage_behind_the_back_of_an_open_store_is_told_with_file_and_offset() {
    let (directory, store) = open();
    for (key, result) in keys().iter().zip(RESULTS) {
        store.put(key, result).unwrap();
    }
    let [path] = &files(directory.path(), "seg")[..] else {
        panic!("one segment")
    };
    let (mut bytes, ends) = segment();
    assert_eq!(fs::read(path).unwrap(), bytes);
    bytes[ends[1] - 1] ^= 1;
    bytes.truncate(ends[2] - 1);
    fs::write(path, bytes).unwrap();
    for _ in 0..2 {
        assert_eq!(store.get(&keys()[0]).unwrap().as_deref(), Some(RESULTS[0]));
        assert_eq!(store.get(&keys()[1]).unwrap(), None);
        assert_eq!(store.get(&keys()[2]).unwrap(), None);
    }
    assert_eq!(store.keys().unwrap(), [keys()[0].clone()]);
    let told = |i: usize, what: &str| {
        Problem::of_record(
            Key::parse(&keys()[i]).unwrap(),
            path,
            ends[i - 1] as u64,
            what,
        )
    };
    let checksum = "it does not match the checksum in its header";
    assert_eq!(
        store.problems(),
        [told(1, checksum), told(2, "it is cut off")]
    );
}

#[test]
fn another_record_of_a_damaged_one_counts_instead() {
    let (directory, store) = open();
    store.put(&key("x"), b"same").unwrap();
    store.put(&key("x"), b"same").unwrap();
    store.close().unwrap();
    let [path] = &files(directory.path(), "seg")[..] else {
        panic!("one segment")
    };
    let mut bytes = fs::read(path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(path, bytes).unwrap();
    for store in [store, Store::open(directory.path()).unwrap()] {
        assert_eq!(store.get(&key("x")).unwrap().as_deref(), Some(&b"same"[..]));
        assert_eq!(store.problems().len(), 1);
    }
}

#[test]
fn a_long_stretch_of_rubbish_is_passed_over() {
    let (bytes, ends) = segment();
    // The segment has more bytes than are read at once. The first bytes of a record occur where no
    // record begins, and once more across two reads.
    let mut rubbish = noise(1, 200_000);
    rubbish[1000..1008].copy_from_slice(&record::MAGIC);
    rubbish[65_533..65_541].copy_from_slice(&record::MAGIC);
    let (first, rest) = bytes.split_at(ends[0]);
    assert_loses(
        &[first, &rubbish, rest].concat(),
        |_| false,
        true,
        "rubbish between records",
    );
    for shift in 0..8 {
        // The first bytes of the next record lie across two reads.
        let shifted = [first, &noise(2, 65_536 - shift), rest].concat();
        assert_loses(
            &shifted,
            |_| false,
            true,
            &format!("rubbish shorter by {shift}"),
        );
    }
}
