//! Reports to an observer: exactly as many as the report counts, each PDU before its cells, RM
//! cells as they are on each link.

use std::collections::BTreeMap;

use crate::support::outcome;
use crate::support::plans::{Graph, back, cell_time_us, flow, plain_switch};
use crate::support::random_network::{Network, networks};
use crate::support::repeatable::repeatable;
use cellrate_engine::atm::cell::ServiceClass::{Abr, Ubr};
use cellrate_engine::atm::cell::{Body, Info, Kind};
use cellrate_engine::atm::event::{Event, What};
use cellrate_engine::atm::plan::SwitchPlan;
use cellrate_engine::atm::{Crossing, Observer, PduStart, Plan, Reference, Report, Simulation};
use cellrate_engine::discard::Cause;
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::net::ChannelId;
use cellrate_engine::traffic::SourceConfig;
use cellrate_engine::traffic::greedy::GreedyConfig;
use proptest::prelude::*;

/// All reports of a run, in order.
#[derive(Default, Debug, PartialEq)]
struct Told {
    cells: Vec<Crossing>,
    pdus: Vec<PduStart>,
    losses: Vec<Event>,
    /// Time of each report.
    times: Vec<Ps>,
    /// For each channel, the PDU reported last and the one before.
    latest: BTreeMap<ChannelId, Vec<PduStart>>,
}

impl Observer for Told {
    fn on_cell(&mut self, cell: &Crossing) {
        self.times.push(cell.left);
        self.cells.push(*cell);
        let Some(pdus) = cell
            .channel
            .filter(|_| cell.info.is_data())
            .and_then(|channel| self.latest.get(&channel))
        else {
            return;
        };
        let index = |pdu: &PduStart| cell.info.number().wrapping_sub(pdu.first) % Info::NUMBERS;
        let pdu = pdus
            .iter()
            .rev()
            .find(|pdu| index(pdu) < u32::from(pdu.sent))
            .expect("a PDU told before its cells");
        assert_eq!(cell.info.is_eom(), index(pdu) + 1 == u32::from(pdu.cells));
        let inside = cell.body.map(|body| match body {
            Body::Pdu(inside) => (inside.segment, inside.first, inside.cells),
            other => panic!("{other:?} in a data cell"),
        });
        assert_eq!(
            inside,
            cell.info
                .is_eom()
                .then_some((pdu.segment, pdu.first, pdu.cells))
        );
    }
    fn on_pdu(&mut self, pdu: &PduStart) {
        let pdus = self.latest.entry(pdu.channel).or_default();
        let next = pdus.last().map_or(0, |last| {
            (last.first + u32::from(last.sent)) % Info::NUMBERS
        });
        assert_eq!(pdu.first, next, "PDUs follow one another");
        pdus.push(*pdu);
        self.times.push(pdu.at);
        self.pdus.push(*pdu);
    }
    fn on_loss(&mut self, loss: &Event) {
        self.times.push(loss.at);
        self.losses.push(*loss);
    }
}

fn told(plan: Plan, slices: &[Ps]) -> (Told, Reference) {
    let (mut told, mut run) = (Told::default(), Reference::new(plan).unwrap());
    run.state().begin_window();
    slices
        .iter()
        .for_each(|until| run.observe(*until, &mut told));
    (told, run)
}

fn count<T>(of: &[T], which: impl Fn(&T) -> bool) -> u64 {
    of.iter().filter(|one| which(one)).count() as u64
}

fn cause(event: &Event) -> Option<Cause> {
    if let What::Loss { cause, .. } = event.what {
        Some(cause)
    } else {
        None
    }
}

/// Checks the counts of every switch port and every channel.
fn check_against(report: &Report, fast: &mut Simulation, told: &Told, end: Ps) {
    for ((port, state), measured) in fast
        .switch_ports()
        .iter()
        .zip(fast.port_states())
        .zip(&report.ports)
    {
        let link = port.link as u32;
        // A policer drops cells before they reach the port.
        let at_port = |event: &Event| cause(event).is_some_and(|one| one != Cause::Policed);
        let here = |event: &Event| event.link == Some(link) && at_port(event);
        let lost = count(&told.losses, |event| {
            here(event) && cause(event) == Some(Cause::LinkError)
        });
        let credit_lost = measured
            .control
            .statistics
            .get("credit_cells_lost")
            .copied()
            .unwrap_or(0.0) as u64;
        let crossed = count(&told.cells, |cell| cell.link == link);
        assert_eq!(
            crossed + lost + credit_lost,
            state.departed,
            "{}",
            measured.name
        );
        assert_eq!(
            count(&told.losses, here) - lost,
            state.dropped,
            "{}",
            measured.name
        );
        let credit = count(&told.cells, |cell| {
            cell.link == link && cell.channel.is_none()
        });
        assert_eq!(
            credit + credit_lost,
            state.credit_cells,
            "{}",
            measured.name
        );
    }
    let plan = fast.plan();
    let ways = plan.channels().map(|channel| (channel, plan.path(channel)));
    for ((channel, way), vc) in ways.filter(|(_, way)| !way.is_empty()).zip(&report.vcs) {
        let last = way[way.len() - 1] as u32;
        let arrived = |cell: &Crossing| {
            cell.channel == Some(channel) && cell.link == last && cell.arrives < end
        };
        assert_eq!(
            count(&told.cells, arrived),
            vc.cells_delivered,
            "{}",
            vc.name
        );
        let lost = |event: &Event| event.channel == channel && cause(event).is_some();
        assert_eq!(
            count(&told.losses, lost),
            vc.cells_dropped + vc.cells_lost_on_links,
            "{}",
            vc.name
        );
        let hops = way.windows(2).map(|pair| [pair[0] as u32, pair[1] as u32]);
        for [link, next] in hops {
            let on = |link: u32| {
                count(&told.cells, |cell| {
                    (cell.link, cell.channel) == (link, Some(channel))
                })
            };
            assert!(
                vc.rm_cells_inserted > 0 || on(next) <= on(link),
                "{}",
                vc.name
            );
        }
    }
}

proptest! {
    #![proptest_config(repeatable(32))]

    #[test]
    fn an_observer_is_told_what_the_report_counts(network in networks(), cuts in prop::collection::vec(any::<u16>(), 0..4)) {
        let Network { plan, end } = network;
        let mut fast: Simulation = Simulation::new(plan.clone()).unwrap();
        let report = fast.measure(Ps::ZERO, end, end);
        let (whole, _) = told(plan.clone(), &[end]);
        check_against(&report, &mut fast, &whole, end);
        let turned_back = whole.times.windows(2).position(|pair| pair[0] > pair[1]);
        prop_assert_eq!(turned_back.map(|at| whole.times[at..at + 2].to_vec()), None, "in order of time");
        for cell in &whole.cells {
            let expected = match cell.body {
                Some(Body::Rm(_)) => matches!(cell.info.kind(), Kind::Frm | Kind::Brm),
                Some(Body::Credit(_)) => cell.info.kind() == Kind::Credit && cell.channel.is_none(),
                Some(Body::Pdu(_)) => cell.info.is_eom(),
                Some(Body::Stamp(_)) => false,
                None => cell.info.is_data() && !cell.info.is_eom() && !cell.info.has_body(),
            };
            prop_assert!(expected, "{cell:?}");
        }
        let mut slices: Vec<Ps> = cuts.iter().map(|cut| Ps((end.0 >> 16) * *cut as u64)).collect();
        slices.sort_unstable();
        slices.push(end);
        let (sliced, mut run) = told(plan.clone(), &slices);
        prop_assert!(sliced == whole, "slices tell together what the whole does");
        run.state().end_window();
        let unobserved = Reference::new(plan).unwrap().measure(Ps::ZERO, end, end);
        prop_assert_eq!(outcome(&run.state().report()), outcome(&unobserved), "observation changes nothing");
    }
}

#[test]
fn a_pdu_is_told_when_its_first_cell_leaves_also_if_that_is_its_last() {
    let mut graph = Graph::default();
    let (from, to) = (graph.host("a"), graph.host("b"));
    let link = graph.duplex(from, to, cell_time_us(10), Ps::from_us(5));
    let mut tcp = flow(
        "tcp",
        Ubr,
        SourceConfig::Greedy(GreedyConfig {}),
        vec![link],
    );
    tcp.backward = back(&tcp.forward);
    tcp.encapsulation = cellrate_engine::atm::aal5::Encapsulation::VcMux;
    // 40 + 40 + 8 = 88 bytes: two cells. An acknowledgement: 40 + 8 = 48 bytes, one cell.
    (tcp.tcp.mss, tcp.tcp.window) = (Bytes(40), Bytes(40));
    let (told, _) = told(graph.plan(vec![tcp]), &[Ps::from_us(80)]);
    let starts: Vec<_> = told
        .pdus
        .iter()
        .map(|pdu| (pdu.at, pdu.channel, pdu.first, pdu.cells))
        .collect();
    // Cells leave at 10 and 20 and arrive at 15 and 25; the acknowledgement leaves at 35 and
    // arrives at 40.
    let us = Ps::from_us;
    let [there, back] = ChannelId::both(0);
    assert_eq!(
        starts,
        [
            (us(0), there, 0, 2),
            (us(25), back, 0, 1),
            (us(40), there, 2, 2),
            (us(65), back, 1, 1)
        ]
    );
    let segments: Vec<_> = told
        .pdus
        .iter()
        .map(|pdu| {
            (
                pdu.segment.sequence().unwrap(),
                pdu.segment.payload(),
                pdu.segment.ack(),
            )
        })
        .collect();
    assert_eq!(segments, [(0, 40, 0), (0, 0, 40), (40, 40, 0), (0, 0, 80)]);
}

#[test]
fn rm_cells_are_told_as_they_are_on_each_link() {
    let mut graph = Graph::default();
    let control =
        serde_json::from_str(r#"{"scheme": "erica", "target_utilisation": 0.9}"#).unwrap();
    let switch = graph.switch(
        "s",
        SwitchPlan {
            control,
            ..plain_switch()
        },
    );
    let (from, to) = (graph.host("a"), graph.host("b"));
    let access = graph.duplex(from, switch, cell_time_us(10), Ps::from_us(5));
    let out = graph.duplex(switch, to, cell_time_us(20), Ps::from_us(5));
    let mut plan = flow(
        "f",
        Abr,
        SourceConfig::Greedy(GreedyConfig {}),
        vec![access, out],
    );
    plan.backward = back(&plan.forward);
    let (told, _) = told(graph.plan(vec![plan]), &[Ps::from_ms(200)]);
    // ERs of the channel's forward RM cells, or of the backward ones that govern it.
    let [there, back] = ChannelId::both(0);
    let rates = |link: usize, channel: ChannelId, kind: Kind| {
        let cells = told.cells.iter().filter(move |cell| {
            (cell.link, cell.channel, cell.info.kind()) == (link as u32, Some(channel), kind)
        });
        let rm = cells.filter_map(|cell| {
            if let Some(Body::Rm(rm)) = cell.body {
                Some(rm.er)
            } else {
                None
            }
        });
        rm.collect::<Vec<f64>>()
    };
    // PCR is the rate of the first link.
    assert!(
        rates(access, there, Kind::Frm)
            .iter()
            .all(|er| *er == 100_000.0)
    );
    assert!(rates(access, there, Kind::Frm).len() > 20);
    let (before, after) = (
        rates(out + 1, back, Kind::Brm),
        rates(access + 1, back, Kind::Brm),
    );
    assert!(
        before.len() > 20 && before.iter().all(|er| *er == 100_000.0),
        "{before:?}"
    );
    // ERs of at most the rate that ERICA gives one source of the link of 50,000 cells/s.
    assert!(after.iter().skip(2).all(|er| *er <= 45_000.0), "{after:?}");
}
