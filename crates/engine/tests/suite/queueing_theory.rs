//! Queues whose distribution is known. Every comparison is of the mean of at least 30 independent
//! replications with its confidence interval of 4.5 standard errors. Were the seeds not fixed, one
//! comparison in 10,000 would fail by chance (Student's t, 29 degrees of freedom), and with some 40
//! comparisons less than one run in 250.

use crate::support::plans::{Graph, cell_time_us, flow, plain_switch};
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::plan::{FlowPlan, Plan};
use cellrate_engine::atm::{Report, Simulation};
use cellrate_engine::kernel::{Ps, Rate, Stream};
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::cbr::CbrConfig;
use cellrate_engine::traffic::poisson::PoissonConfig;

const Z: f64 = 4.5;
/// Cell time of the queue's line.
const CELL: Ps = Ps::from_us(1);
const DELAY: Ps = Ps::from_us(1);
/// Rate of access lines, so high that they disturb no arrival process; all delay every cell
/// equally.
const ACCESS: Rate = Rate(1_000_000 * cell_time_us(1).0);

/// `sources` with their starts, one host each, into one queue.
fn queue(seed: u64, sources: impl Iterator<Item = (SourceConfig, Ps)>) -> Plan {
    let mut graph = Graph::default();
    let sink = graph.host("sink");
    let switch = graph.switch("s", plain_switch());
    let out = graph.duplex(switch, sink, cell_time_us(1), DELAY);
    let mut flows = Vec::new();
    for (number, (source, start)) in sources.enumerate() {
        let host = graph.host(&format!("h{number}"));
        let access = graph.duplex(host, switch, ACCESS, DELAY);
        flows.push(FlowPlan {
            start,
            ..flow(
                &format!("f{number}"),
                ServiceClass::Cbr,
                source,
                vec![access, out],
            )
        });
    }
    let mut plan = graph.plan(flows);
    plan.seed = seed;
    plan.measure.cell_delay = true;
    plan
}

/// Observations of one quantity, one per replication.
#[derive(Default)]
struct Observations(Vec<f64>);

impl Observations {
    fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }
    fn half_width(&self) -> f64 {
        let (n, mean) = (self.0.len() as f64, self.mean());
        let variance = self.0.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
        Z * (variance / n).sqrt()
    }
    /// Checks that the interval contains the expected value, and is narrow enough to distinguish it
    /// from others.
    fn expect(&self, what: &str, expected: f64, at_most: f64) {
        let (mean, half) = (self.mean(), self.half_width());
        assert!(
            (mean - expected).abs() <= half,
            "{what}: {mean} +- {half}, expected {expected}"
        );
        assert!(
            half <= at_most,
            "{what}: {mean} +- {half} tells too little of {expected}"
        );
    }
}

/// Runs with a warm-up of two fifths and reads the queue at `looks` instants. Returns the report
/// and the number of readings with more than `k` cells, for every `k` below `depth`.
fn watch(plan: Plan, end: Ps, looks: u64, depth: usize) -> (Report, Vec<f64>) {
    let mut run: Simulation = Simulation::new(plan).unwrap();
    let from = Ps(end.0 / 5 * 2);
    run.run_until(from);
    run.begin_window();
    let mut longer = vec![0.0; depth];
    for look in 1..=looks {
        run.run_until(from + Ps((end - from).0 / looks * look));
        let length = run.port_states()[0].lengths[0] as usize;
        longer[..length.min(depth)]
            .iter_mut()
            .for_each(|count| *count += 1.0 / looks as f64);
    }
    run.end_window();
    (run.report(), longer)
}

/// P(N = n) of M/D/1 at load `rho` (Erlang 1909; Gross and Harris, Fundamentals of Queueing
/// Theory).
fn md1(rho: f64, n: u32) -> f64 {
    let term = |k: u32, power: u32| {
        (1..=power).fold((k as f64 * rho).exp(), |term, i| {
            term * k as f64 * rho / i as f64
        })
    };
    let sum: f64 = (1..=n)
        .map(|k| {
            let sign = if (n - k).is_multiple_of(2) { 1.0 } else { -1.0 };
            sign * (term(k, n - k) + if k < n { term(k, n - k - 1) } else { 0.0 })
        })
        .sum();
    (1.0 - rho)
        * match n {
            0 => 1.0,
            1 => rho.exp() - 1.0,
            _ => sum,
        }
}

#[test]
fn md1_probabilities_sum_to_one_and_have_the_mean_of_pollaczek_and_khinchine() {
    for rho in [0.3, 0.6, 0.8] {
        let (sum, mean) = (0..25)
            .map(|n| (md1(rho, n), n as f64))
            .fold((0.0, 0.0), |(s, m), (p, n)| (s + p, m + n * p));
        assert!(
            (sum - 1.0).abs() < 1e-3
                && (mean - (rho + rho * rho / (2.0 * (1.0 - rho)))).abs() < 0.03,
            "{sum} {mean}"
        );
    }
}

#[test]
fn m_d_1() {
    const SOURCES: u64 = 5;
    for (rho, replications) in [(0.3, 30), (0.6, 30), (0.8, 40)] {
        let rate = Rate((cell_time_us(1).0 as f64 * rho / SOURCES as f64) as u64);
        let (mut length, mut wait) = (Observations::default(), Observations::default());
        let mut longer: [Observations; 6] = Default::default();
        for seed in 0..replications {
            let sources =
                (0..SOURCES).map(|_| (SourceConfig::Poisson(PoissonConfig { rate }), Ps::ZERO));
            let (report, found) = watch(queue(seed, sources), Ps::from_ms(40), 8_000, longer.len());
            length.0.push(report.ports[0].queues[0].queue_mean_cells);
            let delay = report
                .flows
                .iter()
                .map(|flow| flow.delays.cell_delay_mean_seconds.unwrap())
                .sum::<f64>();
            let fixed = (CELL + DELAY + DELAY).as_secs_f64();
            wait.0
                .push((delay / SOURCES as f64 - fixed) / CELL.as_secs_f64());
            longer
                .iter_mut()
                .zip(found)
                .for_each(|(all, found)| all.0.push(found));
        }
        // Pollaczek and Khinchine: mean wait rho / (2 (1 - rho)) service times; Little: the queue.
        let expected_wait = rho / (2.0 * (1.0 - rho));
        wait.expect("wait", expected_wait, 0.05 * expected_wait + 0.01);
        length.expect(
            "length",
            rho * (1.0 + expected_wait),
            0.05 * rho * (1.0 + expected_wait),
        );
        for (k, found) in longer.iter().enumerate() {
            let expected = 1.0 - (0..=k as u32).map(|n| md1(rho, n)).sum::<f64>();
            // For rarer lengths the readings are too few for a variance.
            if expected > 1e-3 {
                found.expect(
                    &format!("P(N > {k}) at load {rho}"),
                    expected,
                    0.1 * expected + 0.003,
                );
            }
        }
    }
}

/// P(N > k) of N D/D/1: `n` sources of one cell every `period` cell times with random phases
/// (Eckberg 1979; Roberts and Virtamo 1991). A queue holds more than `k` cells while its unfinished
/// work exceeds `k` cell times.
fn nddd1(n: u32, period: f64, k: u32) -> f64 {
    let x = k as f64;
    let term = |m: u32| {
        let share = (m as f64 - x) / period;
        let choose = (1..=m).fold(1.0, |c, i| c * (n - m + i) as f64 / i as f64);
        let free = (period - n as f64 + x) / (period - m as f64 + x);
        choose * share.powi(m as i32) * (1.0 - share).powi((n - m) as i32) * free
    };
    (k + 1..=n).map(term).sum()
}

#[test]
fn n_d_d_1_is_busy_as_long_as_its_load_says() {
    for (n, period) in [(10, 12.5), (40, 50.0), (100, 105.0)] {
        assert!((nddd1(n, period, 0) - n as f64 / period).abs() < 1e-9);
    }
}

#[test]
fn n_d_d_1() {
    for (n, period_us, replications) in [(10u32, 12u64, 800), (40, 50, 400), (45, 50, 1_000)] {
        let period = Ps::from_us(period_us);
        let mut longer: [Observations; 6] = Default::default();
        for seed in 0..replications {
            let mut phases = Stream::new(seed, "sources", "phase");
            let source = SourceConfig::Cbr(CbrConfig {
                rate: Rate(cell_time_us(1).0 / period_us),
            });
            let sources = (0..n).map(|_| (source.clone(), phases.below(period)));
            let plan = queue(seed, sources);
            // After the first period everything repeats; the number of readings, 97, has no common
            // divisor with the period.
            let (_, found) = watch(plan, Ps(period.0 * 5), 97, longer.len());
            longer
                .iter_mut()
                .zip(found)
                .for_each(|(all, found)| all.0.push(found));
        }
        for (k, found) in longer.iter().enumerate() {
            let expected = nddd1(n, period_us as f64, k as u32);
            found.expect(
                &format!("P(N > {k}) of {n} sources"),
                expected,
                0.15 * expected + 0.01,
            );
        }
    }
}
