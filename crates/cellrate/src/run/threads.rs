//! A run on several threads: each runs a part of the network, as far as the cells allow that the other
//! parts have sent.
//!
//! A part may run up to the least of its senders' clocks, each with the lookahead of the links between
//! ([`Part::senders`]); and, so that cells do not pile up in memory, no further than [`AHEAD`] lookaheads
//! beyond the clocks of its receivers. It collects what has been posted, runs, posts what leaves it, and
//! only then sets its clock. Whoever reads that clock therefore finds in the mail all that arrives
//! before it and the lookahead. Two parts that send to each other do this several times in a lookahead
//! ([`STEPS`]). With a single step they would meet at its end each time, and the one with less to do would
//! wait; now it runs ahead by the rest of the lookahead, and waits only if the other is slower in the long
//! run.
//!
//! No deadlock is possible. Consider the part whose clock is the earliest (any of them, if several
//! are). Its senders and receivers have clocks no earlier than its own, and every lookahead is more
//! than zero, since a cell takes time; so both bounds lie beyond its clock, and it never waits. Its clock
//! then advances, up to the end, so every other becomes the earliest in its turn. The locks of the mail
//! are held for a swap only, never two at a time, and never while waiting. A thread that panics, or is
//! told to stop, stops the others ([`StopsOnPanic`], [`Clocks::stop`]).
//!
//! Samples are taken by each thread of its own part, at the instants of the run's timeline; at both
//! ends of the measuring window, at changes of the scenario and at the end, the parts are joined.

mod clocks;

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cellrate_engine::kernel::Ps;
use cellrate_engine::network::partition::{Mail, Part};
use cellrate_engine::network::{ChannelId, Plan};

use self::clocks::{Clocks, StopsOnPanic};
use super::driver::{Driver, Progress, RunError, TOLD_EVERY};
use super::events::Odometer;
use super::memory::{Exhausted, Room};
use super::timeline::Timeline;
use super::traces::Recorder;

/// Lookaheads by which a part may be ahead of one that receives from it.
const AHEAD: u64 = 2;

/// Steps of a part in the least lookahead of its links to others, if it sends to one that sends to it. More
/// of them are shorter turns of its nodes, too short for many arrivals to be sorted at once, and more mail.
pub const STEPS: u64 = 2;

/// Longest wait without a look at whether the run shall go on.
const PATIENCE: Duration = TOLD_EVERY;

/// Mail between the parts, by sender and receiver.
struct Post {
    parts: usize,
    mail: Vec<Mutex<Mail>>,
}

impl Post {
    fn new(parts: usize) -> Post {
        let mail = (0..parts * parts).map(|_| Mutex::new(Mail::default()));
        Post {
            parts,
            mail: mail.collect(),
        }
    }

    /// Does something with the mail between two parts. After a panic in one of them nobody reads it.
    fn between(&self, from: usize, to: usize, act: impl FnOnce(&mut Mail)) {
        let mail = self.mail[from * self.parts + to].lock();
        act(&mut mail.unwrap_or_else(PoisonError::into_inner));
    }
}

/// A part, and what is recorded of it.
struct Worker {
    part: Part,
    /// Longest time between two settings of the part's clock.
    step: Ps,
    recorder: Recorder,
    odometer: Option<Odometer>,
    /// Channels that begin in the part, for the odometer.
    channels: Vec<ChannelId>,
    timeline: Timeline,
    /// Mail that has been read, for its memory.
    read: Mail,
    room: Room,
    /// Reason for which the part has ended the run, if it has.
    exhausted: Option<Exhausted>,
}

/// Runs to the end on as many threads as `parts`, the part of each node, has numbers.
///
/// # Errors
/// If `progress` stops it, or if it would fill the memory.
pub fn run(driver: &mut Driver, parts: &[usize], progress: Progress<'_>) -> Result<(), RunError> {
    let mut told = Instant::now();
    while let Some(edge) = driver.timeline.next_edge() {
        let until = edge.min(driver.simulation.make_due_change());
        if until > driver.simulation.now() {
            run_to(driver, parts, until, &mut |at, end| {
                if told.elapsed() < TOLD_EVERY {
                    return true;
                }
                told = Instant::now();
                progress(at, end)
            })?;
        }
        if driver.next_stop() == Some(until) {
            driver.step();
        }
    }
    Ok(())
}

/// Runs the parts to `until`, through all stops before it, and joins them.
///
/// # Errors
/// Those of [`run`].
fn run_to(
    driver: &mut Driver,
    parts: &[usize],
    until: Ps,
    progress: Progress<'_>,
) -> Result<(), RunError> {
    let end = driver.timeline.end;
    let mut workers = divide(driver, parts);
    let clocks = Clocks::new(workers.len(), driver.simulation.now());
    let post = Post::new(workers.len());
    thread::scope(|scope| {
        let (clocks, post) = (&clocks, &post);
        let mut workers = workers.iter_mut();
        let own = workers.next();
        let others: Vec<_> = workers
            .map(|worker| scope.spawn(move || worker.run(until, clocks, post, &mut || true)))
            .collect();
        let mut go_on = || progress(clocks.earliest(), end);
        if let Some(worker) = own {
            worker.run(until, clocks, post, &mut go_on);
        }
        watch(until, clocks, &mut go_on);
        for other in others {
            // Its message has been told where it arose; what called the run hears of it here.
            other.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    if let Some(exhausted) = workers.iter_mut().find_map(|one| one.exhausted.take()) {
        return Err(RunError::Exhausted(exhausted));
    }
    if clocks.is_stopped() {
        return Err(RunError::Cancelled);
    }
    for worker in &mut workers {
        worker.collect(&post);
    }
    join(driver, workers);
    Ok(())
}

/// Waits until all parts have come to `until`, and stops them if `go_on` says so.
fn watch(until: Ps, clocks: &Clocks, go_on: &mut dyn FnMut() -> bool) {
    while clocks.earliest() < until && !clocks.is_stopped() {
        clocks.wait(PATIENCE, |clocks| {
            (clocks.earliest() >= until).then_some(())
        });
        if !go_on() {
            clocks.stop();
        }
    }
}

fn divide(driver: &mut Driver, parts: &[usize]) -> Vec<Worker> {
    let plan = driver.simulation.plan();
    let count = parts.iter().max().map_or(0, |last| last + 1);
    let mut channels = vec![Vec::new(); count];
    for channel in plan.channels() {
        channels[parts[begin(plan, channel)]].push(channel);
    }
    let recorders = driver.recorder.divide(&driver.simulation, parts, count);
    let odometers = (0..count).map(|_| driver.odometer.as_ref().map(|_| Odometer::default()));
    let divided = driver.simulation.divide(parts);
    let each = divided
        .into_iter()
        .zip(recorders)
        .zip(odometers)
        .zip(channels);
    let workers = each.map(|(((part, recorder), odometer), channels)| Worker {
        step: step(&part),
        part,
        recorder,
        odometer,
        channels,
        timeline: driver.timeline.clone(),
        read: Mail::default(),
        room: driver.room.shared(count),
        exhausted: None,
    });
    workers.collect()
}

/// The longest step of a part.
fn step(part: &Part) -> Ps {
    let cuts = part.senders().iter().chain(part.receivers());
    let least = cuts.map(|cut| cut.lookahead).fold(Ps::NEVER, Ps::min);
    let mut senders = part.senders().iter();
    let is_mutual = senders.any(|from| part.receivers().iter().any(|to| to.part == from.part));
    Ps(least.0.div_ceil(if is_mutual { STEPS } else { 1 }))
}

/// The node at which a channel begins.
fn begin(plan: &Plan, channel: ChannelId) -> usize {
    let links = &plan.flows[channel.flow()].forward;
    let ends = links.first().zip(links.last());
    let (first, last) = ends.expect("a flow has a path, which its plan is checked for");
    if channel.is_forward() {
        plan.links[*first].from
    } else {
        plan.links[*last].to
    }
}

fn join(driver: &mut Driver, workers: Vec<Worker>) {
    let mut divided = Vec::new();
    let mut recorders = Vec::new();
    for worker in workers {
        driver.timeline = worker.timeline;
        divided.push(worker.part);
        recorders.push(worker.recorder);
        if let Some((all, own)) = driver.odometer.as_mut().zip(worker.odometer) {
            all.append(own);
        }
    }
    driver.simulation.join(divided);
    driver.recorder.join(recorders);
}

impl Worker {
    /// Runs to `until` and catches up, with all stops before it; or until the run has been stopped.
    /// `go_on` is asked about it from time to time.
    fn run(&mut self, until: Ps, clocks: &Clocks, post: &Post, go_on: &mut dyn FnMut() -> bool) {
        let _stop = StopsOnPanic(clocks);
        let number = self.part.number();
        loop {
            let stop = self.timeline.peek().filter(|at| *at < until);
            let goal = stop.unwrap_or(until);
            while self.part.now() < goal {
                if !go_on() {
                    clocks.stop();
                }
                let Some(bound) = self.bound(clocks) else {
                    if clocks.is_stopped() {
                        return;
                    }
                    continue;
                };
                self.collect(post);
                self.part.run_until(bound.min(goal), goal);
                if self.part.now() == goal {
                    self.part.catch_up();
                }
                self.post(post);
                clocks.set(number, self.part.now());
            }
            if stop.is_none() {
                return;
            }
            self.stop();
            if let Err(exhausted) = Exhausted::check(&mut self.room, self.part.state()) {
                self.exhausted = Some(exhausted);
                return clocks.stop();
            }
        }
    }

    /// Instant up to which the part may run, once that lies ahead; `None` if the wait was long, or the
    /// run has been stopped.
    fn bound(&self, clocks: &Clocks) -> Option<Ps> {
        let now = self.part.now();
        clocks.wait(PATIENCE, |clocks| {
            let sent = self.part.senders().iter();
            let sent = sent.map(|cut| clocks.of(cut.part).saturating_add(cut.lookahead));
            let received = self.part.receivers().iter().map(|cut| {
                let ahead = Ps(cut.lookahead.0.saturating_mul(AHEAD));
                clocks.of(cut.part).saturating_add(ahead)
            });
            let bound = sent.chain(received).fold(Ps::NEVER, Ps::min);
            (bound > now).then_some(bound.min(now.saturating_add(self.step)))
        })
    }

    fn collect(&mut self, post: &Post) {
        for cut in 0..self.part.senders().len() {
            let sender = self.part.senders()[cut].part;
            post.between(sender, self.part.number(), |mail| {
                std::mem::swap(mail, &mut self.read);
            });
            self.part.collect(&mut self.read);
        }
    }

    fn post(&mut self, post: &Post) {
        for cut in 0..self.part.receivers().len() {
            let receiver = self.part.receivers()[cut].part;
            let number = self.part.number();
            if self.part.has_mail(cut) {
                post.between(number, receiver, |mail| self.part.post(cut, mail));
            }
        }
    }

    /// Does what the timeline asks for now.
    fn stop(&mut self) {
        if self.timeline.next().is_some_and(|stop| stop.samples) {
            self.part.sample();
            self.recorder.sample(self.part.state());
        }
        if let Some(odometer) = &mut self.odometer {
            odometer.read_some(self.part.state(), self.channels.iter().copied());
        }
    }
}
