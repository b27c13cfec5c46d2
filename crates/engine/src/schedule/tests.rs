//! Disciplines against orders by hand, and against published bounds of delay over random arrivals.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use super::channels::{CELL_OCTETS, ChannelScheduleConfig, WeightsFrom};
use super::drr::DrrConfig;
use super::weights::WeightsConfig;
use super::*;
use crate::kernel::units::Bytes;
use crate::kernel::{Ps, Stream};

/// A line with eight queues.
const MOST_QUEUES: usize = 8;

/// Names of the disciplines that take weights.
const BY_WEIGHT: [&str; 3] = ["weighted-round-robin", "scfq", "wf2q-plus"];

fn by_weight(name: &str, weights: &[u32]) -> ScheduleConfig {
    let config = WeightsConfig {
        weights: weights.to_vec(),
        strict: 0,
    };
    match name {
        "weighted-round-robin" => ScheduleConfig::WeightedRoundRobin(config),
        "scfq" => ScheduleConfig::SelfClocked(config),
        _ => ScheduleConfig::WorstCaseFair(config),
    }
}

/// A frame: time of its arrival in octet times, its queue, and its octets.
type Sent = (u64, usize, u32);

/// Serves frames without preamble and gap, in the order of their arrivals, over a line that takes one octet in a unit of
/// time. Returns the time of each frame's end, in the order of service, with the frame.
fn served(config: &ScheduleConfig, frames: &[Sent]) -> Vec<(u64, Sent)> {
    served_by(config.build(0), MOST_QUEUES, frames)
}

fn served_by(mut schedule: Schedule, count: usize, frames: &[Sent]) -> Vec<(u64, Sent)> {
    let mut queues: Vec<VecDeque<Sent>> = vec![VecDeque::new(); count];
    let (mut now, mut next, mut trace) = (0, 0, Vec::new());
    loop {
        while next < frames.len() && frames[next].0 <= now {
            let (at, queue, _) = frames[next];
            if queues[queue].is_empty() {
                schedule.on_arrival(queue, now - at);
            }
            queues[queue].push_back(frames[next]);
            next += 1;
        }
        let heads = queues.iter().map(|queue| queue.front());
        let heads = heads.map(|head| head.map_or(0, |frame| frame.2));
        let Some(queue) = schedule.next(&heads.collect::<Vec<_>>()) else {
            if next == frames.len() {
                return trace;
            }
            now = frames[next].0;
            continue;
        };
        let frame = queues[queue].pop_front().expect("a frame in the queue");
        schedule.on_service(queue, frame.2);
        if queues[queue].is_empty() {
            schedule.on_emptied(queue);
        }
        now += frame.2 as u64;
        trace.push((now, frame));
    }
}

fn order(config: &ScheduleConfig, frames: &[Sent]) -> Vec<usize> {
    let served = served(config, frames);
    served.iter().map(|(_, (_, queue, _))| *queue).collect()
}

#[test]
fn strict_priority_serves_the_first_queue_that_has_a_frame() {
    let mut strict = ScheduleConfig::StrictPriority.build(0);
    for (heads, next) in [
        ([0, 64, 1_518, 0, 0, 0, 0, 64], Some(1)),
        ([1_518, 64, 0, 0, 0, 0, 0, 0], Some(0)),
        ([0, 0, 0, 0, 0, 0, 0, 64], Some(7)),
        ([0; MOST_QUEUES], None),
    ] {
        assert_eq!(strict.next(&heads), next);
    }
}

#[test]
fn seven_frames_of_one_queue_among_one_frame_of_each_other() {
    // The first queue has half of the line, each other queue a fourteenth; all frames come at once. The fluid system
    // ends a frame of the first queue every two frame times, and the frames of all other queues together at 14 frame
    // times. WF2Q+ takes a frame of the first queue only when its fluid service has begun: every second place. In SCFQ
    // the tags of the first queue are 1/7 to 7/7 and those of the others 1. A turn of weighted round robin is seven
    // frames.
    let mut frames: Vec<Sent> = (0..7).map(|_| (0, 0, 100)).collect();
    frames.extend((1..8).map(|queue| (0, queue, 100)));
    let weights = [7, 1, 1, 1, 1, 1, 1, 1];
    let burst = [0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7];
    let spread = [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7];
    for (name, expected) in BY_WEIGHT.into_iter().zip([burst, burst, spread]) {
        assert_eq!(
            order(&by_weight(name, &weights), &frames),
            expected,
            "{name}"
        );
    }
}

#[test]
fn a_queue_that_has_been_empty_saves_nothing() {
    // Two queues of equal weight. Five frames of the first wait from 0 on; two of the second come at 250, while the
    // third of the first is served. The tag of this third frame is the virtual time, from which the tags of both queues
    // go on alike. Tags from 0 on would serve both frames of the second queue first.
    let mut frames = vec![(0, 0, 100); 5];
    frames.extend([(250, 1, 100), (250, 1, 100)]);
    for (name, expected) in [
        ("scfq", [0, 0, 0, 0, 1, 0, 1]),
        // Alone, the first queue has virtual starts of 0, 200, 400 and 600, and V follows them: at 250 V is 450. The
        // second queue begins there, and its fluid service has begun when the next frame is chosen, at V = 500.
        ("wf2q-plus", [0, 0, 0, 1, 0, 1, 0]),
        // The turn has passed to the second queue.
        ("weighted-round-robin", [0, 0, 0, 1, 0, 1, 0]),
    ] {
        assert_eq!(
            order(&by_weight(name, &[1, 1]), &frames),
            expected,
            "{name}"
        );
    }
}

#[test]
fn shares_count_octets_but_those_of_weighted_round_robin_frames() {
    // Queue 0 has frames of 300 octets, queue 1 of 100; weights 1 and 2.
    let mut frames = Vec::new();
    for _ in 0..3_000 {
        frames.extend([(0, 0, 300), (0, 1, 100)]);
    }
    let octets = |name: &str| -> f64 {
        let served = served(&by_weight(name, &[1, 2]), &frames);
        let early = served.iter().filter(|(end, _)| *end <= 300_000);
        let first = early.filter(|(_, frame)| frame.1 == 0);
        first.count() as f64 * 300.0 / 300_000.0
    };
    // By octets the share is a third; by frames 300 of 300 + 2 * 100.
    assert!((octets("scfq") - 1.0 / 3.0).abs() < 0.002);
    assert!((octets("wf2q-plus") - 1.0 / 3.0).abs() < 0.002);
    assert!((octets("weighted-round-robin") - 0.6).abs() < 0.002);
}

#[test]
fn strict_queues_go_before_those_that_share() {
    let config = ScheduleConfig::SelfClocked(WeightsConfig {
        weights: vec![1, 1],
        strict: 1,
    });
    let frames = [
        (0, 1, 100),
        (0, 1, 100),
        (0, 2, 100),
        (0, 2, 100),
        (50, 0, 100),
        (250, 0, 100),
    ];
    assert_eq!(order(&config, &frames), [1, 0, 2, 0, 1, 2]);
}

/// Random weights, and frames of which those of queue 0 pass a token bucket of `sigma` octets at the queue's share.
struct Drawn {
    weights: Vec<u32>,
    frames: Vec<Sent>,
    sigma: f64,
    largest: u32,
}

fn drawn(stream: &mut Stream, is_fixed: bool) -> Drawn {
    let mut below = |most: u64| stream.below(Ps(most)).0;
    let weights: Vec<u32> = (0..2 + below(5)).map(|_| 1 + below(10) as u32).collect();
    let share = weights[0] as f64 / weights.iter().sum::<u32>() as f64;
    let largest = 64 + below(1_455) as u32;
    let octets = |below: &mut dyn FnMut(u64) -> u64| match is_fixed {
        true => largest,
        false => 64 + below(largest as u64 - 63) as u32,
    };
    let sigma = largest as f64 * (1.0 + below(10) as f64);
    let mut frames = Vec::new();
    // A frame leaves the bucket when there are tokens for it; some frames let the bucket fill before.
    let (mut at, mut tokens) = (0.0_f64, sigma);
    for _ in 0..40 {
        let size = octets(&mut below);
        let idle = if below(8) == 0 {
            below(20 * largest as u64) as f64
        } else {
            0.0
        };
        let wait = idle.max((size as f64 - tokens) / share).ceil().max(0.0);
        tokens = (tokens + wait * share).min(sigma) - size as f64;
        at += wait;
        frames.push((at as u64, 0, size));
    }
    for queue in 1..weights.len() {
        // The load of each other queue is from a quarter of the line rate to far more than the line rate.
        let gap = 1 + below(4 * largest as u64);
        let mut at = below(gap);
        while at < frames[39].0 + 20 * largest as u64 && frames.len() < 2_000 {
            frames.push((at, queue, octets(&mut below)));
            at += below(2 * gap);
        }
    }
    frames.sort_by_key(|frame| frame.0);
    Drawn {
        weights,
        frames,
        sigma,
        largest,
    }
}

/// Greatest delay of a frame of queue 0, from its arrival to its last bit.
fn longest(config: &ScheduleConfig, frames: &[Sent]) -> f64 {
    longest_of(&served(config, frames))
}

fn longest_of(served: &[(u64, Sent)]) -> f64 {
    let first = served.iter().filter(|(_, frame)| frame.1 == 0);
    let delays = first.map(|(end, frame)| end - frame.0);
    delays.max().expect("a frame of queue 0") as f64
}

#[test]
fn no_random_arrivals_exceed_the_published_delays() {
    // With sigma octets at once at the rate of its share, a frame waits at most sigma over the rate, and under
    //   WF2Q+: one largest frame (Bennett and Zhang 1997; Parekh and Gallager 1993 for the fluid system's packets),
    //   SCFQ: one largest frame for each other queue (Golestani 1994),
    //   deficit round robin: (3 F - 2 Q_i) for F the sum of quanta (latency-rate servers, Stiliadis and Varma 1998),
    //   weighted round robin of equal frames: the turns of the others and one frame (the same).
    let mut stream = Stream::new(1, "test", "bounds of delay");
    for _ in 0..10_000 {
        let case = drawn(&mut stream, false);
        let (weights, largest) = (&case.weights, case.largest as f64);
        let sum = weights.iter().sum::<u32>() as f64;
        let own = weights[0] as f64;
        let burst = case.sigma * sum / own;
        let others = (weights.len() - 1) as f64;
        let quanta = weights
            .iter()
            .map(|weight| Bytes((weight * case.largest) as u64));
        let drr = ScheduleConfig::DeficitRoundRobin(DrrConfig {
            quanta: quanta.collect(),
            strict: 0,
        });
        for (config, latency) in [
            (by_weight("wf2q-plus", weights), largest),
            (by_weight("scfq", weights), others * largest),
            (drr, (3.0 * sum - 2.0 * own) * largest),
        ] {
            let found = longest(&config, &case.frames);
            assert!(
                found <= burst + latency + 1.0,
                "{config:?}: {found} > {burst} + {latency}"
            );
        }
        let fixed = drawn(&mut stream, true);
        let (sum, own) = (
            fixed.weights.iter().sum::<u32>() as f64,
            fixed.weights[0] as f64,
        );
        let latency = (sum - own + 1.0) * fixed.largest as f64;
        let found = longest(
            &by_weight("weighted-round-robin", &fixed.weights),
            &fixed.frames,
        );
        assert!(
            found <= fixed.sigma * sum / own + latency + 1.0,
            "{:?}: {found}",
            fixed.weights
        );
    }
}

#[test]
fn the_bounds_of_fair_queueing_are_reached() {
    // Four queues of equal weight, all frames of 1,000 octets. The others are always backlogged. Twenty frames of
    // queue 0 come at 1, when a frame has just begun.
    let mut frames: Vec<Sent> = vec![(0, 1, 1_000), (0, 2, 1_000), (0, 3, 1_000)];
    frames.extend((0..100).flat_map(|_| [(1, 1, 1_000), (1, 2, 1_000), (1, 3, 1_000)]));
    frames.extend([(1, 0, 1_000); 20]);
    let burst = 20_000.0 * 4.0;
    for (name, latency) in [("wf2q-plus", 1_000.0), ("scfq", 3_000.0)] {
        let found = longest(&by_weight(name, &[1; 4]), &frames);
        let bound = burst + latency;
        assert!(
            (0.95 * bound..=bound).contains(&found),
            "{name}: {found} of {bound}"
        );
    }
}

#[test]
fn a_discipline_reads_back_as_it_is_written() {
    let drr = DrrConfig {
        quanta: vec![Bytes(1_518), Bytes(3_036)],
        strict: 0,
    };
    let mut configs = vec![
        ScheduleConfig::StrictPriority,
        ScheduleConfig::DeficitRoundRobin(drr),
    ];
    configs.extend(BY_WEIGHT.map(|name| by_weight(name, &[1, 3])));
    for config in &configs {
        let written = serde_json::to_value(config).expect("a table");
        assert_eq!(written["discipline"], config.name());
        let read: ScheduleConfig = serde_json::from_value(written).expect("a discipline");
        assert_eq!(&read, config);
        assert_eq!(read.check(2, 1_518), []);
    }
    let names: Vec<&str> = disciplines()
        .iter()
        .map(|component| component.name)
        .collect();
    assert_eq!(
        names,
        configs.iter().map(ScheduleConfig::name).collect::<Vec<_>>()
    );
}

/// The discipline with the key `name` for channels, with weights from the source `weights`.
fn over_channels(name: &str, weights: WeightsFrom) -> ChannelScheduleConfig {
    let weights = serde_json::to_value(weights).expect("a word");
    let written = serde_json::json!({"discipline": name, "weights": weights});
    serde_json::from_value(written).expect("a discipline")
}

/// Serves cells, each with the octet time of its arrival and its channel.
fn cells_served(name: &str, weights: &[u64], cells: &[(u64, usize)]) -> Vec<(u64, Sent)> {
    let config = over_channels(name, WeightsFrom::Flow);
    let shares = config.shares(weights).expect("small weights");
    let frames = cells
        .iter()
        .map(|(at, channel)| (*at, *channel, CELL_OCTETS));
    let frames: Vec<Sent> = frames.collect();
    served_by(config.build(shares), weights.len(), &frames)
}

fn channels_served(name: &str, weights: &[u64], cells: &[(u64, usize)]) -> Vec<usize> {
    let served = cells_served(name, weights, cells);
    served.iter().map(|(_, (_, channel, _))| *channel).collect()
}

#[test]
fn cells_of_ten_channels_by_hand() {
    // Channel 9 has weight 9 and nine cells; channels 0 to 8 have weight 1 and one cell each. All come at once. As for
    // frames, the fluid system ends a cell of channel 9 every two cell times, and the cells of all other channels at 18
    // cell times.
    let mut cells: Vec<(u64, usize)> = vec![(0, 9); 9];
    cells.extend((0..9).map(|channel| (0, channel)));
    let weights = [1, 1, 1, 1, 1, 1, 1, 1, 1, 9];
    // WF2Q+: at V = 0 all are eligible, and channel 9 ends first. Then it is eligible in every second cell. Of the last
    // two cells, which both end at 18, that of the lower channel goes first.
    let spread = [9, 0, 9, 1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6, 9, 7, 8, 9];
    assert_eq!(channels_served("wf2q-plus", &weights, &cells), spread);
    // SCFQ: tags of channel 9 are 1/9 to 9/9, of the others 1; of equal tags that of the lowest channel goes first.
    let burst = [9, 9, 9, 9, 9, 9, 9, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    assert_eq!(channels_served("scfq", &weights, &cells), burst);
    let turns = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9];
    assert_eq!(
        channels_served("weighted-round-robin", &weights, &cells),
        turns
    );
}

#[test]
fn a_cell_that_comes_within_another_counts_from_that_octet() {
    // Weights 1 and 1. Channel 0 has four cells at 0. A cell of channel 1 comes in octet 26 of the first, when V is 26, and
    // two further ones with it. Starts of channel 0: 0, 106, 212; of channel 1: 26, 132, 238. At V = 53 channel 1 alone is
    // eligible, at 106 channel 0, at 159 channel 1, and so on.
    let cells = [(0, 0), (0, 0), (0, 0), (0, 0), (26, 1), (26, 1), (26, 1)];
    let alternate = [0, 1, 0, 1, 0, 1, 0];
    assert_eq!(channels_served("wf2q-plus", &[1, 1], &cells), alternate);
    // With weights 3 and 1 starts of channel 0 are 0, 70.7, 141.3, 212; of channel 1: 26, 238. At 53 channel 1 is eligible
    // alone, then channel 0 for three cells, since 238 comes after V = 212.
    let order = [0, 1, 0, 0, 0, 1, 1];
    assert_eq!(channels_served("wf2q-plus", &[3, 1], &cells), order);
}

#[test]
fn no_random_cells_exceed_the_published_delays() {
    // A channel whose cells pass a token bucket of `depth` cells at its share, among up to 29 other channels with arbitrary
    // arrivals. The bounds are those of frames, all of one size.
    let mut stream = Stream::new(1, "test", "bounds of delay over cells");
    let cell = f64::from(CELL_OCTETS);
    for _ in 0..1_000 {
        let mut below = |most: u64| stream.below(Ps(most)).0;
        let weights: Vec<u64> = (0..2 + below(29)).map(|_| 1 + below(10)).collect();
        let sum = weights.iter().sum::<u64>() as f64;
        let share = weights[0] as f64 / sum;
        let depth = 1 + below(12);
        let (mut at, mut tokens, mut cells) = (0.0_f64, depth as f64, Vec::new());
        for _ in 0..30 {
            let idle = if below(6) == 0 {
                below(900) as f64
            } else {
                0.0
            };
            let wait = idle.max((1.0 - tokens) / share * cell).ceil().max(0.0);
            tokens = (tokens + wait * share / cell).min(depth as f64) - 1.0;
            at += wait;
            cells.push((at as u64, 0));
        }
        for channel in 1..weights.len() {
            let gap = 1 + below(8 * 53);
            let mut at = below(gap);
            while at < cells[29].0 + 1_000 && cells.len() < 3_000 {
                cells.push((at, channel));
                at += below(2 * gap);
            }
        }
        cells.sort_by_key(|(at, _)| *at);
        let burst = depth as f64 / share;
        let others = (weights.len() - 1) as f64;
        for (name, latency) in [
            ("wf2q-plus", 1.0),
            ("scfq", others),
            ("weighted-round-robin", sum - weights[0] as f64 + 1.0),
        ] {
            let found = longest_of(&cells_served(name, &weights, &cells));
            let bound = (burst + latency) * cell + 1.0;
            assert!(found <= bound, "{name}: {found} > {bound} for {weights:?}");
        }
    }
}

#[test]
fn the_bounds_of_fair_queueing_are_reached_by_cells() {
    // Twenty channels of equal weight. All but channel 0 are always backlogged. Twenty cells of channel 0 come when another
    // cell has just begun.
    let mut cells: Vec<(u64, usize)> = (1..20).map(|channel| (0, channel)).collect();
    cells.extend([(1, 0); 20]);
    cells.extend((0..30).flat_map(|_| (1..20).map(|channel| (1, channel))));
    for (name, latency) in [("wf2q-plus", 1.0), ("scfq", 19.0)] {
        let found = longest_of(&cells_served(name, &[1; 20], &cells)) / f64::from(CELL_OCTETS);
        let bound = 20.0 * 20.0 + latency;
        assert!(
            (0.95 * bound..=bound).contains(&found),
            "{name}: {found} of {bound}"
        );
    }
}

#[test]
fn weights_of_channels_are_those_of_flows_or_their_mcrs() {
    let scfq = over_channels("scfq", WeightsFrom::Mcr);
    // 2.5, 5 and 10 Mbit/s, in thousandths of a bit per second.
    let rates = [2_500_000_000, 5_000_000_000, 10_000_000_000];
    let shares = scfq.shares(&rates).expect("round rates");
    assert_eq!(
        (0..3).map(|one| shares.of(one)).collect::<Vec<_>>(),
        [1, 2, 4]
    );
    // Without any MCR all are equal; some without MCR are refused.
    assert_eq!(scfq.shares(&[0, 0]), scfq.shares(&[7, 7]));
    let fault = |config: &ChannelScheduleConfig, weights: &[u64]| {
        config.shares(weights).unwrap_err().message
    };
    assert!(fault(&scfq, &[0, 5]).contains("1 of 2 channels of a queue have no MCR"));
    let odd = [1_000_000_007, 1_000_000_009, 1_000_000_021];
    assert!(fault(&scfq, &odd).contains("no common multiple"));
    let turns = over_channels("weighted-round-robin", WeightsFrom::Flow);
    assert!(turns.shares(&[100, 1]).is_ok());
    assert!(fault(&turns, &[101, 1]).contains("a turn of weighted round robin has 101 cells"));
    assert!(scfq.shares(&[101, 1]).is_ok());
}
