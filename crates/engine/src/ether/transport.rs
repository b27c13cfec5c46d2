//! The types of the transport [`net`](crate::net) with Ethernet frames as units.

use super::frame::Info;
use crate::net::{inbox, link, links, unit};

/// A frame on a link: arrival time, label and header word.
pub type Frame = unit::Unit<Info>;
/// A link that carries frames.
pub type Link = link::Link<Info>;
/// The link that a port feeds.
pub type Outlet<'a> = link::Outlet<'a, Info>;
/// All links of a network.
pub type Links = links::Links<Info>;
/// The incoming links of a node.
pub type Inbox = inbox::Inbox<Info>;
/// Arrivals at a node, in order of time.
pub type Arrivals<'a, const DRAWN: bool> = inbox::Arrivals<'a, Info, DRAWN>;
