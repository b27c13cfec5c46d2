//! What has been captured, for `captures.json`.

use cellrate_engine::network::Plan;
use serde::Serialize;

use super::place::Flows;
use super::recording::Recorded;

/// Everything that was captured in a run.
#[derive(Clone, Debug, Serialize)]
pub struct Taken {
    /// Hash of everything that happened in the run, as every run of the scenario has it.
    pub digest: String,
    /// The taps.
    pub taps: Vec<TakenAt>,
    /// What flows are called on the wire.
    pub flows: Vec<Named>,
}

/// What one tap has captured.
#[derive(Clone, Debug, Serialize)]
pub struct TakenAt {
    /// Where it is.
    pub point: String,
    /// Its files.
    pub files: Vec<TakenFile>,
    /// PDUs of which cells were missing. No file of PDUs or packets holds them; their cells are among the cells.
    pub damaged_pdus: u64,
}

/// A file.
#[derive(Clone, Debug, Serialize)]
pub struct TakenFile {
    /// Its name in the directory.
    pub name: String,
    /// What it holds.
    pub format: String,
    /// How many records.
    pub records: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// A flow's names on the wire. Of pairs the first is the source's, the second the destination's.
#[derive(Clone, Debug, Serialize)]
pub struct Named {
    /// Its name in the scenario.
    pub name: String,
    /// VPI on every link, in both directions.
    pub vpi: u8,
    /// VCI on every link, in both directions.
    pub vci: u16,
    /// IP addresses; none without TCP.
    pub addresses: Option<[String; 2]>,
    /// TCP ports; none without TCP.
    pub ports: Option<[u16; 2]>,
    /// Sequence numbers before those of the first byte; none without TCP.
    pub first_numbers: Option<[u32; 2]>,
    /// Places by which the window is shifted; none without TCP.
    pub window_shift: Option<u8>,
}

impl TakenAt {
    /// What a tap has captured.
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
    /// Every flow of a plan.
    pub fn all(plan: &Plan, flows: &Flows) -> Vec<Named> {
        let named = plan.flows.iter().zip(&flows.ends).map(|(flow, ends)| {
            let tcp = flow.source.over_tcp();
            let dotted = |[a, b, c, d]: [u8; 4]| format!("{a}.{b}.{c}.{d}");
            Named {
                name: flow.name.clone(),
                vpi: ends.vc.vpi,
                vci: ends.vc.vci,
                addresses: tcp.then(|| ends.addresses.map(dotted)),
                ports: tcp.then_some(ends.ports),
                first_numbers: tcp.then_some(ends.first_numbers),
                window_shift: tcp.then(|| ends.window_shift()),
            }
        });
        named.collect()
    }
}
