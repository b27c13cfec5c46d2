//! Weights among the queues of a port, above the weights of their channels: orders by hand, shares, and the published delay
//! of a hierarchy of WF2Q+ (H-WF2Q+, Bennett and Zhang 1997).

use crate::servers::{Bench, Step, Work, line};
use cellrate_engine::atm::server::{
    BuildServer, ChannelOrder, EagerServer, LazyServer, PortOrder, ServerSettings,
};
use cellrate_engine::kernel::{Ps, Rate, Stream};
use cellrate_engine::schedule::channels::ChannelScheduleConfig;
use serde_json::json;

/// A cell takes a microsecond.
const RATE: Rate = Rate::from_bps(424_000_000);
const CELL: u64 = 1_000_000;

/// A cell: its arrival in picoseconds, its queue, and its channel within the queue.
type Sent = (u64, usize, u32);

/// Weights of the queues, and for each queue the weights of its channels.
struct Weights {
    classes: Option<Vec<u32>>,
    channels: Vec<Vec<u64>>,
}

fn build<S: BuildServer>(discipline: &str, weights: &Weights, work: &Work) -> S {
    let classes = weights.classes.iter();
    let classes = classes.map(|weights| json!({"weights": weights})).next();
    let config = json!({"discipline": discipline, "classes": classes});
    let config: ChannelScheduleConfig = serde_json::from_value(config).unwrap();
    let queues = 0..weights.channels.len();
    let channels = weights.channels.iter().map(|weights| ChannelOrder {
        schedule: config.build(config.shares(weights).unwrap()),
        lanes: (0..weights.len() as u32).collect(),
        contracts: vec![None; weights.len()],
    });
    S::build(ServerSettings {
        line: line(work),
        queues: work.queues,
        watched: None,
        marks_above: None,
        rm_first: false,
        orders: Some(PortOrder {
            channels: channels.collect(),
            classes: config.build_classes(&queues.collect::<Vec<_>>()),
        }),
        prompt: None,
        losses: None,
    })
}

/// The cells in the order of service, each with the end of its service.
fn served_by<S: BuildServer>(
    discipline: &str,
    weights: &Weights,
    cells: &[Sent],
) -> Vec<(u64, Sent)> {
    let step = |(at, queue, slot): &Sent| Step {
        at: Ps(*at),
        queue: Some(*queue),
        rm: false,
        slot: *slot,
    };
    let work = Work {
        rate: RATE,
        queues: weights.channels.len(),
        rm_first: false,
        order: None,
        steps: cells.iter().map(step).collect(),
    };
    let (left, _) = Bench::course(&work, build::<S>(discipline, weights, &work));
    left.into_iter()
        .map(|(number, at)| (at.0, cells[number]))
        .collect()
}

/// The same by the servers of both engines.
fn served(discipline: &str, weights: &Weights, cells: &[Sent]) -> Vec<(u64, Sent)> {
    let fast = served_by::<LazyServer>(discipline, weights, cells);
    let plain = served_by::<EagerServer>(discipline, weights, cells);
    assert_eq!(fast, plain);
    fast
}

/// Names of the channels in the order of service: `a`, `b`, ... in the first queue, `A`, `B`, ... in the second, `0`, `1`, ...
/// in the third.
fn order(discipline: &str, weights: &Weights, cells: &[Sent]) -> String {
    let name = |(_, (_, queue, slot)): (u64, Sent)| char::from(b"aA0"[queue] + slot as u8);
    served(discipline, weights, cells)
        .into_iter()
        .map(name)
        .collect()
}

fn weights(classes: &[u32], channels: &[&[u64]]) -> Weights {
    Weights {
        classes: Some(classes.to_vec()),
        channels: channels.iter().map(|weights| weights.to_vec()).collect(),
    }
}

#[test]
fn two_levels_by_hand() {
    // Queues with the weights 3 and 1. In the first, channel a has weight 2 and b has weight 1; A is alone in the second. Four
    // cells of a, two of b and two of A come at once.
    let cells = [
        [(0, 0, 0); 4].to_vec(),
        vec![(0, 0, 1); 2],
        vec![(0, 1, 0); 2],
    ]
    .concat();
    let mut hierarchy = weights(&[3, 1], &[&[2, 1], &[1]]);
    // In cell times. Queues: the first has virtual starts of 0, 4/3, 8/3, 4, ..., the second of 0, 4, 8. At V = 1 the first is
    // not eligible, at 2 and 3 it is alone; at 4 its cell ends first, at 5 it is not eligible. So the line serves the queues
    // 1 2 1 1 1 2 1 1. Within the first queue V counts its own cells: a has starts of 0, 3/2, 3, 9/2 and b of 0, 3, so they
    // are served a b a a b a.
    assert_eq!(order("wf2q-plus", &hierarchy, &cells), "aAbaaAba");
    // Tags of the first queue are 1/3, 2/3, 1, 4/3, ..., of the second 1 and 2; of equal tags the first queue's goes first.
    // Tags of a are 1/2, 1, 3/2, 2, of b 1 and 2.
    assert_eq!(order("scfq", &hierarchy, &cells), "aabAaabA");
    assert_eq!(
        order("weighted-round-robin", &hierarchy, &cells),
        "aabAaabA"
    );
    hierarchy.classes = None;
    assert_eq!(order("wf2q-plus", &hierarchy, &cells), "abaabaAA");
}

#[test]
fn a_queue_that_fills_within_a_cell_counts_from_that_octet() {
    // Queues of equal weight. While a is served, a cell comes for the third queue, and then one for the second. Starts are V at
    // the arrivals, so the third queue's cell ends first. Self-clocked tags are equal, so the second queue goes first.
    let equal = weights(&[1, 1, 1], &[&[1], &[1], &[1]]);
    let cells = [(0, 0, 0), (200_000, 2, 0), (700_000, 1, 0)];
    assert_eq!(order("wf2q-plus", &equal, &cells), "a0A");
    assert_eq!(order("scfq", &equal, &cells), "aA0");
}

#[test]
fn a_queue_gets_its_share_whatever_the_number_of_its_channels() {
    // Queues with weights 5, 3 and 2, and one, two and ten channels; all have cells all the time.
    let tens: Vec<u64> = (1..=10).collect();
    let hierarchy = weights(&[5, 3, 2], &[&[1], &[1, 3], &tens]);
    let mut cells = Vec::new();
    for _ in 0..500 {
        cells.extend([(0, 0, 0), (0, 1, 0), (0, 1, 1)]);
        cells.extend((0..10).map(|slot| (0, 2, slot)));
    }
    let served = served("wf2q-plus", &hierarchy, &cells);
    let mut counts = [0_u64; 3];
    let mut second = [0_u64; 2];
    for (number, (_, (_, queue, slot))) in served.iter().take(900).enumerate() {
        counts[*queue] += 1;
        if *queue == 1 {
            second[*slot as usize] += 1;
        }
        // Each queue within a cell of its share of the line, each channel within a cell of its share of the queue.
        for (count, share) in counts.iter().zip([0.5, 0.3, 0.2]) {
            let due = share * (number + 1) as f64;
            assert!((*count as f64 - due).abs() < 1.0, "{count} of {due}");
        }
        for (count, share) in second.iter().zip([0.25, 0.75]) {
            let due = share * counts[1] as f64;
            assert!((*count as f64 - due).abs() < 1.0, "{count} of {due}");
        }
    }
}

/// A random hierarchy, and cells of which those of the first channel of the first queue pass a token bucket at the channel's
/// share of the line; all others come as they please.
struct Drawn {
    weights: Weights,
    cells: Vec<Sent>,
    /// The published bound, in cell times.
    bound: f64,
}

fn drawn(stream: &mut Stream) -> Drawn {
    let mut below = |most: u64| stream.below(Ps(most)).0;
    let classes: Vec<u32> = (0..2 + below(3)).map(|_| 1 + below(9) as u32).collect();
    let channels = classes
        .iter()
        .map(|_| (0..1 + below(5)).map(|_| 1 + below(9)).collect());
    let channels: Vec<Vec<u64>> = channels.collect();
    let of_class = classes[0] as f64 / classes.iter().sum::<u32>() as f64;
    let share = of_class * channels[0][0] as f64 / channels[0].iter().sum::<u64>() as f64;
    let depth = (1 + below(8)) as f64;
    let (mut at, mut tokens, mut cells) = (0.0_f64, depth, Vec::new());
    for _ in 0..25 {
        let idle = if below(6) == 0 { below(20) as f64 } else { 0.0 };
        let wait = idle.max((1.0 - tokens) / share).max(0.0);
        tokens = (tokens + wait * share).min(depth) - 1.0;
        at += wait;
        cells.push(((at * CELL as f64).ceil() as u64, 0, 0));
    }
    let end = cells[24].0 + 20 * CELL;
    for (queue, weights) in channels.iter().enumerate() {
        for slot in u32::from(queue == 0)..weights.len() as u32 {
            let gap = 1 + below(12 * CELL);
            let mut at = below(gap);
            while at < end && cells.len() < 1_500 {
                cells.push((at, queue, slot));
                at += below(2 * gap);
            }
        }
    }
    cells.sort_by_key(|(at, _, _)| *at);
    Drawn {
        weights: Weights {
            classes: Some(classes),
            channels,
        },
        cells,
        bound: depth / share + 1.0 / share + 1.0 / of_class,
    }
}

/// Greatest delay of the first channel of the first queue, in cell times.
fn longest(served: &[(u64, Sent)]) -> f64 {
    let of_first = served
        .iter()
        .filter(|(_, (_, queue, slot))| (*queue, *slot) == (0, 0));
    let delays = of_first.map(|(end, (at, _, _))| end - at);
    delays.max().unwrap() as f64 / CELL as f64
}

#[test]
fn no_random_arrivals_exceed_the_published_delay_of_a_hierarchy() {
    // sigma over the channel's rate, and a cell over the rate of each level below the line: the channel's and the queue's.
    let mut stream = Stream::new(1, "test", "bounds of a hierarchy");
    let (mut nearest, mut beyond) = (0.0_f64, 0);
    for _ in 0..1_000 {
        let case = drawn(&mut stream);
        let found = longest(&served_by::<LazyServer>(
            "wf2q-plus",
            &case.weights,
            &case.cells,
        ));
        assert!(found <= case.bound, "{found} > {}", case.bound);
        nearest = nearest.max(found / case.bound);
        // The same weights in strict priority, with the first queue as the last.
        let mut strict = case.weights;
        strict.classes = None;
        strict.channels.reverse();
        let last = strict.channels.len() - 1;
        let turned = case
            .cells
            .iter()
            .map(|(at, queue, slot)| (*at, last - queue, *slot));
        let found = served_by::<LazyServer>("wf2q-plus", &strict, &turned.collect::<Vec<_>>());
        let of_first = found
            .iter()
            .filter(|(_, (_, queue, slot))| (*queue, *slot) == (last, 0));
        let found = of_first.map(|(end, (at, _, _))| end - at).max().unwrap();
        beyond += usize::from(found as f64 / CELL as f64 > case.bound);
    }
    assert!(nearest > 0.8, "the nearest case has {nearest} of the bound");
    assert!(
        beyond > 300,
        "{beyond} cases in strict priority exceed the bound"
    );
}
