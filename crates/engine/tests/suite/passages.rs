//! Cells on links, hop by hop: times worked out by hand, and counts that agree with the fast
//! engine.

use crate::support::plans::{Graph, cell_time_us, flow, plain_switch, stop_and_wait};
use cellrate_engine::atm::cell::Kind;
use cellrate_engine::atm::cell::ServiceClass::Cbr;
use cellrate_engine::atm::plan::FlowPlan;
use cellrate_engine::atm::{Passage, Passages, Plan, Reference, Simulation};
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::ChannelId;
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::cbr::CbrConfig;

fn passages(plan: Plan, from: Ps, until: Ps, most: usize) -> Passages {
    Reference::new(plan)
        .unwrap()
        .passages(from, until, most, &mut |_| true)
}

fn microseconds(one: &Passage) -> (u32, f64, f64) {
    (
        one.link,
        one.left.as_secs_f64() * 1e6,
        one.arrived.as_secs_f64() * 1e6,
    )
}

#[test]
fn cells_of_a_pdu_leave_and_arrive_when_they_must() {
    let plan = stop_and_wait();
    let [access, out] = plan.flows[0].forward[..] else {
        panic!("two links")
    };
    let (access, out) = (access as u32, out as u32);
    let found = passages(plan, Ps::ZERO, Ps::from_us(65), 1000);
    let forward = ChannelId::forward(0);
    let forward: Vec<_> = found
        .kept
        .iter()
        .filter(|one| one.channel == forward)
        .collect();
    let mut times: Vec<_> = forward.iter().map(|one| microseconds(one)).collect();
    times.sort_by(|a, b| a.1.total_cmp(&b.1));
    let expected = [
        (access, 10.0, 15.0),
        (access, 20.0, 25.0),
        (out, 35.0, 40.0),
        (out, 55.0, 60.0),
    ];
    assert_eq!(times, expected);
    let numbers: Vec<_> = forward
        .iter()
        .map(|one| (one.info.number(), one.info.is_eom()))
        .collect();
    assert_eq!(numbers, [(0, false), (1, true), (0, false), (1, true)]);
    assert!(forward.iter().all(|one| one.info.kind() == Kind::Data));
}

fn two_flows() -> Plan {
    let mut graph = Graph::default();
    let (s, t) = (
        graph.switch("s", plain_switch()),
        graph.switch("t", plain_switch()),
    );
    let between = graph.duplex(s, t, cell_time_us(3), Ps::from_us(40));
    let flows = ["f", "g"].into_iter().enumerate().map(|(number, name)| {
        let (from, to) = (
            graph.host(&format!("from-{name}")),
            graph.host(&format!("to-{name}")),
        );
        let path = vec![
            graph.duplex(from, s, cell_time_us(3), Ps::from_us(7)),
            between,
            graph.duplex(t, to, cell_time_us(3), Ps::from_us(7)),
        ];
        let source = SourceConfig::Cbr(CbrConfig {
            rate: cell_time_us(7),
        });
        FlowPlan {
            start: Ps::from_us(2 * number as u64),
            ..flow(name, Cbr, source, path)
        }
    });
    let flows = flows.collect();
    graph.plan(flows)
}

#[test]
fn every_cell_is_seen_on_every_link_once() {
    let end = Ps::from_ms(2);
    let mut fast: Simulation = Simulation::new(two_flows()).unwrap();
    let report = fast.measure(Ps::ZERO, end, end);
    let found = passages(two_flows(), Ps::ZERO, end, usize::MAX);
    for (flow, plan) in two_flows().flows.iter().enumerate() {
        let of = |link: usize| {
            let own = found.kept.iter().filter(move |one| {
                one.link == link as u32 && one.channel == ChannelId::forward(flow)
            });
            own.filter(|one| one.arrived < end)
                .map(|one| one.info.number())
                .collect::<Vec<_>>()
        };
        for link in &plan.forward {
            let numbers = of(*link);
            assert!(
                numbers
                    .iter()
                    .enumerate()
                    .all(|(at, number)| at as u32 == *number),
                "{}: {numbers:?}",
                plan.name
            );
        }
        let last = *plan.forward.last().unwrap();
        let vc = report
            .vcs
            .iter()
            .find(|vc| vc.name == format!("{}/forward", plan.name))
            .unwrap();
        assert_eq!(of(last).len() as u64, vc.cells_delivered);
    }
}

#[test]
fn a_span_holds_what_travels_in_it() {
    let (from, until) = (Ps::from_us(500), Ps::from_us(600));
    let all = passages(two_flows(), Ps::ZERO, until, usize::MAX);
    let some = passages(two_flows(), from, until, usize::MAX);
    let mut expected: Vec<_> = all
        .kept
        .iter()
        .filter(|one| one.arrived >= from)
        .copied()
        .collect();
    let mut found = some.kept.clone();
    let key = |one: &Passage| (one.link, one.arrived);
    expected.sort_by_key(key);
    found.sort_by_key(key);
    assert_eq!(found, expected);
    let few = passages(two_flows(), from, until, 10);
    assert_eq!(few.kept, some.kept[..10]);
    assert_eq!(few.beyond, Some(some.kept[10].left));
    assert_eq!(some.beyond, None);
}
