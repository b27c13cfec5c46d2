//! A watched run against the run of the command, and its past against a run that pauses there.

use cellrate::run::simulate;
use cellrate::scenario::{Scenario, resolve, templates::TEMPLATES};
use cellrate_engine::kernel::Ps;
use serde_json::{Value, json};

use crate::message::{Answer, Lab};

const SHORT: [&str; 3] = [
    "run.duration=\"60 ms\"",
    "measure.from=\"10 ms\"",
    "measure.to=\"50 ms\"",
];

fn template(name: &str) -> &'static str {
    cellrate::scenario::template(name).expect("a template")
}

fn ask(lab: &mut Lab, question: &Value) -> (Value, Vec<u8>) {
    let Answer { json, numbers } = lab.answer(question.to_string().as_bytes());
    (serde_json::from_str(&json).expect("JSON"), numbers)
}

fn opened(text: &str, set: &[&str]) -> Lab {
    let mut lab = Lab::default();
    let question = json!({"ask": "open", "text": text, "name": "x.toml", "set": set});
    let (answer, _) = ask(&mut lab, &question);
    assert_eq!(answer["error"], Value::Null);
    lab
}

fn finished(lab: &mut Lab) {
    while ask(lab, &json!({"ask": "advance", "readings": 100})).0["ended"] != true {}
}

fn digest(text: &str, set: &[&str]) -> String {
    let set: Vec<String> = set.iter().map(|one| (*one).to_owned()).collect();
    let checked = Scenario::parse(text, "x.toml", &set, None).expect("a scenario");
    let outcome = simulate(&checked, &resolve(checked.scenario()), &mut |_, _| true);
    let summary: Value = serde_json::from_str(&outcome.expect("a run").summary).expect("JSON");
    summary["digest"].as_str().expect("a digest").into()
}

#[test]
fn a_watched_run_ends_as_the_command_does_whatever_was_looked_at() {
    for (name, _, text) in TEMPLATES {
        let mut lab = opened(text, &SHORT);
        ask(&mut lab, &json!({"ask": "advance", "readings": 1_000}));
        ask(&mut lab, &json!({"ask": "picture", "at": 0.005}));
        ask(
            &mut lab,
            &json!({"ask": "detail", "from": 0.001, "to": 0.004, "pixels": 50}),
        );
        finished(&mut lab);
        let (summary, _) = ask(&mut lab, &json!({"ask": "summary", "wall_seconds": 0.0}));
        assert_eq!(summary["digest"], digest(text, &SHORT), "{name}");
    }
}

#[test]
fn the_past_is_what_it_was() {
    let text = template("n-source");
    let mut lab = opened(text, &SHORT);
    finished(&mut lab);
    // There and back: forwards over copies of the state, backwards to one, and within one.
    for at in [0.03, 0.031, 0.0305, 0.055, 0.0, 0.031] {
        let (late, places) = ask(&mut lab, &json!({"ask": "picture", "at": at}));
        let mut anew = opened(text, &SHORT);
        while ask(&mut anew, &json!({"ask": "advance", "readings": 1})).0["now"]
            .as_f64()
            .is_some_and(|now| now < at)
        {}
        assert_eq!(
            (late, places),
            ask(&mut anew, &json!({"ask": "picture", "at": at}))
        );
    }
}

#[test]
fn curves_are_thinned_to_least_and_greatest_and_detail_agrees_with_them() {
    let mut lab = opened(template("n-source"), &SHORT);
    finished(&mut lab);
    let floats = |bytes: Vec<u8>| -> Vec<f32> {
        let four = |four: &[u8]| f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
        bytes.chunks_exact(4).map(four).collect()
    };
    let mut curves = |ask_for: &str, pixels: usize| {
        let question = json!({"ask": ask_for, "from": 0.0, "to": 0.06, "pixels": pixels});
        floats(ask(&mut lab, &question).1)
    };
    let (fine, coarse, again) = (
        curves("curves", 4096),
        curves("curves", 64),
        curves("detail", 64),
    );
    // The first track is a queue. A part of 1/64 has 64 of the 4096 readings.
    for part in 0..64 {
        let readings: Vec<f32> = fine[part * 128..(part + 1) * 128].to_vec();
        let low = readings.iter().copied().fold(f32::NAN, f32::min);
        let high = readings.iter().copied().fold(f32::NAN, f32::max);
        assert!(
            coarse[2 * part] <= low && coarse[2 * part + 1] >= high,
            "part {part}"
        );
        // A reading at the begin of the part lies between the least and the greatest of it.
        assert!((low..=high).contains(&again[2 * part]), "part {part}");
    }
    assert!(coarse.iter().copied().fold(0.0, f32::max) > 0.0);
}

#[test]
fn cells_of_a_picture_are_those_in_flight_by_little_s_law() {
    // One source at 10 Mbit/s over 1 ms: the links hold rate times delay, 23.6 cells each way.
    let text = r#"
[run]
duration = "20 ms"
[topology]
template = "single-switch"
link_rate = "155.52 Mbit/s"
access = "1 ms"
bottleneck = "1 ms"
[[flow]]
name = "voice"
service = "cbr"
source = { kind = "cbr", rate = "10 Mbit/s" }
"#;
    let mut lab = opened(text, &[]);
    finished(&mut lab);
    let (picture, places) = ask(&mut lab, &json!({"ask": "picture", "at": 0.015}));
    // Cells of a queue stand behind the places, without a number.
    let cells: usize = places.chunks_exact(4).map(|place| place[3] as usize).sum();
    let expected = 2.0 * 10e6 / 424.0 * (1e-3 + 424.0 / 155.52e6);
    assert!(
        (cells as f64 - expected).abs() <= 2.0,
        "{cells} cells, {expected} expected"
    );
    let gap = picture["next_cell_seconds"].as_f64().expect("a cell comes") - 0.015;
    assert!(
        gap > 0.0 && gap <= 424.0 / 10e6,
        "within a gap of the source: {gap}"
    );
    assert_eq!(
        Ps::from_secs_f64(0.015).as_secs_f64(),
        picture["seconds"].as_f64().unwrap()
    );
}

#[test]
fn the_cells_of_the_longest_queue_are_listed_in_order() {
    // A cell every 10 us from each of two sources onto a line of 10 us per cell: of the 200 that came
    // in 1 ms half have left. They come in turns, so they wait in turns.
    let text = r#"
[run]
duration = "2 ms"
[topology]
template = "single-switch"
link_rate = "84.8 Mbit/s"
bottleneck_rate = "42.4 Mbit/s"
access = "1 us"
bottleneck = "1 us"
[[flow]]
name = "a"
service = "cbr"
source = { kind = "cbr", rate = "42.4 Mbit/s" }
[[flow]]
name = "b"
service = "cbr"
start = "5 us"
source = { kind = "cbr", rate = "42.4 Mbit/s" }
"#;
    let mut lab = opened(text, &[]);
    finished(&mut lab);
    let (picture, bytes) = ask(&mut lab, &json!({"ask": "picture", "at": 0.001}));
    let longest = &picture["longest"];
    let listed = longest["listed"].as_u64().unwrap() as usize;
    assert_eq!(longest["cells"].as_u64().unwrap() as usize, listed);
    assert!((97..=100).contains(&listed), "{listed} cells");
    let list = &bytes[bytes.len() - 4 * listed..];
    let flows: Vec<u8> = list.chunks_exact(4).map(|cell| cell[0]).collect();
    assert!(flows.windows(2).all(|pair| pair[0] != pair[1]), "{flows:?}");
    let port = picture["ports"].as_array().unwrap().iter();
    let port = port
        .max_by_key(|port| port["queues"][0][0].as_u64())
        .unwrap();
    assert_eq!(port["link"], longest["link"]);
}

#[test]
fn a_wrong_scenario_is_told_with_its_place() {
    let mut lab = Lab::default();
    let text = template("n-source").replace("buffer", "bufer");
    let question = json!({"ask": "open", "text": text, "name": "mine.toml", "set": []});
    let (answer, _) = ask(&mut lab, &question);
    assert!(answer["diagnostics"][0]["line"].as_u64().expect("a line") > 1);
    assert!(
        answer["error"]
            .as_str()
            .expect("a text")
            .contains("did you mean `buffer`?")
    );
    let (none, _) = ask(&mut lab, &json!({"ask": "advance", "readings": 1}));
    assert_eq!(none["error"], "no scenario is open");
}
