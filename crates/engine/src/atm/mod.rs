//! Cells, RM cells, AAL5, links, output ports.

pub mod aal5;
pub mod cell;
mod class;
pub mod errors;
pub mod link;
mod losses;
pub mod port;
pub mod rm;
pub mod server;
