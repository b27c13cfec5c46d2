//! Cells on links over a short span of time, as columns.

use cellrate_engine::atm::cell::Kind;
use cellrate_engine::atm::{Reference, Simulation};
use cellrate_engine::kernel::Ps;

use super::driver::{Progress, RunError};
use crate::build;
use crate::scenario::Checked;

/// Passages of cells over links, one in each row. All columns have the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passages {
    /// Name of the link.
    pub link: Vec<String>,
    /// Channel: `FLOW/forward` or `FLOW/backward`.
    pub vc: Vec<String>,
    /// Kind of cell: `data`, `frm` (forward RM cell) or `brm` (backward RM cell).
    pub kind: Vec<&'static str>,
    /// Number of the cell among the data cells of its channel, modulo 2^20; `None` for an RM cell.
    pub cell: Vec<Option<u32>>,
    /// Time at which the last bit left the sending node, in seconds.
    pub left_seconds: Vec<f64>,
    /// Time at which the last bit arrived at the far end, in seconds.
    pub arrived_seconds: Vec<f64>,
    /// Time in seconds at which the first cell that is not recorded, because of the limit, left its
    /// node. `None` if all cells are recorded.
    pub beyond_seconds: Option<f64>,
}

/// Runs a scenario in the plain engine, which handles one event at a time. Records the cells that
/// are on a link between two times, at most `most` of them. If there are more, the run ends early.
///
/// # Errors
/// If the network cannot be simulated, or if `progress` stops the run.
pub fn passages(
    checked: &Checked,
    from_seconds: f64,
    to_seconds: f64,
    most: usize,
    progress: Progress<'_>,
) -> Result<Passages, RunError> {
    let mut reference = Reference::new(build::plan(checked)).map_err(RunError::Plan)?;
    let [from, to] = [from_seconds, to_seconds].map(Ps::from_secs_f64);
    let mut is_stopped = false;
    let found = reference.passages(from, to, most, &mut |now| {
        is_stopped = !progress(now, to);
        !is_stopped
    });
    if is_stopped {
        return Err(RunError::Cancelled);
    }
    let plan = Simulation::plan(reference.state());
    let mut columns = Passages {
        beyond_seconds: found.beyond.map(Ps::as_secs_f64),
        ..Passages::default()
    };
    for one in &found.kept {
        let (kind, number) = match one.info.kind() {
            Kind::Frm => ("frm", None),
            Kind::Brm => ("brm", None),
            Kind::Data | Kind::Credit => ("data", Some(one.info.number())),
        };
        columns
            .link
            .push(plan.links[one.link as usize].name.clone());
        columns.vc.push(plan.channel_name(one.channel));
        columns.kind.push(kind);
        columns.cell.push(number);
        columns.left_seconds.push(one.left.as_secs_f64());
        columns.arrived_seconds.push(one.arrived.as_secs_f64());
    }
    Ok(columns)
}
