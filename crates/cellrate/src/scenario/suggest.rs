//! The nearest valid name, and lists of valid names.

/// The candidate that was probably meant by `found`: at most a third of the letters differ, and at
/// least two are equal.
pub fn nearest<'a>(found: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = found.to_lowercase();
    let distances = candidates
        .into_iter()
        .map(|name| (distance(&lower, &name.to_lowercase()), name));
    let (least, name) = distances.min_by_key(|(distance, _)| *distance)?;
    let letters = found.chars().count().max(name.chars().count());
    (least == 0 || least <= letters.div_ceil(3).min(letters.saturating_sub(2))).then_some(name)
}

/// The same, if no other candidate is as near.
pub fn nearest_alone<'a>(
    found: &str,
    candidates: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    let near = nearest(found, candidates.clone())?;
    let from = |name: &str| distance(&found.to_lowercase(), &name.to_lowercase());
    let mut as_near = candidates
        .into_iter()
        .filter(|name| from(name) == from(near));
    (as_near.next().is_some() && as_near.next().is_none()).then_some(near)
}

/// `a`, `b` and `c`; a long list is shortened.
pub fn listed(names: &[&str]) -> String {
    const MOST: usize = 24;
    let mut text = names
        .iter()
        .take(MOST)
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > MOST {
        text.push_str(&format!(" and {} more", names.len() - MOST));
    }
    text
}

/// Number of edits from one text to the other: insertions, deletions, replacements, and swaps of
/// neighbours. Texts longer than any name have the largest distance.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    rows.iter_mut().enumerate().for_each(|(i, row)| row[0] = i);
    rows[0]
        .iter_mut()
        .enumerate()
        .for_each(|(j, cell)| *cell = j);
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_name_and_nonsense_finds_none() {
        let names = ["granularity", "window", "mss", "max_rto", "min_rto"];
        assert_eq!(nearest("granularty", names), Some("granularity"));
        assert_eq!(nearest("wnidow", names), Some("window"));
        assert_eq!(nearest("MSS", names), Some("mss"));
        assert_eq!(nearest("max-rto", names), Some("max_rto"));
        assert_eq!(nearest("colour", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("a", []), None);
        assert_eq!(nearest("Y", ["X"]), None);
        assert_eq!(nearest("h22", ["h1", "h2"]), Some("h2"));
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("abc", "acb"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
