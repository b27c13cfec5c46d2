//! Distributions of flow sizes, from files.

/// Number of the first faulty line of a file, from 1, and a description of the fault.
pub type Wrong = (usize, String);

/// A distribution of sizes: for each point a size, and the share of flows of at most this size. Between two
/// points the share is linear in the size.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// Sizes in bytes, and shares. Sizes grow, shares do not fall, and the last share is 1.
    points: Vec<(f64, f64)>,
}

const HEADING: &str = "size_bytes,cumulative_probability";

impl Sizes {
    /// Reads a table: the heading `size_bytes,cumulative_probability`, then one point on each line. Empty
    /// lines, and lines that begin with `#`, are skipped.
    ///
    /// # Errors
    /// The number of the first faulty line, and its fault.
    pub fn read(text: &str) -> Result<Sizes, Wrong> {
        let mut lines = (1..)
            .zip(text.lines().map(str::trim))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let heading = lines.next();
        if heading.is_none_or(|(_, line)| line != HEADING) {
            let line = heading.map_or(1, |(number, _)| number);
            return Err((line, format!("the heading must be `{HEADING}`")));
        }
        let (mut points, mut last) = (Vec::<(f64, f64)>::new(), 1);
        for (number, line) in lines {
            let point = point(line).map_err(|message| (number, message))?;
            let before = points.last().copied().unwrap_or((0.0, 0.0));
            if point.0 <= before.0 || point.1 < before.1 {
                let message = "the size must be above the size of the line before, and the probability at least that of the line before";
                return Err((number, message.into()));
            }
            points.push(point);
            last = number;
        }
        if points.last().is_none_or(|(_, share)| *share != 1.0) {
            return Err((last, "the last probability must be 1".into()));
        }
        Ok(Sizes { points })
    }

    /// The mean size in bytes.
    pub fn mean(&self) -> f64 {
        let first = self.points[0];
        let between = self.points.windows(2).map(|pair| {
            let ((from, below), (to, share)) = (pair[0], pair[1]);
            (share - below) * (from + to) / 2.0
        });
        first.0 * first.1 + between.sum::<f64>()
    }

    /// The size in bytes that the share `at` of the flows, in [0, 1), does not exceed. It is a whole number
    /// of at least 1.
    pub fn at(&self, at: f64) -> u64 {
        let upper = self.points.partition_point(|(_, share)| *share < at);
        let (to, share) = self.points[upper.min(self.points.len() - 1)];
        let size = match upper.checked_sub(1).map(|below| self.points[below]) {
            Some((from, below)) if share > below => {
                from + (at - below) / (share - below) * (to - from)
            }
            _ => to,
        };
        (size.round() as u64).max(1)
    }
}

fn point(line: &str) -> Result<(f64, f64), String> {
    let read = |text: &str| text.trim().parse::<f64>().ok();
    let point = line
        .split_once(',')
        .and_then(|(size, share)| Some((read(size)?, read(share)?)));
    match point {
        Some((size, share)) if (1.0..=1e15).contains(&size) && (0.0..=1.0).contains(&share) => {
            Ok((size, share))
        }
        _ => Err(format!(
            "`{line}` is not a number of bytes without a unit, at least 1, and a probability from 0 to 1"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# half of the flows have 1,000 bytes\nsize_bytes,cumulative_probability\n\
        1000,0.5\n3000,1\n";

    /// Half of the flows have 1,000 bytes. The other half have 1,000 to 3,000 bytes. The mean is 500 + 1,000
    /// bytes.
    #[test]
    fn sizes_between_points_are_linear() {
        let sizes = Sizes::read(TEXT).unwrap();
        assert_eq!(sizes.mean(), 1_500.0);
        let found = [0.0, 0.3, 0.5, 0.75, 0.9].map(|at| sizes.at(at));
        assert_eq!(found, [1_000, 1_000, 1_000, 2_000, 2_600]);
        let count = 100_000;
        let sum: u64 = (0..count).map(|n| sizes.at(n as f64 / count as f64)).sum();
        assert!((sum as f64 / count as f64 - 1_500.0).abs() < 0.1);
    }

    #[test]
    fn faults_have_their_lines() {
        let fault = |rows: &str| Sizes::read(&format!("{HEADING}\n{rows}")).unwrap_err();
        assert_eq!(Sizes::read("1000,1").unwrap_err().0, 1);
        for (rows, line, message) in [
            ("", 1, "the last probability must be 1"),
            ("10,0.5", 2, "the last probability must be 1"),
            ("10,0.5\n10,1", 3, "must be above"),
            ("10,0.5\n20,0.4", 3, "must be above"),
            ("0,1", 2, "without a unit, at least 1"),
            ("10,2", 2, "from 0 to 1"),
            ("10 kB,1", 2, "without a unit, at least 1"),
        ] {
            let (found, told) = fault(rows);
            assert!(
                found == line && told.contains(message),
                "{rows}: {found} {told}"
            );
        }
    }
}
