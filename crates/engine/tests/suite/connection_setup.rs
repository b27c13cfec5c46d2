//! Connection set-up: times worked out by hand on a line, and a check that no data precede it in
//! any network.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::plans::{Graph, back, cell_time_us, flow};
use crate::support::random_network::{Network, networks};
use crate::support::repeatable::repeatable;
use cellrate_engine::atm::cell::Body;
use cellrate_engine::atm::cell::ServiceClass::Ubr;
use cellrate_engine::atm::{Crossing, Observer, PduStart, Plan, Reference};
use cellrate_engine::kernel::Ps;
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::net::ChannelId;
use cellrate_engine::tcp::{Handshake, Recovery, Segment, SynOptions, TcpConfig};
use cellrate_engine::traffic::SourceConfig;
use proptest::prelude::*;

fn config() -> TcpConfig {
    TcpConfig {
        connection_setup: true,
        mss: Bytes(1_000),
        ..TcpConfig::default()
    }
}

/// PDUs that arrive at the end of their channel.
#[derive(Default)]
struct Arrivals {
    last_links: BTreeMap<ChannelId, u32>,
    seen: Vec<(ChannelId, Ps, u16, Segment)>,
    begun: Vec<PduStart>,
}

impl Observer for Arrivals {
    fn on_cell(&mut self, cell: &Crossing) {
        let (Some(channel), Some(Body::Pdu(pdu))) = (cell.channel, cell.body) else {
            return;
        };
        if self.last_links[&channel] == cell.link {
            self.seen
                .push((channel, cell.arrives, pdu.cells, pdu.segment));
        }
    }
    fn on_pdu(&mut self, pdu: &PduStart) {
        self.begun.push(*pdu);
    }
}

fn observed(plan: Plan, until: Ps) -> Arrivals {
    let last = |channel: ChannelId| Some((channel, *plan.path(channel).last()? as u32));
    let last_links = plan.channels().filter_map(last).collect();
    let mut arrivals = Arrivals {
        last_links,
        ..Arrivals::default()
    };
    Reference::new(plan).unwrap().observe(until, &mut arrivals);
    arrivals
}

/// Two hosts on a line on which a cell takes 10 us and travels for 5 us.
fn line(tcp: TcpConfig, source: &str) -> Plan {
    let mut graph = Graph::default();
    let (from, to) = (graph.host("a"), graph.host("b"));
    let link = graph.duplex(from, to, cell_time_us(10), Ps::from_us(5));
    let source: SourceConfig = serde_json::from_str(source).unwrap();
    let mut tcp = cellrate_engine::atm::plan::FlowPlan {
        tcp,
        ..flow("tcp", Ubr, source, vec![link])
    };
    tcp.backward = back(&tcp.forward);
    graph.plan(vec![tcp])
}

const GREEDY: &str = r#"{"kind": "greedy"}"#;

#[test]
fn syn_its_answer_and_the_acknowledgement_take_three_ways_and_data_follow() {
    let tcp = TcpConfig {
        mss: Bytes(40),
        window: Bytes(100_001),
        ..config()
    };
    let seen = observed(line(tcp, GREEDY), Ps::from_us(130)).seen;
    let segments: Vec<_> = seen
        .iter()
        .map(|(channel, at, cells, s)| (*channel, *at, *cells, s.handshake(), s.window().unwrap()))
        .collect();
    // 40 + 8 (options) + 8 (LLC/SNAP) + 8 (trailer) = 64 bytes, without options 56: two cells of 10
    // us each, and 5 us of way. The window of 100,001 bytes fits in 16 bits in units of two.
    let options = SynOptions {
        mss: 40,
        shift: 1,
        sack_permitted: false,
        ecn: false,
        timestamps: false,
    };
    let (us, syn, answer) = (
        Ps::from_us,
        Handshake::Syn(options),
        Handshake::SynAck(options),
    );
    let [there, back] = ChannelId::both(0);
    let expected = [
        (there, us(25), 2, Some(syn), 65_535),
        (back, us(50), 2, Some(answer), 65_535),
        (there, us(75), 2, Some(Handshake::Ack { seq: 0 }), 100_000),
        (there, us(95), 2, None, 100_000),
        (back, us(120), 2, None, 100_000),
    ];
    assert_eq!(segments, expected);
    let data = seen[3].3;
    assert_eq!(
        (data.sequence(), data.payload(), seen[4].3.ack()),
        (Some(0), 40, 40)
    );
}

#[test]
fn options_can_take_a_cell_more() {
    // 40 + 8 = 48 bytes and 8 of trailer are two cells where an acknowledgement is one; 40 + 12 + 8
    // is two as well.
    for (recovery, header_bytes, cells) in [
        (Recovery::Reno, 40, [2, 1]),
        (Recovery::Sack, 40, [2, 1]),
        (Recovery::Reno, 32, [1, 1]),
        (Recovery::Sack, 32, [2, 1]),
    ] {
        let mut plan = line(
            TcpConfig {
                recovery: recovery.clone(),
                header_bytes,
                ..config()
            },
            GREEDY,
        );
        plan.flows[0].encapsulation = cellrate_engine::atm::aal5::Encapsulation::VcMux;
        let seen = observed(plan, Ps::from_us(90)).seen;
        assert_eq!([seen[0].2, seen[2].2], cells, "{recovery:?}");
    }
}

/// Web clients and messages, which write later than they start, still request the connection at
/// their start.
#[test]
fn every_source_sets_its_connection_up_when_it_starts() {
    for source in [
        GREEDY,
        r#"{"kind": "transfer", "size": "3 kB"}"#,
        r#"{"kind": "messages", "mean_length": "2 kB", "mean_rate": "2 Mbit/s"}"#,
        r#"{"kind": "www", "think_time": "2 ms"}"#,
    ] {
        let found = observed(line(config(), source), Ps::from_ms(100));
        let starts: Vec<_> = found
            .begun
            .iter()
            .take(3)
            .map(|pdu| (pdu.at, pdu.channel))
            .collect();
        let [there, back] = ChannelId::both(0);
        assert_eq!(
            starts,
            [
                (Ps::ZERO, there),
                (Ps::from_us(25), back),
                (Ps::from_us(50), there)
            ],
            "{source}"
        );
        assert!(
            found.begun.iter().any(|pdu| pdu.segment.payload() > 0),
            "{source}"
        );
    }
}

fn is_syn(segment: &Segment) -> bool {
    matches!(segment.handshake(), Some(Handshake::Syn(_)))
}

fn is_answer(segment: &Segment) -> bool {
    matches!(segment.handshake(), Some(Handshake::SynAck(_)))
}

proptest! {
    #![proptest_config(repeatable(16))]

    #[test]
    fn no_data_leave_before_an_answer_has_come(network in networks()) {
        let Network { mut plan, end } = network;
        plan.flows.iter_mut().for_each(|flow| flow.tcp.connection_setup = true);
        let found = observed(plan, end);
        let mut known = BTreeSet::new();
        for pdu in &found.begun {
            let forward = pdu.channel.is_forward();
            if known.insert(pdu.channel) {
                let begins = if forward { is_syn } else { is_answer };
                prop_assert!(begins(&pdu.segment), "{pdu:?}");
            }
            if forward && !is_syn(&pdu.segment) {
                let mut back = found.seen.iter().filter(|(channel, ..)| *channel == pdu.channel.reverse());
                prop_assert!(back.any(|(_, at, _, segment)| *at <= pdu.at && is_answer(segment)), "{pdu:?}");
            }
        }
    }
}
