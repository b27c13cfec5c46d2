//! Whole captures: files that agree with each other and with the run.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use cellrate_engine::atm::cell::Info;
use cellrate_engine::atm::rm;
use cellrate_engine::atm::{Crossing, PduStart};
use cellrate_engine::net::ChannelId;
use cellrate_engine::tcp::Segment;

use super::channels::Channel;
use super::place::{Flows, Place};
use super::*;
use cellrate::run::simulate;
use cellrate::scenario::Scenario;

/// A scenario of TCP with losses beside ABR and cells without TCP.
const MIXED: &str = r#"
    run.duration = "150 ms"
    topology = { template = "n-source", link_rate = "20 Mbit/s", bottleneck_rate = "10 Mbit/s", access = "10 km", bottleneck = "200 km", egress = "10 km" }
    switch = { buffer = "100 cells", control = { scheme = "erica" } }
    tcp = { granularity = "1 ms", min_rto = "10 ms", initial_rto = "20 ms", recovery = "sack", mss = "1500 bytes" }
    flow = [
        { name = "ubr", count = 2, service = "ubr" },
        { name = "abr", service = "abr" },
        { name = "cbr", service = "cbr", source = { kind = "cbr", rate = "1 Mbit/s" } },
    ]
"#;

/// A scenario of credit control on links that lose cells.
const CREDIT: &str = r#"
    run.duration = "20 ms"
    fcvc = {}
    link_errors = { cell_loss_ratio = 1e-3 }
    topology = { template = "n-source", link_rate = "20 Mbit/s", access = "1 km", bottleneck = "20 km", egress = "1 km" }
    tcp = { granularity = "1 ms", min_rto = "10 ms", initial_rto = "20 ms" }
    flow = [{ name = "tcp", count = 2, service = "ubr" }]
"#;

fn taken(text: &str, taps: &[&str], directory: &Path) -> Taken {
    let scenario = Scenario::parse(text, "test", &[], None).unwrap();
    let taps: Vec<Tap> = taps.iter().map(|tap| tap.parse().unwrap()).collect();
    let span = Ps::ZERO..Ps::NEVER;
    let taken = capture(&scenario, &taps, span, directory, &mut |_, _| true).unwrap();
    let measured = simulate(&scenario, text, &mut |_, _| true).unwrap();
    assert!(
        measured
            .summary
            .contains(&format!("\"digest\":\"{}\"", taken.digest)),
        "{}",
        measured.summary
    );
    taken
}

/// Type, time, interface and contents of each record in an ERF file.
fn records(path: &Path) -> Vec<(u8, u64, u8, Vec<u8>)> {
    let file = fs::read(path).unwrap();
    let (mut rest, mut records) = (&file[..], Vec::new());
    while !rest.is_empty() {
        let length = usize::from(u16::from_be_bytes([rest[10], rest[11]]));
        let time = u64::from_le_bytes(rest[..8].try_into().unwrap());
        records.push((rest[8], time, rest[9] & 3, rest[16..length].to_vec()));
        rest = &rest[length..];
    }
    records
}

/// Each PDU in the capture has the octets of the cells before it, up to the last cell of its channel. Octets alone name no
/// PDU, since a retransmitted segment has the same.
#[test]
fn pdus_are_the_cells_before_them_and_time_never_goes_back() {
    let directory = tempfile::tempdir().unwrap();
    let taken = taken(MIXED, &["A<->B:erf"], directory.path());
    let records = records(&directory.path().join("A-and-B.erf"));
    assert_eq!(records.len() as u64, taken.taps[0].files[0].records);
    assert!(records.is_sorted_by_key(|(_, time, ..)| *time));
    let mut open: BTreeMap<(u8, [u8; 4]), Vec<u8>> = BTreeMap::new();
    let (mut pdus, mut rm_cells) = (0, [0, 0]);
    for (kind, _, interface, contents) in &records {
        let header: [u8; 4] = contents[..4].try_into().unwrap();
        let channel = (
            *interface,
            [header[0], header[1], header[2], header[3] & 0xF0],
        );
        let payload = &contents[4..];
        match (kind, header[3] >> 1 & 7) {
            (3, 0b110) => {
                let (_, backward) = rm::decode(payload.try_into().unwrap()).unwrap();
                rm_cells[usize::from(backward)] += 1;
            }
            (3, _) => open.entry(channel).or_default().extend(payload),
            (4, payload_type) => {
                assert_eq!(payload_type & 1, 1, "the header is the last cell's");
                let cells = &open[&channel];
                assert!(cells.ends_with(payload), "a PDU is its cells");
                open.remove(&channel);
                pdus += 1;
            }
            _ => panic!("record of type {kind}"),
        }
    }
    assert!(
        pdus > 100 && rm_cells.iter().all(|cells| *cells > 5),
        "{pdus} PDUs, {rm_cells:?} RM cells"
    );
    assert!(
        taken.taps[0].damaged_pdus > 0,
        "this bottleneck loses cells"
    );
}

/// The capture at the sender has the octets of the capture at the receiver, and also the cells that
/// are lost between the two.
#[test]
fn every_place_sees_the_same_octets() {
    let directory = tempfile::tempdir().unwrap();
    taken(
        MIXED,
        &["src.ubr.1:pdus", "B->dst.ubr.1:pdus"],
        directory.path(),
    );
    let sent = records(&directory.path().join("src.ubr.1.pdus.erf"));
    let mut sent = sent
        .iter()
        .filter(|(_, _, interface, _)| *interface == 0)
        .map(|(.., contents)| contents);
    let arrived = records(&directory.path().join("B-to-dst.ubr.1.pdus.erf"));
    assert!(arrived.len() > 10, "{}", arrived.len());
    for (.., contents) in &arrived {
        assert!(
            sent.any(|before| before[4..] == contents[4..]),
            "what arrives has been sent, in the same order"
        );
    }
}

#[test]
fn credit_cells_are_captured_and_a_span_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    taken(CREDIT, &["B:line"], directory.path());
    let file = fs::read(directory.path().join("B.line.pcap")).unwrap();
    let cells: Vec<&[u8]> = file[24..]
        .chunks_exact(16 + 53)
        .map(|record| &record[16..])
        .collect();
    let credit = cells
        .iter()
        .filter(|cell| cell[..4] == [0, 0, 1, 0xF0])
        .count();
    assert!(
        credit > 20 && cells.len() > 10 * credit,
        "{credit} of {} cells",
        cells.len()
    );
    let scenario = Scenario::parse(CREDIT, "test", &[], None).unwrap();
    let (other, span) = (tempfile::tempdir().unwrap(), Ps::from_ms(5)..Ps::from_ms(7));
    capture(
        &scenario,
        &["B:cells".parse().unwrap()],
        span.clone(),
        other.path(),
        &mut |_, _| true,
    )
    .unwrap();
    let times = records(&other.path().join("B.cells.erf"));
    let seconds = |units: u64| units as f64 / 4_294_967_296.0;
    assert!(
        times
            .iter()
            .all(|(_, time, ..)| (0.005 - 1e-9..0.007).contains(&seconds(*time)))
    );
    let inside = |record: &[u8]| {
        let word = |at: usize| u32::from_le_bytes(record[at..at + 4].try_into().unwrap());
        (5_000_000..7_000_000).contains(&word(4))
    };
    assert_eq!(
        times.len(),
        file[24..]
            .chunks_exact(16 + 53)
            .filter(|record| inside(record))
            .count()
    );
}

#[test]
fn what_cannot_be_captured_is_told_before_anything_runs() {
    let directory = tempfile::tempdir().unwrap();
    let scenario = Scenario::parse(MIXED, "test", &[], None).unwrap();
    let refused = |taps: &[&str]| {
        let taps: Vec<Tap> = taps.iter().map(|tap| tap.parse().unwrap()).collect();
        let mut told = |_, _| panic!("it ran");
        capture(
            &scenario,
            &taps,
            Ps::ZERO..Ps::NEVER,
            directory.path(),
            &mut told,
        )
        .unwrap_err()
        .to_string()
    };
    let nowhere = refused(&["A->C"]);
    assert!(
        nowhere.starts_with("there is no place `A->C` to capture at, did you mean `A->B`?"),
        "{nowhere}"
    );
    assert!(refused(&["A<->dst.ubr.1"]).starts_with("there is no place"));
    assert_eq!(refused(&["A", "A:ip"]), "`A` is captured twice");
}

/// An acknowledgement has two cells. An error in the program that counts three is noticed before
/// anything is written, in any build.
#[test]
#[should_panic(expected = "a PDU of flow 0 travels as 3 cells and is written as 96 octets")]
fn a_pdu_of_other_cells_than_travel_is_not_written() {
    let scenario = Scenario::parse(MIXED, "test", &[], None).unwrap();
    let plan = build::plan(&scenario);
    let (flows, mut channels) = (
        Flows::of(&plan, Ends::of_all(&plan), |_| true).unwrap(),
        Channel::of_all(&plan),
    );
    let nodes: Vec<&str> = plan.nodes.iter().map(|node| node.name.as_str()).collect();
    let taps = ["src.ubr.1".parse::<Tap>().unwrap()];
    let [(_, links)] = &Tap::with_links(&taps, &nodes, &plan.links).unwrap()[..] else {
        panic!("one tap has one list of links")
    };
    let tapped = *links.iter().find(|link| link.leaves).unwrap();
    let link = tapped.link as u32;
    let mut place = Place::new(tapped, &plan, &mut channels);
    channels[0].begin(&PduStart {
        at: Ps::ZERO,
        channel: ChannelId::forward(0),
        first: 0,
        cells: 3,
        sent: 3,
        segment: Segment::data(0, 1),
    });
    let info = Info::data(0);
    let crossing = Crossing {
        link,
        channel: Some(ChannelId::forward(0)),
        info,
        body: None,
        left: Ps::ZERO,
        arrives: Ps::ZERO,
    };
    let _ = place.take(&crossing, &flows, &mut channels, Some(&mut |_, _| {}));
}
