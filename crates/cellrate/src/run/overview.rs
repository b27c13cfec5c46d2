//! The part of a summary that fits on a screen. With a hundred thousand flows the whole summary is
//! 200 MB of text, and reading it takes seconds, too long to show a few lines.

use std::borrow::Cow;
use std::cmp::Reverse;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// The keys of a summary that the overview keeps.
#[derive(Deserialize, Serialize)]
struct Overview<'s> {
    digest: Value,
    seed: u64,
    simulated_seconds: f64,
    wall_seconds: f64,
    cell_hops: u64,
    warnings: Value,
    totals: Value,
    /// In the summary, the flows of the run; in the overview, flows or groups of flows.
    #[serde(borrow)]
    flows: Vec<Flow<'s>>,
    /// In the summary, the ports of the run. In the overview, the longest queues that cells have
    /// passed, each in a port of its own.
    #[serde(borrow)]
    ports: Vec<Port<'s>>,
    /// Number of queues that cells have passed and that the overview does not list.
    #[serde(default)]
    other_queues: usize,
}

/// A flow, or a group of flows with means and sums over the group.
#[derive(Deserialize, Serialize)]
struct Flow<'s> {
    #[serde(borrow)]
    name: Cow<'s, str>,
    #[serde(borrow)]
    group: Cow<'s, str>,
    /// Number of flows in the group; `None` for a single flow.
    #[serde(default)]
    members: Option<usize>,
    #[serde(borrow)]
    service: Cow<'s, str>,
    goodput_bits_per_second: f64,
    tcp_throughput_bits_per_second: f64,
    efficiency: Option<f64>,
    packets_lost: u64,
    segments_retransmitted: u64,
    timeouts: u64,
    rate_limited_share: f64,
    window_limited_share: f64,
    /// True for a flow over TCP. Only an overview has this field; in the summary only flows over
    /// TCP have a balance of bytes.
    #[serde(rename(deserialize = "balance"), deserialize_with = "is_there")]
    over_tcp: bool,
}

/// True for any value but null.
fn is_there<'de, D: Deserializer<'de>>(value: D) -> Result<bool, D::Error> {
    Option::<IgnoredAny>::deserialize(value).map(|found| found.is_some())
}

#[derive(Clone, Deserialize, Serialize)]
struct Port<'s> {
    #[serde(borrow)]
    name: Cow<'s, str>,
    utilisation: f64,
    #[serde(borrow)]
    control: Control<'s>,
    #[serde(borrow)]
    queues: Vec<Queue<'s>>,
}

#[derive(Clone, Deserialize, Serialize)]
struct Control<'s> {
    #[serde(borrow)]
    scheme: Cow<'s, str>,
}

#[derive(Clone, Deserialize, Serialize)]
struct Queue<'s> {
    #[serde(borrow)]
    classes: Vec<Cow<'s, str>>,
    cells_arrived: u64,
    cells_dropped: u64,
    queue_mean_cells: f64,
    queue_max_cells: u64,
    queue_max_before_window_cells: Option<u64>,
    /// Greatest length of the queue in the whole run, in cells: the buffer that would lose nothing.
    /// Only an overview has this field.
    #[serde(default)]
    queue_max_of_run_cells: u64,
}

/// Makes the overview of a run, as JSON, from the run's summary. Flows are combined to groups if
/// there are more than `most_flows`. At most `most_queues` queues are listed, the longest first.
///
/// # Errors
/// If `summary` was not written by this version.
pub fn json(
    summary: &str,
    most_flows: usize,
    most_queues: usize,
) -> Result<String, serde_json::Error> {
    let mut overview: Overview<'_> = serde_json::from_str(summary)?;
    if overview.flows.len() > most_flows {
        // The flows of a group follow one another in the summary.
        let groups = overview
            .flows
            .chunk_by(|one, other| one.group == other.group);
        overview.flows = groups.map(group).collect();
    }
    overview.ports = one_by_one(overview.ports);
    // The sort is stable: equally long queues keep their order.
    let longest = |port: &Port<'_>| Reverse(port.queues[0].queue_max_of_run_cells);
    overview.ports.sort_by_key(longest);
    overview.other_queues = overview.ports.len().saturating_sub(most_queues);
    overview.ports.truncate(most_queues);
    serde_json::to_string(&overview)
}

/// Means and sums over the flows of one group, which has at least one flow.
fn group<'s>(members: &[Flow<'s>]) -> Flow<'s> {
    let first = &members[0];
    let sum = |count: fn(&Flow<'s>) -> u64| members.iter().map(count).sum();
    let mean =
        |value: fn(&Flow<'s>) -> f64| members.iter().map(value).sum::<f64>() / members.len() as f64;
    let efficiencies = || members.iter().filter_map(|flow| flow.efficiency);
    let having = efficiencies().count();
    Flow {
        name: first.group.clone(),
        group: first.group.clone(),
        members: Some(members.len()),
        service: first.service.clone(),
        goodput_bits_per_second: mean(|flow| flow.goodput_bits_per_second),
        tcp_throughput_bits_per_second: mean(|flow| flow.tcp_throughput_bits_per_second),
        efficiency: (having > 0).then(|| efficiencies().sum::<f64>() / having as f64),
        packets_lost: sum(|flow| flow.packets_lost),
        segments_retransmitted: sum(|flow| flow.segments_retransmitted),
        timeouts: sum(|flow| flow.timeouts),
        rate_limited_share: mean(|flow| flow.rate_limited_share),
        window_limited_share: mean(|flow| flow.window_limited_share),
        over_tcp: first.over_tcp,
    }
}

/// Makes a port of its own for each queue that cells have passed.
fn one_by_one(ports: Vec<Port<'_>>) -> Vec<Port<'_>> {
    let mut each = Vec::with_capacity(ports.len());
    for mut port in ports {
        let queues = std::mem::take(&mut port.queues);
        for mut queue in queues.into_iter().filter(|queue| queue.cells_arrived > 0) {
            let before = queue.queue_max_before_window_cells.unwrap_or(0);
            queue.queue_max_of_run_cells = queue.queue_max_cells.max(before);
            let queues = vec![queue];
            each.push(Port {
                queues,
                ..port.clone()
            });
        }
    }
    each
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Job;
    use super::*;

    const SCENARIO: &str = r#"
        run.duration = "20 ms"
        switch.buffer = "100 cells"
        switch.priority = [["cbr"], ["ubr"]]
        topology = { template = "n-source", link_rate = "100 Mbit/s", access = "5 us", bottleneck = "5 us", egress = "5 us" }
        flow = [
            { name = "tcp", count = 3, service = "ubr" },
            { name = "cells", count = 2, service = "cbr", source = { kind = "cbr", rate = "40 Mbit/s" } },
        ]"#;

    fn both(most_flows: usize, most_queues: usize) -> (Value, Value) {
        let job = Job::new(SCENARIO, "test", &[], None).unwrap();
        let summary = job.run(&mut |_, _| true).unwrap().summary;
        let overview = super::json(&summary, most_flows, most_queues).unwrap();
        let read = |text: &str| serde_json::from_str(text).unwrap();
        (read(&summary), read(&overview))
    }

    #[test]
    fn a_few_flows_are_those_of_the_summary() {
        let (summary, overview) = both(5, 100);
        assert_eq!(overview["flows"].as_array().unwrap().len(), 5);
        for (flow, shown) in summary["flows"].as_array().unwrap().iter().zip(0..) {
            for (key, value) in overview["flows"][shown].as_object().unwrap() {
                let expected = flow.get(key);
                let over_tcp = json!(shown < 3);
                let expected = match key.as_str() {
                    "members" => Some(&Value::Null),
                    "over_tcp" => Some(&over_tcp),
                    _ => expected,
                };
                assert_eq!(Some(value), expected, "{key}");
            }
        }
        for key in [
            "digest",
            "seed",
            "cell_hops",
            "wall_seconds",
            "warnings",
            "totals",
        ] {
            assert_eq!(overview[key], summary[key], "{key}");
        }
    }

    #[test]
    fn many_flows_are_groups() {
        let (summary, overview) = both(4, 100);
        let groups = overview["flows"].as_array().unwrap();
        let names: Vec<_> = groups
            .iter()
            .map(|one| (&one["name"], &one["members"]))
            .collect();
        assert_eq!(
            names,
            [(&json!("tcp"), &json!(3)), (&json!("cells"), &json!(2))]
        );
        let of_tcp = |key: &str| {
            let flows = summary["flows"].as_array().unwrap().iter().take(3);
            flows.map(|flow| flow[key].as_f64().unwrap()).sum::<f64>()
        };
        let goodput = of_tcp("goodput_bits_per_second") / 3.0;
        assert!(goodput > 1e5);
        let shown = groups[0]["goodput_bits_per_second"].as_f64().unwrap();
        assert!((shown / goodput - 1.0).abs() < 1e-12);
        assert!(of_tcp("packets_lost") > 0.0);
        assert_eq!(
            groups[0]["packets_lost"].as_f64(),
            Some(of_tcp("packets_lost"))
        );
        // Flows without TCP have no efficiency.
        assert_eq!(groups[1]["efficiency"], Value::Null);
        assert_eq!(
            [&groups[0]["over_tcp"], &groups[1]["over_tcp"]],
            [true, false]
        );
    }

    #[test]
    fn the_longest_queues_are_shown_and_the_others_counted() {
        let (summary, overview) = both(5, 2);
        let ports = summary["ports"].as_array().unwrap();
        let mut used: Vec<_> = (ports.iter())
            .flat_map(|port| port["queues"].as_array().unwrap())
            .filter(|queue| queue["cells_arrived"] != 0)
            .map(|queue| {
                let lengths = ["queue_max_cells", "queue_max_before_window_cells"];
                lengths
                    .iter()
                    .filter_map(|key| queue[key].as_u64())
                    .max()
                    .unwrap()
            })
            .collect();
        used.sort_by_key(|longest| Reverse(*longest));
        let shown = overview["ports"].as_array().unwrap();
        let shown: Vec<_> = (shown.iter())
            .map(|port| {
                port["queues"][0]["queue_max_of_run_cells"]
                    .as_u64()
                    .unwrap()
            })
            .collect();
        assert_eq!(shown, used[..2]);
        assert!(used[0] > used[1]);
        assert_eq!(overview["other_queues"], used.len() - 2);
    }
}
