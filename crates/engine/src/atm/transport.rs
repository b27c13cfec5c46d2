//! The transport of [`net`](crate::net) with cells as its units.

use super::cell::Info;
use crate::net::{batch, inbox, link, links, partition};

/// A link that carries cells.
pub type Link = link::Link<Info>;
/// The link that a port feeds.
pub type Outlet<'a> = link::Outlet<'a, Info>;
/// All links of a network.
pub type Links = links::Links<Info>;
/// The incoming links of a node.
pub type Inbox = inbox::Inbox<Info>;
/// Arrivals at a prompt node, in order.
pub type Arrivals<'a, const DRAWN: bool> = inbox::Arrivals<'a, Info, DRAWN>;
/// A batch of arrivals at a node.
pub type Batch = batch::Batch<Info>;
/// A cell that has arrived, and the input on which it came.
pub type Arrived = batch::Arrived<Info>;
/// Cells on their way from one part of the network to another.
pub type Mail = partition::Mail<Info>;
