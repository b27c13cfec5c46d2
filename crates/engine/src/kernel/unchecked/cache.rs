//! A prefetch instruction of the processor, which affects nothing but time.

/// Bytes of a line of the cache, the same on all processors for which the instruction is used here.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const LINE: usize = 64;

/// Prefetches the first `LINES` lines of the cache from `item` on, so that they are in the cache when they
/// are used. `item` need not exist.
#[inline(always)]
pub fn prefetch<const LINES: usize, T>(item: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for line in 0..LINES {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let at = item.cast::<i8>().wrapping_add(line * LINE);
        // SAFETY: the instruction reads and writes nothing, and ignores addresses of no memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = item;
}
