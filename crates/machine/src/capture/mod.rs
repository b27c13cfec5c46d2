//! Packet captures: the octets that pass a place of the network, in files that common tools read.
//!
//! The cells come from the plain engine, which handles one event at a time and reports every cell
//! on every link. Tests show that its results equal those of the fast engine, so the fast engine
//! needs no code for captures.

mod aal5;
mod atm;
mod channels;
mod checksum;
mod credit;
mod ends;
mod erf;
mod error;
mod ethernet;
mod files;
mod ip;
mod joined;
mod packet;
mod payload;
mod pcap;
mod place;
mod recording;
mod roce;
mod taken;
mod tap;
mod tcp;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use cellrate_engine::atm::Reference;
use cellrate_engine::kernel::Ps;

pub use error::CaptureError;
pub use ethernet::capture_frames;
pub use joined::capture_both;
pub use taken::{Named, Taken, TakenAt, TakenFile};
pub use tap::{Format, Tap};

use cellrate::build;
use cellrate::run::timeline::slice;
use cellrate::run::{PROGRESS_INTERVAL, Progress};
use cellrate::scenario::Checked;
use ends::Ends;
use recording::Recording;

/// Runs a scenario in the plain engine, which handles one event at a time, and captures everything
/// that passes `taps` within the time `span`. The files are made in `directory`, which must exist
/// and contain none of them.
///
/// A cell is captured when its last bit passes the tap, a PDU together with its last cell. The
/// files are complete only when this function returns.
///
/// # Errors
/// If the place of a tap does not exist, a flow's headers cannot be written, a file cannot be
/// written, or `progress` stops the run.
pub fn capture(
    checked: &Checked,
    taps: &[Tap],
    span: Range<Ps>,
    directory: &Path,
    progress: Progress<'_>,
) -> Result<Taken, CaptureError> {
    let plan = build::plan(checked);
    let nodes: Vec<&str> = plan.nodes.iter().map(|node| node.name.as_str()).collect();
    let taps = Tap::with_links(taps, &nodes, &plan.links).map_err(CaptureError::Request)?;
    let of_plan = (&plan, Ends::of_all(&plan));
    let mut recording = Recording::new(of_plan, &taps, span, directory)?;
    let (end, slice) = (checked.scenario().run.duration, slice(&plan));
    let mut run = Reference::new(plan.clone()).map_err(CaptureError::Plan)?;
    let mut last_report = Instant::now();
    let mut now = Ps::ZERO;
    while now < end {
        now = now.saturating_add(slice).min(end);
        run.observe(now, &mut recording);
        recording.settle(now)?;
        if last_report.elapsed() >= PROGRESS_INTERVAL {
            last_report = Instant::now();
            if !progress(now, end) {
                return Err(CaptureError::Cancelled);
            }
        }
    }
    recording.finish()?;
    let state = run.state();
    state.begin_window();
    state.end_window();
    Ok(Taken {
        digest: state.report().digest,
        taps: recording.taps.iter().map(TakenAt::of).collect(),
        flows: Named::all(&plan, &recording.flows),
    })
}
