//! The result of a run: the summary, the scenario as it was run, traces and events.

use std::fmt;

use super::container::{Reader, Writer};
use super::events::Events;
use super::key::key;
use super::overview;
use super::traces::Series;

/// A finished run. It can be written to bytes and read again.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// One JSON object: version, digest, seed, times, warnings and the engine's report.
    pub summary: String,
    /// The scenario with every default written out, as TOML.
    pub resolved: String,
    /// Recorded traces, one for each traced quantity of a queue, channel, flow or port.
    pub series: Vec<Series>,
    /// The event log, empty unless the scenario asks for events.
    pub events: Events,
}

/// Reason why bytes could not be read as an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged(pub &'static str);

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "damaged result: {}", self.0)
    }
}

impl std::error::Error for Damaged {}

impl Outcome {
    /// The key under which stores keep the outcome, see [`super::key()`].
    pub fn key(&self) -> String {
        key(&self.resolved)
    }

    /// The part of the summary that fits on a screen, as JSON. Flows are combined to groups if
    /// there are more than `most_flows`. At most `most_queues` queues are listed, the longest
    /// first.
    ///
    /// # Errors
    /// If the summary was not written by this version.
    pub fn overview(
        &self,
        most_flows: usize,
        most_queues: usize,
    ) -> Result<String, serde_json::Error> {
        overview::json(&self.summary, most_flows, most_queues)
    }

    /// The whole outcome as bytes, with the version of the format and a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.text(&self.summary);
        writer.text(&self.resolved);
        writer.list(&self.series, write_series);
        write_events(&mut writer, &self.events);
        writer.finish()
    }

    /// Reads the outcome in `bytes`.
    ///
    /// # Errors
    /// If [`Outcome::to_bytes`] did not write the bytes, or if another version of it did.
    pub fn from_bytes(bytes: &[u8]) -> Result<Outcome, Damaged> {
        let mut reader = Reader::new(bytes)?;
        let outcome = Outcome {
            summary: reader.text()?,
            resolved: reader.text()?,
            series: reader.list(read_series)?,
            events: read_events(&mut reader)?,
        };
        reader.finish()?;
        Ok(outcome)
    }
}

fn write_series(writer: &mut Writer, series: &Series) {
    let Series {
        kind,
        entity,
        unit,
        seconds,
        low,
        high,
    } = series;
    [kind, entity, unit]
        .into_iter()
        .for_each(|text| writer.text(text));
    [seconds, low, high]
        .into_iter()
        .for_each(|values| writer.floats(values));
}

fn read_series(reader: &mut Reader<'_>) -> Result<Series, Damaged> {
    Ok(Series {
        kind: reader.text()?,
        entity: reader.text()?,
        unit: reader.text()?,
        seconds: reader.floats()?,
        low: reader.floats()?,
        high: reader.floats()?,
    })
}

fn write_events(writer: &mut Writer, events: &Events) {
    let Events {
        time_seconds,
        kind,
        vc,
        port,
        pdu,
        cause,
        cell,
        sequence_bytes,
        er_cells_per_second,
    } = events;
    writer.floats(time_seconds);
    [kind, vc]
        .into_iter()
        .for_each(|texts| writer.list(texts, |w, text| w.text(text)));
    [port, cause]
        .into_iter()
        .for_each(|texts| writer.options(texts, |w, text| w.text(text)));
    [pdu, cell, sequence_bytes]
        .into_iter()
        .for_each(|values| writer.options(values, |w, value| w.integer(*value)));
    writer.options(er_cells_per_second, |w, er| w.integer(er.to_bits() as i64));
}

fn read_events(reader: &mut Reader<'_>) -> Result<Events, Damaged> {
    let time_seconds = reader.floats()?;
    let (kind, vc) = (reader.list(Reader::text)?, reader.list(Reader::text)?);
    let (port, cause) = (reader.options(Reader::text)?, reader.options(Reader::text)?);
    let (pdu, cell) = (
        reader.options(Reader::integer)?,
        reader.options(Reader::integer)?,
    );
    let sequence_bytes = reader.options(Reader::integer)?;
    let er_cells_per_second = reader.options(Reader::float)?;
    Ok(Events {
        time_seconds,
        kind,
        vc,
        port,
        pdu,
        cause,
        cell,
        sequence_bytes,
        er_cells_per_second,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome() -> Outcome {
        Outcome {
            summary: r#"{"digest":"ab"}"#.into(),
            resolved: "[run]\nduration = \"1 s\"\n".into(),
            series: vec![Series {
                kind: "queue".into(),
                entity: "A->B/1".into(),
                unit: "cells".into(),
                seconds: vec![0.0, 0.5],
                low: vec![0.0, -0.0],
                high: vec![f64::MAX, 1e-300],
            }],
            events: Events {
                time_seconds: vec![0.25, 0.5],
                kind: vec!["loss".into(), "mark".into()],
                vc: vec!["f.1/forward".into(), "ä".into()],
                port: vec![Some("A->B".into()), None],
                pdu: vec![Some(-1), None],
                cause: vec![Some("overflow".into()), None],
                cell: vec![Some(i64::MAX), None],
                sequence_bytes: vec![None, None],
                er_cells_per_second: vec![None, Some(0.1)],
            },
        }
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let outcome = outcome();
        assert_eq!(Outcome::from_bytes(&outcome.to_bytes()).unwrap(), outcome);
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_noticed() {
        let bytes = outcome().to_bytes();
        for length in 0..bytes.len() {
            assert!(
                Outcome::from_bytes(&bytes[..length]).is_err(),
                "cut to {length}"
            );
        }
        for i in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[i] ^= 1;
            assert!(Outcome::from_bytes(&damaged).is_err(), "byte {i}");
        }
    }

    #[test]
    fn a_count_that_cannot_be_reserves_nothing() {
        let mut writer = Writer::default();
        writer.text("{}");
        writer.text("");
        writer.count(usize::MAX);
        assert_eq!(
            Outcome::from_bytes(&writer.finish()),
            Err(Damaged("fields end too early"))
        );
    }
}
