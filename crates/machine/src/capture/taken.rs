//! The contents of `captures.json`: a description of the captured files.

use cellrate_engine::atm::Plan;
use serde::Serialize;

use super::ends::Ends;
use super::place::Flows;
use super::recording::Recorded;

/// Everything that was captured in a run.
#[derive(Clone, Debug, Serialize)]
pub struct Taken {
    /// Hash (digest) of everything that happened in the run. Every run of the same scenario has the
    /// same digest.
    pub digest: String,
    /// The capture of each tap.
    pub taps: Vec<TakenAt>,
    /// Identifiers of the flows on the wire.
    pub flows: Vec<Named>,
}

/// A finished tap: its place, files and omissions, as `captures.json` lists them.
#[derive(Clone, Debug, Serialize)]
pub struct TakenAt {
    /// Place of the tap.
    pub point: String,
    /// Files of the tap.
    pub files: Vec<TakenFile>,
    /// Number of PDUs with missing cells. No file of PDUs or packets contains such a PDU; files of
    /// cells contain its cells that arrived.
    pub damaged_pdus: u64,
}

/// A finished capture file, as `captures.json` lists it.
#[derive(Clone, Debug, Serialize)]
pub struct TakenFile {
    /// Name of the file in the directory.
    pub name: String,
    /// Format of the file's records.
    pub format: String,
    /// Number of records.
    pub records: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// A flow's identifiers on the wire. In pairs the first belongs to the source, the second to the
/// destination.
#[derive(Clone, Debug, Serialize)]
pub struct Named {
    /// Name of the flow in the scenario.
    pub name: String,
    /// VPI of the flow on every link, in both directions.
    pub vpi: u8,
    /// VCI of the flow on every link, in both directions.
    pub vci: u16,
    /// IP addresses; `None` without TCP.
    pub addresses: Option<[String; 2]>,
    /// TCP ports; `None` without TCP.
    pub ports: Option<[u16; 2]>,
    /// Sequence numbers of the two SYNs, one below the number of the first data byte; `None`
    /// without TCP.
    pub first_numbers: Option<[u32; 2]>,
    /// Number of bits by which both ends shift their advertised window; `None` without TCP.
    pub window_shift: Option<u8>,
}

impl TakenAt {
    /// Description of the capture of one tap.
    pub fn of(recorded: &Recorded) -> TakenAt {
        let files = recorded.files.iter().map(|file| TakenFile {
            name: file
                .path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            format: file.format.name().into(),
            records: file.records,
            bytes: file.octets,
        });
        TakenAt {
            point: recorded.tap.point.clone(),
            files: files.collect(),
            damaged_pdus: recorded.damaged,
        }
    }
}

impl Named {
    /// The identifiers of every flow.
    pub fn all(plan: &Plan, flows: &Flows) -> Vec<Named> {
        let named = plan.flows.iter().zip(&flows.ends);
        named
            .map(|(flow, ends)| Named::of(&flow.name, ends, flow.source.over_tcp()))
            .collect()
    }

    /// The identifiers of a flow; addresses and ports only if it runs over TCP.
    pub fn of(name: &str, ends: &Ends, tcp: bool) -> Named {
        let dotted = |[a, b, c, d]: [u8; 4]| format!("{a}.{b}.{c}.{d}");
        Named {
            name: name.into(),
            vpi: ends.vc.vpi,
            vci: ends.vc.vci,
            addresses: tcp.then(|| ends.addresses.map(dotted)),
            ports: tcp.then_some(ends.ports),
            first_numbers: tcp.then_some(ends.first_numbers),
            window_shift: tcp.then(|| ends.window_shift()),
        }
    }
}
