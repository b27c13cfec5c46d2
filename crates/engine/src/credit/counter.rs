//! The counters of credit control: counts of units modulo 2^28.

/// Modulus of the counters, 2^28. The difference of two counters is unique while a link and the buffer behind it
/// hold fewer than 2^27 units. So many cells fit on no link; if units are octets, 2^27 units are 134 MB.
pub const MODULUS: u32 = 1 << 28;

/// First value of the counters, so close to the modulus that the counters wrap in every run.
pub(crate) const FIRST: u32 = MODULUS - 64;

/// `a + b` modulo [`MODULUS`].
#[inline]
pub(crate) const fn plus(a: u32, b: u32) -> u32 {
    a.wrapping_add(b) % MODULUS
}

/// The difference `a - b` of two counters, from -2^27 to 2^27 - 1; negative if `a` is the lower
/// count.
#[inline]
pub(crate) const fn ahead(a: u32, b: u32) -> i32 {
    let difference = a.wrapping_sub(b) % MODULUS;
    if difference < MODULUS / 2 {
        difference as i32
    } else {
        difference as i32 - MODULUS as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_pass_their_end() {
        assert_eq!(plus(MODULUS - 3, 5), 2);
        assert_eq!(ahead(2, MODULUS - 3), 5);
        assert_eq!(ahead(MODULUS - 3, 2), -5);
        assert_eq!(ahead(7, 7), 0);
        // A difference of exactly half the modulus is negative, as in two's complement.
        let half = (MODULUS / 2) as i32;
        assert_eq!(
            [ahead(MODULUS / 2 - 1, 0), ahead(MODULUS / 2, 0)],
            [half - 1, -half]
        );
    }
}
