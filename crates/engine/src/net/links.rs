//! All links of a network.

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use super::link::{Link, Outlet};
use super::unit::Word;
use crate::kernel::Ps;

/// All links of a network, and the list of those whose receivers must be updated.
#[derive(Clone)]
pub struct Links<W: Word> {
    all: Vec<Link<W>>,
    fresh: Vec<u32>,
}

impl<W: Word> Links<W> {
    /// Links that have no units on them.
    pub fn new(links: impl Iterator<Item = Link<W>>) -> Links<W> {
        Links {
            all: links.collect(),
            fresh: Vec::new(),
        }
    }
    /// Outlet to a link, for the port that feeds it.
    #[inline(always)]
    pub fn outlet(&mut self, link: u32) -> Outlet<'_, W> {
        Outlet {
            link: &mut self.all[link as usize],
            number: link,
            fresh: &mut self.fresh,
        }
    }
    /// All links, and the list of those whose receivers must be updated, for an [`Outlet`] to each.
    #[inline(always)]
    pub fn parts(&mut self) -> (&mut [Link<W>], &mut Vec<u32>) {
        (&mut self.all, &mut self.fresh)
    }
    /// Takes the next link whose receiver must be updated, with the time at which the receiver must
    /// handle units at the latest.
    #[inline]
    pub fn pop_fresh(&mut self) -> Option<(u32, Ps)> {
        let link = self.fresh.pop()?;
        Some((link, self.all[link as usize].due()))
    }
    /// Empties the list of links whose receivers must be updated, when all receivers are updated.
    pub fn forget_fresh(&mut self) {
        self.fresh.clear();
    }
    /// Number of links.
    pub fn len(&self) -> usize {
        self.all.len()
    }
    /// The links in order.
    pub fn iter(&self) -> impl Iterator<Item = &Link<W>> {
        self.all.iter()
    }
}

impl<W: Word> Index<usize> for Links<W> {
    type Output = Link<W>;
    #[inline(always)]
    fn index(&self, link: usize) -> &Link<W> {
        &self.all[link]
    }
}

impl<W: Word> IndexMut<usize> for Links<W> {
    #[inline(always)]
    fn index_mut(&mut self, link: usize) -> &mut Link<W> {
        &mut self.all[link]
    }
}
