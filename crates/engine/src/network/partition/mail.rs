//! Cells on their way from one part to another.

use alloc::vec::Vec;

use crate::atm::cell::{Body, Cell};
use crate::atm::link::Link;
use crate::kernel::Ps;
use crate::network::links::Links;

/// Cells that left a part for another one, link by link. They lie side by side in memory, whatever
/// the number of links, since they are written on one core and read on another.
#[derive(Default)]
pub struct Mail {
    /// Links with the number of their cells, in the order of the cells.
    links: Vec<(u32, u32)>,
    cells: Vec<Cell>,
    /// Bodies other than stamps, each with the arrival time of its cell.
    bodies: Vec<(Ps, Body)>,
    stamps: Vec<Ps>,
}

impl Mail {
    /// True if there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Adds the cells of a link that arrive before `limit`.
    pub(super) fn add(&mut self, number: u32, link: &mut Link, limit: Ps) {
        if link.next_arrival() < limit {
            let (cells, bodies, stamps) = (&mut self.cells, &mut self.bodies, &mut self.stamps);
            let count = link.drain_into(limit, cells, bodies, stamps);
            self.links.push((number, count as u32));
        }
    }

    /// Puts all cells on their links.
    pub(super) fn deliver(&mut self, links: &mut Links) {
        let (mut cells, mut bodies) = (&self.cells[..], self.bodies.drain(..));
        let mut stamps = self.stamps.drain(..);
        for (number, count) in self.links.drain(..) {
            let mut outlet = links.outlet(number);
            let (mut own, rest) = cells.split_at(count as usize);
            cells = rest;
            while let Some((first, behind)) = own.split_first() {
                if !first.info.has_body() {
                    let row = own.iter().take_while(|cell| !cell.info.has_body());
                    let (row, behind) = own.split_at(row.count());
                    outlet.push_row(row);
                    own = behind;
                    continue;
                }
                let body = if first.info.is_plain() {
                    stamps.next().map(Body::Stamp)
                } else {
                    bodies.next().map(|(_, body)| body)
                };
                outlet.push(*first, body.as_ref());
                own = behind;
            }
        }
        self.cells.clear();
    }
}
