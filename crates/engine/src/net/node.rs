//! The two traits that a link layer implements: one for its nodes, and one for the state of the whole network.

use alloc::vec::Vec;

use super::inbox::Inbox;
use super::links::Links;
use super::storage::Storage;
use super::unit::Word;
use crate::kernel::Ps;

/// A node of a network: a host or a switch. Each link layer has one type of node, so the compiler
/// resolves all calls.
pub trait Node: Sized {
    /// Type of the word of the units (cells or frames) that the node receives and sends.
    type Word: Word;
    /// Type of the state that belongs to the whole network, not to one node.
    type Network: Network;

    /// Time of the node's earliest timer or service start.
    fn next_event(&self) -> Ps;
    /// Processes all arrivals and events of the node before `horizon`. The node may also send units whose service
    /// starts between `horizon` and `ahead`: in this span only an arrival can affect the node. Returns
    /// [`Node::next_event`].
    fn turn(
        &mut self,
        inbox: &mut Inbox<Self::Word>,
        links: &mut Links<Self::Word>,
        horizon: Ps,
        ahead: Ps,
    ) -> Ps;
    /// Completes the services (transmissions) that end at `last` or before and cause no further event.
    fn settle(&mut self, last: Ps, links: &mut Links<Self::Word>, network: &Self::Network);

    /// Indices of the links that the node feeds, in the order of its ports.
    fn feeds(&self) -> impl Iterator<Item = u32>;
    /// Indices of the links on which the node may still change a unit (set a mark) until the
    /// service of the unit starts.
    fn feeds_unsettled(&self) -> impl Iterator<Item = u32>;
    /// Adds the number of units that the node stores, and the bytes allocated for these units, to `held`.
    fn add_storage(&self, held: &mut Storage);

    /// Time of the earliest start or end of a service (transmission) at a port that does not compute departures
    /// ahead of time. Only the plain (reference) engine has such ports.
    fn next_service(&self) -> Ps;
    /// Processes the starts and ends of services (transmissions) before `now` at the node's ports.
    fn advance(&mut self, now: Ps, links: &mut Links<Self::Word>);
}

/// State of the link layer that belongs to the whole network, not to one node.
pub trait Network: Sized {
    /// Splits off the state for one part of a partitioned simulation. `nodes` are the indices of the part's nodes
    /// in order. `number` maps a node's index to the index within the part, or to `None` if the node belongs to
    /// another part.
    fn part(&mut self, nodes: &[usize], number: &dyn Fn(usize) -> Option<u32>) -> Self;
    /// Joins the measurements of all parts into this state. `parts` has, for each part, the indices of its nodes
    /// and its state.
    ///
    /// # Panics
    /// If the parts have not been sampled equally often.
    fn join(&mut self, parts: Vec<(Vec<usize>, Self)>);
}
