//! Rate traces as CSV tables.

use cellrate::traffic_files::rate_table;

/// The input is the text of a table.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match rate_table::read(text) {
        Ok(pieces) => {
            assert!(pieces.len() < text.lines().count());
            assert!(pieces.iter().all(|piece| piece.lasts.0 > 0));
            assert!(pieces.iter().any(|piece| piece.rate.0 > 0));
            let all = pieces
                .iter()
                .try_fold(0u64, |sum, piece| sum.checked_add(piece.lasts.0));
            assert!(
                all.is_some_and(|all| all < u64::MAX),
                "the whole lasts {all:?}"
            );
        }
        Err((line, message)) => {
            assert!(
                (1..=text.lines().count().max(1)).contains(&line) && !message.is_empty(),
                "{line}: {message}"
            );
        }
    }
}
