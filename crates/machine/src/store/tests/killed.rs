//! A process that is killed while it writes or merges loses no result whose `put` had returned.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::merging::Step;
use super::*;

const DIRECTORY: &str = "CELLRATE_STORE_OF_CHILD";
const TASK: &str = "CELLRATE_TASK_OF_CHILD";
const AT_STEP: i32 = 77;

/// Starts this test program as another process, which carries out one of the tasks below.
fn child(name: &str, root: &Path, task: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            &format!("store::tests::killed::{name}"),
            "--ignored",
            "--nocapture",
        ])
        .envs([(DIRECTORY, root.as_os_str()), (TASK, task.as_ref())])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn order() -> Option<(PathBuf, String)> {
    Some((
        std::env::var_os(DIRECTORY)?.into(),
        std::env::var(TASK).ok()?,
    ))
}

#[test]
#[ignore = "a process of `killed_at_any_moment`"]
fn writes_until_killed() {
    let Some((root, round)) = order() else { return };
    let store = Store::open(root).unwrap();
    for i in 0.. {
        let name = format!("{round} {i}");
        store
            .put(&key(&name), &noise(i, i as usize * 997 % 20_000))
            .unwrap();
        writeln!(std::io::stdout(), "\nput {name}").unwrap();
    }
}

#[track_caller]
fn assert_has(store: &Store, names: &[String]) {
    for name in names {
        let i: u64 = name.split_once(' ').unwrap().1.parse().unwrap();
        assert_eq!(
            store.get(&key(name)).unwrap(),
            Some(noise(i, i as usize * 997 % 20_000)),
            "{name}"
        );
    }
}

#[test]
fn killed_at_any_moment() {
    let directory = tempfile::tempdir().unwrap();
    let moments = noise(5, 30);
    let mut kept = Vec::new();
    for (round, moment) in moments.iter().enumerate() {
        let before = kept.len();
        let mut child = child("writes_until_killed", directory.path(), &round.to_string());
        let mut told = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        while !text.contains("put ") {
            assert_ne!(told.read_line(&mut text).unwrap(), 0, "it ended by itself");
        }
        std::thread::sleep(Duration::from_micros(u64::from(*moment) * 100));
        child.kill().unwrap();
        told.read_to_string(&mut text).unwrap();
        child.wait().unwrap();
        // The last line may be incomplete.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        kept.extend(
            whole
                .lines()
                .filter_map(|line| line.strip_prefix("put "))
                .map(String::from),
        );
        // The store is also opened between the kills, so that merges happen.
        assert_has(&Store::open(directory.path()).unwrap(), &kept[before..]);
    }
    assert_has(&Store::open(directory.path()).unwrap(), &kept);
    assert!(kept.len() > 100, "{}", kept.len());
}

#[test]
#[ignore = "a process of `merging_is_interrupted_at_each_step`"]
fn merges_until_a_step() {
    let Some((root, step)) = order() else { return };
    let directory = Directory::open(root).unwrap();
    let group = directory.list().unwrap();
    merging::merge(&directory, &[group], &mut |at| {
        if format!("{at:?}") == step {
            std::process::exit(AT_STEP);
        }
    })
    .unwrap();
}

#[test]
fn merging_is_interrupted_at_each_step() {
    for step in [
        Step::Claimed,
        Step::Copying,
        Step::Copied,
        Step::Named,
        Step::Removed,
    ] {
        let directory = tempfile::tempdir().unwrap();
        let keys = short_runs(directory.path(), 40);
        // A store that stays open all the time, as in a long study.
        let witness = Store::with_segments_of(directory.path().into(), 1).unwrap();
        let mut child = child(
            "merges_until_a_step",
            directory.path(),
            &format!("{step:?}"),
        );
        assert_eq!(child.wait().unwrap().code(), Some(AT_STEP), "{step:?}");
        assert!(
            files(directory.path(), "seg").len() >= 40,
            "{step:?}: nothing is gone that is nowhere else"
        );
        assert_has_runs(&witness, &keys);
        // The next process that opens the store merges segments and removes the files that remain.
        let after = Store::open(directory.path()).unwrap();
        assert_has_runs(&after, &keys);
        assert_eq!(
            files(directory.path(), "merging"),
            [""; 0].map(PathBuf::from),
            "{step:?}"
        );
        assert!(
            files(directory.path(), "seg").len() <= merging::FEW,
            "{step:?}"
        );
        assert_has_runs(&witness, &keys);
        assert_eq!(
            (after.problems(), witness.problems()),
            (vec![], vec![]),
            "{step:?}"
        );
    }
}
