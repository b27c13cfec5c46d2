use super::*;

fn plan_of(extra: &str, seed: u64) -> Plan {
    let text = format!(
        r#"
        run = {{ duration = "1 s", start_jitter = "1 ms" }}
        measure.events = ["loss", "mark"]
        topology = {{ template = "n-source", link_rate = "155.52 Mbit/s", access = "1 km", bottleneck = "1000 km", egress = "1 km" }}
        switch = {{ buffer = "500 cells", discard = {{ policy = "epd" }}, control = {{ scheme = "efci" }} }}
        flow = [
            {extra}
            {{ name = "tcp", count = 3, service = "ubr", ack_service = "vbr", start = "5 ms", stagger = "2 ms" }},
        ]"#
    );
    plan(&Scenario::parse(&text, "test", &[], Some(seed)).unwrap())
}

fn starts(plan: &Plan) -> Vec<Ps> {
    plan.flows
        .iter()
        .filter(|flow| flow.group == "tcp")
        .map(|flow| flow.start)
        .collect()
}

#[test]
fn everything_of_a_scenario_is_in_its_plan() {
    let plan = plan_of("", 7);
    assert_eq!(plan.seed, 7);
    let NodeKind::Switch(switch) = &plan.nodes[0].kind else {
        panic!()
    };
    assert_eq!(
        (
            switch.buffer.0,
            switch.discard.name(),
            switch.control.name()
        ),
        (500, "epd", "efci")
    );
    let kinds = plan.measure.events;
    assert!(kinds.loss && kinds.mark && !kinds.timeout && !kinds.retransmission);
    let flow = &plan.flows[1];
    assert_eq!(
        (flow.name.as_str(), flow.group.as_str(), flow.index),
        ("tcp.2", "tcp", 2)
    );
    let names = |path: &[usize]| {
        path.iter()
            .map(|link| plan.links[*link].name.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(names(&flow.forward), "src.tcp.2->A A->B B->dst.tcp.2");
    assert_eq!(names(&flow.backward), "dst.tcp.2->B B->A A->src.tcp.2");
    assert_ne!(flow.service, flow.ack_service);
}

#[test]
fn jitter_is_below_its_bound_and_belongs_to_the_flow_and_the_seed() {
    let alone = starts(&plan_of("", 1));
    for (i, start) in alone.iter().enumerate() {
        let base = Ps::from_ms(5 + 2 * i as u64);
        assert!((base..base + Ps::from_ms(1)).contains(start), "{start}");
    }
    let offset = |i: usize| alone[i].0 - Ps::from_ms(2 * i as u64).0;
    assert!(offset(0) != offset(1) && offset(1) != offset(2));
    let other =
        r#"{ name = "cbr", service = "cbr", source = { kind = "cbr", rate = "1 Mbit/s" } },"#;
    assert_eq!(
        alone,
        starts(&plan_of(other, 1)),
        "another flow moves no start"
    );
    assert_ne!(alone, starts(&plan_of("", 2)));
}
