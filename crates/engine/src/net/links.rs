//! All links of a network.

use alloc::vec::Vec;
use core::ops::{Index, IndexMut};

use super::link::{Link, Outlet};
use super::unit::Word;
use crate::kernel::Ps;

/// All links of a network, and the indices of the links whose first unit is new, so that the scheduler must
/// update the receiving nodes.
#[derive(Clone)]
pub struct Links<W: Word> {
    all: Vec<Link<W>>,
    fresh: Vec<u32>,
}

impl<W: Word> Links<W> {
    /// Collects the links of a network. The links must not have units yet.
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
    /// All links, and the indices of the links whose receiving nodes the scheduler must update: the two fields of
    /// an [`Outlet`].
    #[inline(always)]
    pub fn parts(&mut self) -> (&mut [Link<W>], &mut Vec<u32>) {
        (&mut self.all, &mut self.fresh)
    }
    /// Removes one link from the list of links whose receiving nodes the scheduler must update. Returns the index
    /// of the link and [`Link::due`]; `None` if the list is empty.
    #[inline]
    pub fn pop_fresh(&mut self) -> Option<(u32, Ps)> {
        let link = self.fresh.pop()?;
        Some((link, self.all[link as usize].due()))
    }
    /// Empties the list of links whose receiving nodes the scheduler must update, after all nodes have been
    /// updated.
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
