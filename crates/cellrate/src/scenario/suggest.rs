//! The nearest valid name, and lists of valid names.

/// The candidate that is most like `found`, a wrong name. At most a third of its letters may
/// differ, and at least two must agree.
pub fn nearest<'a>(found: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = found.to_lowercase();
    let letters = lower.chars().count();
    let allowed = |other: usize| {
        let letters = letters.max(other);
        letters.div_ceil(3).min(letters.saturating_sub(2))
    };
    let mut best: Option<(usize, &str, usize)> = None;
    for name in candidates {
        let (name_lower, least) = (name.to_lowercase(), best.map(|(least, ..)| least));
        let other = name_lower.chars().count();
        // The distance is at least the difference of the lengths, which often excludes a
        // candidate.
        let far = letters.abs_diff(other);
        if far > allowed(other) || least.is_some_and(|least| far >= least) {
            continue;
        }
        let distance = distance(&lower, &name_lower);
        if least.is_none_or(|least| distance < least) {
            best = Some((distance, name, other));
        }
    }
    let (least, name, other) = best?;
    (least == 0 || least <= allowed(other)).then_some(name)
}

/// The candidate that [`nearest`] finds; `None` if another candidate is equally near.
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

/// The names as a list, "`a`, `b`, `c`"; a long list is cut after its first names.
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

/// Number of edits that turn one text into the other: insertions, deletions, replacements, and
/// swaps of neighbours. Only the first 64 letters count; no name is longer.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(64).collect(), b.chars().take(64).collect());
    // Rows of the table of distances: from the first i - 2, i - 1 and i letters of `a` to each
    // beginning of `b`.
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = last.clone();
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row[j] = least;
        }
        // The next row overwrites the oldest row.
        std::mem::swap(&mut before, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[b.len()]
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
        assert_eq!(nearest(&"x".repeat(200), names), None);
        // The nearest candidate differs in too many of its few letters; the second nearest is
        // longer and is accepted.
        assert_eq!(nearest("abcdef", ["abc", "abcdefghi"]), Some("abcdefghi"));
    }

    #[test]
    fn edits_are_counted() {
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("abc", "acb"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("xabcd", "xbadc"), 2);
        assert_eq!(distance("abc", ""), 3);
    }
}
