//! Point-to-multipoint ABR channels: copies of cells, and consolidated backward RM cells.
//!
//! Lines carry 100,000 cells/s, a cell in 10 us, unless a test says otherwise.

use std::collections::BTreeMap;

use crate::support::agreed;
use crate::support::plans::{Graph, back, cell_time_us, flow, plain_switch};
use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::consolidation::Consolidation;
use cellrate_engine::atm::plan::{BranchPlan, FlowPlan, NodeKind, Plan, SwitchPlan};
use cellrate_engine::atm::report::VcReport;
use cellrate_engine::atm::server::LazyServer;
use cellrate_engine::atm::{Change, Crossing, FlowChange, Observer, Reference, Report, Simulation};
use cellrate_engine::control::ControlConfig;
use cellrate_engine::endsystem::{AbrConfig, SourceRules, VsVdConfig};
use cellrate_engine::kernel::units::{Buffer, Cells};
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::traffic::SourceConfig;
use serde_json::json;

use Consolidation::{Simple, WaitForAll};

const LINE: Rate = cell_time_us(10);

fn erica() -> SwitchPlan {
    let scheme = json!({"scheme": "erica"});
    SwitchPlan {
        control: serde_json::from_value(scheme).expect("valid parameters"),
        ..plain_switch()
    }
}

fn persistent(name: &str, forward: Vec<usize>) -> FlowPlan {
    FlowPlan {
        backward: back(&forward),
        ..flow(
            name,
            ServiceClass::Abr,
            SourceConfig::Persistent(Default::default()),
            forward,
        )
    }
}

/// A further branch over the links `forward`, with copies of the cells of the flow number `of`.
fn branch(name: &str, of: usize, consolidation: Consolidation, forward: Vec<usize>) -> FlowPlan {
    FlowPlan {
        branch: Some(BranchPlan { of, consolidation }),
        ..persistent(name, forward)
    }
}

/// A root, a switch, and leaves behind lines with the given rates and delays. The line of the root is 100 us long.
fn star(settings: SwitchPlan, rule: Consolidation, leaves: &[(Rate, Ps)]) -> Plan {
    let mut graph = Graph::default();
    let (root, switch) = (graph.host("root"), graph.switch("S", settings));
    let trunk = graph.duplex(root, switch, LINE, Ps::from_us(100));
    let mut flows = Vec::new();
    for (number, (rate, delay)) in leaves.iter().enumerate() {
        let leaf = graph.host(&format!("leaf{number}"));
        let line = graph.duplex(switch, leaf, *rate, *delay);
        flows.push(match number {
            0 => persistent("m.1", vec![trunk, line]),
            _ => branch(&format!("m.{}", number + 1), 0, rule, vec![line]),
        });
    }
    graph.plan(flows)
}

fn start(plan: Plan) -> Simulation {
    Simulation::new(plan).expect("a plan")
}

fn vc<'a>(report: &'a Report, name: &str) -> &'a VcReport {
    let mut vcs = report.vcs.iter();
    vcs.find(|vc| vc.name == name)
        .expect("a channel of that name")
}

/// The instant at which the first backward RM cell is at the root, to 1 ps.
fn first_answer(plan: Plan) -> Ps {
    let (mut before, mut after) = (0, Ps::from_ms(10).0);
    while after - before > 1 {
        let middle = (before + after) / 2;
        let mut run = start(plan.clone());
        run.run_until(Ps(middle));
        match run.explicit_rate(0) {
            None => before = middle,
            Some(_) => after = middle,
        }
    }
    Ps(before)
}

#[test]
fn the_first_backward_rm_cells_by_hand() {
    // The first cell is an FRM, at the switch at 10 + 100 us.
    // Simple: the BRM leaves at once, and is at the root 10 + 100 us later.
    // Wait for all: a copy is at the near leaf at 110 + 10 + 50 us and its BRM at the switch at 170 + 10 + 50 us. A
    // copy is at the far leaf at 110 + 20 + 350 us and its BRM at the switch at 480 + 20 + 350 us. The second BRM
    // goes on, and is at the root at 850 + 10 + 100 us.
    let leaves = [
        (LINE, Ps::from_us(50)),
        (cell_time_us(20), Ps::from_us(350)),
    ];
    let at = |rule| first_answer(star(plain_switch(), rule, &leaves));
    assert_eq!(at(Simple), Ps::from_us(220));
    assert_eq!(at(WaitForAll), Ps::from_us(960));
}

#[test]
fn with_equal_branches_the_root_acts_as_if_it_had_one_leaf() {
    // Both BRMs arrive at one instant, and the second goes on unchanged.
    let leaf = (cell_time_us(20), Ps::from_us(300));
    let mut several = start(star(erica(), WaitForAll, &[leaf; 3]));
    let mut one = star(erica(), WaitForAll, &[leaf]);
    // The leaf of a point-to-point channel sends forward RM cells of its own; leaves of a tree send none.
    one.flows[0].abr.frm_needs_data = true;
    let mut one = start(one);
    for sample in 1..2_000 {
        let now = Ps::from_us(50 * sample);
        several.run_until(now);
        one.run_until(now);
        assert_eq!(several.acr(0), one.acr(0), "at {now}");
    }
    assert_ne!(one.acr(0), Some(100_000.0));
}

/// Two switches in a row. One leaf is at the first switch, two are at the second. A flow of its own shares the line to
/// the leaf c.
fn tree(rule: Consolidation, settings: SwitchPlan) -> Plan {
    let mut graph = Graph::default();
    let (root, other) = (graph.host("root"), graph.host("other"));
    let (first, second) = (
        graph.switch("S1", settings.clone()),
        graph.switch("S2", settings),
    );
    let [a, b, c] = ["a", "b", "c"].map(|name| graph.host(name));
    let us = Ps::from_us;
    let trunk = graph.duplex(root, first, LINE, us(100));
    let middle = graph.duplex(first, second, LINE, us(400));
    let to_a = graph.duplex(first, a, LINE, us(30));
    let to_b = graph.duplex(second, b, LINE, us(20));
    let to_c = graph.duplex(second, c, cell_time_us(20), us(700));
    let from_other = graph.duplex(other, second, LINE, us(10));
    graph.plan(vec![
        persistent("m.1", vec![trunk, to_a]),
        branch("m.2", 0, rule, vec![middle, to_b]),
        branch("m.3", 1, rule, vec![to_c]),
        persistent("p", vec![from_other, to_c]),
    ])
}

/// Numbers of the data cells that cross each link, by the name of the link.
#[derive(Default)]
struct Numbers(BTreeMap<u32, Vec<u32>>);

impl Observer for Numbers {
    fn on_cell(&mut self, cell: &Crossing) {
        let of_root = cell.channel.is_some_and(|channel| channel.flow() < 3);
        if cell.info.is_data() && of_root {
            self.0
                .entry(cell.link)
                .or_default()
                .push(cell.info.number());
        }
    }
}

#[test]
fn each_leaf_gets_each_cell_in_order() {
    for rule in [Simple, WaitForAll] {
        let plan = tree(rule, erica());
        let links = plan.links.clone();
        let mut numbers = Numbers::default();
        let mut reference = Reference::new(plan).expect("a plan");
        reference.observe(Ps::from_ms(100), &mut numbers);
        let crossed: BTreeMap<&str, &Vec<u32>> = numbers
            .0
            .iter()
            .map(|(link, numbers)| (links[*link as usize].name.as_str(), numbers))
            .collect();
        let names = ["root->S1", "S1->a", "S1->S2", "S2->b", "S2->c"];
        assert!(
            crossed
                .keys()
                .eq(["S1->S2", "S1->a", "S2->b", "S2->c", "root->S1"].iter())
        );
        for name in names {
            let count = crossed[name].len() as u32;
            assert!(count > 1_000, "{name}: {count}");
            assert!(crossed[name].iter().copied().eq(0..count), "{name}");
        }
    }
}

#[test]
fn cells_are_conserved_with_copies() {
    for rule in [Simple, WaitForAll] {
        // No control: the line to the leaf c is overloaded, and its buffer drops cells. The report checks the account
        // of each channel.
        let settings = SwitchPlan {
            buffer: Buffer(50),
            ..plain_switch()
        };
        let report = agreed(tree(rule, settings), Ps::from_ms(50));
        let sent = |name: &str| {
            let vc = vc(&report, name);
            (vc.data_cells_sent, vc.frm_cells_sent)
        };
        let arrived = |name: &str| {
            let vc = vc(&report, name);
            assert_eq!(
                vc.cells_sent,
                vc.cells_delivered + vc.cells_dropped + vc.cells_in_flight,
                "{name}"
            );
            vc.cells_sent
        };
        // All cells are copied, at the first switch those that left the root 110 us or more before the end.
        let (data, frms) = sent("m.1/forward");
        assert_eq!(data + frms, 5_000);
        assert_eq!(arrived("m.2/forward"), 4_989);
        assert_eq!(arrived("m.1/forward"), 5_000);
        // At the second switch, those that left the first 410 us before.
        assert_eq!(arrived("m.3/forward"), 4_989 - 41);
        assert!(vc(&report, "m.3/forward").cells_dropped > 1_000);
        assert_eq!(vc(&report, "m.2/forward").cells_dropped, 0);
        // The BRMs of the last leaf end at the second switch, those of the second leaf at the first. The channel of the
        // first leaf of each branch point goes on with consolidated BRMs.
        assert!(arrived("m.3/backward") > 50);
        for (back, copied) in [
            ("m.1/backward", "m.2/forward"),
            ("m.2/backward", "m.3/forward"),
        ] {
            let back = vc(&report, back);
            let (gone_on, ended) = (back.rm_cells_inserted, back.rm_cells_absorbed);
            assert_eq!(
                back.cells_sent + gone_on,
                back.cells_delivered + ended + back.cells_in_flight
            );
            let frms = vc(&report, copied).frm_cells_sent;
            assert!(ended > 50);
            match rule {
                Simple => assert_eq!(gone_on, frms),
                WaitForAll => assert!(gone_on < frms && gone_on > 0),
            }
        }
    }
}

#[test]
fn the_fast_engine_equals_the_plain_one_also_with_losses_delays_and_changes() {
    for (case, rule) in [Simple, WaitForAll].into_iter().cycle().take(8).enumerate() {
        let settings = SwitchPlan {
            buffer: if case % 4 < 2 {
                Buffer(40)
            } else {
                Buffer::INFINITE
            },
            rm_first: case % 3 == 0,
            ..erica()
        };
        let mut plan = tree(rule, settings);
        plan.measure.cell_delay = case % 2 == 0;
        if case >= 4 {
            plan.errors.lose_every = Some(97);
        }
        // The root sends at 30,000 cells/s, and changes its rate in the midst.
        let cbr = |us| json!({"kind": "cbr", "rate": cell_time_us(us).to_string()});
        let [slow, fast] = [33, 12].map(|us| serde_json::from_value::<SourceConfig>(cbr(us)));
        let (slow, fast) = (slow.expect("a source"), fast.expect("a source"));
        let flows = 0..3;
        for flow in flows.clone() {
            plan.flows[flow].source = slow.clone();
        }
        let to = |flow: usize| {
            let mut to = FlowChange::of(&plan.flows[flow]);
            to.source = fast.clone();
            to.abr.nrm = 16;
            (flow, to)
        };
        plan.changes = vec![Change {
            at: Ps::from_ms(20),
            switches: Vec::new(),
            flows: flows.map(to).collect(),
        }];
        let report = agreed(plan, Ps::from_ms(60));
        let delay = report.flows[2].delays.cell_delay_mean_seconds;
        assert_eq!(delay.is_some(), case % 2 == 0);
        // Copies keep the sending time of the cell: 100 + 400 + 700 us of lines, and 10 + 10 + 20 us of transmission.
        assert!(delay.is_none_or(|mean| mean >= 1_240e-6), "{delay:?}");
        assert!(vc(&report, "m.3/backward").frm_cells_sent == 0);
    }
}

#[test]
fn the_rate_is_the_least_fair_share_of_the_branches() {
    // ERICA gives 0.9 of a line. The line to the leaf c, of 50,000 cells/s, has two channels: 22,500 cells/s each.
    let report = agreed(tree(WaitForAll, erica()), Ps::from_ms(400));
    for name in ["m.1/forward", "p/forward"] {
        let acr = vc(&report, name).acr_final_cells_per_second.expect("ABR");
        assert!((acr / 22_500.0 - 1.0).abs() < 0.02, "{name}: {acr}");
    }
    // Without the leaf c, the line of the root gives 0.9 of 100,000 cells/s.
    let mut plan = tree(WaitForAll, erica());
    plan.flows.remove(2);
    let report = agreed(plan, Ps::from_ms(400));
    let acr = vc(&report, "m.1/forward").acr_final_cells_per_second;
    assert!((acr.expect("ABR") / 90_000.0 - 1.0).abs() < 0.02, "{acr:?}");
}

/// Mean and standard deviation of the ACR of the root in the second half of a second, in cells/s.
fn steady(plan: Plan) -> (f64, f64) {
    let mut run = start(plan);
    run.run_until(Ps::from_ms(500));
    let samples: Vec<f64> = (0..5_000)
        .map(|sample| {
            run.run_until(Ps::from_ms(500) + Ps::from_us(100 * sample));
            run.acr(0).expect("ABR")
        })
        .collect();
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    let square = samples.iter().map(|acr| (acr - mean).powi(2)).sum::<f64>();
    (mean, (square / samples.len() as f64).sqrt())
}

#[test]
fn simple_consolidation_is_noisy_if_answers_of_a_far_branch_are_late() {
    // The far branch limits the root to 0.9 of 50,000 cells/s. Bursts behind its bottleneck delay some answers by more
    // than the time between two FRMs, so that a BRM with the near branch alone allows up to 90,000 cells/s.
    let noise = |rule| {
        let mut graph = Graph::default();
        let (root, other) = (graph.host("root"), graph.host("other"));
        let (first, second) = (
            graph.switch("S1", erica()),
            graph.switch("S2", bursts_first()),
        );
        let (near, far) = (graph.host("near"), graph.host("far"));
        let trunk = graph.duplex(root, first, LINE, Ps::from_us(100));
        let to_near = graph.duplex(first, near, LINE, Ps::from_us(50));
        let middle = graph.duplex(first, second, cell_time_us(20), Ps::from_ms(2));
        let to_far = graph.duplex(second, far, LINE, Ps::from_us(50));
        let from_other = graph.duplex(other, second, LINE, Ps::from_us(10));
        let source = json!({
            "kind": "exponential-on-off", "peak": LINE.to_string(), "mean_on": "1 ms", "mean_off": "3 ms",
        });
        let source = serde_json::from_value(source).expect("a source");
        steady(graph.plan(vec![
            persistent("m.1", vec![trunk, to_near]),
            branch("m.2", 0, rule, vec![middle, to_far]),
            flow(
                "bursts",
                ServiceClass::Vbr,
                source,
                vec![from_other, to_far],
            ),
        ]))
    };
    let ((_, simple), (mean, waiting)) = (noise(Simple), noise(WaitForAll));
    assert!((mean / 45_000.0 - 1.0).abs() < 0.02, "{mean}");
    assert!(simple > 10.0 * waiting.max(100.0), "{simple} {waiting}");
}

/// A switch without control that serves VBR before ABR.
fn bursts_first() -> SwitchPlan {
    SwitchPlan::new(Buffer::INFINITE)
}

/// A word of the message with which a plan is refused after a change, and the change.
type Case<'a> = (&'a str, &'a dyn Fn(&mut Plan));

#[test]
fn plans_that_cannot_be_copied_are_refused() {
    let refused = |change: &dyn Fn(&mut Plan)| {
        let mut plan = tree(WaitForAll, plain_switch());
        change(&mut plan);
        match Simulation::<LazyServer>::new(plan) {
            Ok(_) => panic!("the plan is accepted"),
            Err(error) => error.to_string(),
        }
    };
    let settings = |plan: &mut Plan, change: &dyn Fn(&mut SwitchPlan)| {
        for node in &mut plan.nodes {
            if let NodeKind::Switch(switch) = &mut node.kind {
                change(switch);
            }
        }
    };
    let becn =
        || serde_json::from_value::<ControlConfig>(json!({"scheme": "becn"})).expect("valid");
    let cases: [Case<'_>; 8] = [
        ("later flow", &|plan| {
            plan.flows[1].branch = Some(BranchPlan {
                of: 2,
                consolidation: Simple,
            })
        }),
        ("not ABR", &|plan| {
            plan.flows[1].ack_service = ServiceClass::Ubr
        }),
        ("over TCP", &|plan| {
            plan.flows[0].source = SourceConfig::Greedy(Default::default())
        }),
        ("source rules", &|plan| {
            plan.flows[0].abr.rules = SourceRules::Prca
        }),
        ("virtual source", &|plan| {
            settings(plan, &|switch| switch.vsvd = Some(VsVdConfig::default()))
        }),
        ("generates", &|plan| {
            settings(plan, &|switch| switch.control = becn())
        }),
        ("copies", &|plan| {
            plan.flows[2].branch = Some(BranchPlan {
                of: 0,
                consolidation: Simple,
            })
        }),
        ("copies", &|plan| plan.flows[2].backward = vec![9, 3]),
    ];
    for (word, change) in cases {
        let message = refused(change);
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn the_fixed_round_trip_is_that_of_the_farthest_leaf() {
    // TBE of 11 cells over FRTT: the way to the leaf c and back takes 2 (100 + 400 + 700 + 10 + 10 + 20) us.
    let mut plan = tree(WaitForAll, plain_switch());
    for flow in &mut plan.flows[..3] {
        flow.abr = AbrConfig {
            tbe: Cells(11),
            apply_tbe_icr_cap: true,
            crm: Some(1_000),
            ..AbrConfig::default()
        };
    }
    assert_eq!(start(plan).acr(0), Some(11.0 / 2_480e-6));
}
