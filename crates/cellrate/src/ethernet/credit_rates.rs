//! Greatest rates that credits leave to the flows of a link: credits of channels (FCVC) or of links (CBFC).

use std::collections::BTreeMap;

use cellrate_engine::ether::frame::{PREAMBLE, SHORTEST, on_line};
use cellrate_engine::ether::line::OctetClock;
use cellrate_engine::ether::plan::Plan;
use cellrate_engine::ether::reserves::Reserves;
use cellrate_engine::net::channel::ChannelId;

use super::cbfc::{credits_by_link, with_backs};
use super::graph::Graph;
use super::plan::plan;
use super::types::Scenario;

/// Upper limit that credits set to the rate of all flows over `link` together, in bit/s on the line. All frames are full.
/// Infinite without credits.
pub fn through(scenario: &Scenario, graph: &Graph, link: usize) -> f64 {
    if scenario.fcvc.is_none() && scenario.cbfc.is_none() {
        return f64::INFINITY;
    }
    let plan = plan(scenario, graph);
    let by_link = by_link(scenario, &plan);
    let mut sum = 0.0;
    // The rates of the priorities that share the link.
    let mut shared = BTreeMap::new();
    for (number, flow) in plan.flows.iter().enumerate() {
        if !flow.forward.contains(&link) {
            continue;
        }
        let hops = 0..flow.forward.len();
        let rate = hops
            .map(|hop| by_link(number, hop))
            .fold(f64::INFINITY, f64::min);
        sum += rate.min(of_channel(&plan, number));
        let place = flow.forward.iter().position(|other| *other == link);
        let here = place.map_or(f64::INFINITY, |hop| by_link(number, hop));
        let most = shared.entry(flow.priority).or_insert(0.0_f64);
        *most = most.max(here);
    }
    sum.min(shared.values().sum())
}

/// (N2 + N3) / (RTT + N2 / C) at the tightest hop of a flow (Kung, Blackwell and Chapman 1994); infinite without FCVC.
fn of_channel(plan: &Plan, flow: usize) -> f64 {
    let Some(reserves) = Reserves::of(plan) else {
        return f64::INFINITY;
    };
    let channel = ChannelId::forward(flow);
    let rates = plan.path(channel).iter().enumerate().map(|(hop, link)| {
        let n2 = OctetClock::new(plan.links[*link].rate).time_of(reserves.n2().into());
        let picoseconds = reserves.trip(channel, hop).0 as f64 + n2;
        8e12 * reserves.reserve(channel, *link) as f64 / picoseconds
    });
    rates.fold(f64::INFINITY, f64::min)
}

/// For a flow and a hop of its path, the rate at which full frames can take the credits of the link (CBFC); infinite without
/// credits. A frame holds its credits from the first bit of its preamble until they have returned.
fn by_link<'a>(scenario: &Scenario, plan: &'a Plan) -> impl Fn(usize, usize) -> f64 + use<'a> {
    let config = scenario.cbfc.as_ref().map(|cbfc| cbfc.config());
    let credits = config.as_ref().map(|config| credits_by_link(plan, config));
    let backs: Vec<_> = with_backs(plan).collect();
    move |number, hop| {
        let flow = &plan.flows[number];
        let (Some(config), Some(credits)) = (&config, &credits) else {
            return f64::INFINITY;
        };
        let link = flow.forward[hop];
        let (Some(credits), Some((line, back))) = (credits[link], backs[link]) else {
            return f64::INFINITY;
        };
        if !config.priorities.contains(&flow.priority) {
            return f64::INFINITY;
        }
        let frame = plan.framing.frame(flow.longest_packet() as u32);
        let frames = credits / u64::from(config.taken(frame));
        let onward = flow.forward.get(hop + 1).map_or(0.0, |next| {
            OctetClock::new(plan.links[*next].rate).time_of(on_line(frame).into())
        });
        let sent = OctetClock::new(line.rate).time_of((PREAMBLE + frame).into());
        let told = OctetClock::new(back.rate).time_of((PREAMBLE + SHORTEST).into());
        let fixed = line.delay + back.delay + config.response;
        let held = sent + onward + told + fixed.0 as f64;
        8e12 * frames as f64 * f64::from(on_line(frame)) / held
    }
}
