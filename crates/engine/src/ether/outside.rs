//! Access to a user-defined control scheme while the simulation is between two calls of a run.

use super::node::Node;
use super::simulation::Simulation;
use crate::custom::PortFromOutside;

impl Simulation {
    /// The switch port that feeds `link`; `None` if its control scheme is not user-defined or
    /// permits no access.
    pub fn port_from_outside(&mut self, link: usize) -> Option<PortFromOutside<'_>> {
        let node = self.network.plan.links.get(link)?.from;
        let Node::Switch(switch) = &mut self.stations[node].node else {
            return None;
        };
        let mut ports = switch.ports.iter_mut();
        ports.find(|port| port.link as usize == link)?.opened()
    }
}
