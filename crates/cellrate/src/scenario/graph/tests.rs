use super::*;
use crate::scenario::tests::repeatable::repeatable;

const GRAPH: &str = r#"
run.duration = "1 s"
[topology]
template = "graph"
node = [
    { name = "h1", kind = "host" }, { name = "h2", kind = "host" }, { name = "h3", kind = "host" },
    { name = "X", kind = "switch", buffer = "10 cells" }, { name = "Y", kind = "switch" }, { name = "Z", kind = "switch" },
]
link = [
    { from = "h1", to = "X", rate = "155.52 Mbit/s", delay = "1 km" },
    { from = "Y", to = "h2", rate = "155.52 Mbit/s", delay = "1 km" },
    { from = "X", to = "Z", rate = "155.52 Mbit/s", delay = "1 km" },
    { from = "Z", to = "Y", rate = "155.52 Mbit/s", delay = "1 km" },
    { from = "X", to = "Y", rate = "100 Mbit/s", delay = "1 km", duplex = false },
]
"#;

fn graph_with(flow: &str) -> Result<Graph, Vec<Problem>> {
    let text = format!("{GRAPH}\n[[flow]]\nname = \"f\"\nfrom = \"h1\"\nto = \"h2\"\n{flow}");
    let table: toml::Table = text.parse().unwrap();
    expand(&serde::Deserialize::deserialize(table).unwrap())
}

fn first_problem(flow: &str) -> String {
    graph_with(flow).unwrap_err().remove(0).message
}

fn names(graph: &Graph, links: &[usize]) -> String {
    links
        .iter()
        .map(|link| graph.links[*link].name.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn an_unspecified_route_has_the_fewest_hops_and_tcp_returns_where_links_lead() {
    let graph = graph_with("service = \"ubr\"").unwrap();
    let flow = &graph.flows[0];
    assert_eq!(names(&graph, &flow.forward), "h1->X X->Y Y->h2");
    assert_eq!(names(&graph, &flow.backward), "h2->Y Y->Z Z->X X->h1");
    assert_eq!(graph.nodes[3].switch.as_ref().unwrap().buffer.0, 10);
    assert!(graph.nodes[4].switch.as_ref().unwrap().buffer.is_infinite());
}

#[test]
fn abr_returns_the_way_it_came_or_not_at_all() {
    assert_eq!(
        first_problem("service = \"abr\""),
        "an ABR flow must return over the nodes of its way out, but returns over others"
    );
    let route = r#"service = "abr"
        route = ["h1", "X", "Z", "Y", "h2"]"#;
    let graph = graph_with(route).unwrap();
    assert_eq!(
        names(&graph, &graph.flows[0].backward),
        "h2->Y Y->Z Z->X X->h1"
    );
    let other = r#"service = "abr"
        route = ["h1", "X", "Y", "h2"]
        return_route = ["h2", "Y", "Z", "X", "h1"]"#;
    assert_eq!(
        first_problem(other),
        "an ABR flow must return over the nodes of its way out, but returns over others"
    );
}

#[test]
fn impossible_routes_are_named() {
    let route = |nodes: &str| first_problem(&format!("service = \"ubr\"\nroute = [{nodes}]"));
    assert_eq!(
        route(r#""h1", "X", "Z", "X", "Y", "h2""#),
        "the route visits `X` twice"
    );
    assert_eq!(
        route(r#""h1", "Y", "h2""#),
        "no link leads from `h1` to `Y`"
    );
    assert_eq!(route(r#""h1", "X""#), "the route ends at `X`, not at `h2`");
    assert_eq!(route(r#""h1", "W", "h2""#), "there is no node `W`");
    assert_eq!(
        route(r#""h1", "h3", "h2""#),
        "the route crosses the host `h3`"
    );
    assert_eq!(route(""), "the route begins at `nowhere`, not at `h1`");
}

#[test]
fn a_flow_of_bare_cells_needs_no_way_back() {
    let graph =
        graph_with("service = \"cbr\"\nsource = { kind = \"cbr\", rate = \"1 Mbit/s\" }").unwrap();
    assert!(graph.flows[0].backward.is_empty());
}

#[test]
fn a_template_gives_every_flow_its_own_hosts() {
    let text = r#"
        run.duration = "1 s"
        topology = { template = "n-source", link_rate = "155.52 Mbit/s", access = "1 km", bottleneck = "1000 km", egress = "1 km" }
        flow = [
            { name = "tcp", count = 2, service = "abr", stagger = "2 ms" },
            { name = "far", service = "cbr", egress = "7 ms", source = { kind = "cbr", rate = "1 Mbit/s" } },
        ]"#;
    let table: toml::Table = text.parse().unwrap();
    let graph = expand(&serde::Deserialize::deserialize(table).unwrap()).unwrap();
    let nodes: Vec<&str> = graph.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(
        nodes,
        [
            "A",
            "B",
            "src.tcp.1",
            "dst.tcp.1",
            "src.tcp.2",
            "dst.tcp.2",
            "src.far.1",
            "dst.far.1"
        ]
    );
    let second = &graph.flows[1];
    assert_eq!(
        (second.name.as_str(), second.start),
        ("tcp.2", Ps::from_ms(2))
    );
    assert_eq!(
        names(&graph, &second.forward),
        "src.tcp.2->A A->B B->dst.tcp.2"
    );
    assert_eq!(
        names(&graph, &second.backward),
        "dst.tcp.2->B B->A A->src.tcp.2"
    );
    let far = &graph.flows[2];
    assert_eq!(
        (graph.links[far.forward[2]].delay, far.backward.len()),
        (Ps::from_ms(7), 0)
    );
}

#[test]
fn a_reverse_flow_goes_the_other_way_over_the_same_lengths() {
    let text = |template: &str| {
        format!(
            r#"
        run.duration = "1 s"
        topology = {{ template = "{template}", link_rate = "155.52 Mbit/s", access = "1 ms", bottleneck = "5 ms" }}
        flow = [{{ name = "tcp", service = "abr" }}, {{ name = "back", service = "abr", reverse = true }}]"#
        )
    };
    let read =
        |text: &str| serde::Deserialize::deserialize(text.parse::<toml::Table>().unwrap()).unwrap();
    let two_way = text("n-source").replace(r#""5 ms""#, r#""5 ms", egress = "2 ms""#);
    let graph = expand(&read(&two_way)).unwrap();
    let back = &graph.flows[1];
    assert_eq!(
        names(&graph, &back.forward),
        "src.back.1->B B->A A->dst.back.1"
    );
    assert_eq!(
        names(&graph, &back.backward),
        "dst.back.1->A A->B B->src.back.1"
    );
    let delays: Vec<Ps> = back
        .forward
        .iter()
        .map(|link| graph.links[*link].delay)
        .collect();
    assert_eq!(delays, [2, 5, 1].map(Ps::from_ms));
    // A single switch has no opposite side.
    let problems = expand(&read(&text("single-switch"))).unwrap_err();
    assert!(
        problems[0].message.contains("`reverse` has no meaning"),
        "{problems:?}"
    );
}

/// Every route without a repeated node, shortest first and then by the order of its links.
fn all_ways(graph: &Graph, from: usize, to: usize) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut open = vec![(from, Vec::new(), vec![from])];
    while let Some((node, links, seen)) = open.pop() {
        for (index, link) in graph
            .links
            .iter()
            .enumerate()
            .filter(|(_, link)| link.from == node)
        {
            let (mut links, mut seen) = (links.clone(), seen.clone());
            links.push(index);
            if link.to == to {
                found.push(links);
            } else if !seen.contains(&link.to) && !graph.nodes[link.to].is_host() {
                seen.push(link.to);
                open.push((link.to, links, seen));
            }
        }
    }
    found.sort_by_key(|links: &Vec<usize>| (links.len(), links.clone()));
    found
}

proptest::proptest! {
    #![proptest_config(repeatable(256))]

    #[test]
    fn the_route_found_is_the_first_of_all(pairs in proptest::collection::vec((0usize..7, 0usize..7), 1..20)) {
        let nodes = (0..7).map(|i| if i < 2 { Node::host(i.to_string()) } else { Node::switch(i.to_string(), Switch::default()) });
        let mut graph = Graph { nodes: nodes.collect(), links: Vec::new(), flows: Vec::new() };
        for (from, to) in pairs {
            let known = graph.links.iter().any(|link| (link.from, link.to) == (from, to));
            if from != to && !known {
                graph.add_link(from, to, Rate::from_bps(1), Ps::ZERO);
            }
        }
        let found = search::fewest_hops(&graph, &search::leaving(&graph), 0, 1);
        proptest::prop_assert_eq!(found, all_ways(&graph, 0, 1).into_iter().next());
    }
}

/// A root, switches X, Y and Z in a row, and a host at each of them.
const ROW: &str = r#"
run.duration = "1 s"
[topology]
template = "graph"
node = [
    { name = "root", kind = "host" }, { name = "x", kind = "host" }, { name = "y", kind = "host" }, { name = "z", kind = "host" },
    { name = "X", kind = "switch" }, { name = "Y", kind = "switch" }, { name = "Z", kind = "switch" },
]
link = [
    { from = "root", to = "X", rate = "155.52 Mbit/s", delay = "1 km" },
    { from = "X", to = "Y", rate = "155.52 Mbit/s", delay = "1 km" },
    { from = "Y", to = "Z", rate = "155.52 Mbit/s", delay = "1 km" },
    { from = "X", to = "x", rate = "155.52 Mbit/s", delay = "1 km" },
    { from = "Y", to = "y", rate = "155.52 Mbit/s", delay = "1 km" },
    { from = "Z", to = "z", rate = "155.52 Mbit/s", delay = "1 km" },
]
[[flow]]
name = "other"
count = 2
service = "abr"
from = "z"
to = "x"
[[flow]]
name = "m"
service = "abr"
source = { kind = "persistent" }
from = "root"
"#;

#[test]
fn each_leaf_branches_off_where_its_route_parts() {
    let tree = |ends: &str| {
        let table: toml::Table = format!("{ROW}\n{ends}").parse().unwrap();
        let graph = expand(&serde::Deserialize::deserialize(table).unwrap()).unwrap();
        let flows = graph.flows[2..].iter().map(|flow| {
            let of = flow.branch.map(|branch| branch.of);
            let ways = [&flow.forward, &flow.backward].map(|way| names(&graph, way));
            format!("{} {of:?}: {} | {}", flow.name, ways[0], ways[1])
        });
        flows.collect::<Vec<_>>()
    };
    assert_eq!(
        tree(
            r#"to = "z"
            multipoint = { also_to = ["x", "y"] }"#
        ),
        [
            "m.1 None: root->X X->Y Y->Z Z->z | z->Z Z->Y Y->X X->root",
            "m.2 Some(2): X->x | x->X",
            "m.3 Some(2): Y->y | y->Y",
        ]
    );
    assert_eq!(
        tree(
            r#"to = "x"
            multipoint = { also_to = ["y", "z"] }"#
        ),
        [
            "m.1 None: root->X X->x | x->X X->root",
            "m.2 Some(2): X->Y Y->y | y->Y Y->X",
            "m.3 Some(3): Y->Z Z->z | z->Z Z->Y",
        ]
    );
    // Without further hosts the flow is point-to-point.
    let alone = tree(
        r#"to = "x"
        multipoint = { also_to = [] }"#,
    );
    assert_eq!(alone, tree(r#"to = "x""#));
}
