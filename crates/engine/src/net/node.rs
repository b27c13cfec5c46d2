//! The two traits of a link layer: its nodes, and its state of the whole network beside them.

use alloc::vec::Vec;

use super::inbox::Inbox;
use super::links::Links;
use super::storage::Storage;
use super::unit::Word;
use crate::kernel::Ps;

/// A node of a network. Each link layer has one type of node, so no call is dynamic.
pub trait Node: Sized {
    /// Type of the word of the units that the node receives and sends.
    type Word: Word;
    /// Type of the state of the whole network beside the nodes.
    type Network: Network;

    /// Time of the earliest timer or service start.
    fn next_event(&self) -> Ps;
    /// Processes everything before `horizon`, and then returns [`Node::next_event`]. The node may also send
    /// units that are due from `horizon` to `ahead`: in that span only an arriving unit affects the node.
    fn turn(
        &mut self,
        inbox: &mut Inbox<Self::Word>,
        links: &mut Links<Self::Word>,
        horizon: Ps,
        ahead: Ps,
    ) -> Ps;
    /// Processes completions until `last` that cause nothing else.
    fn settle(&mut self, last: Ps, links: &mut Links<Self::Word>, network: &Self::Network);

    /// Links that the node feeds, in the order of its ports.
    fn feeds(&self) -> impl Iterator<Item = u32>;
    /// Links of the node on which it may still change a unit until the unit's service has started.
    fn feeds_unsettled(&self) -> impl Iterator<Item = u32>;
    /// Adds the units that the node holds, and the bytes allocated for them, to `held`.
    fn add_storage(&self, held: &mut Storage);

    /// Time of the earliest completion or start of a service at a port that computes nothing ahead.
    fn next_service(&self) -> Ps;
    /// Processes the services at the node's ports before `now`.
    fn advance(&mut self, now: Ps, links: &mut Links<Self::Word>);
}

/// State of a whole network that belongs to no node.
pub trait Network: Sized {
    /// The state for a part of the simulation. `nodes` are the nodes of the part, in order; `number` gives
    /// the number of a node within the part, `None` for a node of another part.
    fn part(&mut self, nodes: &[usize], number: &dyn Fn(usize) -> Option<u32>) -> Self;
    /// Takes back what the parts have recorded; each state comes with the nodes of its part.
    ///
    /// # Panics
    /// If the parts have not been sampled equally often.
    fn join(&mut self, parts: Vec<(Vec<usize>, Self)>);
}
