//! A simulation in parts that threads run side by side.
//!
//! A part has nodes of its own, the links that lead to them, and nothing in common with the other
//! parts but what never changes. Units that leave it for another part are sent as [`Mail`]. The
//! program that runs the parts must keep to one rule: a part may run up to an instant once all mail
//! with units that arrive before it has been collected. A unit that another part has not posted yet
//! follows from an event there. So it arrives no earlier than that part's [`Part::now`] plus the
//! lookahead of the links between ([`Part::senders`]).
//!
//! The result does not depend on the parts, because that of a simulation does not depend on how a
//! run is divided into calls: a part receives the same units at the same times.

mod division;
mod mail;
mod part;

pub use mail::Mail;
pub use part::{Cut, Part};
