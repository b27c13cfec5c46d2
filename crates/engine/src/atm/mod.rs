//! Cells, RM cells, AAL5, links, output ports.

pub mod cell;
