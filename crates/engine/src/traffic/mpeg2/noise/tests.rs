use super::*;

/// The power spectrum, with as many terms of the series as needed. The remaining terms are an integral with its
/// first correction (Euler and Maclaurin).
fn exact(lambda: f64, h: f64) -> f64 {
    let d = -2.0 * h - 1.0;
    let term = |k: f64| libm::pow(TAU * k + lambda, d) + libm::pow(TAU * k - lambda, d);
    let last = 12.0;
    let tail = |sign: f64| libm::pow(TAU * last + sign * lambda, d + 1.0) / (TAU * 2.0 * h);
    let series =
        (1..12).map(|k| term(k as f64)).sum::<f64>() + term(last) / 2.0 + tail(1.0) + tail(-1.0);
    let amplitude =
        2.0 * libm::sin(PI * h) * libm::tgamma(2.0 * h + 1.0) * (1.0 - libm::cos(lambda));
    amplitude * (libm::pow(lambda, d) + series)
}

#[test]
fn the_power_is_paxsons_and_nearly_exact() {
    assert!(
        (aliases(0.3, 0.8) - 0.022_144_3).abs() < 1e-6,
        "{}",
        aliases(0.3, 0.8)
    );
    for h in [0.5, 0.6, 0.7, 0.8, 0.9, 0.95] {
        for lambda in [0.001, 0.1, 0.3, 1.0, 2.0, PI] {
            let ratio = power(lambda, h) / exact(lambda, h);
            assert!((ratio - 1.0).abs() < 2e-4, "{lambda} {h} {ratio}");
        }
    }
    // The spectrum of white noise is constant.
    assert!((power(1.7, 0.5) - 1.0).abs() < 1e-4);
}

#[test]
fn values_have_zero_mean_and_unit_variance_and_the_same_bits_everywhere() {
    let noise = Noise::new(1024, 0.8);
    let mut stream = Stream::new(42, "component", "purpose");
    let runs = 400;
    let mut variances = 0.0;
    for run in 0..runs {
        let found = noise.sequence(&mut stream);
        if run == 0 {
            insta::assert_debug_snapshot!([
                found[0].to_bits(),
                found[1].to_bits(),
                found[1023].to_bits()
            ]);
        }
        assert!((found.iter().sum::<f64>() / 1024.0).abs() < 1e-12);
        variances += found.iter().map(|x| x * x).sum::<f64>() / 1024.0;
    }
    // The mean has a part of the variance, and the sum of the powers is the rest. The standard deviation of the
    // variance is 0.08 for one sequence, and so 0.004 for the mean of 400 sequences; the tolerance is three times
    // that.
    let (last, others) = noise.powers.split_last().unwrap();
    let expected = (2.0 * others.iter().sum::<f64>() + last) / 1024.0;
    let mean = variances / runs as f64;
    assert!(
        expected > 0.92 && expected < 1.0 - libm::pow(1024.0, -0.4) + 0.01,
        "{expected}"
    );
    assert!((mean - expected).abs() < 0.012, "{mean} of {expected}");
}

/// The powers of all frequencies except zero sum to the share of the variance that a block has about its own
/// mean.
#[test]
fn the_mean_of_a_block_takes_its_share_of_the_variance() {
    for (h, expected) in [
        (0.5, 1.0),
        (0.8, 0.978),
        (0.9, 0.848),
        (0.95, 0.609),
        (0.99, 0.171),
    ] {
        let noise = Noise::new(16_384, h);
        let (last, others) = noise.powers.split_last().unwrap();
        let sum = (2.0 * others.iter().sum::<f64>() + last) / 16_384.0;
        assert!((sum - expected).abs() < 1e-3, "{h}: {sum}");
        // The test uses the spectrum, not sequences, because that takes little time.
        assert!(
            (share_of_variance(16_384, h) - sum).abs() < 0.014,
            "{h}: {sum}"
        );
    }
}

/// Whittle's estimate of H: the H whose spectrum fits the periodogram best, found by a parabola through the best
/// points of a grid.
struct Whittle {
    grid: Vec<f64>,
    /// For each H of the grid: the reciprocal powers, and the mean of the logarithms of the powers.
    fits: Vec<(Vec<f64>, f64)>,
}

impl Whittle {
    const STEP: f64 = 0.005;

    fn around(h: f64, length: usize) -> Whittle {
        let grid: Vec<f64> = (-9..=9).map(|i| h + i as f64 * Whittle::STEP).collect();
        let fit = |h: &f64| {
            let powers: Vec<f64> = (1..length / 2)
                .map(|j| exact(TAU * j as f64 / length as f64, *h))
                .collect();
            let logarithm =
                powers.iter().map(|power| libm::log(*power)).sum::<f64>() / powers.len() as f64;
            (powers.iter().map(|power| 1.0 / power).collect(), logarithm)
        };
        let fits = grid.iter().map(fit).collect();
        Whittle { grid, fits }
    }

    /// Standard error of the estimate. Each value of the periodogram is exponentially distributed
    /// around its power. So its information about H is the square of the derivative of the
    /// logarithm of its share.
    fn error(&self) -> f64 {
        let middle = self.fits.len() / 2;
        let ((above, high), (below, low)) = (&self.fits[middle + 1], &self.fits[middle - 1]);
        let change = |(above, below): (&f64, &f64)| {
            (libm::log(below / above) - high + low) / (2.0 * Whittle::STEP)
        };
        let information: f64 = above
            .iter()
            .zip(below)
            .map(change)
            .map(|change| change * change)
            .sum();
        1.0 / libm::sqrt(information)
    }

    fn estimate(&self, values: &[f64]) -> f64 {
        let mut z: Vec<Complex> = values.iter().map(|x| (*x, 0.0)).collect();
        synthesise(&mut z);
        let periodogram: Vec<f64> = z[1..values.len() / 2]
            .iter()
            .map(|(re, im)| re * re + im * im)
            .collect();
        let misfit = |(reciprocals, logarithm): &(Vec<f64>, f64)| {
            let ratio: f64 = periodogram
                .iter()
                .zip(reciprocals)
                .map(|(found, reciprocal)| found * reciprocal)
                .sum();
            libm::log(ratio) + logarithm
        };
        let misfits: Vec<f64> = self.fits.iter().map(misfit).collect();
        let best = (1..misfits.len() - 1)
            .min_by(|a, b| misfits[*a].total_cmp(&misfits[*b]))
            .unwrap();
        let (before, at, after) = (misfits[best - 1], misfits[best], misfits[best + 1]);
        self.grid[best] + Whittle::STEP * (before - after) / (2.0 * (before - 2.0 * at + after))
    }
}

/// The mean of 20 estimates is within three of its standard errors: a correct program fails once in
/// 370 times for each H.
#[test]
fn whittle_finds_the_hurst_parameter() {
    for h in [0.6, 0.7, 0.8, 0.9] {
        let (noise, whittle) = (Noise::new(8192, h), Whittle::around(h, 8192));
        let mut stream = Stream::new(1, "whittle", &alloc::format!("{h}"));
        let found: Vec<f64> = (0..20)
            .map(|_| whittle.estimate(&noise.sequence(&mut stream)))
            .collect();
        let mean = found.iter().sum::<f64>() / 20.0;
        let error = whittle.error() / libm::sqrt(20.0);
        assert!(
            (0.006..0.009).contains(&whittle.error()) && (mean - h).abs() < 3.0 * error,
            "{h}: {mean} +- {error}"
        );
    }
}

/// Means of m values have the variance m^(2H - 2), the definition of long-range dependence.
#[test]
fn means_of_many_values_vary_as_they_should() {
    let noise = Noise::new(4096, 0.8);
    let mut stream = Stream::new(5, "test", "aggregate");
    let runs = 300;
    for m in [4usize, 16, 64] {
        let mut sum = 0.0;
        for _ in 0..runs {
            let found = noise.sequence(&mut stream);
            let mean = found[..m].iter().sum::<f64>() / m as f64;
            sum += mean * mean;
        }
        // The relative standard error of a variance from 300 values is 8.2 %; the tolerance is four standard
        // errors.
        let ratio = sum / runs as f64 / libm::pow(m as f64, -0.4);
        // The mean of the whole sequence is zero, which lowers the variance by 4096^-0.4 = 0.036.
        let expected = 1.0 - libm::pow(m as f64 / 4096.0, 0.4);
        assert!(
            (ratio / expected - 1.0).abs() < 0.33,
            "{m}: {ratio} of {expected}"
        );
    }
}
