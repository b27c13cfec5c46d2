//! A run on several threads. Each thread runs one part of the network, up to the safe time of the
//! part: the time before which no further cell can arrive from other parts.
//!
//! The clock of a part is the time up to which the part has processed its events and posted their
//! effects. Each sender of a part limits its safe time: to the sender's clock plus the lookahead of
//! the links between them ([`Part::senders`]). The safe time is the least of these limits. A part
//! also stays within [`AHEAD`] lookaheads of its receivers' clocks, so that cells do not fill the
//! memory.
//!
//! In each step a part collects the batches of cells that were posted to it, runs, posts its own
//! batches, and only then sets its clock. A part that reads a sender's clock therefore finds every
//! unit that arrives before that clock plus the lookahead. Two parts that send to each other take
//! several steps in a lookahead ([`STEPS`]). With one step in a lookahead the parts would meet at
//! its end, and the part with less work would wait each time. With several steps the part with less
//! work runs ahead by the rest of the lookahead.
//!
//! No deadlock is possible. Consider the part with the earliest clock, or any of several such
//! parts. The clocks of its senders and receivers are not earlier, and every lookahead is more than
//! zero, because a unit takes time on a link. Both limits therefore lie after the clock of this
//! part, so this part never waits. Its clock advances up to the end, and every other part becomes
//! the earliest in turn. The lock of a batch is held for one swap only: never together with another
//! lock, and never while a part waits. A thread that panics or is stopped stops the other threads
//! ([`StopsOnPanic`], [`Clocks::stop`]).
//!
//! Each thread samples its own part, at the instants of the run's timeline. The parts are joined at
//! both ends of the measuring window, at changes of the scenario and at the end.

mod clocks;

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use cellrate_engine::kernel::Ps;
use cellrate_engine::net::node::Node;
use cellrate_engine::net::partition::{Mail, Part};
use cellrate_engine::net::unit::Word;

use self::clocks::{Clocks, StopsOnPanic};
use super::driver::{Driver, PROGRESS_INTERVAL, Progress, RunError};
use super::memory::{Exhausted, Room};
use super::partition::STEPS;
use super::records::Divisible;
use super::timeline::Timeline;

/// Number of lookaheads by which a part may run ahead of a receiver.
const AHEAD: u64 = 2;

/// Longest wait before a thread checks whether the run was stopped.
const PATIENCE: Duration = PROGRESS_INTERVAL;

/// Batches of units that the parts have posted to each other, by sender and receiver.
struct Post<W: Word> {
    parts: usize,
    mail: Vec<Mutex<Mail<W>>>,
}

/// The batches between the parts of a network, with the units of its link layer.
type PostOf<R> = Post<<<R as Divisible>::Node as Node>::Word>;

impl<W: Word> Post<W> {
    fn new(parts: usize) -> Post<W> {
        let mail = (0..parts * parts).map(|_| Mutex::new(Mail::default()));
        Post {
            parts,
            mail: mail.collect(),
        }
    }

    /// Calls `act` with the batches from one part to another. A poisoned lock is accepted: after a
    /// panic in one part no other part reads the batches.
    fn between(&self, from: usize, to: usize, act: impl FnOnce(&mut Mail<W>)) {
        let mail = self.mail[from * self.parts + to].lock();
        act(&mut mail.unwrap_or_else(PoisonError::into_inner));
    }
}

/// A part, and the traces and events that are recorded in it.
struct Worker<R: Divisible> {
    part: Part<R::Node>,
    /// Longest simulated time between two settings of the part's clock.
    step: Ps,
    records: R,
    timeline: Timeline,
    /// Batches that have been read; they are kept because their memory is used again.
    read: Mail<<R::Node as Node>::Word>,
    room: Room,
    /// The reason why this part ended the run for lack of memory; `None` if it did not.
    exhausted: Option<Exhausted>,
}

/// Runs to the end. `parts` has the number of the part that each node belongs to; each part runs on
/// a thread of its own.
///
/// # Errors
/// If `progress` stops the run, or if the run is about to fill the memory.
pub fn run<R: Divisible>(
    driver: &mut Driver<R>,
    parts: &[usize],
    progress: Progress<'_>,
) -> Result<(), RunError> {
    let mut last_report = Instant::now();
    while let Some(edge) = driver.timeline.next_edge() {
        let until = edge.min(R::make_due_change(&mut driver.simulation));
        if until > driver.simulation.now() {
            run_to(driver, parts, until, &mut |at, end| {
                if last_report.elapsed() < PROGRESS_INTERVAL {
                    return true;
                }
                last_report = Instant::now();
                progress(at, end)
            })?;
        }
        if driver.next_stop() == Some(until) {
            driver.step();
        }
    }
    Ok(())
}

/// Runs the parts to `until`, with all samples that are due before, and joins the parts.
///
/// # Errors
/// The errors of [`run`].
fn run_to<R: Divisible>(
    driver: &mut Driver<R>,
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
            // The panic hook has printed the message; the panic continues in the caller's thread.
            other.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    if let Some(exhausted) = workers
        .iter_mut()
        .find_map(|worker| worker.exhausted.take())
    {
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

/// Waits until all parts have reached `until`; stops the parts if `go_on` returns false.
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

fn divide<R: Divisible>(driver: &mut Driver<R>, parts: &[usize]) -> Vec<Worker<R>> {
    let count = parts.iter().max().map_or(0, |last| last + 1);
    let records = driver.records.divide(&driver.simulation, parts, count);
    let divided = driver.simulation.divide(parts);
    let workers = divided.into_iter().zip(records);
    let workers = workers.map(|(part, records)| Worker {
        step: step(&part),
        part,
        records,
        timeline: driver.timeline.clone(),
        read: Mail::default(),
        room: driver.room.shared(count),
        exhausted: None,
    });
    workers.collect()
}

/// The longest step that a part takes before it sets its clock.
fn step<N: Node>(part: &Part<N>) -> Ps {
    let cuts = part.senders().iter().chain(part.receivers());
    let least = cuts.map(|cut| cut.lookahead).fold(Ps::NEVER, Ps::min);
    let mut senders = part.senders().iter();
    let is_mutual = senders.any(|from| part.receivers().iter().any(|to| to.part == from.part));
    Ps(least.0.div_ceil(if is_mutual { STEPS } else { 1 }))
}

fn join<R: Divisible>(driver: &mut Driver<R>, workers: Vec<Worker<R>>) {
    let (mut divided, mut records) = (Vec::new(), Vec::new());
    for worker in workers {
        driver.timeline = worker.timeline;
        divided.push(worker.part);
        records.push(worker.records);
    }
    driver.simulation.join(divided);
    driver.records.join(records);
}

impl<R: Divisible> Worker<R> {
    /// Runs to `until`, takes the samples that are due before, and processes the arrivals up to
    /// then. Ends early if the run is stopped; `go_on` returns false to stop it.
    fn run(
        &mut self,
        until: Ps,
        clocks: &Clocks,
        post: &PostOf<R>,
        go_on: &mut dyn FnMut() -> bool,
    ) {
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
            if let Err(exhausted) = Exhausted::check::<R>(&mut self.room, self.part.state()) {
                self.exhausted = Some(exhausted);
                return clocks.stop();
            }
        }
    }

    /// Time up to which the part may run, as soon as this time is later than the part's clock: the
    /// least of its safe time, the limit by the clocks of its receivers, and the end of a step.
    /// `None` if [`PATIENCE`] has passed first, or if the run was stopped.
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

    fn collect(&mut self, post: &PostOf<R>) {
        for cut in 0..self.part.senders().len() {
            let sender = self.part.senders()[cut].part;
            post.between(sender, self.part.number(), |mail| {
                std::mem::swap(mail, &mut self.read);
            });
            self.part.collect(&mut self.read);
        }
    }

    fn post(&mut self, post: &PostOf<R>) {
        for cut in 0..self.part.receivers().len() {
            let receiver = self.part.receivers()[cut].part;
            let number = self.part.number();
            if self.part.has_mail(cut) {
                post.between(number, receiver, |mail| self.part.post(cut, mail));
            }
        }
    }

    /// Takes the samples that are due now.
    fn stop(&mut self) {
        if self.timeline.next().is_some_and(|stop| stop.samples) {
            R::sample_part(&mut self.part);
            self.records.add_points(self.part.state());
        }
        self.records.read(self.part.state());
    }
}
