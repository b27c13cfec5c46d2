//! All links of a network.

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use super::link::{Link, Outlet};
use super::unit::Word;
use crate::kernel::Ps;

/// All links of a network, and the indices of those whose receiving nodes must be told of a new
/// first unit.
#[derive(Clone)]
pub struct Links<W: Word> {
    all: Vec<Link<W>>,
    fresh: Vec<u32>,
}

impl<W: Word> Links<W> {
    /// Collects links, which must not have units yet.
    pub fn new(links: impl Iterator<Item = Link<W>>) -> Links<W> {
        Links {
            all: links.collect(),
            fresh: Vec::new(),
        }
    }
    /// The link with index `link`, for the port that feeds it.
    #[inline(always)]
    pub fn outlet(&mut self, link: u32) -> Outlet<'_, W> {
        Outlet {
            link: &mut self.all[link as usize],
            number: link,
            fresh: &mut self.fresh,
        }
    }
    /// All links, and the indices of those whose receiving nodes must be told of a new first unit:
    /// the two fields of an [`Outlet`].
    #[inline(always)]
    pub fn parts(&mut self) -> (&mut [Link<W>], &mut Vec<u32>) {
        (&mut self.all, &mut self.fresh)
    }
    /// Removes from the list a link whose receiving node must be told of a new first unit. Returns
    /// its index and [`Link::due`].
    #[inline]
    pub fn pop_fresh(&mut self) -> Option<(u32, Ps)> {
        let link = self.fresh.pop()?;
        Some((link, self.all[link as usize].due()))
    }
    /// Empties the list of links whose receiving nodes must be told of a new first unit, after all
    /// nodes have been told.
    pub fn forget_fresh(&mut self) {
        self.fresh.clear();
    }
    /// Number of links.
    pub fn len(&self) -> usize {
        self.all.len()
    }
    /// All links in the order of their indices.
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
