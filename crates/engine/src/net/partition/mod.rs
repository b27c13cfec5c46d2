//! A simulation divided into parts that threads run in parallel.
//!
//! A part has its own nodes and the links that end at them; it shares only constants with the other parts. Units
//! for nodes of other parts are sent as [`Mail`]. The calling program must follow one rule: a part may run up to
//! an instant only after it has collected all units from other parts that arrive before this instant. A unit that
//! another part has not posted yet follows from an event in that part. So it arrives no earlier than that part's
//! [`Part::now`] plus the lookahead of the links between the two parts ([`Part::senders`]).
//!
//! The result does not depend on the parts: each part receives the same units at the same times,
//! and the result of a simulation does not depend on how a run is divided into calls.

mod division;
mod mail;
mod part;

pub use mail::Mail;
pub use part::{Cut, Part};
