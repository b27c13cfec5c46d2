//! Units that one part of a partitioned simulation sends to another part.

use alloc::vec::Vec;

use crate::kernel::Ps;
use crate::net::link::Link;
use crate::net::links::Links;
use crate::net::unit::{Unit, Word};

/// Units sent from one part to another, sorted by link. All units are contiguous in memory,
/// whatever the number of links, as one core writes them and another core reads them.
pub struct Mail<W: Word> {
    /// Index of each link and the number of its units, in the order of the units.
    links: Vec<(u32, u32)>,
    units: Vec<Unit<W>>,
    /// Records that are not stamps, each with the arrival time of its unit, first and further ones.
    records: Vec<(Ps, W::Record)>,
    stamps: Vec<Ps>,
}

impl<W: Word> Default for Mail<W> {
    fn default() -> Mail<W> {
        Mail {
            links: Vec::new(),
            units: Vec::new(),
            records: Vec::new(),
            stamps: Vec::new(),
        }
    }
}

impl<W: Word> Mail<W> {
    /// True if the mail has no units.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Moves the units of `link`, which has the index `number`, that arrive before `limit` into the
    /// mail.
    pub(super) fn add(&mut self, number: u32, link: &mut Link<W>, limit: Ps) {
        if link.next_arrival() < limit {
            let (units, records, stamps) = (&mut self.units, &mut self.records, &mut self.stamps);
            let count = link.drain_into(limit, units, records, stamps);
            self.links.push((number, count as u32));
        }
    }

    /// Moves all units of the mail to their links.
    pub(super) fn deliver(&mut self, links: &mut Links<W>) {
        let (mut units, mut records) = (&self.units[..], self.records.drain(..));
        let mut stamps = self.stamps.drain(..);
        for (number, count) in self.links.drain(..) {
            let mut outlet = links.outlet(number);
            let (mut own, rest) = units.split_at(count as usize);
            units = rest;
            while let Some((first, behind)) = own.split_first() {
                if !first.info.has_record() {
                    let row = own.iter().take_while(|unit| !unit.info.has_record());
                    let (row, behind) = own.split_at(row.count());
                    outlet.push_row(row);
                    own = behind;
                    continue;
                }
                let record = if first.info.is_plain() {
                    stamps.next().map(W::stamp)
                } else {
                    records.next().map(|(_, record)| record)
                };
                outlet.push(*first, record.as_ref());
                for (at, record) in records.by_ref().take(first.info.further()) {
                    outlet.link.push_further(at, &record);
                }
                own = behind;
            }
        }
        self.units.clear();
    }
}
