//! Identifiers of a flow on the wire: VPI/VCI, addresses, ports and first sequence numbers.
//!
//! Scenarios name only flows and hosts. All numbers follow from the order of the flows and hosts in
//! the scenario, and are equal in every run and at every place of capture.

use cellrate_engine::atm::Plan;
use cellrate_engine::atm::aal5::Encapsulation;
use cellrate_engine::atm::plan::{FlowPlan, NodeKind};
use cellrate_engine::atm::server::EagerServer;
use cellrate_engine::ether;
use cellrate_engine::joined::{self, Joined, JoinedPlan, Layer};
use cellrate_engine::net::LinkPlan;
use cellrate_engine::tcp::TcpConfig;

use super::atm::Vc;

/// The first VCI that a user may have (ITU-T I.361).
const FIRST_VCI: u32 = 32;
const VCIS: u32 = (1 << 16) - FIRST_VCI;
/// Port of the discard service, which ignores all data sent to it (RFC 863).
const DISCARD: u16 = 9;
/// The first dynamic port (RFC 6335).
const FIRST_DYNAMIC_PORT: u32 = 49_152;
const DYNAMIC_PORTS: u32 = (1 << 16) - FIRST_DYNAMIC_PORT;
/// Largest distance of a first sequence number below 2^32. Sequence numbers therefore wrap within
/// the first megabytes of a capture, not only after 4 GiB.
const BEFORE_WRAP: u32 = 1 << 20;

/// Identifiers of one flow. In pairs the first belongs to the source, the second to the
/// destination.
#[derive(Clone, Debug, PartialEq)]
pub struct Ends {
    /// Number of the flow in its scenario.
    pub flow: u32,
    /// VPI and VCI of the flow, the same on every link and in both directions.
    pub vc: Vc,
    /// IP addresses of source and destination.
    pub addresses: [[u8; 4]; 2],
    /// TCP ports of source and destination.
    pub ports: [u16; 2],
    /// Sequence numbers of the SYNs of source and destination; the first byte of data has the next
    /// number.
    pub first_numbers: [u32; 2],
    /// Headers between AAL5 and IP.
    pub encapsulation: Encapsulation,
    /// TCP settings of both ends.
    pub tcp: TcpConfig,
}

impl Ends {
    /// Number of bits by which both ends shift their advertised window (RFC 7323).
    pub fn window_shift(&self) -> u8 {
        self.tcp.syn_options().shift
    }

    /// VPI/VCI, addresses, ports and first sequence numbers of every flow over ATM.
    pub fn of_all(plan: &Plan) -> Vec<Ends> {
        let hosts = numbered(
            plan.nodes
                .iter()
                .map(|node| matches!(node.kind, NodeKind::Host)),
        );
        let of = |(number, flow): (u32, &FlowPlan)| {
            let ends = ends_of(&flow.forward, &plan.links);
            Ends::of(number, ends, &flow.tcp, flow.encapsulation, &hosts)
        };
        (0..).zip(&plan.flows).map(of).collect()
    }

    /// Addresses, ports and first sequence numbers of every flow over Ethernet. The VPI/VCI in [`Ends`] is not used.
    pub fn over_ethernet(plan: &ether::Plan) -> Vec<Ends> {
        let hosts = numbered(plan.nodes.iter().map(|node| node.switch.is_none()));
        let of = |(number, flow): (u32, &ether::FlowPlan)| {
            let ends = ends_of(&flow.forward, &plan.links);
            Ends::of(number, ends, &flow.tcp, Encapsulation::VcMux, &hosts)
        };
        (0..).zip(&plan.flows).map(of).collect()
    }

    /// Identifiers of the flows of a network with routers, for the legs over ATM and those over Ethernet: each in
    /// the order of the flows in the plan of its link layer. All legs of a flow have the identifiers of the flow.
    pub fn of_legs(plan: &JoinedPlan, joined: &Joined<EagerServer>) -> [Vec<Ends>; 2] {
        let hosts = numbered(
            plan.nodes
                .iter()
                .map(|node| matches!(node.kind, joined::NodeKind::Host)),
        );
        let mut of_layers = [Vec::new(), Vec::new()];
        for (number, flow) in plan.flows.iter().enumerate() {
            let path = &flow.channel.forward;
            let node = |link: usize| &plan.links[link].line;
            let ends = [node(path[0]).from, node(path[path.len() - 1]).to];
            let (tcp, encapsulation) = (&flow.channel.tcp, flow.channel.encapsulation);
            for leg in joined.legs(number) {
                let of_layer = match leg.layer {
                    Layer::Atm => &mut of_layers[0],
                    Layer::Ethernet => &mut of_layers[1],
                };
                // The legs over each link layer are numbered in their order.
                of_layer.push(Ends::of(number as u32, ends, tcp, encapsulation, &hosts));
            }
        }
        of_layers
    }

    fn of(
        number: u32,
        ends: [usize; 2],
        tcp: &TcpConfig,
        encapsulation: Encapsulation,
        hosts: &[Option<u32>],
    ) -> Ends {
        let count = hosts.iter().flatten().count() as u32;
        // Flows for which a host has no port left use another address of that host.
        let turn = number / DYNAMIC_PORTS;
        let address = |node: usize| address(hosts[node].unwrap_or(0) + turn * count);
        let dynamic = (FIRST_DYNAMIC_PORT + number % DYNAMIC_PORTS) as u16;
        Ends {
            flow: number,
            vc: Vc {
                vpi: (number / VCIS) as u8,
                vci: (FIRST_VCI + number % VCIS) as u16,
            },
            addresses: ends.map(address),
            ports: [dynamic, DISCARD],
            first_numbers: [first_number(number, false), first_number(number, true)],
            encapsulation,
            tcp: tcp.clone(),
        }
    }
}

/// The hosts at the ends of a path.
fn ends_of(path: &[usize], links: &[LinkPlan]) -> [usize; 2] {
    [links[path[0]].from, links[path[path.len() - 1]].to]
}

/// For each node its number among the hosts; `None` for a switch.
fn numbered(is_host: impl Iterator<Item = bool>) -> Vec<Option<u32>> {
    let mut numbers = 0..;
    is_host
        .map(|is_host| if is_host { numbers.next() } else { None })
        .collect()
}

/// Address of host `number`: 10.0.0.1 to 10.0.0.254, 10.0.1.1 and so on, without network and
/// broadcast addresses.
fn address(number: u32) -> [u8; 4] {
    let (network, host) = (number / 254, number % 254 + 1);
    [10, (network >> 8) as u8, network as u8, host as u8]
}

fn first_number(flow: u32, backward: bool) -> u32 {
    let mixed = (2 * flow + u32::from(backward) + 1).wrapping_mul(0x9E37_79B1);
    u32::MAX - (mixed >> 12) % BEFORE_WRAP
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_is_that_of_a_network() {
        assert_eq!(address(0), [10, 0, 0, 1]);
        assert_eq!(address(253), [10, 0, 0, 254]);
        assert_eq!(address(254), [10, 0, 1, 1]);
        assert_eq!(address(254 * 256), [10, 1, 0, 1]);
    }

    #[test]
    fn first_numbers_lie_within_a_mebibyte_of_the_wrap_and_differ() {
        let mut numbers: Vec<u32> = (0..500)
            .flat_map(|flow| [false, true].map(|back| first_number(flow, back)))
            .collect();
        assert!(
            numbers
                .iter()
                .all(|number| *number > u32::MAX - BEFORE_WRAP)
        );
        numbers.sort_unstable();
        numbers.dedup();
        assert!(numbers.len() > 990);
    }
}
