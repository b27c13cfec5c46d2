//! Sum of harmonics, by the fast Fourier transform of Cooley and Tukey.
//!
//! This code is part of cellrate, not of a library, because its results must be bit-identical on every platform.
//! A library chooses vector instructions by the machine, and with them the order of additions. The speed of the
//! transform matters little: it is needed only once in thousands of cells.

use alloc::vec::Vec;
use core::f64::consts::TAU;

/// A complex number: real and imaginary part.
pub type Complex = (f64, f64);

/// Replaces the amplitudes `z[j]` by the values `sum over j of z[j] exp(2 pi i j t / n)` for t = 0 to n - 1. The
/// length n of `z` must be a power of two.
pub fn synthesise(z: &mut [Complex]) {
    let n = z.len();
    assert!(n.is_power_of_two());
    let bits = n.trailing_zeros();
    for i in 0..n {
        let j = if bits == 0 {
            0
        } else {
            i.reverse_bits() >> (usize::BITS - bits)
        };
        if i < j {
            z.swap(i, j);
        }
    }
    let turns: Vec<Complex> = (0..n / 2)
        .map(|k| {
            let (sin, cos) = libm::sincos(TAU * k as f64 / n as f64);
            (cos, sin)
        })
        .collect();
    let mut half = 1;
    while half < n {
        let step = n / (2 * half);
        for block in z.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for ((low, high), turn) in low.iter_mut().zip(high).zip(turns.iter().step_by(step)) {
                let turned = (
                    high.0 * turn.0 - high.1 * turn.1,
                    high.0 * turn.1 + high.1 * turn.0,
                );
                *high = (low.0 - turned.0, low.1 - turned.1);
                *low = (low.0 + turned.0, low.1 + turned.1);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_sum_that_it_stands_for() {
        for n in [1usize, 2, 8, 64] {
            let z: Vec<Complex> = (0..n)
                .map(|j| ((j * j % 7) as f64 - 3.0, (j % 5) as f64))
                .collect();
            let mut found = z.clone();
            synthesise(&mut found);
            for (t, value) in found.iter().enumerate() {
                let mut sum = (0.0, 0.0);
                for (j, (re, im)) in z.iter().enumerate() {
                    let (sin, cos) = libm::sincos(TAU * (j * t % n) as f64 / n as f64);
                    sum = (sum.0 + re * cos - im * sin, sum.1 + re * sin + im * cos);
                }
                assert!(
                    (value.0 - sum.0).abs() < 1e-11 && (value.1 - sum.1).abs() < 1e-11,
                    "{n} {t}"
                );
            }
        }
    }
}
