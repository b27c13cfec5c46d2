//! A control scheme at a single port, and schemes and laws that are reached between slices of a run.

use std::any::Any;
use std::sync::Arc;

use crate::support::bottlenecks::greedy;
use crate::support::plans::{Dumbbell, cell_time_us, plain_switch};
use cellrate_engine::atm::cell::RmCell;
use cellrate_engine::atm::plan::{NodeKind, Plan, SwitchPlan};
use cellrate_engine::atm::{Reference, Report, Simulation};
use cellrate_engine::control::{
    ControlConfig, CustomControl, CustomScheme, PortFacts, QueueReading,
};
use cellrate_engine::custom::Custom;
use cellrate_engine::endsystem::{CustomLaw, LawState, SourceFacts};
use cellrate_engine::kernel::Ps;
use cellrate_engine::passing::Passing;
use serde_json::{Map, json};

const END: Ps = Ps::from_ms(60);

fn erica() -> ControlConfig {
    serde_json::from_value(json!({ "scheme": "erica" })).unwrap()
}

/// Three greedy sources over one link of 100,000 cells/s.
fn plan(control: ControlConfig) -> Plan {
    let switch = SwitchPlan {
        control,
        ..plain_switch()
    };
    let Dumbbell { graph, paths } = Dumbbell::new(3, cell_time_us(10), Ps::from_us(100), &switch);
    let flows = paths.into_iter().enumerate();
    graph.plan(flows.map(|(number, path)| greedy(number, path)).collect())
}

fn run(plan: Plan) -> Report {
    let plain = Reference::new(plan.clone())
        .unwrap()
        .measure(Ps::ZERO, END, END);
    let mut fast: Simulation = Simulation::new(plan).unwrap();
    let report = fast.measure(Ps::ZERO, END, END);
    assert_eq!(report.digest, plain.digest);
    report
}

/// Indices of the links that switches feed.
fn switch_links(plan: &Plan) -> Vec<usize> {
    let of_switch =
        |link: &usize| matches!(plan.nodes[plan.links[*link].from].kind, NodeKind::Switch(_));
    (0..plan.links.len()).filter(of_switch).collect()
}

fn bottleneck(plan: &Plan) -> usize {
    plan.links
        .iter()
        .position(|link| link.name == "A->B")
        .unwrap()
}

#[test]
fn the_same_scheme_at_every_port_is_that_of_the_switches() {
    let (without, of_switches) = (plan(ControlConfig::default()), run(plan(erica())));
    let mut single = without.clone();
    single.port_controls = switch_links(&single)
        .into_iter()
        .map(|link| (link, erica()))
        .collect();
    assert_eq!(run(single).digest, of_switches.digest);
    assert_ne!(run(without).digest, of_switches.digest);
}

#[test]
fn a_scheme_at_one_port_leaves_the_others_as_they_are() {
    let mut single = plan(ControlConfig::default());
    single.port_controls = vec![(bottleneck(&single), erica())];
    let report = run(single);
    let with = report.ports.iter();
    let with = with.filter(|port| format!("{:?}", port.control).contains("erica"));
    let erica: Vec<&str> = with.map(|port| port.name.as_str()).collect();
    assert_eq!(erica, ["A->B"]);
}

/// A scheme that counts the cells under control, and advertises a rate that the test sets.
#[derive(Clone, Debug, Default)]
struct Told {
    cells: u64,
    er: Option<f64>,
}

#[derive(Debug)]
struct ToldScheme;

impl CustomScheme for ToldScheme {
    fn name(&self) -> &'static str {
        "told"
    }
    fn build(&self, _: PortFacts) -> Box<dyn CustomControl> {
        Box::new(Told::default())
    }
}

impl CustomControl for Told {
    fn name(&self) -> &'static str {
        "told"
    }
    fn on_forward(&mut self, _: Ps, _: u32, _: &mut Passing, _: Option<&mut RmCell>, _: u64) {
        self.cells += 1;
    }
    fn on_background(&mut self, _: Ps, _: u64) {}
    fn on_backward(&mut self, _: Ps, _: u32, rm: &mut RmCell, _: u64) {
        rm.er = self.er.map_or(rm.er, |er| er.min(rm.er));
    }
    fn on_dequeue(&mut self, _: Ps, _: &mut Passing, _: u64) {}
    fn marks_at_dequeue(&self) -> bool {
        false
    }
    fn reads_queue(&self) -> QueueReading {
        QueueReading::Never
    }
    fn statistics(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
    fn wake_at(&self) -> Ps {
        Ps::NEVER
    }
    fn wake(&mut self, _: Ps, _: u64, _: u64) {}
    fn boxed_clone(&self) -> Box<dyn CustomControl> {
        Box::new(self.clone())
    }
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        Some(self)
    }
}

/// A law that follows ER up to a rate that the test sets.
#[derive(Clone, Debug)]
struct ToldLaw(f64);

impl CustomLaw for ToldLaw {
    fn name(&self) -> &'static str {
        "told"
    }
    fn build(&self, _: SourceFacts) -> Box<dyn LawState> {
        Box::new(self.clone())
    }
}

impl LawState for ToldLaw {
    fn after_cell(&mut self, _: Ps, acr: f64) -> f64 {
        acr
    }
    fn after_brm(&mut self, _: Ps, _: f64, rm: &RmCell) -> f64 {
        rm.er.min(self.0)
    }
    fn boxed_clone(&self) -> Box<dyn LawState> {
        Box::new(self.clone())
    }
    fn as_any_mut(&mut self) -> Option<&mut dyn Any> {
        Some(self)
    }
}

#[test]
fn a_scheme_is_reached_between_slices_and_its_counts_are_those_of_the_port() {
    let mut own = plan(ControlConfig::default());
    let link = bottleneck(&own);
    let scheme = Custom::new("told".into(), Arc::new(ToldScheme) as _, Map::new());
    own.port_controls = vec![(link, ControlConfig::Custom(scheme))];
    let others = switch_links(&own)
        .into_iter()
        .filter(|other| *other != link);
    let others: Vec<usize> = others.collect();
    let mut run: Simulation = Simulation::new(own).unwrap();
    run.run_until(Ps::from_ms(20));
    let (mut before, mut queues) = (0, [0; 2]);
    for (slice, share) in [(40, 0.1), (60, 0.5)] {
        let port = run.port_from_outside(link).unwrap();
        let told: &mut Told = port.scheme.downcast_mut().unwrap();
        // Nothing is lost, and all of it is under control.
        assert!(told.cells > before);
        assert!(told.cells.abs_diff(port.departed + port.queue) <= 1);
        before = told.cells;
        told.er = Some(share * 100_000.0);
        run.run_until(Ps::from_ms(slice));
        queues[usize::from(slice == 60)] = run.port_from_outside(link).unwrap().queue;
        assert!((run.acr(0).unwrap() / (share * 100_000.0) - 1.0).abs() < 0.01);
    }
    assert!(
        queues[1] > queues[0],
        "three halves of the link fill the queue"
    );
    for other in others {
        assert!(
            run.port_from_outside(other).is_none(),
            "a scheme of the registry"
        );
    }
    assert!(run.port_from_outside(usize::MAX).is_none());
}

#[test]
fn a_law_is_reached_between_slices() {
    let mut own = plan(ControlConfig::default());
    let law = Arc::new(ToldLaw(10_000.0)) as _;
    own.flows[1].abr.law = Some(Custom::new("told".into(), law, Map::new()));
    let mut run: Simulation = Simulation::new(own).unwrap();
    run.run_until(Ps::from_ms(30));
    let source = run.law_from_outside(1).unwrap();
    assert!((source.acr - 10_000.0).abs() < 1.0);
    assert!(source.sent >= source.received && source.received > 100);
    assert_eq!(
        u64::from(source.next_number),
        source.received,
        "nothing is lost"
    );
    source.law.downcast_mut::<ToldLaw>().unwrap().0 = 5_000.0;
    run.run_until(END);
    assert!((run.law_from_outside(1).unwrap().acr - 5_000.0).abs() < 1.0);
    assert!(run.law_from_outside(0).is_none(), "the rules of TM 4.0");
}
