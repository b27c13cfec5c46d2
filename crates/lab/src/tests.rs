//! Compares a watched run with the run of `cellrate run`, and past states of the watched run with a
//! run that pauses at their times.

use cellrate::ethernet::{self, Job};
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

const SHORT_OVER_ETHERNET: [&str; 3] = [
    "run.duration=\"6 ms\"",
    "measure.from=\"1 ms\"",
    "measure.to=\"5 ms\"",
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
    if ethernet::is_ethernet(text, &set) {
        let job = Job::new(text, "x.toml", &set, None).expect("a scenario");
        return of_summary(&job.run(&mut |_, _| true).expect("a run").summary);
    }
    let checked = Scenario::parse(text, "x.toml", &set, None).expect("a scenario");
    let outcome = simulate(&checked, &resolve(checked.scenario()), &mut |_, _| true);
    of_summary(&outcome.expect("a run").summary)
}

fn of_summary(summary: &str) -> String {
    let summary: Value = serde_json::from_str(summary).expect("JSON");
    summary["digest"].as_str().expect("a digest").into()
}

/// A point-to-multipoint flow to two hosts.
const COPIED: &str = r#"
    run.duration = "20 ms"
    measure = { from = "5 ms" }
    [topology]
    template = "graph"
    node = [
        { name = "root", kind = "host" }, { name = "a", kind = "host" }, { name = "b", kind = "host" },
        { name = "X", kind = "switch" },
    ]
    link = [
        { from = "root", to = "X", rate = "50 Mbit/s", delay = "10 km" },
        { from = "X", to = "a", rate = "50 Mbit/s", delay = "10 km" },
        { from = "X", to = "b", rate = "20 Mbit/s", delay = "100 km" },
    ]
    [[flow]]
    name = "m"
    service = "abr"
    source = { kind = "persistent" }
    from = "root"
    to = "a"
    multipoint = { also_to = ["b"] }
"#;

#[test]
fn a_flow_to_several_hosts_is_watched() {
    let mut lab = opened(COPIED, &[]);
    ask(&mut lab, &json!({"ask": "advance", "readings": 1_000}));
    ask(&mut lab, &json!({"ask": "picture", "at": 0.001}));
    finished(&mut lab);
    let (summary, _) = ask(&mut lab, &json!({"ask": "summary", "wall_seconds": 0.0}));
    assert_eq!(summary["digest"], digest(COPIED, &[]));
}

#[test]
fn a_watched_run_ends_as_the_command_does_whatever_was_looked_at() {
    let of_atm = TEMPLATES.iter().map(|template| (template, SHORT));
    let over_ethernet = ethernet::templates::TEMPLATES
        .iter()
        .filter(|(name, ..)| *name != ethernet::templates::JOINED)
        .map(|template| (template, SHORT_OVER_ETHERNET));
    for ((name, _, text), short) in of_atm.chain(over_ethernet) {
        let mut lab = opened(text, &short);
        ask(&mut lab, &json!({"ask": "advance", "readings": 1_000}));
        ask(&mut lab, &json!({"ask": "picture", "at": 0.001}));
        ask(
            &mut lab,
            &json!({"ask": "detail", "from": 0.0002, "to": 0.001, "pixels": 50}),
        );
        finished(&mut lab);
        let (summary, _) = ask(&mut lab, &json!({"ask": "summary", "wall_seconds": 0.0}));
        assert_eq!(summary["digest"], digest(text, &short), "{name}");
    }
}

#[test]
fn the_past_is_what_it_was() {
    // The times go forward over copies of the state, backward to a copy, and forward within one.
    let shares = [0.5, 0.516, 0.508, 0.916, 0.0, 0.516];
    let incast = ethernet::templates::TEMPLATES[1].2;
    for (text, short, duration) in [
        (template("n-source"), SHORT, 0.06),
        (incast, SHORT_OVER_ETHERNET, 0.006),
    ] {
        let mut lab = opened(text, &short);
        finished(&mut lab);
        for at in shares.map(|share| share * duration) {
            let (late, places) = ask(&mut lab, &json!({"ask": "picture", "at": at}));
            let mut anew = opened(text, &short);
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
    // The first track is a queue. A part, 1/64 of the run, has 64 of the 4096 readings.
    for part in 0..64 {
        let readings: Vec<f32> = fine[part * 128..(part + 1) * 128].to_vec();
        let low = readings.iter().copied().fold(f32::NAN, f32::min);
        let high = readings.iter().copied().fold(f32::NAN, f32::max);
        assert!(
            coarse[2 * part] <= low && coarse[2 * part + 1] >= high,
            "part {part}"
        );
        // The reading at the start of a part lies between the least and greatest value of the
        // part.
        assert!((low..=high).contains(&again[2 * part]), "part {part}");
    }
    assert!(coarse.iter().copied().fold(0.0, f32::max) > 0.0);
}

#[test]
fn cells_of_a_picture_are_those_in_flight_by_little_s_law() {
    // One source sends at 10 Mbit/s over links of 1 ms: each link holds rate times delay, 23.6
    // cells in each direction.
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
    // The cells of the longest queue are listed after the places; the fourth byte of a listed cell
    // is 0.
    let cells: usize = places.chunks_exact(4).map(|place| place[3] as usize).sum();
    let expected = 2.0 * 10e6 / 424.0 * (1e-3 + 424.0 / 155.52e6);
    assert!(
        (cells as f64 - expected).abs() <= 2.0,
        "{cells} cells, {expected} expected"
    );
    let gap = picture["next_unit_seconds"].as_f64().expect("a cell comes") - 0.015;
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
    // Each of two sources sends a cell every 10 us onto a line that needs 10 us for a cell: half
    // of the 200 cells that came in 1 ms have left. The cells of the two sources alternate on
    // arrival, and therefore also in the queue.
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
    assert_eq!(longest["units"].as_u64().unwrap() as usize, listed);
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

/// Frames of 1,538 octets, with preamble and gap, cross links of 10 us at 10 Gbit/s: 8 frames are
/// on each link, which holds 12,500 octets. They arrive at twice the rate of the line behind the
/// switch, so half of them wait.
const TWO_LINES: &str = r#"
link_layer = "ethernet"
[run]
duration = "1 ms"
[topology]
template = "single-switch"
link_rate = "10 Gbit/s"
bottleneck_rate = "5 Gbit/s"
access = "10 us"
bottleneck = "10 us"
[[flow]]
name = "line"
source = { kind = "persistent" }
"#;

/// Returns the link, the first bit and the last bit of each frame on a link, and the listed frames
/// with their lengths in steps.
fn frames(picture: &Value, numbers: &[u8]) -> (Vec<(u32, f32, f32)>, Vec<u8>) {
    let listed = picture["longest"]["listed"].as_u64().unwrap_or(0) as usize;
    let (on_links, list) = numbers.split_at(numbers.len() - 4 * listed);
    let four = |bytes: &[u8]| <[u8; 4]>::try_from(bytes).expect("four bytes");
    let frame = |bytes: &[u8]| {
        let share = |at: usize| f32::from_le_bytes(four(&bytes[at..at + 4]));
        (u32::from_le_bytes(four(&bytes[..4])), share(8), share(12))
    };
    let found = on_links.chunks_exact(crate::ethernet::FRAME_BYTES);
    let lengths = list.chunks_exact(4).map(|entry| entry[3]);
    (found.map(frame).collect(), lengths.collect())
}

#[test]
fn frames_of_a_picture_are_as_long_as_their_share_of_the_link() {
    let mut lab = opened(TWO_LINES, &[]);
    finished(&mut lab);
    let (picture, numbers) = ask(&mut lab, &json!({"ask": "picture", "at": 0.0005}));
    let (on_links, waiting) = frames(&picture, &numbers);
    let bottleneck = picture["longest"]["link"].as_u64().expect("a queue") as u32;
    let (slow, fast): (Vec<_>, Vec<_>) = on_links.iter().partition(|frame| frame.0 == bottleneck);
    // A link of 10 us holds 8.1 frames of 1.2304 us each, or half as many frames of twice that
    // time; two frames are on it only in part.
    assert!((8..=10).contains(&fast.len()), "{fast:?}");
    assert!((4..=6).contains(&slow.len()), "{slow:?}");
    let lengths = [
        (fast, 1_526.0 * 0.8e-9 / 10e-6),
        (slow, 1_526.0 * 1.6e-9 / 10e-6),
    ];
    for (frames, length) in lengths {
        let whole = frames
            .iter()
            .filter(|(_, head, tail)| *head < 1.0 && *tail > 0.0);
        for (_, head, tail) in whole {
            assert!((head - tail - length).abs() < 1e-5, "{head} {tail}");
        }
    }
    // Since the first frame arrived at 11.2 us, one of every two frames has left.
    let arrived = (0.0005 - 11.2e-6) / 1_538.0 / 0.8e-9;
    let length = picture["longest"]["units"].as_f64().expect("a queue");
    assert!(
        (length - arrived / 2.0).abs() < 2.0,
        "{length} of {arrived}"
    );
    assert!(waiting.iter().all(|steps| *steps == (1_518 / 64) as u8));
    let held = picture["ports"][0]["queues"][0][0]
        .as_f64()
        .expect("octets");
    assert_eq!(
        held,
        1_518.0 * picture["ports"][0]["units"].as_f64().expect("frames")
    );
}

/// A PFC frame takes the 10 us of the link back to the host. Only then the line of the host is stopped.
#[test]
fn a_pause_crosses_the_link_before_it_stops_the_line() {
    let mut lab = opened(TWO_LINES, &["pfc={xoff=\"8 packets\"}"]);
    finished(&mut lab);
    let mut look = |us: u32| {
        let (picture, numbers) = ask(
            &mut lab,
            &json!({"ask": "picture", "at": f64::from(us) * 1e-6}),
        );
        let listed = picture["longest"]["listed"].as_u64().unwrap_or(0) as usize;
        let on_links = &numbers[..numbers.len() - 4 * listed];
        let mut marks = on_links
            .chunks_exact(crate::ethernet::FRAME_BYTES)
            .map(|frame| frame[6]);
        let on_its_way = marks.any(|marks| marks & crate::picture::mark::PAUSE != 0);
        let stopped = picture["paused"].as_array().expect("links").len();
        (on_its_way, stopped)
    };
    let first = (1..100).find(|us| look(*us).0).expect("a pause");
    let stopped = (1..100).find(|us| look(*us).1 == 1).expect("a stop");
    assert!(
        (9..=11).contains(&(stopped - first)),
        "{first} us, {stopped} us"
    );
}

#[test]
fn throughput_over_ethernet_is_that_of_the_line_however_close_the_look() {
    let mut lab = opened(TWO_LINES, &[]);
    finished(&mut lab);
    let question = json!({"ask": "open", "text": TWO_LINES, "name": "x.toml", "set": []});
    let tracks = ask(&mut Lab::default(), &question).0["tracks"].clone();
    let tracks = tracks.as_array().expect("tracks");
    let place = |chart: &str| {
        let found = tracks.iter().position(|track| track["chart"] == chart);
        found.expect("a track")
    };
    // The payload is 1,472 of the 1,538 octets that a frame takes on a line of 5 Gbit/s.
    let expected = 5.0 * 1_472.0 / 1_538.0;
    for (look, from, to) in [("curves", 0.0002, 0.0009), ("detail", 0.0004, 0.0005)] {
        let question = json!({"ask": look, "from": from, "to": to, "pixels": 20});
        let (_, bytes) = ask(&mut lab, &question);
        let row = |track: usize| {
            let four = |four: &[u8]| f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
            let row = bytes[track * 160..(track + 1) * 160].chunks_exact(4);
            row.map(four).collect::<Vec<f32>>()
        };
        let throughput = row(place("throughput"));
        let mean = throughput.iter().sum::<f32>() / 40.0;
        assert!(
            (f64::from(mean) - expected).abs() < 0.5,
            "{look}: {throughput:?}"
        );
        assert!(
            row(place("utilisation"))
                .iter()
                .all(|share| (share - 100.0).abs() < 0.1)
        );
    }
}

#[test]
fn a_run_over_ethernet_that_fills_the_memory_is_refused() {
    let mut lab = opened(TWO_LINES, &["run.duration=\"1000 s\""]);
    let (answer, _) = ask(&mut lab, &json!({"ask": "advance", "readings": 1_000}));
    assert!(
        answer["error"]
            .as_str()
            .expect("a refusal")
            .contains("finite buffer")
    );
}

#[test]
fn a_wrong_scenario_over_ethernet_is_told_with_its_place() {
    let mut lab = Lab::default();
    let text = TWO_LINES.replace("10 Gbit/s", "900 Gbit/s");
    let question = json!({"ask": "open", "text": text, "name": "mine.toml", "set": []});
    let (answer, _) = ask(&mut lab, &question);
    let error = answer["error"].as_str().expect("a text");
    assert!(
        error.contains("mine.toml:") && error.contains("800 Gbit/s"),
        "{error}"
    );
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

/// A curve of rates has the symbol of its paper: R_C of DCQCN, R of others.
#[test]
fn rates_over_roce_have_the_symbol_of_their_control() {
    let (_, _, text) = ethernet::templates::TEMPLATES
        .iter()
        .find(|(name, ..)| *name == "dcqcn")
        .expect("a template");
    for (control, symbol) in [
        ("dcqcn", "R_C"),
        ("hpcc", "R"),
        ("timely", "R"),
        ("swift", "R"),
        ("expresspass", "R"),
        ("rccc", "R"),
        ("nscc", "R"),
    ] {
        let set = [format!(
            "flow.answer.roce.control={{algorithm=\"{control}\"}}"
        )];
        let question = json!({"ask": "open", "text": text, "name": "x.toml", "set": set});
        let (answer, _) = ask(&mut Lab::default(), &question);
        let tracks = answer["tracks"].as_array().expect("tracks");
        let rates = tracks.iter().filter(|track| track["chart"] == "rate");
        let symbols: Vec<&Value> = rates.map(|track| &track["quantity"]).collect();
        assert_eq!(symbols, vec![symbol; 16]);
    }
}
