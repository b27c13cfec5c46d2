//! Shapers at a port: releases by hand, what a policer behind the port sees, the line while cells are held, and the delay.

use crate::servers::{Bench, Step, Work, line};
use cellrate_engine::atm::server::{
    BuildServer, ChannelOrder, EagerServer, LazyServer, PortOrder, ServerSettings,
};
use cellrate_engine::kernel::{Ps, Rate, ServiceRate, Stream};
use cellrate_engine::passing::{Contents, Passing};
use cellrate_engine::policing::{Policer, PolicerConfig, ShaperConfig, Treatment};
use cellrate_engine::schedule::channels::ChannelScheduleConfig;
use serde_json::{Value, json};

/// A cell takes a microsecond.
const RATE: Rate = Rate::from_bps(424_000_000);
const CELL: u64 = 1_000_000;

/// Weights of the channels of a port under WF2Q+, and the contract to which the first is shaped.
struct Shaped<'a> {
    weights: &'a [u64],
    shaper: Option<Value>,
}

fn build<S: BuildServer>(shaped: &Shaped<'_>, work: &Work) -> S {
    let config: ChannelScheduleConfig =
        serde_json::from_value(json!({"discipline": "wf2q-plus"})).unwrap();
    let shares = config.shares(shaped.weights).unwrap();
    let mut contracts = vec![None; shaped.weights.len()];
    let shaper: Option<ShaperConfig> = serde_json::from_value(json!(shaped.shaper)).unwrap();
    contracts[0] = shaper.as_ref().map(ShaperConfig::contract);
    let order = ChannelOrder {
        schedule: config.build(shares),
        lanes: (0..shaped.weights.len() as u32).collect(),
        contracts,
    };
    S::build(ServerSettings {
        line: line(work),
        queues: 1,
        watched: None,
        marks_above: None,
        rm_first: false,
        orders: Some(PortOrder {
            channels: vec![order],
            classes: None,
        }),
        prompt: None,
        losses: None,
    })
}

/// The ends of services, each with the arrival and the channel of the cell, by both engines' servers. `cells` are arrivals
/// and channels.
fn served(shaped: &Shaped<'_>, cells: &[(u64, u32)]) -> Vec<(u64, (u64, u32))> {
    let step = |(at, slot): &(u64, u32)| Step {
        at: Ps(*at),
        queue: Some(0),
        rm: false,
        slot: *slot,
    };
    let work = Work {
        rate: RATE,
        queues: 1,
        rm_first: false,
        order: None,
        steps: cells.iter().map(step).collect(),
    };
    let fast = Bench::course(&work, build::<LazyServer>(shaped, &work));
    assert_eq!(
        fast,
        Bench::course(&work, build::<EagerServer>(shaped, &work))
    );
    let (left, _) = fast;
    left.into_iter()
        .map(|(number, at)| (at.0, cells[number]))
        .collect()
}

/// Starts of the services of channel `slot`, in cell times.
fn starts(served: &[(u64, (u64, u32))], slot: u32) -> Vec<f64> {
    let of = served.iter().filter(|(_, cell)| cell.1 == slot);
    of.map(|(end, _)| (end - CELL) as f64 / CELL as f64)
        .collect()
}

/// PCR 1 cell in 2 cell times, SCR one in 6, MBS 3.
fn contract() -> Value {
    json!({"pcr": "212 Mbit/s", "scr": "70.666666667 Mbit/s", "mbs": "3 cells"})
}

#[test]
fn releases_by_hand() {
    // PCR allows a cell of the first channel every 4 cell times. All cells come at once; weights are equal.
    let cells = [vec![(0, 0); 4], vec![(0, 1); 6]].concat();
    let mut shaped = Shaped {
        weights: &[1, 1],
        shaper: Some(json!({"pcr": "106 Mbit/s"})),
    };
    // Released at 0, 4, 8 and 12. The other channel has the line meanwhile. At 4 its start is 6, that of the first is V = 4.
    let found = served(&shaped, &cells);
    assert_eq!(starts(&found, 0), [0.0, 4.0, 8.0, 12.0]);
    assert_eq!(starts(&found, 1), [1.0, 2.0, 3.0, 5.0, 6.0, 7.0]);
    shaped.shaper = None;
    assert_eq!(starts(&served(&shaped, &cells), 0), [0.0, 2.0, 4.0, 6.0]);
    // tau_s = 2 (6 - 2) = 8. TAT by PCR is 2, 4, 6, ... and by SCR 6, 12, 18, ... after the cells at 0, 2, 4; the fourth is
    // due at 18 - 8 = 10, the fifth at 24 - 8 = 16.
    shaped.shaper = Some(contract());
    let found = served(&shaped, &[(0, 0); 5]);
    let nearest: Vec<f64> = starts(&found, 0)
        .iter()
        .map(|start| start.round())
        .collect();
    assert_eq!(nearest, [0.0, 2.0, 4.0, 10.0, 16.0]);
}

/// Cells that a policer for the contract drops, if it sees the first channel's cells at the ends of their services.
fn dropped(served: &[(u64, (u64, u32))], cdvt: &str) -> usize {
    let mut config = contract();
    (config["cdvt"], config["action"]) = (json!(cdvt), json!("drop"));
    let config: PolicerConfig = serde_json::from_value(config).unwrap();
    let mut policer = Policer::new(&config, ServiceRate::of_cells);
    let of_first = served.iter().filter(|(_, (_, slot))| *slot == 0);
    let refuses = |(end, _): &&(u64, (u64, u32))| {
        let cell = Passing::new(Contents::Data, 1, false);
        policer.police(Ps(*end), cell, false) == Treatment::Drop
    };
    of_first.filter(refuses).count()
}

/// Cells of the first channel that conform to the contract when they are sent, and then wait for up to `most` cell times,
/// in order. Returns the sendings and the arrivals.
fn bunched(stream: &mut Stream, most: u64, count: usize) -> (Vec<u64>, Vec<u64>) {
    // Both buckets, as in the contract: 2 cell times, and 6 with a tolerance of 8.
    let (mut peak, mut sustained, mut now) = (0.0_f64, 0.0_f64, 0.0_f64);
    let (mut sent, mut come, mut last) = (Vec::new(), Vec::new(), 0);
    for _ in 0..count {
        let idle = if stream.below(Ps(4)).0 == 0 {
            stream.below(Ps(30)).0
        } else {
            0
        };
        now = (now + idle as f64).max(peak).max(sustained - 8.0).ceil();
        (peak, sustained) = (now.max(peak) + 2.0, now.max(sustained) + 6.0);
        let at = now as u64 * CELL;
        last = last.max(at + stream.below(Ps(most * CELL)).0);
        sent.push(at);
        come.push(last);
    }
    (sent, come)
}

#[test]
fn cells_that_waited_before_conform_again_behind_the_port() {
    // Before the port cells wait for up to 20 cell times, and so come in bunches. Three other channels always have cells. The
    // first channel has half of the line, so it waits at most 2 cell times for its own cell and one of another channel.
    let mut stream = Stream::new(1, "test", "bunches");
    let (mut without, mut with) = (0, 0);
    for _ in 0..50 {
        let (_, come) = bunched(&mut stream, 20, 200);
        let end = come[199] + 40 * CELL;
        let mut cells: Vec<(u64, u32)> = come.into_iter().map(|at| (at, 0)).collect();
        for slot in 1..4 {
            cells.extend((0..end / (5 * CELL)).map(|number| (number * 5 * CELL, slot)));
        }
        cells.sort_by_key(|(at, _)| *at);
        let mut shaped = Shaped {
            weights: &[3, 1, 1, 1],
            shaper: None,
        };
        without += dropped(&served(&shaped, &cells), "2 us");
        shaped.shaper = Some(contract());
        let found = served(&shaped, &cells);
        with += dropped(&found, "2 us");
        assert!(is_busy_while_others_wait(&found));
    }
    assert_eq!(with, 0);
    assert!(without > 500, "{without} of 10,000 cells are dropped");
}

/// True if the line sends in every picosecond in which a cell of another channel than the first waits.
fn is_busy_while_others_wait(served: &[(u64, (u64, u32))]) -> bool {
    let mut busy_since = 0;
    let mut before = 0;
    served.iter().all(|(end, (at, slot))| {
        if end - CELL > before {
            busy_since = end - CELL;
        }
        before = *end;
        *slot == 0 || busy_since <= *at
    })
}

#[test]
fn a_shaper_for_the_own_contract_adds_nothing_to_the_worst_delay() {
    // Cells that conform when they are sent wait for up to `most` before the port. The shaper then holds each until it
    // conforms again, but never longer than `most` after it was sent (Le Boudec 1998: a shaper for the contract of a flow
    // adds nothing to its worst delay).
    let mut stream = Stream::new(1, "test", "reshaping");
    let mut held = 0;
    for _ in 0..300 {
        let most = 1 + stream.below(Ps(40)).0;
        let (sent, come) = bunched(&mut stream, most, 100);
        let waits = sent.iter().zip(&come).map(|(sent, come)| come - sent);
        let longest = waits.max().unwrap();
        let shaped = Shaped {
            weights: &[1],
            shaper: Some(contract()),
        };
        let cells: Vec<(u64, u32)> = come.into_iter().map(|at| (at, 0)).collect();
        for ((end, (at, _)), sent) in served(&shaped, &cells).into_iter().zip(&sent) {
            let start = end - CELL;
            // SCR is rounded to thousandths of a bit per second, some parts of 10^12.
            assert!(
                start <= sent + longest + 1_000,
                "{start} > {sent} + {longest}"
            );
            held += usize::from(start > at + CELL);
        }
        // Without waiting before the port no cell is held.
        let direct: Vec<(u64, u32)> = sent.iter().map(|at| (*at, 0)).collect();
        let mut found = served(&shaped, &direct).into_iter();
        assert!(found.all(|(end, (at, _))| end <= at + CELL + 1_000));
    }
    assert!(held > 1_000, "{held} of 30,000 cells are held");
}
