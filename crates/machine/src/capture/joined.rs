//! Captures in networks with routers: frames of Ethernet links, cells and PDUs of ATM links.

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use cellrate_engine::atm::server::EagerServer;
use cellrate_engine::joined::{Joined, JoinedPlan, Layer};
use cellrate_engine::kernel::Ps;
use cellrate_engine::net::LinkPlan;

use cellrate::ethernet::Job;
use cellrate::run::{PROGRESS_INTERVAL, Progress};

use super::ends::Ends;
use super::error::CaptureError;
use super::ethernet::{FrameRecording, without_formats};
use super::recording::Recording;
use super::taken::{Named, Taken, TakenAt};
use super::tap::{Tap, Tapped};

/// Number of equal slices of a run; what was captured is written at the end of each.
const SLICES: u64 = 1_000;

/// Runs a scenario with routers in the plain engines, which handle one event at a time, and captures everything that
/// passes the places `points` within the time `span`. The Ethernet links of a place go into a file of frames, its
/// ATM links into files of cells and PDUs in the formats of the place. The files are made in `directory`, which must
/// exist and contain none of them.
///
/// # Errors
/// If a place does not exist, a flow's headers cannot be written, a file cannot be written, or
/// `progress` stops the run.
pub fn capture_both(
    job: &Job,
    points: &[String],
    span: Range<Ps>,
    directory: &Path,
    progress: Progress<'_>,
) -> Result<Taken, CaptureError> {
    let plan = job.joined_plan();
    let mut run: Joined<EagerServer> = Joined::new(&plan).map_err(CaptureError::Request)?;
    let [over_atm, over_ethernet] = taps(&plan, &run, points).map_err(CaptureError::Request)?;
    let [of_cells, of_frames] = Ends::of_legs(&plan, &run);
    let (cells, frames) = (run.atm().plan().clone(), run.ethernet().plan().clone());
    let of_cells = (&cells, of_cells);
    let mut of_atm = Recording::new(of_cells, &over_atm, span.clone(), directory)?;
    let of_frames = (&frames, of_frames);
    let mut of_ethernet = FrameRecording::new(of_frames, &over_ethernet, span, directory)?;
    run.parts_mut().1.tap(&of_ethernet.links());
    let end = job.scenario().run.duration;
    let slice = Ps((end.0 / SLICES).max(1));
    let (mut now, mut told) = (Ps::ZERO, Instant::now());
    while now < end {
        now = now.saturating_add(slice).min(end);
        run.observe(now, &mut of_atm);
        of_atm.settle(now)?;
        let seen = run.parts_mut().1.take_seen();
        of_ethernet.settle(seen, now)?;
        if told.elapsed() >= PROGRESS_INTERVAL {
            told = Instant::now();
            if !progress(now, end) {
                return Err(CaptureError::Cancelled);
            }
        }
    }
    of_atm.finish()?;
    of_ethernet.finish()?;
    run.begin_window();
    run.end_window();
    let cells = of_atm.taps.iter().map(TakenAt::of);
    let taken = of_ethernet.taken().into_iter().chain(cells);
    let flows = plan.flows.iter().enumerate();
    let named = flows.map(|(number, flow)| {
        let leg = run.legs(number)[0];
        let ends = match leg.layer {
            Layer::Atm => of_atm.flows.ends.get(leg.flow),
            Layer::Ethernet => of_ethernet.ends().get(leg.flow),
        };
        let over_tcp = flow.channel.source.over_tcp();
        ends.map(|ends| Named::of(&flow.channel.name, ends, over_tcp))
    });
    let flows = named.flatten().collect();
    Ok(Taken {
        digest: run.report().whole.digest,
        flows,
        taps: taken.collect(),
    })
}

/// Taps with the links that they capture, over ATM and over Ethernet. A tap without a link of a link layer is
/// not among the taps of this layer.
type Taps = [Vec<(Tap, Vec<Tapped>)>; 2];

fn taps(plan: &JoinedPlan, run: &Joined<EagerServer>, points: &[String]) -> Result<Taps, String> {
    let nodes: Vec<&str> = plan.nodes.iter().map(|node| node.name.as_str()).collect();
    let lines: Vec<LinkPlan> = plan.links.iter().map(|link| link.line.clone()).collect();
    let asked = points.iter().map(|point| point.parse());
    let asked: Vec<Tap> = asked.collect::<Result<_, _>>()?;
    let mut taps = Taps::default();
    for ((tap, links), point) in Tap::with_links(&asked, &nodes, &lines)?
        .into_iter()
        .zip(points)
    {
        let (over_atm, over_ethernet): (Vec<Tapped>, Vec<Tapped>) = links
            .into_iter()
            .partition(|tapped| plan.links[tapped.link].layer == Layer::Atm);
        if over_atm.is_empty() {
            without_formats(point)?;
        }
        // Links have other numbers in the plans of their link layers, but the same names.
        let placed = |links: Vec<Tapped>, own: &[LinkPlan]| -> Vec<Tapped> {
            let place = |tapped: Tapped| {
                let name = &lines[tapped.link].name;
                let link = own.iter().position(|line| line.name == *name);
                link.map(|link| Tapped { link, ..tapped })
            };
            links.into_iter().filter_map(place).collect()
        };
        let layers = [
            placed(over_atm, &run.atm().plan().links),
            placed(over_ethernet, &run.ethernet().plan().links),
        ];
        for (taps, links) in taps.iter_mut().zip(layers) {
            if !links.is_empty() {
                taps.push((tap.clone(), links));
            }
        }
    }
    Ok(taps)
}
