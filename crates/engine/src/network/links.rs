//! All links of a network.

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use crate::atm::link::{Link, Outlet};
use crate::kernel::Ps;

/// The links, and those whose receivers must look at them again.
#[derive(Clone)]
pub struct Links {
    all: Vec<Link>,
    fresh: Vec<u32>,
}

impl Links {
    /// Links without cells.
    pub fn new(links: impl Iterator<Item = Link>) -> Links {
        Links {
            all: links.collect(),
            fresh: Vec::new(),
        }
    }
    /// A link, for the port that feeds it.
    #[inline(always)]
    pub fn outlet(&mut self, link: u32) -> Outlet<'_> {
        Outlet {
            link: &mut self.all[link as usize],
            number: link,
            fresh: &mut self.fresh,
        }
    }
    /// All links, and the list of those whose receivers must look again, for an [`Outlet`] of each.
    #[inline(always)]
    pub fn parts(&mut self) -> (&mut [Link], &mut Vec<u32>) {
        (&mut self.all, &mut self.fresh)
    }
    /// Takes the next link whose receiver must look again, with the time at which it must handle
    /// cells at the latest.
    #[inline]
    pub fn pop_fresh(&mut self) -> Option<(u32, Ps)> {
        let link = self.fresh.pop()?;
        Some((link, self.all[link as usize].due()))
    }
    /// Empties the list of links whose receivers must look again: all of them do.
    pub fn forget_fresh(&mut self) {
        self.fresh.clear();
    }
    /// Number of links.
    pub fn len(&self) -> usize {
        self.all.len()
    }
    /// The links in order.
    pub fn iter(&self) -> impl Iterator<Item = &Link> {
        self.all.iter()
    }
}

impl Index<usize> for Links {
    type Output = Link;
    #[inline(always)]
    fn index(&self, link: usize) -> &Link {
        &self.all[link]
    }
}

impl IndexMut<usize> for Links {
    #[inline(always)]
    fn index_mut(&mut self, link: usize) -> &mut Link {
        &mut self.all[link]
    }
}
