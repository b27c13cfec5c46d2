//! ExpressPass in packets: by hand, its bounds, incasts without losses, and random networks.

use super::parts::parts_change_nothing_of;
use super::random::{any_source, random_plan};
use super::roce::{incast, over_roce, plainly};
use super::*;
use crate::ether::aqm::AqmConfig;
use crate::ether::frame::Packet;
use crate::ether::roce::RoceConfig;
use crate::ether::roce::control::RoceControlConfig;
use crate::ether::roce::control::expresspass::ExpressPassConfig;
use crate::ether::roce::packet::Kind;
use crate::ether::seen::Seen;

/// Packets of 1,452 octets of payload: 1,538 octets on the line. A credit has 84.
fn expresspass(config: ExpressPassConfig) -> RoceConfig {
    RoceConfig {
        payload: Bytes(1_452),
        control: RoceControlConfig::ExpressPass(config),
        ..RoceConfig::default()
    }
}

/// Frames of a kind that leave on a link: times of their last bits in ps.
fn left(seen: &[Seen], link: usize, wanted: Kind) -> Vec<u64> {
    let of_kind = |seen: &Seen| match seen.packet {
        Packet::Roce(packet) if packet.kind == wanted && seen.link == link => Some(seen.at.0),
        _ => None,
    };
    seen.iter().filter_map(of_kind).collect()
}

fn to_incast(sources: usize, config: ExpressPassConfig) -> Plan {
    let rate = Rate::from_bps(10 * GBPS);
    let none = AqmConfig::default();
    incast(sources, rate, Ps::from_us(1), &none, &expresspass(config))
}

/// One source, two links at 10 Gbit/s, 0.8 ns an octet, each 1 us long. The request of 64 octets with its preamble takes 57.6 ns
/// on each link; the credit leaves at 2,115.2 ns and takes as long. So the first packet begins at 4,230.4 ns.
#[test]
fn thinnest() {
    let plan = to_incast(
        1,
        ExpressPassConfig {
            jitter: 0.0,
            ..Default::default()
        },
    );
    let all: Vec<usize> = (0..plan.links.len()).collect();
    let mut run = Simulation::new(plan.clone()).unwrap();
    run.tap(&all);
    let end = Ps::from_us(1000);
    let report = run.measure(Ps::ZERO, end, end);
    let seen = run.take_seen();
    let up = plan.flows[0].forward[0];
    let data = left(&seen, up, Kind::Credited);
    std::println!("{:?}", &data[..5]);
    std::println!("{:#?}", report.flows[0]);
    std::println!(
        "{:#?}",
        report
            .ports
            .iter()
            .map(|p| (
                &p.name,
                p.utilisation,
                &p.control,
                p.queues[0].queue_max_packets
            ))
            .collect::<Vec<_>>()
    );
}
