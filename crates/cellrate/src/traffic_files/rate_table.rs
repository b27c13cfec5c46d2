//! Tables of rates: a heading, then rows with a duration or a time, and a rate.

use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::traffic::piecewise::Piece;

/// Number of the faulty line, from 1, and a description of the fault.
pub type Wrong = (usize, String);

/// Meaning of the first column in a table of rates.
#[derive(Clone, Copy, PartialEq)]
enum Axis {
    Duration,
    Time,
}

/// A column of a table: its index, and the unit of its numbers. The unit is empty if every value
/// states its own.
struct Column {
    index: usize,
    unit: String,
}

/// Reads a table as pieces: intervals of constant rate.
///
/// # Errors
/// The fault of the first wrong line.
pub fn read(text: &str) -> Result<Vec<Piece>, Wrong> {
    // Some spreadsheets begin a file with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !is_comment(line));
    let Some((number, heading)) = lines.next() else {
        return Err((1, "the table is empty".into()));
    };
    let (axis, at, rate) = columns(heading).map_err(|message| (number, message))?;
    let width = heading.split(',').count();
    let mut rows = Vec::new();
    for (number, line) in lines {
        let values: Vec<&str> = line.split(',').map(unquoted).collect();
        let found = values.len();
        if found != width {
            let only = if found < width { "only " } else { "" };
            let message = format!(
                "the line has {only}{found} values, commas in quotes counted; the heading names {width} columns"
            );
            return Err((number, message));
        }
        let at = time(values[at.index], &at.unit).map_err(|message| (number, message))?;
        let rate = speed(values[rate.index], &rate.unit).map_err(|message| (number, message))?;
        rows.push((number, at, rate));
    }
    let pieces = if axis == Axis::Duration {
        by_duration(&rows)?
    } else {
        by_time(&rows)?
    };
    if pieces.iter().all(|piece| piece.rate.0 == 0) {
        return Err((number, "no rate of the table is above zero".into()));
    }
    Ok(pieces)
}

type Row = (usize, Ps, Rate);

fn by_duration(rows: &[Row]) -> Result<Vec<Piece>, Wrong> {
    let mut pieces = Vec::with_capacity(rows.len());
    let mut all = Ps::ZERO;
    for &(number, lasts, rate) in rows {
        if lasts == Ps::ZERO {
            return Err((number, "a duration must be above 0 s".into()));
        }
        all = all.saturating_add(lasts);
        if !all.is_scheduled() {
            return Err((number, "the durations add up to more than 213 days".into()));
        }
        pieces.push(Piece { lasts, rate });
    }
    Ok(pieces)
}

fn by_time(rows: &[Row]) -> Result<Vec<Piece>, Wrong> {
    if let Some((number, first, _)) = rows.first().filter(|(_, first, _)| *first > Ps::ZERO) {
        return Err((
            *number,
            format!("the first time must be 0 s, but is {first}"),
        ));
    }
    if let Some((number, _, rate)) = rows.last().filter(|(_, _, rate)| rate.0 > 0) {
        return Err((
            *number,
            format!("the last row ends the trace: its rate must be 0, but is {rate}"),
        ));
    }
    let mut pieces = Vec::with_capacity(rows.len());
    for pair in rows.windows(2) {
        let ((_, from, rate), (number, to, _)) = (pair[0], pair[1]);
        if to <= from {
            return Err((number, format!("{to} is not after {from}")));
        }
        pieces.push(Piece {
            lasts: to - from,
            rate,
        });
    }
    Ok(pieces)
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'))
        .unwrap_or(value)
        .trim()
}

const HEADING: &str = "the heading names two columns, `rate` and either `duration` or `time`, with a unit in parentheses \
    if the values have none: `duration (ms),rate (Mbit/s)`";

fn columns(heading: &str) -> Result<(Axis, Column, Column), String> {
    let names: Vec<(&str, &str)> = heading.split(',').map(unquoted).map(with_unit).collect();
    let find = |wanted: &str| {
        let mut found = names
            .iter()
            .enumerate()
            .filter(|(_, (name, _))| name.eq_ignore_ascii_case(wanted));
        let column = found.next().map(|(index, (_, unit))| Column {
            index,
            unit: (*unit).into(),
        });
        if found.next().is_some() {
            Err(format!("there are several columns `{wanted}`; {HEADING}"))
        } else {
            Ok(column)
        }
    };
    let rate = find("rate")?.ok_or_else(|| format!("there is no column `rate`; {HEADING}"))?;
    match (find("duration")?, find("time")?) {
        (Some(at), None) => Ok((Axis::Duration, at, rate)),
        (None, Some(at)) => Ok((Axis::Time, at, rate)),
        (Some(_), Some(_)) => Err(format!("there are both `duration` and `time`; {HEADING}")),
        (None, None) => Err(format!("there is neither `duration` nor `time`; {HEADING}")),
    }
}

/// Splits a column's heading, such as `rate (Mbit/s)`, into name and unit.
fn with_unit(name: &str) -> (&str, &str) {
    match name.split_once('(') {
        Some((name, unit)) => (name.trim(), unit.trim_end().trim_end_matches(')').trim()),
        None => (name, ""),
    }
}

fn time(value: &str, unit: &str) -> Result<Ps, String> {
    format!("{value} {unit}")
        .trim()
        .parse()
        .map_err(|error| format!("{error}"))
}

/// Reads a rate of the table; zero means that the source sends nothing.
fn speed(value: &str, unit: &str) -> Result<Rate, String> {
    let text = format!("{value} {unit}");
    let number: String = value
        .chars()
        .take_while(|c| !c.is_ascii_alphabetic() || matches!(c, 'e' | 'E'))
        .collect();
    if number.trim().parse::<f64>() == Ok(0.0) {
        // The unit must be valid even if the rate is zero.
        return text
            .replacen(number.trim(), "1", 1)
            .trim()
            .parse::<Rate>()
            .map(|_| Rate(0))
            .map_err(|e| format!("{e}"));
    }
    text.trim().parse().map_err(|error| format!("{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(ms: u64, kbit: u64) -> Piece {
        Piece {
            lasts: Ps::from_ms(ms),
            rate: Rate::from_bps(kbit * 1_000),
        }
    }

    #[test]
    fn units_stand_in_the_heading_or_in_each_value() {
        let expected = vec![piece(20, 7_500), piece(40, 0), piece(5, 424)];
        let by_duration = "# made by hand\nduration (ms),rate (Mbit/s)\n20,7.5\n40,0\n\n5,0.424\n";
        assert_eq!(read(by_duration), Ok(expected.clone()));
        let by_time = "\"rate\", \"time\"\n\"7.5 Mbit/s\",0 s\n0 Mbit/s,20 ms\n1 cells/ms,60 ms\n0 bit/s,65 ms\n";
        assert_eq!(read(by_time), Ok(expected));
        assert_eq!(
            read("duration (s),note,rate (cells/s)\n1,x,1000"),
            Ok(vec![piece(1_000, 424)])
        );
    }

    #[test]
    fn wrong_rows_are_told_with_their_line() {
        let wrong = |text: &str| read(text).map(|_| ()).unwrap_err();
        let begins = |text: &str, line: usize, part: &str| {
            let (found, message) = wrong(text);
            assert!(
                found == line && message.contains(part),
                "{text:?}: {found}: {message}"
            );
        };
        begins("", 1, "empty");
        begins("a,b\n1,2", 1, "no column `rate`");
        begins("rate\n1 Mbit/s", 1, "neither `duration` nor `time`");
        begins("rate,time,duration\n", 1, "both");
        begins("rate,rate,time\n", 1, "several columns `rate`");
        begins("duration (ms),rate (Mbit/s)\n1,2\n\n3", 4, "only 1 values");
        // A comma in quotes would shift the columns behind it.
        begins(
            "note,duration (ms),rate (Mbit/s)\nx,1,2\n\"a,3,4,b\",1,2",
            3,
            "6 values",
        );
        begins(
            "duration (ms),rate (Mbit/s)\n1,fast",
            2,
            "`fast Mbit/s` is not a rate",
        );
        begins("duration (ms),rate (Mbit/s)\n1,-2", 2, "is not a rate");
        begins("duration (ms),rate (Mbit)\n1,0", 2, "is not a rate");
        begins("duration (ms),rate (Mbit/s)\n1,nan", 2, "is not a rate");
        begins("duration,rate (Mbit/s)\n1,2", 2, "`1` is not a time");
        begins(
            "duration (ms),rate (Mbit/s)\n1,2\n0,2",
            3,
            "must be above 0 s",
        );
        begins(
            "duration (s),rate (Mbit/s)\n1.7e7,2\n1e6,2\n1e6,2",
            4,
            "more than 213 days",
        );
        begins("duration (ms),rate (Mbit/s)\n1,0", 1, "no rate");
        begins("duration (ms),rate (Mbit/s)\n", 1, "no rate");
        begins(
            "time (ms),rate (Mbit/s)\n1,2\n2,0",
            2,
            "the first time must be 0 s",
        );
        begins(
            "time (ms),rate (Mbit/s)\n0,2\n3,1\n3,0",
            4,
            "3 ms is not after 3 ms",
        );
        begins(
            "time (ms),rate (Mbit/s)\n0,2\n3,1",
            3,
            "the last row ends the trace",
        );
    }
}
