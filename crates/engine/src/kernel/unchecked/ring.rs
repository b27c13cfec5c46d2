//! A first-in first-out ring buffer that grows by doubling and never shrinks.

use alloc::vec::Vec;
use core::mem::MaybeUninit;

use super::cache::prefetch;
use super::{item, item_mut};

/// A first-in first-out buffer of `Copy` values. The capacity is a power of two, so a bit mask
/// wraps an index.
#[derive(Clone)]
pub struct Ring<T: Copy> {
    slots: Vec<MaybeUninit<T>>,
    head: usize,
    len: usize,
}

impl<T: Copy> Default for Ring<T> {
    fn default() -> Self {
        Ring {
            slots: Vec::new(),
            head: 0,
            len: 0,
        }
    }
}

impl<T: Copy> Ring<T> {
    const FIRST_CAPACITY: usize = 8;

    /// Number of values in the ring.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }
    /// True if the ring holds no value.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Bytes allocated for the ring.
    pub fn bytes(&self) -> usize {
        self.slots.len() * size_of::<T>()
    }
    /// Appends a value.
    #[inline]
    pub fn push(&mut self, value: T) {
        if self.len == self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let at = (self.head + self.len) & mask;
        // SAFETY: the mask keeps `at` below the length, which `grow` made a nonzero power of two.
        unsafe { item_mut(&mut self.slots, at).write(value) };
        self.len += 1;
    }
    /// Prefetches the memory of the slot for the next value.
    #[inline(always)]
    pub fn prefetch_tail(&self) {
        let at = (self.head + self.len) & self.slots.len().wrapping_sub(1);
        prefetch::<1, _>(self.slots.as_ptr().wrapping_add(at));
    }
    /// The free slots after the newest value, to be filled in order. There is at least one.
    #[inline]
    pub fn tail(&mut self) -> Tail<'_, T> {
        if self.len == self.slots.len() {
            self.grow();
        }
        Tail {
            begin: self.head + self.len,
            at: self.head + self.len,
            end: self.head + self.slots.len(),
            slots: &mut self.slots,
            len: &mut self.len,
        }
    }
    /// The oldest value.
    #[inline]
    pub fn front(&self) -> Option<&T> {
        if self.len == 0 {
            return None;
        }
        // SAFETY: `head` is below the length and its slot was written, because `len` is above zero.
        Some(unsafe { item(&self.slots, self.head).assume_init_ref() })
    }
    /// The oldest value, mutable.
    #[inline]
    pub fn front_mut(&mut self) -> Option<&mut T> {
        if self.len == 0 {
            return None;
        }
        // SAFETY: as in `front`.
        Some(unsafe { item_mut(&mut self.slots, self.head).assume_init_mut() })
    }
    /// The value after which `newer` further values were appended, mutable. The ring must have more than `newer`
    /// values.
    #[inline]
    pub fn before_newest_mut(&mut self, newer: usize) -> &mut T {
        assert!(newer < self.len);
        let at = (self.head + self.len - 1 - newer) & (self.slots.len() - 1);
        // SAFETY: the mask keeps `at` below the length, and `at` is one of the `len` slots from
        // `head` on, which have been written.
        unsafe { item_mut(&mut self.slots, at).assume_init_mut() }
    }
    /// Removes the oldest value.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let value = *self.front()?;
        self.head = (self.head + 1) & (self.slots.len() - 1);
        self.len -= 1;
        Some(value)
    }
    /// Removes the oldest value. Returns the removed value with a reference to the value after it. `None` if the
    /// ring is empty.
    #[inline]
    pub fn pop_and_peek(&mut self) -> Option<(T, Option<&T>)> {
        if self.len == 0 {
            return None;
        }
        let next = (self.head + 1) & (self.slots.len() - 1);
        // SAFETY: `head` is below the length and its slot was written, because `len` was above
        // zero. The mask keeps `next` below the length; its slot was written if another value is
        // left.
        let value = unsafe { item(&self.slots, self.head).assume_init() };
        self.head = next;
        self.len -= 1;
        let behind = if self.len == 0 {
            None
        } else {
            Some(unsafe { item(&self.slots, next).assume_init_ref() })
        };
        Some((value, behind))
    }
    /// The oldest values that are contiguous in memory: all values, or the values up to the end of the storage.
    #[inline]
    pub fn stretch(&self) -> &[T] {
        let end = (self.head + self.len).min(self.slots.len());
        // SAFETY: the `len` slots from `head` on have been written, and `MaybeUninit<T>` is laid
        // out like `T`.
        unsafe {
            core::slice::from_raw_parts(self.slots.as_ptr().add(self.head).cast(), end - self.head)
        }
    }
    /// Removes the oldest `count` values. The ring must hold at least `count` values.
    #[inline]
    pub fn discard(&mut self, count: usize) {
        assert!(count <= self.len);
        self.head = (self.head + count) & self.slots.len().wrapping_sub(1);
        self.len -= count;
    }
    /// Removes the newest `count` values. The ring must hold at least `count` values.
    pub fn take_back(&mut self, count: usize) {
        assert!(count <= self.len);
        self.len -= count;
    }
    /// Iterates from the oldest to the newest value.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let mask = self.slots.len().wrapping_sub(1);
        // SAFETY: the `len` slots from `head` on have been written.
        (0..self.len).map(move |i| unsafe { self.slots[(self.head + i) & mask].assume_init_ref() })
    }

    /// The newest `count` values, in the order in which they were appended. The ring must hold at least `count`
    /// values.
    pub fn newest(&self, count: usize) -> impl Iterator<Item = &T> {
        assert!(count <= self.len);
        let (mask, begin) = (
            self.slots.len().wrapping_sub(1),
            self.head + self.len - count,
        );
        // SAFETY: the `len` slots from `head` on have been written, and the slots read here are the
        // last of them.
        (0..count).map(move |i| unsafe { self.slots[(begin + i) & mask].assume_init_ref() })
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let capacity = (self.slots.len() * 2).max(Self::FIRST_CAPACITY);
        let mut slots = Vec::with_capacity(capacity);
        slots.extend(self.iter().map(|value| MaybeUninit::new(*value)));
        slots.resize(capacity, MaybeUninit::uninit());
        self.slots = slots;
        self.head = 0;
    }
}

/// The free slots of a [`Ring`] and the values written there. When many values are appended in this way, position
/// and end stay in registers. Only [`Tail::close`] makes the values part of the ring.
#[must_use]
pub struct Tail<'a, T: Copy> {
    slots: &'a mut [MaybeUninit<T>],
    len: &'a mut usize,
    /// Position of the first free slot, counted without wrapping. `at` is the position of the next free slot.
    /// `end` is the position after the last free slot.
    begin: usize,
    at: usize,
    end: usize,
}

impl<T: Copy> Tail<'_, T> {
    /// True if no free slot is left.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.at == self.end
    }
    /// Number of free slots left.
    #[inline(always)]
    pub fn room(&self) -> usize {
        self.end - self.at
    }
    /// Number of values appended to this tail so far.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.at - self.begin
    }
    /// True if no value has been appended to this tail.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.at == self.begin
    }
    /// Appends a value; the tail must have a free slot.
    #[inline(always)]
    pub fn push(&mut self, value: T) {
        debug_assert!(!self.is_full());
        let at = self.at & (self.slots.len() - 1);
        // SAFETY: the mask keeps `at` below the length, a nonzero power of two.
        unsafe { item_mut(self.slots, at).write(value) };
        self.at += 1;
    }
    /// Adds the appended values to the ring. Returns their number.
    #[inline(always)]
    pub fn close(self) -> usize {
        let count = self.len();
        // Appending to a full tail would make the count exceed the free slots.
        assert!(self.at <= self.end);
        *self.len += count;
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_order_over_growth_and_wrapping() {
        let mut ring = Ring::default();
        let (mut written, mut read) = (0u32, 0u32);
        for round in 0..200 {
            for _ in 0..(round % 7 + 1) {
                ring.push(written);
                written += 1;
            }
            for _ in 0..(round % 5) {
                if let Some(value) = ring.pop() {
                    assert_eq!(value, read);
                    read += 1;
                }
            }
            let mut tail = ring.tail();
            assert!(!tail.is_full() && tail.is_empty());
            while !tail.is_full() && tail.len() < round % 4 {
                tail.push(written);
                written += 1;
            }
            tail.close();
            let back = ring.len().min(round % 3);
            ring.take_back(back);
            written -= back as u32;
            let newest = ring.len().min(round % 6);
            assert!(
                ring.newest(newest)
                    .copied()
                    .eq(written - newest as u32..written)
            );
            if round % 11 == 0 {
                let stretch = ring.stretch().to_vec();
                assert!(
                    stretch
                        .iter()
                        .copied()
                        .eq(read..read + stretch.len() as u32)
                );
                ring.discard(stretch.len());
                read += stretch.len() as u32;
            }
        }
        assert_eq!(ring.len() as u32, written - read);
        assert!(ring.iter().copied().eq(read..written));
    }
}
