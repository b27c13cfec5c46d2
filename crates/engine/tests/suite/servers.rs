//! The servers of a port compared with a non-preemptive server of queues in strict priority that is
//! computed cell by cell: departures, and readings at any time.

use crate::support::receive;
use crate::support::repeatable::repeatable;
use cellrate_engine::atm::cell::{Body, Cell, Info, Kind, RmCell};
use cellrate_engine::atm::server::{
    Arrival, BuildServer, ChannelOrder, Context, EagerServer, FifoServer, LazyServer, Line,
    PortOrder, PriorityServer, Queued, Server, ServerSettings,
};
use cellrate_engine::atm::transport::{Link, Outlet};
use cellrate_engine::control::efci::EfciConfig;
use cellrate_engine::control::{Control, ControlConfig, PortFacts};
use cellrate_engine::kernel::units::Cells;
use cellrate_engine::kernel::{CELL_PS_BITS, CellClock, Ps, Rate, ServiceRate};
use cellrate_engine::schedule::channels::ChannelScheduleConfig;
use proptest::prelude::*;
use proptest::sample::select;

const DELAY: Ps = Ps(1_000);

/// A cell for `queue` at `at`, which may be an RM cell; or only a reading.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub at: Ps,
    pub queue: Option<usize>,
    pub rm: bool,
    pub slot: u32,
}

#[derive(Debug)]
pub struct Work {
    pub rate: Rate,
    pub queues: usize,
    pub rm_first: bool,
    /// Order of service of the channels of each queue, and their weights; each cell is of one channel.
    pub order: Option<(ChannelScheduleConfig, Vec<u64>)>,
    pub steps: Vec<Step>,
}

/// Arrivals and readings, many of them at completions, on a line whose cell time may be a fraction.
fn works() -> impl Strategy<Value = Work> {
    let rates = vec![
        Rate::from_bps(424_000_000),
        Rate::from_bps(155_520_000),
        Rate(149_760_000_007),
    ];
    (select(rates), 1..4usize, any::<bool>()).prop_flat_map(|(rate, queues, rm_first)| {
        let cell = rate.cell_time_ceil().0;
        let gap = prop_oneof![
            4 => Just(0),
            4 => (0..4u64).prop_map(move |cells| cells * cell),
            2 => 0..3 * cell,
            1 => Just(cell - 1),
            1 => (0..40u64).prop_map(move |cells| cells * cell),
        ];
        let step = (
            gap,
            prop::option::weighted(0.8, 0..queues),
            prop::bool::weighted(0.2),
            0..4u32,
        );
        prop::collection::vec(step, 1..120).prop_map(move |steps| {
            let mut at = Ps(1);
            let steps = steps.into_iter().map(|(gap, queue, rm, slot)| {
                at += Ps(gap);
                Step {
                    at,
                    queue,
                    rm,
                    slot,
                }
            });
            Work {
                rate,
                queues,
                rm_first,
                order: None,
                steps: steps.collect(),
            }
        })
    })
}

/// All that a server shows of its queues at one instant, to compare two kinds of server.
#[derive(Debug, PartialEq)]
pub struct Look {
    lengths: Vec<u64>,
    departed: u64,
    served: u128,
    integrals: Vec<f64>,
    longest: Vec<u64>,
}

/// Departures in order, each with the number of the step that brought the cell; and the readings.
pub type Course = (Vec<(usize, Ps)>, Vec<Look>);

pub struct Bench<S> {
    server: S,
    control: Control,
    link: Link,
}

/// A server of queues that no scheme watches.
fn built<S: BuildServer>(work: &Work) -> S {
    watched(work, None, None)
}

/// A server of queues, of which a scheme watches one.
fn watched<S: BuildServer>(work: &Work, watched: Option<usize>, marks_above: Option<u64>) -> S {
    S::build(ServerSettings {
        line: line(work),
        queues: work.queues,
        watched,
        marks_above,
        rm_first: work.rm_first,
        orders: work.order.as_ref().map(|order| orders(work.queues, order)),
        prompt: None,
        losses: None,
    })
}

/// The orders of service of `queues` queues. The channels of a queue are those with the slots from 0 on; the lanes have the
/// opposite order.
fn orders(queues: usize, (config, weights): &(ChannelScheduleConfig, Vec<u64>)) -> PortOrder {
    let count = weights.len();
    let order = ChannelOrder {
        schedule: config.build(config.shares(weights).expect("small weights")),
        lanes: (0..count as u32).rev().collect(),
        contracts: vec![None; count],
    };
    PortOrder {
        channels: vec![order; queues],
        classes: config.build_classes(&(0..queues).collect::<Vec<_>>()),
    }
}

pub fn line(work: &Work) -> Line {
    Line {
        clock: CellClock::new(work.rate),
        delay: DELAY,
    }
}

impl<S: Server> Bench<S> {
    fn new(work: &Work, server: S) -> Bench<S> {
        Bench::under(&ControlConfig::default(), work, server)
    }
    fn under(control: &ControlConfig, work: &Work, server: S) -> Bench<S> {
        let control = control.build(PortFacts {
            seed: 0,
            rate: ServiceRate::of_cells(work.rate),
            channels: 1,
        });
        Bench {
            server,
            control,
            link: Link::default(),
        }
    }
    fn with<T>(
        &mut self,
        now: Ps,
        act: impl FnOnce(&mut S, &mut Context<'_, Outlet<'_>>) -> T,
    ) -> T {
        let mut out = Outlet {
            link: &mut self.link,
            number: 0,
            fresh: &mut Vec::new(),
        };
        let context = &mut Context::new(now, &mut self.control, &mut out);
        act(&mut self.server, context)
    }
    fn look(&mut self, now: Ps, queues: usize) -> Look {
        self.with(now, |server, context| Look {
            lengths: (0..queues)
                .map(|queue| server.queue_length(queue, context))
                .collect(),
            departed: server.departed(context),
            served: server.served(context),
            integrals: (0..queues)
                .map(|queue| server.backlog_integral(queue, context))
                .collect(),
            longest: (0..queues).map(|queue| server.longest(queue)).collect(),
        })
    }
    fn arrive(&mut self, number: usize, (at, slot): (Ps, u32), queue: usize, rm: bool) {
        let info = if rm {
            Info::rm(Kind::Frm, false)
        } else {
            Info::data(0)
        };
        let arrival = Arrival {
            slot,
            control_slot: 0,
            queue: queue as u32,
            controlled: false,
            cell: Queued {
                label: number as u32,
                info,
            },
        };
        let body = rm.then(|| body_of(number));
        self.with(at, |server, context| {
            server.push(&arrival, body.as_ref(), context)
        });
    }
    /// Cells that are marked, by the number of their step, if the scheme marks the first queue.
    fn marked(control: &ControlConfig, work: &Work, server: S) -> Vec<usize> {
        let mut bench = Bench::under(control, work, server);
        for (
            number,
            Step {
                at,
                queue,
                rm,
                slot,
            },
        ) in work.steps.iter().enumerate()
        {
            if let Some(queue) = queue {
                bench.arrive(number, (*at, *slot), *queue, *rm);
            }
        }
        bench.with(Ps::from_s(1), |server, context| server.advance(context));
        let cells = std::iter::from_fn(|| receive(&mut bench.link));
        let marked = cells.filter(|(cell, _)| cell.info.efci());
        marked.map(|(cell, _)| cell.label as usize).collect()
    }
    pub fn course(work: &Work, server: S) -> Course {
        let mut bench = Bench::new(work, server);
        let mut looks = Vec::new();
        for (
            number,
            Step {
                at,
                queue,
                rm,
                slot,
            },
        ) in work.steps.iter().enumerate()
        {
            match queue {
                None => looks.push(bench.look(*at, work.queues)),
                Some(queue) => bench.arrive(number, (*at, *slot), *queue, *rm),
            }
        }
        bench.with(Ps::from_s(1), |server, context| server.advance(context));
        let cells = std::iter::from_fn(|| receive(&mut bench.link));
        let departure = |(cell, body): (Cell, Option<Body>)| {
            assert_eq!(
                body,
                (!cell.info.is_data()).then(|| body_of(cell.label as usize))
            );
            (cell.label as usize, cell.at - DELAY)
        };
        (cells.map(departure).collect(), looks)
    }
}

/// Contents of the RM cell of a step, unlike any other.
fn body_of(number: usize) -> Body {
    Body::Rm(RmCell {
        er: number as f64,
        ccr: 0.0,
        mcr: 0.0,
        ci: false,
        ni: false,
        bn: false,
    })
}

/// A cell with its queue and the step that brought it.
#[derive(Clone, Copy)]
struct Waiting {
    queue: usize,
    rm: bool,
    number: usize,
    at: Ps,
}

fn cells(work: &Work) -> Vec<Waiting> {
    let cells = work.steps.iter().enumerate();
    cells
        .filter_map(|(number, step)| {
            step.queue.map(|queue| Waiting {
                queue,
                rm: step.rm,
                number,
                at: step.at,
            })
        })
        .collect()
}

/// Units of `1/rate` ps that a cell takes.
const CELL: u128 = CELL_PS_BITS as u128;

/// Departures, and their exact times in units of `1/rate` ps: when the line is free it sends the
/// cell with the highest priority, and of these the one that came first, among those that have
/// arrived; of a queue that serves RM cells first, one of these.
fn departures(work: &Work) -> (Vec<(usize, Ps)>, Vec<u128>) {
    let clock = CellClock::new(work.rate);
    let (mut free, mut carry) = (Ps::ZERO, 0);
    let mut waiting = cells(work);
    let (mut left, mut ends) = (Vec::new(), Vec::new());
    while !waiting.is_empty() {
        let start = free.max(waiting.iter().map(|cell| cell.at).min().unwrap());
        let present = waiting
            .iter()
            .enumerate()
            .filter(|(_, cell)| cell.at <= start);
        let (next, _) = present
            .min_by_key(|(_, cell)| (cell.queue, !(work.rm_first && cell.rm), cell.number))
            .unwrap();
        let cell = waiting.remove(next);
        (free, carry) = clock.complete(start, if start == free { carry } else { 0 });
        left.push((cell.number, free));
        ends.push(free.0 as u128 * work.rate.0 as u128 + carry as u128);
    }
    (left, ends)
}

/// Time for which the line has served cells up to `now`, in units of `1/rate` ps: each takes 424 bits
/// over the rate, and ends at its completion and the fraction that was rounded off.
fn served(work: &Work, ends: &[u128], now: Ps) -> u128 {
    let now = now.0 as u128 * work.rate.0 as u128;
    let of_one = |end: &u128| now.saturating_sub(end - CELL).min(CELL);
    ends.iter().map(of_one).sum()
}

/// Departures and readings as expected: a cell is in its queue from its arrival until its last bit
/// has left.
fn expected(work: &Work) -> Course {
    let (left, ends) = departures(work);
    let cells = cells(work);
    let done = |cell: &Waiting| {
        left.iter()
            .find(|(number, _)| *number == cell.number)
            .unwrap()
            .1
    };
    let of = |queue: usize, step: usize| {
        cells
            .iter()
            .filter(move |cell| cell.queue == queue && cell.number < step)
    };
    let length = |queue, step, now| of(queue, step).filter(|cell| done(cell) > now).count() as u64;
    let queues = || 0..work.queues;
    let look = |(step, now): (usize, Ps)| Look {
        lengths: queues().map(|queue| length(queue, step, now)).collect(),
        departed: queues()
            .flat_map(|queue| of(queue, step))
            .filter(|cell| done(cell) <= now)
            .count() as u64,
        served: served(work, &ends, now),
        integrals: queues()
            .map(|queue| {
                of(queue, step)
                    .map(|cell| (done(cell).min(now) - cell.at).0)
                    .sum::<u64>() as f64
            })
            .collect(),
        longest: queues()
            .map(|queue| {
                of(queue, step)
                    .map(|cell| length(queue, cell.number + 1, cell.at))
                    .max()
                    .unwrap_or(0)
            })
            .collect(),
    };
    let looks = work
        .steps
        .iter()
        .enumerate()
        .filter(|(_, step)| step.queue.is_none());
    let looks = looks
        .map(|(number, step)| look((number, step.at)))
        .collect();
    (left, looks)
}

/// Data cells at whose start more than `above` cells of the only queue have arrived and not started.
fn marked(work: &Work, above: u64) -> Vec<usize> {
    let cells = cells(work);
    let mut free = Ps::ZERO;
    let (left, _) = departures(work);
    let starts = left.iter().zip(&cells).enumerate();
    let marked = starts.filter_map(|(started, ((number, left), cell))| {
        let start = cell.at.max(free);
        free = *left;
        let arrived = cells.iter().filter(|cell| cell.at <= start).count();
        ((arrived - started) as u64 > above && !cell.rm).then_some(*number)
    });
    marked.collect()
}

proptest! {
    #![proptest_config(repeatable(400))]

    #[test]
    fn cells_that_start_in_front_of_a_long_queue_are_marked(mut work in works(), above in 0..8u64) {
        (work.queues, work.rm_first) = (1, false);
        work.steps.iter_mut().for_each(|step| step.queue = step.queue.map(|_| 0));
        let control = ControlConfig::Efci(EfciConfig {
            threshold: Some(Cells(above)),
            ..EfciConfig::default()
        });
        let expected = marked(&work, above);
        prop_assert_eq!(&Bench::marked(&control, &work, watched::<EagerServer>(&work, Some(0), None)), &expected);
        prop_assert_eq!(&Bench::marked(&control, &work, watched::<LazyServer>(&work, Some(0), None)), &expected);
        let marking = watched::<LazyServer>(&work, Some(0), Some(above));
        prop_assert!(matches!(marking, LazyServer::Fifo(_)));
        prop_assert_eq!(&Bench::marked(&control, &work, marking), &expected);
    }

    #[test]
    fn channels_in_an_order_of_their_own_are_served_alike_by_every_server(
        mut work in works(),
        name in select(vec!["weighted-round-robin", "scfq", "wf2q-plus"]),
        weights in prop::collection::vec(1..9u64, 4),
        classes in prop::option::of((prop::collection::vec(1..9u32, 3), 0..3usize)),
    ) {
        let mut config = serde_json::json!({"discipline": name});
        let in_priority = classes.is_none();
        if let Some((weights, strict)) = classes {
            let strict = strict.min(work.queues - 1);
            config["classes"] = serde_json::json!({"weights": weights[strict..work.queues], "strict": strict});
        }
        let config = serde_json::from_value(config).unwrap();
        (work.rm_first, work.order) = (false, Some((config, weights)));
        let (fast, looks) = Bench::course(&work, built::<LazyServer>(&work));
        let (eager, plain) = Bench::course(&work, built::<EagerServer>(&work));
        prop_assert_eq!(&fast, &eager);
        prop_assert_eq!(looks, plain);
        // The line works whenever a cell waits, so departures come at the same times in any order.
        let (in_order, _) = departures(&work);
        let times = |left: &[(usize, Ps)]| left.iter().map(|(_, at)| *at).collect::<Vec<_>>();
        prop_assert_eq!(times(&fast), times(&in_order));
        // Without weights queues go in strict priority, and the cells of a channel in the order of their arrivals.
        let of = |left: &[(usize, Ps)], queue, slot: Option<u32>| -> Vec<(usize, Ps)> {
            let of = left.iter().filter(|(number, _)| {
                let step = work.steps[*number];
                step.queue == Some(queue) && slot.is_none_or(|slot| step.slot == slot)
            });
            of.copied().collect()
        };
        for queue in 0..work.queues {
            if in_priority {
                prop_assert_eq!(times(&of(&fast, queue, None)), times(&of(&in_order, queue, None)));
            }
            for slot in 0..4 {
                prop_assert!(of(&fast, queue, Some(slot)).is_sorted());
            }
        }
    }

    #[test]
    fn every_server_does_what_is_written_down(work in works()) {
        let expected = expected(&work);
        prop_assert_eq!(&Bench::course(&work, built::<EagerServer>(&work)), &expected);
        prop_assert_eq!(&Bench::course(&work, PriorityServer::new(line(&work), work.queues, None, work.rm_first)), &expected);
        prop_assert_eq!(&Bench::course(&work, built::<LazyServer>(&work)), &expected);
        if work.queues == 1 && !work.rm_first {
            prop_assert_eq!(&Bench::course(&work, FifoServer::new(line(&work))), &expected);
        }
    }
}
