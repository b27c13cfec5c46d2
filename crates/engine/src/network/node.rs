//! A node of a network.

use super::host::Host;
use super::log::Log;
use super::switch::Switch;
use crate::atm::port::Port;
use crate::atm::server::Server;
use crate::kernel::Ps;

/// A node of a simulation.
#[derive(Clone)]
pub enum Node<S> {
    /// Ends channels.
    Host(Host<S>),
    /// Forwards cells.
    Switch(Switch<S>),
}

impl<S: Server> Node<S> {
    /// Earliest timer or service start.
    #[inline]
    pub fn next_event(&self) -> Ps {
        match self {
            Node::Host(host) => host.next_event(),
            Node::Switch(switch) => switch.next_event(),
        }
    }
    /// True if the node must process every arrival at its own time.
    pub fn is_prompt(&self) -> bool {
        match self {
            Node::Host(host) => host.is_prompt(),
            Node::Switch(switch) => switch.is_prompt(),
        }
    }
    /// Output ports, with the links they feed.
    pub fn ports(&self) -> &[(Port<S>, u32)] {
        match self {
            Node::Host(host) => &host.ports,
            Node::Switch(switch) => &switch.ports,
        }
    }
    /// Output ports with the links they feed, mutable.
    pub fn ports_mut(&mut self) -> &mut [(Port<S>, u32)] {
        match self {
            Node::Host(host) => &mut host.ports,
            Node::Switch(switch) => &mut switch.ports,
        }
    }
    /// Output ports with the links they feed, and the log, both mutable.
    pub fn ports_and_log(&mut self) -> (&mut [(Port<S>, u32)], &mut Log) {
        match self {
            Node::Host(host) => (&mut host.ports, &mut host.log),
            Node::Switch(switch) => (&mut switch.ports, &mut switch.log),
        }
    }
    /// Events of this node.
    pub fn log(&self) -> &Log {
        match self {
            Node::Host(host) => &host.log,
            Node::Switch(switch) => &switch.log,
        }
    }
}
