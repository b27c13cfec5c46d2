//! Disciplines against orders by hand, and against published bounds of delay over random arrivals.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use super::weights::WeightsConfig;
use super::*;
use crate::ether::schedule::drr::DrrConfig;
use crate::kernel::units::Bytes;
use crate::kernel::{Ps, Stream};

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

/// A frame: arrival in times of an octet, queue, octets.
type Sent = (u64, usize, u32);

/// Serves frames without preamble and gap, in the order of their arrivals, over a line that takes one octet in a unit of
/// time. Returns the time of each frame's end, in the order of service, with the frame.
fn served(config: &ScheduleConfig, frames: &[Sent]) -> Vec<(u64, Sent)> {
    let mut schedule = config.build(0);
    let mut queues: Vec<VecDeque<Sent>> = vec![VecDeque::new(); MOST_QUEUES];
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
        let mut heads = Heads::default();
        for (head, queue) in heads.iter_mut().zip(&queues) {
            *head = queue.front().map_or(0, |frame| frame.2);
        }
        let Some(queue) = schedule.next(&heads) else {
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
    // Half of the line is the first queue's, a fourteenth each other's; all frames come at once. The fluid system ends
    // a frame of the first queue every two frame times, and all others together at 14. WF2Q+ takes a frame of
    // the first queue only when its fluid service has begun: every second place. In SCFQ the tags of the first
    // queue are 1/7 to 7/7 and those of the others 1. A turn of weighted round robin is seven frames.
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
    // third of the first is served. Its tag is the virtual time, so the tags of both queues go on alike. Tags from
    // 0 on would serve both frames of the second queue first.
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
        // From a quarter of the line on, up to far more than the line.
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
    let served = served(config, frames);
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
