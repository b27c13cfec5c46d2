//! Flows by group, so that one warning covers many flows.

/// The flows of each group. In every list of flows, the flows of a group follow one another.
pub fn groups<F>(flows: &[F], group: impl Fn(&F) -> &String) -> impl Iterator<Item = &[F]> {
    flows.chunk_by(move |a, b| group(a) == group(b))
}

/// The subject of a sentence about `some` of the `all` flows of `group`: the name `only` if `some`
/// is 1, otherwise the number of flows.
pub fn told_of(group: &str, only: &str, some: usize, all: usize) -> String {
    match some {
        1 => only.into(),
        2 if all == 2 => format!("both flows of group {group}"),
        _ if some == all => format!("all {all} flows of group {group}"),
        _ => format!("{some} of the {all} flows of group {group}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_named_and_several_are_counted() {
        assert_eq!(told_of("tcp", "tcp.3", 1, 5), "tcp.3");
        assert_eq!(
            told_of("tcp", "tcp.3", 2, 5),
            "2 of the 5 flows of group tcp"
        );
        assert_eq!(told_of("tcp", "tcp.1", 2, 2), "both flows of group tcp");
        assert_eq!(told_of("tcp", "tcp.1", 5, 5), "all 5 flows of group tcp");
        let flows = ["a", "a", "b", "a"].map(String::from);
        let sizes: Vec<usize> = groups(&flows, |name| name).map(<[_]>::len).collect();
        assert_eq!(sizes, [2, 1, 1]);
    }
}
