//! Packet spraying: a switch sends the frames of one flow over all ports of equal cost. Source: Dixit,
//! Prakash, Hu and Kompella 2013, "On the Impact of Packet Spraying in Data Center Networks".

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::{Ps, Stream};

/// The rule by which a switch chooses among ports of equal cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Multipath {
    /// A hash of the flow chooses, so that all frames of the flow take one path.
    #[default]
    Ecmp,
    /// A random draw, which depends on the run's seed, chooses for each frame.
    Random,
    /// Frames take the ports in turn (round robin). Flows over the same ports share one round robin.
    RoundRobin,
}

/// A next hop: the output port, and the label at the next node.
pub type Way = (u32, u32);

/// The next hops of frames with one label.
#[derive(Clone, Copy, Debug)]
struct Ways {
    first: u32,
    count: u32,
    /// Index of the label's set of ports among all sets of ports of the switch.
    set: u32,
}

/// Chooses the next hop of each sprayed frame of a switch.
#[derive(Clone, Debug)]
pub struct Sprayer {
    /// The next hops of all labels. The next hops of one label follow one another.
    ways: Vec<Way>,
    labels: Vec<Ways>,
    /// For each set of ports, the index of the port that the next frame takes; empty if ports are drawn.
    turns: Vec<u32>,
    stream: Stream,
}

impl Sprayer {
    /// A sprayer by the rule `multipath`, for labels with these next hops. The first port of each round
    /// robin is drawn.
    pub fn new(multipath: Multipath, labels: &[Vec<Way>], stream: Stream) -> Sprayer {
        let mut sets = BTreeMap::new();
        let mut sprayer = Sprayer {
            ways: Vec::new(),
            labels: Vec::with_capacity(labels.len()),
            turns: Vec::new(),
            stream,
        };
        for ways in labels {
            let ports: Vec<u32> = ways.iter().map(|(port, _)| *port).collect();
            let next = sets.len() as u32;
            let set = *sets.entry(ports).or_insert(next);
            let count = ways.len() as u32;
            if set == next && multipath == Multipath::RoundRobin {
                sprayer.turns.push(draw(&mut sprayer.stream, count));
            }
            sprayer.labels.push(Ways {
                first: sprayer.ways.len() as u32,
                count,
                set,
            });
            sprayer.ways.extend(ways);
        }
        sprayer
    }

    /// The next hop of the next frame with the label `label`, which is a label of a sprayed route.
    #[inline(never)]
    pub fn choose(&mut self, label: u32) -> Way {
        let Ways { first, count, set } = self.labels[label as usize];
        let chosen = match self.turns.get_mut(set as usize) {
            None => draw(&mut self.stream, count),
            Some(turn) => {
                let chosen = *turn;
                *turn = if chosen + 1 < count { chosen + 1 } else { 0 };
                chosen
            }
        };
        self.ways[(first + chosen) as usize]
    }
}

fn draw(stream: &mut Stream, count: u32) -> u32 {
    stream.below(Ps(count.into())).0 as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two flows over ports 3, 4 and 5, and one flow over ports 4 and 6. Labels tell the flows apart.
    fn labels() -> [Vec<Way>; 3] {
        let ways = |ports: &[u32], flow: u32| ports.iter().map(|port| (*port, flow)).collect();
        [
            ways(&[3, 4, 5], 10),
            ways(&[3, 4, 5], 20),
            ways(&[4, 6], 30),
        ]
    }

    fn sprayer(multipath: Multipath, seed: u64) -> Sprayer {
        Sprayer::new(multipath, &labels(), Stream::new(seed, "S", "spraying"))
    }

    #[test]
    fn flows_over_the_same_ports_take_turns_together() {
        let mut sprayer = sprayer(Multipath::RoundRobin, 1);
        let first = sprayer.choose(0).0 - 3;
        let other = sprayer.choose(2).0;
        for (turn, label) in (1..).zip([1, 1, 0, 1, 0, 0]) {
            let expected = (3 + (first + turn) % 3, 10 * (label + 1));
            assert_eq!(sprayer.choose(label), expected);
        }
        assert_eq!(sprayer.choose(2), (10 - other, 30));
    }

    #[test]
    fn the_first_port_of_the_turns_is_drawn() {
        let firsts = |seed| sprayer(Multipath::RoundRobin, seed).choose(0).0;
        let all: BTreeMap<u32, ()> = (0..50).map(|seed| (firsts(seed), ())).collect();
        assert_eq!(all.into_keys().collect::<Vec<_>>(), [3, 4, 5]);
    }

    #[test]
    fn drawn_ports_have_equal_shares() {
        let mut sprayer = sprayer(Multipath::Random, 1);
        let mut counts = [0_i32; 3];
        for _ in 0..30_000 {
            counts[sprayer.choose(0).0 as usize - 3] += 1;
        }
        // Each port gets 10,000 frames, within five standard deviations of sqrt(30000 x 1/3 x 2/3) = 81.6.
        assert!(
            counts.iter().all(|count| count.abs_diff(10_000) < 408),
            "{counts:?}"
        );
    }
}
