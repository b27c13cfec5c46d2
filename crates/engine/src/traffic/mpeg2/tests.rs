use alloc::vec::Vec;

use super::*;
use crate::traffic::CellSource;
use crate::traffic::piecewise::{Piece, PieceSource};

fn config() -> Mpeg2Config {
    Mpeg2Config {
        sources: 9,
        mean: Rate::from_bps(7_500_000),
        standard_deviation: Rate::from_bps(7_000_000),
        peak: Mpeg2Config::hdtv(),
        hurst: 0.8,
        bound: Bound::Discard,
        interval_low: Ps::from_ms(20),
        interval_high: Ps::from_ms(100),
        rates: Counted::Cells,
        packets_per_pdu: 2,
        block: 1024,
    }
}

fn pieces(config: &Mpeg2Config, seed: u64, count: usize) -> Vec<Piece> {
    let noise = Noise::new(config.block as usize, config.hurst);
    let mut encoder = Encoder::new(config, noise, Stream::new(seed, "test", "encoder"));
    (0..count).map(|_| encoder.next_piece().unwrap()).collect()
}

#[test]
fn intervals_are_uniform_and_rates_within_bounds() {
    let found = pieces(&config(), 1, 20_000);
    let within = |piece: &Piece| {
        piece.rate <= Mpeg2Config::hdtv()
            && piece.lasts >= Ps::from_ms(20)
            && piece.lasts <= Ps::from_ms(100)
    };
    assert!(found.iter().all(within));
    // Ten deciles of the intervals have 2,000 intervals each, with a standard deviation of 42. The tolerance is
    // five standard deviations in each decile.
    let mut deciles = [0usize; 10];
    found.iter().for_each(|piece| {
        deciles[((piece.lasts - Ps::from_ms(20)).0 / 8_000_000_001) as usize] += 1
    });
    assert!(
        deciles.iter().all(|count| count.abs_diff(2_000) < 212),
        "{deciles:?}"
    );
}

#[test]
fn how_rates_are_bounded_does_not_move_the_intervals() {
    let truncated = Mpeg2Config {
        bound: Bound::Truncate,
        ..config()
    };
    let lasts = |config| {
        pieces(&config, 1, 3_000)
            .iter()
            .map(|piece| piece.lasts)
            .collect::<Vec<_>>()
    };
    assert_eq!(lasts(config()), lasts(truncated));
}

/// The mean number of cells of nine streams in 10 s, over 24 seeds, is the mean that `load` states.
#[test]
fn the_multiplex_has_its_mean() {
    let config = Mpeg2Config {
        mean: Rate::from_bps(5_000_000),
        standard_deviation: Rate::from_bps(5_000_000),
        ..config()
    };
    let Load::Own { mean, peak, .. } = config.load() else {
        panic!()
    };
    assert!(
        (peak * 424e-6 - 135.0).abs() < 1e-9 && (mean * 424e-6 - 55.33).abs() < 0.005,
        "{mean} {peak}"
    );
    let count = |seed| {
        let Demand::Cells(mut cells) = config.demand(Ps::ZERO, Stream::new(seed, "test", "source"))
        else {
            panic!()
        };
        let mut count = 0.0;
        while cells.next() < Ps::from_s(10) {
            cells.advance();
            count += 1.0;
        }
        count / 10.0
    };
    let found: Vec<f64> = (0..24).map(count).collect();
    let average = found.iter().sum::<f64>() / found.len() as f64;
    let variance = found
        .iter()
        .map(|x| (x - average) * (x - average))
        .sum::<f64>()
        / 23.0;
    let error = libm::sqrt(variance / 24.0);
    // A correct program fails once in 10,000 times: the tolerance is four standard errors of 2 %
    // each.
    assert!(
        (average - mean).abs() < 4.0 * error && error < 0.03 * mean,
        "{average} of {mean} +- {error}"
    );
}

#[test]
fn cells_of_a_stream_are_never_closer_than_the_peak() {
    for bound in [
        Bound::Discard,
        Bound::Truncate,
        Bound::TruncateAndCarry,
        Bound::Exponential,
    ] {
        let config = Mpeg2Config {
            sources: 1,
            bound,
            ..config()
        };
        let Demand::Cells(mut cells) = config.demand(Ps::ZERO, Stream::new(1, "test", "source"))
        else {
            panic!()
        };
        let mut last = cells.next();
        for _ in 0..50_000 {
            cells.advance();
            let gap = cells.next() - last;
            // A cell of 424 bits at 15 Mbit/s, and a picosecond of rounding.
            assert!(gap.0 + 1 >= 28_266_666, "{bound:?}: {gap}");
            last = cells.next();
        }
    }
}

#[test]
fn transport_packets_cost_their_cells() {
    let counted = Mpeg2Config {
        rates: Counted::TransportPackets,
        ..config()
    };
    let (Load::Own { mean, .. }, Load::Own { mean: cells, .. }) = (counted.load(), config().load())
    else {
        panic!()
    };
    assert!((mean / cells - 53.0 / 47.0).abs() < 1e-12);
}

#[test]
fn a_block_lasts_as_long_as_its_kept_values() {
    // 71.6 % of the values are kept: 1024 * 0.716 intervals of 60 ms.
    let lasts = config().block_lasts().as_secs_f64();
    assert!((lasts - 43.99).abs() < 0.05, "{lasts}");
}

#[test]
fn impossible_streams_are_refused() {
    let found = |change: fn(&mut Mpeg2Config)| {
        let mut config = config();
        change(&mut config);
        config.check().map_or("", |(field, _)| field)
    };
    assert_eq!(found(|_| {}), "");
    assert_eq!(found(|c| c.sources = 0), "sources");
    assert_eq!(found(|c| c.hurst = 1.0), "hurst");
    assert_eq!(found(|c| c.hurst = f64::NAN), "hurst");
    assert_eq!(found(|c| c.interval_low = Ps::ZERO), "interval_low");
    assert_eq!(
        found(|c| (c.interval_low, c.interval_high) = (Ps(1), Ps(3))),
        "interval_low"
    );
    assert_eq!(
        found(|c| c.interval_high = Ps::from_ms(19)),
        "interval_high"
    );
    assert_eq!(found(|c| c.packets_per_pdu = 0), "packets_per_pdu");
    assert_eq!(found(|c| c.block = 1000), "block");
    assert_eq!(found(|c| c.peak = Rate(u64::MAX / 17)), "peak");
    // With a mean far above the peak, no value of the normal distribution is kept. With `Bound::Exponential` and
    // a mean above the peak, the bucket never drains.
    assert_eq!(found(|c| c.mean = Rate::from_bps(40_000_000)), "mean");
    assert_eq!(
        found(|c| (c.bound, c.mean) = (Bound::Exponential, Rate::from_bps(15_000_000))),
        "mean"
    );
    // A normal distribution 25 Mbit/s above the peak, with a deviation of 7 Mbit/s, has 0.02 % of
    // its values below the peak.
    let far = Mpeg2Config {
        mean: Rate::from_bps(40_000_000),
        ..config()
    };
    assert!(
        far.check()
            .unwrap()
            .1
            .starts_with("only 0.0 % of the drawn rates lie between zero and the peak")
    );
    // Rounded to whole Mbit/s, these rates are zero.
    let small = |c: &mut Mpeg2Config| {
        (c.bound, c.mean, c.standard_deviation) = (
            Bound::Exponential,
            Rate::from_bps(1_000),
            Rate::from_bps(100),
        );
    };
    assert_eq!(found(small), "mean");
}
