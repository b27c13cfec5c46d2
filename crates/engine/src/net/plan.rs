//! The plan of a link, whatever units it carries.

use alloc::string::String;

use crate::kernel::{Ps, Rate};

/// A directed link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkPlan {
    /// Unique name, for instance `A->B`.
    pub name: String,
    /// Node that sends.
    pub from: usize,
    /// Node that receives.
    pub to: usize,
    /// Line rate of the link.
    pub rate: Rate,
    /// Propagation delay of the link.
    pub delay: Ps,
}
