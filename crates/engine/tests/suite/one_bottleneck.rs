//! Explicit-rate schemes that are not max-min fair: they still give equal rates on one link.

use crate::support::bottlenecks::greedy;
use crate::support::plans::{Dumbbell, cell_time_us, plain_switch};
use cellrate_engine::atm::Simulation;
use cellrate_engine::atm::plan::{Plan, SwitchPlan};
use cellrate_engine::endsystem::AbrConfig;
use cellrate_engine::kernel::{Ps, Rate};
use serde_json::{Value, json};

/// Cells/s of every link.
const LINK: f64 = 100_000.0;

/// Sources that always have cells, begin at very different rates, and share one link.
fn plan(sources: usize, control: Value, rif: f64) -> Plan {
    let control = serde_json::from_value(control).unwrap();
    let switch = SwitchPlan {
        control,
        ..plain_switch()
    };
    let Dumbbell { graph, paths } =
        Dumbbell::new(sources, cell_time_us(10), Ps::from_us(100), &switch);
    let flows = paths.into_iter().enumerate().map(|(number, path)| {
        let mut flow = greedy(number, path);
        flow.abr.icr = Some(Rate::from_cells_per_second(
            LINK * 0.9 / (1 << number) as f64,
        ));
        flow.abr.rif = rif;
        flow
    });
    let flows = flows.collect();
    graph.plan(flows)
}

/// Mean rates of the sources as shares of the fair rate, utilisation of the link, and its longest
/// queue.
struct Steady {
    shares: Vec<f64>,
    utilisation: f64,
    longest: u64,
}

/// Means after 600 ms; calls `look` every 500 us with each ACR as a share of the fair rate.
fn steady(plan: &Plan, fair: f64, look: impl Fn(f64)) -> Steady {
    let mut run: Simulation = Simulation::new(plan.clone()).unwrap();
    for step in 0..400 {
        run.run_until(Ps::from_us(600_000 + step * 500));
        (0..plan.flows.len()).for_each(|flow| look(run.acr(flow).unwrap() / fair));
    }
    let mut run: Simulation = Simulation::new(plan.clone()).unwrap();
    let report = run.measure(Ps::from_ms(600), Ps::from_ms(800), Ps::from_ms(800));
    let port = report
        .ports
        .iter()
        .find(|port| port.name == "A->B")
        .unwrap();
    let forward = report.vcs.iter().filter(|vc| vc.name.ends_with("forward"));
    let shares = forward
        .map(|vc| vc.cells_sent as f64 / report.window_seconds / fair)
        .collect();
    Steady {
        shares,
        utilisation: port.utilisation,
        longest: port.queues[0].queue_max_cells,
    }
}

/// The basic fairness of the OSU scheme divides a target by the number of channels, wherever their
/// bottlenecks are, so that on several bottlenecks it is not max-min. On one, a load in the band of
/// 1 - delta to 1 + delta moves a rate up to the fair share by at most (1 + delta) / (1 - delta), a
/// rate above it by no less than the inverse: a rate between the two shares stays there
/// (Kalyanaraman 1997, appendix B).
#[test]
fn basic_shares_of_the_osu_scheme_stay_in_their_band() {
    let edge = 1.1 / 0.9;
    for sources in [2, 3, 5, 8] {
        let plan = plan(sources, json!({"scheme": "osu", "fairness": "basic"}), 1.0);
        let in_band = |share: f64| {
            assert!(
                share > 1.0 / edge && share < edge,
                "{sources}: a share of {share}"
            )
        };
        let Steady {
            shares,
            utilisation,
            ..
        } = steady(&plan, 0.9 * LINK / sources as f64, in_band);
        assert!((utilisation - 0.9).abs() < 0.01, "{sources}: {utilisation}");
        assert!(
            shares.iter().all(|share| (share - 1.0).abs() < 0.03),
            "{sources}: {shares:?}"
        );
    }
}

/// EPRCA reduces channels that send more than DPF times the mean of all rates, whatever limits the
/// others, and only while the queue is longer than QT: so on several bottlenecks the rate of a flow
/// is not determined. On one, the link is full, its queue stays about QT and below DQT, and the
/// mean rates are equal, with the additive increase of TM 4.0 (RIF of 1/16).
#[test]
fn eprca_shares_one_link_equally_below_its_second_threshold() {
    for sources in [2, 3, 5, 8] {
        let plan = plan(
            sources,
            json!({"scheme": "eprca", "qt": "100 cells", "dqt": "300 cells"}),
            1.0 / 16.0,
        );
        let Steady {
            shares,
            utilisation,
            longest,
        } = steady(&plan, LINK / sources as f64, |_| ());
        assert!(
            utilisation > 0.999 && (101..=300).contains(&longest),
            "{sources}: {utilisation}, {longest} cells"
        );
        assert!(
            shares.iter().all(|share| (share - 1.0).abs() < 0.03),
            "{sources}: {shares:?}"
        );
    }
}

/// Source i sends at u = (X0 - x - u RTD) / tau, where x is the number of its cells in the queue.
/// In a queue of X cells in order of arrival, x = u X / C: rates are equal, and if they fill the
/// link their sum is C with X = n X0 - C (RTD + tau) (Mascolo, Cavendish and Gerla 1996). Between
/// two feedbacks, Nrm cells apart, half as many count in addition. Below that the utilisation of
/// the link is that of the law, with equal rates, too.
#[test]
fn the_smith_predictor_shares_one_link_equally_with_the_queue_of_its_law() {
    let (tau, rtd) = (0.010, 0.000_660);
    for (sources, total) in [(2, 1_600), (3, 1_800), (5, 1_600), (8, 2_000), (4, 800)] {
        let room = total / sources;
        let scheme = json!({"scheme": "smith-predictor", "set_point": format!("{room} cells"), "time_constant": "10 ms"});
        let mut plan = plan(sources, scheme, 1.0);
        for flow in &mut plan.flows {
            let law = json!({"rules": "smith-predictor", "time_constant": "10 ms", "nrm": 4});
            flow.abr = AbrConfig {
                icr: flow.abr.icr,
                ..serde_json::from_value(law).unwrap()
            };
        }
        let told = sources as f64 * (room as f64 - 1.5);
        let used = (told / (LINK * (rtd + tau))).min(1.0);
        let Steady {
            shares,
            utilisation,
            longest,
        } = steady(&plan, used * LINK / sources as f64, |_| ());
        assert!(
            shares.iter().all(|share| (share - 1.0).abs() < 0.02),
            "{sources}: {shares:?}"
        );
        assert!(
            (utilisation / used - 1.0).abs() < 0.02,
            "{sources}: {utilisation} is not {used}"
        );
        let queue = (told - LINK * (rtd + tau)).max(0.0);
        assert!(
            (longest as f64 - queue).abs() < 30.0,
            "{sources}: a queue of {longest} is not {queue}"
        );
    }
}
