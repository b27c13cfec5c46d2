//! The types of the transport [`net`](crate::net) with ATM cells as units.

use super::cell::Info;
use crate::net::{batch, inbox, link, links, partition};

/// A link that carries cells.
pub type Link = link::Link<Info>;
/// The link that a port feeds, with the list of links whose receiving nodes the scheduler must update.
pub type Outlet<'a> = link::Outlet<'a, Info>;
/// All links of a network.
pub type Links = links::Links<Info>;
/// The incoming links of a node.
pub type Inbox = inbox::Inbox<Info>;
/// Cells that arrive at an event-driven node, in order of time.
pub type Arrivals<'a, const DRAWN: bool> = inbox::Arrivals<'a, Info, DRAWN>;
/// A sorted batch of cells that arrive at a node.
pub type Batch = batch::Batch<Info>;
/// A cell that has arrived, and the incoming link on which it came.
pub type Arrived = batch::Arrived<Info>;
/// Cells that one part of a partitioned simulation sends to another.
pub type Mail = partition::Mail<Info>;
