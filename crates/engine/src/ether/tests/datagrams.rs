//! Datagrams of random networks against a small simulator of another kind, which has no code in common with
//! the engine.

use alloc::collections::{BTreeMap, VecDeque};

use super::random::random_plan;
use super::*;

/// Simulates the datagrams of the plan by a list of events, one frame at a time. Returns for each flow its
/// arrivals, its drops, and the sum of its delays. `None` if two frames arrive at a port at one instant,
/// since their order is drawn.
fn datagrams(plan: &Plan, end: u64) -> Option<Vec<(u64, u64, u128)>> {
    #[derive(Clone, Copy)]
    struct Sent {
        flow: usize,
        hop: usize,
        born: u64,
    }
    struct Line {
        octet_ps: u64,
        free_at: u64,
        /// Time of the last arrival.
        came: Option<u64>,
        /// By queue, for each frame that waits or is in transmission: the end of its transmission, or
        /// `u64::MAX` while this time is unknown, and its octets.
        stays: [Vec<(u64, u64)>; 2],
        waiting: [VecDeque<Sent>; 2],
    }
    let octets = |flow: usize| {
        let tag = if plan.framing.tagged { 4 } else { 0 };
        (20 + 8 + plan.flows[flow].datagram as u64 + 18 + tag).max(64)
    };
    let mut lines: Vec<Line> = plan
        .links
        .iter()
        .map(|link| Line {
            octet_ps: 8_000_000_000_000_000 / link.rate.0,
            free_at: 0,
            came: None,
            stays: Default::default(),
            waiting: Default::default(),
        })
        .collect();
    let mut results = alloc::vec![(0, 0, 0); plan.flows.len()];
    // At one instant ends of transmissions come before arrivals.
    let mut events: BTreeMap<(u64, u8, u64), (usize, Option<Sent>)> = BTreeMap::new();
    let mut serial = 0;
    let mut add = |events: &mut BTreeMap<_, _>, at: u64, kind: u8, what: (usize, Option<Sent>)| {
        serial += 1;
        events.insert((at, kind, serial), what);
    };
    for (flow, of) in plan.flows.iter().enumerate() {
        let SourceConfig::Cbr(CbrConfig { rate }) = &of.source else {
            unreachable!()
        };
        for number in 0.. {
            let interval = (octets(flow) + 20) as u128 * 8_000_000_000_000_000;
            let born = of.start.0 + (number as u128 * interval / rate.0 as u128) as u64;
            if born >= end {
                break;
            }
            add(
                &mut events,
                born,
                1,
                (of.forward[0], Some(Sent { flow, hop: 0, born })),
            );
        }
    }
    while let Some(((now, _, _), (number, arrived))) = events.pop_first() {
        if now >= end {
            break;
        }
        let switch = &plan.nodes[plan.links[number].from].switch;
        if let Some(sent) = arrived {
            let class = switch.as_ref().map_or(0, |s| {
                s.queue_of()[plan.flows[sent.flow].priority as usize] as usize
            });
            let line = &mut lines[number];
            if line.came.replace(now) == Some(now) {
                return None;
            }
            line.stays[class].retain(|(until, _)| *until > now);
            let held: u64 = line.stays[class].iter().map(|(_, octets)| octets).sum();
            let limit = switch.as_ref().map_or(u64::MAX, |switch| switch.buffer);
            if held + octets(sent.flow) > limit {
                results[sent.flow].1 += 1;
                continue;
            }
            line.stays[class].push((u64::MAX, octets(sent.flow)));
            line.waiting[class].push_back(sent);
        }
        let line = &mut lines[number];
        if now < line.free_at {
            continue;
        }
        let Some(class) = (0..2).find(|class| !line.waiting[*class].is_empty()) else {
            continue;
        };
        let sent = line.waiting[class].pop_front().unwrap();
        line.free_at = now + (octets(sent.flow) + 20) * line.octet_ps;
        let stay = line.stays[class]
            .iter_mut()
            .find(|(until, _)| *until == u64::MAX)
            .unwrap();
        stay.0 = line.free_at;
        add(&mut events, line.free_at, 0, (number, None));
        let arrives = now + (8 + octets(sent.flow)) * line.octet_ps + plan.links[number].delay.0;
        let path = &plan.flows[sent.flow].forward;
        if sent.hop + 1 < path.len() {
            add(
                &mut events,
                arrives,
                1,
                (
                    path[sent.hop + 1],
                    Some(Sent {
                        hop: sent.hop + 1,
                        ..sent
                    }),
                ),
            );
        } else if arrives < end {
            results[sent.flow].0 += 1;
            results[sent.flow].2 += (arrives - sent.born) as u128;
        }
    }
    Some(results)
}

#[test]
fn datagrams_fare_as_in_a_simulator_of_another_kind() {
    let mut stream = Stream::new(2, "ether", "random datagrams");
    let (mut dropped, mut waited) = (0, 0);
    for case in 0..cases(300) {
        // Odd rates make it unlikely that two frames arrive at a node at one instant.
        let mut plan = random_plan(&mut stream, |stream, rate| {
            cbr(Rate(rate.0 / 2 + stream.below(Ps(rate.0)).0))
        });
        for (number, link) in plan.links.iter_mut().enumerate() {
            link.delay.0 = 7_919 * (number as u64 / 2 + 1) + 13;
        }
        // Datagrams of one host would wait for each other at its interface, so each host has one flow.
        let mut seen = Vec::new();
        plan.flows.retain(|flow| {
            !seen.contains(&flow.forward[0]) && {
                seen.push(flow.forward[0]);
                true
            }
        });
        let end = Ps::from_us(300);
        let report = Simulation::new(plan.clone())
            .unwrap()
            .measure(Ps::ZERO, end, end);
        let Some(expected) = datagrams(&plan, end.0) else {
            continue;
        };
        for (flow, (arrived, lost, delays)) in report.flows.iter().zip(expected) {
            assert_eq!(
                (flow.packets_delivered, flow.packets_dropped),
                (arrived, lost),
                "case {case} {}: {plan:#?}",
                flow.name
            );
            let mean = flow.packet_delay_mean_seconds.unwrap_or(0.0) * 1e12;
            let expected = delays as f64 / arrived.max(1) as f64;
            assert!(
                (mean - expected).abs() < 1e-3 * expected.max(1.0) * 1e-6,
                "case {case} {}: {mean} {expected}",
                flow.name
            );
            dropped += lost;
        }
        waited += report
            .ports
            .iter()
            .filter(|port| port.queues[0].queue_max_packets > 2)
            .count();
    }
    assert!(dropped > 1_000 && waited > 100, "{dropped} {waited}");
}
