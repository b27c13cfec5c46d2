//! Parking lot: a chain of switches; each flow enters and leaves the chain at switches of its own.

use cellrate_engine::kernel::Ps;

use super::template::{instances, own, refuse};
use super::{Graph, Node};
use crate::scenario::flow::Flow;
use crate::scenario::problem::{Problem, place};
use crate::scenario::topology::ParkingLot;
use crate::scenario::types::Scenario;

/// Builds the chain `src.FLOW` - `S1` - ... - `SN` - `dst.FLOW`; each flow enters and leaves the
/// chain at switches of its own.
pub fn parking_lot(scenario: &Scenario, template: &ParkingLot) -> Result<Graph, Vec<Problem>> {
    refuse(
        scenario,
        "parking-lot",
        &[("from", Flow::has_from), ("to", Flow::has_to)],
    )?;
    if template.access.is_some() == template.span.is_some() {
        let message = match template.span {
            Some(_) => {
                "a parking lot has both `access` and `span`, but each follows from the other"
            }
            None => "a parking lot has neither `access` nor `span`",
        };
        return Err(vec![Problem::error(
            place!["topology"],
            message,
            "set one of `access` and `span`",
        )]);
    }
    let last = template.switches as usize - 1;
    let nodes = (0..=last)
        .map(|i| Node::named_switch(format!("S{}", i + 1), &scenario.switch))
        .collect();
    let mut graph = Graph {
        nodes,
        links: Vec::new(),
        flows: Vec::new(),
    };
    let rate = template.bottleneck_rate.unwrap_or(template.link_rate);
    let hops: Vec<(usize, usize)> = (0..last)
        .map(|i| graph.add_duplex(i, i + 1, rate, template.hop.0))
        .collect();
    let mut problems = Vec::new();
    for (group, index) in instances(scenario) {
        match way(&scenario.flows[group], (group, index), template) {
            Ok(way) => add(&mut graph, scenario, template, &hops, (group, index), &way),
            Err(problem) => problems.push(problem),
        }
    }
    problems.dedup_by(|one, other| one.message == other.message);
    if problems.is_empty() {
        Ok(graph)
    } else {
        Err(problems)
    }
}

/// Route of a flow: its first switch, the number of links between switches, and the delays of its
/// access and egress links.
struct Way {
    enters: usize,
    hops: usize,
    access: Ps,
    egress: Ps,
}

fn way(flow: &Flow, (group, index): (usize, u32), template: &ParkingLot) -> Result<Way, Problem> {
    let row = template.switches - 1;
    let enters = flow.enters.unwrap_or((index - 1) % row + 1);
    if enters > row {
        let message = format!(
            "a flow cannot enter at switch {enters} of {}",
            template.switches
        );
        return Err(Problem::error(
            place!["flow", group, "enters"],
            message,
            format!("allowed: 1 to {row}"),
        ));
    }
    let most = template.switches - enters;
    let hops = flow.hops.unwrap_or(most);
    if hops > most {
        let message = format!(
            "`{}` enters at switch {enters} and cannot cross {hops} links",
            flow.instance(index)
        );
        return Err(Problem::error(
            place!["flow", group, "hops"],
            message,
            format!("allowed: at most {most}"),
        ));
    }
    let egress = own(flow.egress, template.egress);
    let behind = Ps(template.hop.0.0.saturating_mul(hops.into())).saturating_add(egress);
    let access = match (flow.access.or(template.access), template.span) {
        (Some(access), _) => access.0,
        (None, Some(span)) if span.0 >= behind => span.0 - behind,
        _ => {
            let name = flow.instance(index);
            let message = format!(
                "`span` is shorter than the path of `{name}` behind its first switch, {behind}"
            );
            return Err(Problem::error(
                place!["topology", "span"],
                message,
                format!("allowed: at least {behind}"),
            ));
        }
    };
    Ok(Way {
        enters: enters as usize - 1,
        hops: hops as usize,
        access,
        egress,
    })
}

fn add(
    graph: &mut Graph,
    scenario: &Scenario,
    template: &ParkingLot,
    hops: &[(usize, usize)],
    (group, index): (usize, u32),
    way: &Way,
) {
    let (name, rate) = (scenario.flows[group].instance(index), template.link_rate);
    let source = graph.add_node(Node::host(format!("src.{name}")));
    let destination = graph.add_node(Node::host(format!("dst.{name}")));
    let access = graph.add_duplex(source, way.enters, rate, way.access);
    let egress = graph.add_duplex(way.enters + way.hops, destination, rate, way.egress);
    let crossed = &hops[way.enters..way.enters + way.hops];
    let forward = [access.0]
        .into_iter()
        .chain(crossed.iter().map(|hop| hop.0))
        .chain([egress.0])
        .collect();
    let backward = [egress.1]
        .into_iter()
        .chain(crossed.iter().rev().map(|hop| hop.1))
        .chain([access.1])
        .collect();
    graph.add_flow(scenario, (group, index), forward, backward);
}

#[cfg(test)]
mod tests {
    use super::super::expand;
    use super::*;

    fn of(topology: &str, flows: &str) -> Result<Graph, Vec<Problem>> {
        let text = format!(
            "run.duration = \"1 s\"\ntopology = {{ template = \"parking-lot\", link_rate = \"150 Mbit/s\", {topology} }}\nflow = [{flows}]"
        );
        let table: toml::Table = text.parse().unwrap();
        expand(&serde::Deserialize::deserialize(table).unwrap())
    }

    const MARSAN: &str = r#"switches = 7, hop = "100 km", span = "1000 km", egress = "200 km""#;

    fn names(graph: &Graph, links: &[usize]) -> String {
        links
            .iter()
            .map(|link| graph.links[*link].name.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Ajmone Marsan et al. 1997, section 4.3: every connection is 1000 km long, of which 700 km
    /// lie between source and node 6.
    #[test]
    fn marsans_six_connections_are_equally_long() {
        let graph = of(MARSAN, r#"{ name = "tcp", count = 6, service = "abr" }"#).unwrap();
        let access: Vec<u64> = graph
            .flows
            .iter()
            .map(|flow| graph.links[flow.forward[0]].delay.0 / 5_000_000)
            .collect();
        assert_eq!(access, [200, 300, 400, 500, 600, 700]);
        for flow in &graph.flows {
            let length: u64 = flow
                .forward
                .iter()
                .map(|link| graph.links[*link].delay.0 / 5_000_000)
                .sum();
            assert_eq!(
                (length, flow.forward.len()),
                (1000, 9 - flow.index as usize)
            );
        }
        assert_eq!(
            names(&graph, &graph.flows[5].forward),
            "src.tcp.6->S6 S6->S7 S7->dst.tcp.6"
        );
        assert_eq!(
            names(&graph, &graph.flows[4].backward),
            "dst.tcp.5->S7 S7->S6 S6->S5 S5->src.tcp.5"
        );
    }

    #[test]
    fn flows_enter_and_leave_where_they_say() {
        let source = r#"source = { kind = "cbr", rate = "1 Mbit/s" }, service = "cbr""#;
        let flows = format!(
            r#"{{ name = "hop", count = 3, hops = 1, {source} }}, {{ name = "mid", enters = 2, count = 2, {source} }}"#
        );
        let graph = of(
            r#"switches = 4, hop = "1 km", access = "2 km", egress = "1 km""#,
            &flows,
        )
        .unwrap();
        let ways: Vec<String> = graph
            .flows
            .iter()
            .map(|flow| names(&graph, &flow.forward))
            .collect();
        assert_eq!(ways[1], "src.hop.2->S2 S2->S3 S3->dst.hop.2");
        assert_eq!(ways[2], "src.hop.3->S3 S3->S4 S4->dst.hop.3");
        assert_eq!(ways[4], "src.mid.2->S2 S2->S3 S3->S4 S4->dst.mid.2");
        assert_eq!(
            graph.links[graph.flows[0].forward[0]].delay,
            Ps::from_us(10)
        );
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let found = |topology: &str, flow: &str| {
            let problems = of(
                topology,
                &format!(r#"{{ name = "f", service = "abr", {flow} }}"#),
            )
            .unwrap_err();
            assert_eq!(problems.len(), 1);
            problems.into_iter().next().unwrap().message
        };
        assert_eq!(
            found(MARSAN, "enters = 7"),
            "a flow cannot enter at switch 7 of 7"
        );
        assert_eq!(
            found(MARSAN, "enters = 5, hops = 3"),
            "`f.1` enters at switch 5 and cannot cross 3 links"
        );
        let short = MARSAN.replace("1000 km", "700 km");
        assert_eq!(
            found(&short, "count = 6"),
            "`span` is shorter than the path of `f.1` behind its first switch, 4 ms"
        );
        let both = MARSAN.replace("span", r#"access = "1 km", span"#);
        assert!(
            found(&both, "count = 1").starts_with("a parking lot has both `access` and `span`")
        );
    }
}
