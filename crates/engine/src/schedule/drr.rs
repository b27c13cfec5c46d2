//! Deficit round robin (Shreedhar and Varghese 1996, "Efficient Fair Queuing Using Deficit Round-Robin").
//! Names are those of the paper. A port has few queues, so a round over all queues in order replaces the
//! paper's list of active queues.

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::weights::count;
use crate::kernel::Finding;
use crate::kernel::units::Bytes;

/// Parameters of deficit round robin, the shares of a port's queues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrrConfig {
    /// Octets that each queue gains in a round (Q_i). If each quantum has at least the octets of the largest frame, the
    /// work for a frame is constant.
    #[schemars(extend("x-not-searched" = "the shares that a network has agreed on"))]
    pub quanta: Vec<Bytes>,
    /// Number of queues, from the first on, that are served in strict priority before the others.
    #[serde(default)]
    #[schemars(extend("x-not-searched" = "the shares that a network has agreed on"))]
    pub strict: usize,
}

impl DrrConfig {
    /// Findings if the strict queues and the quanta are not together `queues` queues, or a quantum is zero or below the octets of the
    /// `largest` frame.
    pub(super) fn check(&self, queues: usize, largest: u32) -> Vec<Finding> {
        let mut findings: Vec<Finding> = count(self.quanta.len(), self.strict, queues, "quanta")
            .into_iter()
            .collect();
        for quantum in &self.quanta {
            if quantum.0 == 0 {
                findings.push(Finding::impossible(
                    "quanta",
                    format!("must be above 0, but is {quantum}"),
                ));
            } else if quantum.0 < largest as u64 {
                let message = format!("{quantum} are less than a frame of {largest} bytes");
                findings.push(Finding::warning("quanta", message));
            }
        }
        findings
    }
}

/// Deficit round robin at one port.
#[derive(Clone, Debug)]
pub struct DeficitRoundRobin {
    quanta: Vec<u64>,
    /// Octets that each queue may still send (DC_i).
    deficits: Vec<u64>,
    /// The queue whose turn it is.
    turn: usize,
    /// True if that queue has got its quantum in this turn.
    has_quantum: bool,
}

impl DeficitRoundRobin {
    /// The discipline of a port with empty queues.
    ///
    /// # Panics
    /// If the check of the parameters has findings that are errors.
    pub fn new(config: &DrrConfig) -> DeficitRoundRobin {
        let quanta: Vec<u64> = config.quanta.iter().map(|quantum| quantum.0).collect();
        assert!(!quanta.is_empty() && !quanta.contains(&0), "quanta above 0");
        DeficitRoundRobin {
            deficits: alloc::vec![0; quanta.len()],
            quanta,
            turn: 0,
            has_quantum: false,
        }
    }

    /// The queue whose first frame is served next; `None` if all queues are empty.
    pub fn next(&mut self, heads: &[u32]) -> Option<usize> {
        if heads[..self.quanta.len()].iter().all(|octets| *octets == 0) {
            return None;
        }
        loop {
            let (queue, octets) = (self.turn, heads[self.turn] as u64);
            if octets > 0 {
                if !self.has_quantum {
                    self.deficits[queue] += self.quanta[queue];
                    self.has_quantum = true;
                }
                if octets <= self.deficits[queue] {
                    return Some(queue);
                }
            }
            self.end_turn();
        }
    }
    /// Charges `queue` for the service of a frame of `octets`. [`DeficitRoundRobin::next`] must have returned
    /// `queue`.
    pub fn on_service(&mut self, queue: usize, octets: u32) {
        self.deficits[queue] -= octets as u64;
    }
    /// Ends the turn of `queue`, since no frame waits in it any more. `queue` must have the turn. In the
    /// paper's dequeuing module an empty queue loses its deficit.
    pub fn on_emptied(&mut self, queue: usize) {
        debug_assert_eq!(queue, self.turn);
        self.deficits[queue] = 0;
        self.end_turn();
    }
    fn end_turn(&mut self) {
        self.turn = if self.turn + 1 == self.quanta.len() {
            0
        } else {
            self.turn + 1
        };
        self.has_quantum = false;
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::VecDeque;

    use super::*;
    use crate::kernel::{Ps, Severity, Stream};

    type Heads = [u32; 8];

    fn drr(quanta: &[u64]) -> DeficitRoundRobin {
        DeficitRoundRobin::new(&DrrConfig {
            quanta: quanta.iter().copied().map(Bytes).collect(),
            strict: 0,
        })
    }

    /// Serves all frames of `queues`. Returns queue and octets of each service.
    fn served(drr: &mut DeficitRoundRobin, mut queues: Vec<VecDeque<u32>>) -> Vec<(usize, u32)> {
        let mut trace = Vec::new();
        loop {
            let mut heads = Heads::default();
            for (head, queue) in heads.iter_mut().zip(&queues) {
                *head = queue.front().copied().unwrap_or(0);
            }
            let Some(next) = drr.next(&heads) else {
                return trace;
            };
            trace.push((next, queues[next].pop_front().expect("a head")));
            drr.on_service(next, heads[next]);
            if queues[next].is_empty() {
                drr.on_emptied(next);
            }
        }
    }

    #[test]
    fn the_order_of_service_is_that_of_the_paper() {
        // The quanta of 500 and the frames of the first queue (200, 750, 20) are those of the paper's Figures
        // 1 and 2. In round 1 the first queue sends 200 and keeps 300, less than 750. The second queue sends
        // 500 and keeps 0. The third queue sends 200 and 100 and keeps 200. The fourth queue keeps 500, less
        // than 700. In round 2 the first queue has 800, enough for 750 and 20. The second queue sends 500.
        // The third queue has 700, too little for 900. The fourth queue has 1,000, enough for 700 and 180.
        let queues = [
            &[200, 750, 20][..],
            &[500, 500],
            &[200, 100, 900],
            &[700, 180],
        ];
        let queues = queues.map(|sizes| sizes.iter().copied().collect());
        let mut drr = drr(&[500; 4]);
        let expected = [
            (0, 200),
            (1, 500),
            (2, 200),
            (2, 100),
            (0, 750),
            (0, 20),
            (1, 500),
            (3, 700),
            (3, 180),
            (2, 900),
        ];
        assert_eq!(served(&mut drr, queues.to_vec()), expected);
        assert_eq!(drr.deficits, [0; 4]);
        assert_eq!(drr.next(&Heads::default()), None);
    }

    #[test]
    fn an_empty_queue_loses_its_deficit_though_a_frame_comes_at_once() {
        let mut drr = drr(&[500; 2]);
        let heads = |first, second| [first, second, 0, 0, 0, 0, 0, 0];
        let mut serve = |first, second| {
            let heads = heads(first, second);
            let queue = drr.next(&heads).expect("a frame");
            drr.on_service(queue, heads[queue]);
            if first == 100 {
                drr.on_emptied(0);
            }
            queue
        };
        assert_eq!(serve(100, 100), 0);
        // If queue 0 kept its deficit of 400, it could send this frame at once.
        assert_eq!(
            [serve(400, 100), serve(400, 400), serve(400, 400)],
            [1, 1, 0]
        );
        assert_eq!(drr.deficits[0], 100);
    }

    #[test]
    fn a_frame_that_is_dropped_at_its_turn_costs_no_deficit() {
        let mut drr = drr(&[500; 2]);
        let heads = |first| [first, 100, 0, 0, 0, 0, 0, 0];
        assert_eq!(drr.next(&heads(400)), Some(0));
        // The first frame is dropped. The next frame needs the whole quantum.
        assert_eq!(drr.next(&heads(500)), Some(0));
        drr.on_service(0, 500);
        assert_eq!(drr.next(&heads(64)), Some(1));
    }

    #[test]
    fn shares_of_two_backlogged_queues_differ_by_at_most_what_the_paper_proves() {
        // The paper's theorem on fairness: each service of two backlogged queues is divided by the queue's
        // share f_i = Q_i / Q. Over any interval the two quotients differ by at most Q + 2 Max. Q is the
        // smallest quantum, and Max the largest packet.
        let mut stream = Stream::new(1, "test", "deficit round robin");
        for quanta in [
            &[1_518, 1_518, 3_000][..],
            &[100, 1_000, 700],
            &[5_000, 64, 9_000],
        ] {
            let mut drr = drr(quanta);
            let mut size = || 64 + stream.below(Ps(1_455)).0 as u32;
            let mut heads = Heads::default();
            heads[..3].fill_with(&mut size);
            let smallest = *quanta.iter().min().expect("some quanta") as f64;
            let share = |queue: usize| quanta[queue] as f64 / smallest;
            let mut sent = [0.0; 3];
            // Least and greatest difference so far between each queue and the next queue.
            let mut range = [(0.0_f64, 0.0_f64); 3];
            for _ in 0..50_000 {
                let queue = drr.next(&heads).expect("all queues are backlogged");
                drr.on_service(queue, heads[queue]);
                sent[queue] += heads[queue] as f64 / share(queue);
                heads[queue] = size();
                for (other, (least, greatest)) in range.iter_mut().enumerate() {
                    let difference = sent[other] - sent[(other + 1) % 3];
                    (*least, *greatest) = (least.min(difference), greatest.max(difference));
                    assert!(*greatest - *least <= smallest + 2.0 * 1_518.0, "{quanta:?}");
                }
            }
            // Services approach the shares of the quanta: 50,000 packets have some 40 million octets.
            assert!((sent[0] / sent[1] - 1.0).abs() < 0.01, "{sent:?}");
        }
    }

    #[test]
    fn wrong_parameters_are_found() {
        let config = |quanta: &[u64]| DrrConfig {
            quanta: quanta.iter().copied().map(Bytes).collect(),
            strict: 0,
        };
        assert_eq!(config(&[1_518, 1_518]).check(2, 1_518), []);
        let severities = |quanta| -> Vec<Severity> {
            let findings = config(quanta).check(2, 1_518);
            findings.iter().map(|finding| finding.severity).collect()
        };
        assert_eq!(severities(&[1_518]), [Severity::Impossible]);
        assert_eq!(severities(&[0, 1_518]), [Severity::Impossible]);
        assert_eq!(severities(&[500, 1_518]), [Severity::Warning]);
    }
}
