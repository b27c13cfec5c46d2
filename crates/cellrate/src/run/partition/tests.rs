use std::num::NonZeroUsize;

use cellrate_engine::atm::plan::{Plan, least_transit};

use super::*;
use crate::build;
use crate::scenario::Scenario;

fn partition(text: &str, threads: usize, cores: usize) -> (Plan, Partition) {
    let checked = Scenario::parse(text, "test", &[], None).unwrap();
    let plan = build::plan(&checked);
    let seconds = checked.scenario().run.duration.as_secs_f64();
    let threads = NonZeroUsize::new(threads).map_or(Threads::Auto, Threads::Number);
    let load = || Load::new(&plan, seconds);
    let found = Partition::new(plan.nodes.len(), seconds, threads, cores, load);
    (plan, found)
}

fn of<'a>(plan: &Plan, partition: &'a Partition, node: &str) -> &'a usize {
    let index = plan.nodes.iter().position(|found| found.name == node);
    &partition.of_nodes[index.unwrap()]
}

/// A scenario with TCP over ABR through a chain of `switches`, with links of these lengths.
fn lot(switches: usize, hop: &str, access: &str) -> String {
    format!(
        r#"
        run.duration = "2 s"
        topology = {{ template = "parking-lot", link_rate = "155.52 Mbit/s", switches = {switches}, hop = "{hop}", access = "{access}", egress = "{access}" }}
        switch.control = {{ scheme = "erica" }}
        flow = [{{ name = "long", count = 4, service = "abr" }}, {{ name = "in", count = 4, service = "abr", enters = 2, hops = 1 }}]"#
    )
}

#[test]
fn only_long_links_are_cut_and_the_work_is_even() {
    let (plan, found) = partition(&lot(4, "1000 km", "1 km"), 2, 2);
    assert_eq!((found.parts.len(), found.reason.as_str()), (2, ""));
    assert!(found.lookahead.unwrap() >= Ps::from_ms(5), "{found:?}");
    for ends in &plan.links {
        let cut = found.of_nodes[ends.from] != found.of_nodes[ends.to];
        assert!(!cut || least_transit(ends) >= Ps::from_ms(5));
    }
    assert!(found.parts.iter().all(|part| part.work > 0.35), "{found:?}");
    assert!((1.2..2.0).contains(&found.speedup), "{found:?}");
    let nodes: usize = found.parts.iter().map(|part| part.nodes).sum();
    assert_eq!(nodes, plan.nodes.len());
}

/// Starting the threads takes some milliseconds.
#[test]
fn a_run_of_some_milliseconds_is_not_divided_even_if_threads_are_asked_for() {
    let short = lot(4, "1000 km", "1 km").replace("2 s", "100 ms");
    let (_, found) = partition(&short, 2, 2);
    assert_eq!((found.parts.len(), found.speedup), (1, 1.0));
    assert!(found.reason.contains("over before"), "{}", found.reason);
}

#[test]
fn a_run_whose_links_are_all_short_has_one_part_and_a_reason() {
    let (_, found) = partition(&lot(4, "10 km", "10 km"), 2, 2);
    assert_eq!((found.parts.len(), found.speedup), (1, 1.0));
    assert!(found.reason.contains("too short"), "{}", found.reason);
    // The link is long enough for few steps, but it is the only one, and all the work is on one
    // side of it.
    let one_sided = r#"
        run.duration = "20 s"
        topology = { template = "n-source", link_rate = "155.52 Mbit/s", access = "1 km", bottleneck = "1 km", egress = "2000 km" }
        flow = [{ name = "cbr", count = 4, service = "cbr", source = { kind = "cbr", rate = "30 Mbit/s" } }]"#;
    let (_, found) = partition(one_sided, 2, 2);
    assert!(found.reason.contains("% of the work"), "{}", found.reason);
}

#[test]
fn auto_takes_no_more_threads_than_cores_nor_than_pay() {
    let text = lot(9, "1000 km", "1000 km");
    let parts = |threads, cores| partition(&text, threads, cores).1.parts.len();
    assert_eq!([parts(1, 16), parts(0, 1), parts(0, 2)], [1, 1, 2]);
    assert!(parts(0, 8) > 2);
    let speedup = |threads| partition(&text, threads, 16).1.speedup;
    assert!(
        speedup(4) > 1.3 * speedup(2),
        "{} {}",
        speedup(4),
        speedup(2)
    );
    let short = text.replace(r#"run.duration = "2 s""#, r#"run.duration = "10 ms""#);
    assert_eq!(partition(&short, 0, 2).1.parts.len(), 1);
}

/// The switch that merges all sources has more work than all sources together, so some sources go
/// to the other part.
#[test]
fn sources_make_up_for_a_switch_that_has_much_to_do() {
    let text = r#"
        run.duration = "1 s"
        topology = { template = "n-source", link_rate = "155.52 Mbit/s", bottleneck_rate = "1036.8 Mbit/s", access = "1000 km", bottleneck = "1000 km", egress = "1000 km" }
        flow = [{ name = "cbr", count = 100, service = "cbr", source = { kind = "cbr", rate = "9.8 Mbit/s" } }]"#;
    let (plan, found) = partition(text, 2, 2);
    assert_eq!(found.parts.len(), 2, "{}", found.reason);
    let names: Vec<&str> = plan.nodes.iter().map(|node| node.name.as_str()).collect();
    let switches: Vec<&str> = (names.iter().zip(&plan.nodes))
        .filter(|(_, node)| matches!(node.kind, cellrate_engine::atm::plan::NodeKind::Switch(_)))
        .map(|(name, _)| *name)
        .collect();
    assert_ne!(
        of(&plan, &found, switches[0]),
        of(&plan, &found, switches[1])
    );
    let greatest = found.parts.iter().map(|part| part.work).fold(0.0, f64::max);
    assert!(greatest < 0.56, "{found:?}");
}

#[test]
fn a_single_flow_over_short_links_has_one_part_and_a_reason() {
    // The run lasts a simulated day, so there is enough work, but each step has less than one
    // cell.
    let text = r#"
        run.duration = "86400 s"
        topology = { template = "n-source", link_rate = "155.52 Mbit/s", access = "5 us", bottleneck = "5 us", egress = "5 us" }
        flow = [{ name = "cbr", service = "cbr", source = { kind = "cbr", rate = "100 Mbit/s" } }]"#;
    for threads in [0, 2, 3] {
        let (_, found) = partition(text, threads, 2);
        assert_eq!(found.parts.len(), 1);
        assert!(
            found.reason.contains("more than a division gains"),
            "{}",
            found.reason
        );
    }
}
