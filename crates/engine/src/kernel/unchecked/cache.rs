//! A prefetch instruction of the processor, which changes only the speed of a run.

/// Size in bytes of a cache line on x86-64, the only architecture on which [`prefetch`] does anything.
#[cfg(all(target_arch = "x86_64", not(miri)))]
const LINE: usize = 64;

/// Prefetches the first `LINES` cache lines from the address `item` on. `item` need not point to
/// valid memory.
#[inline(always)]
pub fn prefetch<const LINES: usize, T>(item: *const T) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for line in 0..LINES {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let at = item.cast::<i8>().wrapping_add(line * LINE);
        // SAFETY: the instruction changes no memory and ignores invalid addresses.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = item;
}
