//! Observation of all traffic during a run of the plain (reference) engine.
//!
//! Only the plain engine can be observed. The engine calls the observer instant by instant and
//! stores no reports, so the observed span may have any length.

use alloc::vec::Vec;

use super::log::{Log, Tap};
use super::observer::{Crossing, Observer};
use super::reference::{Moment, Reference};
use super::server::EagerServer;
use super::simulation::Simulation;
use crate::atm::cell::Body;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;

impl Reference {
    /// Runs to `until`, and reports to `observer` the cells put on links, the PDUs that begin, and
    /// the losses. The reports do not depend on how a run is divided into calls.
    pub fn observe(&mut self, until: Ps, observer: &mut dyn Observer) {
        let mut watch = Watch::begin(self.state());
        self.run_watched(until, &mut |reference, moment| {
            watch.look(reference.state(), moment, observer)
        });
        watch.end(self.state());
    }
}

fn log(simulation: &mut Simulation<EagerServer>, node: usize) -> &mut Log {
    simulation.stations[node].node.log_mut()
}

/// Progress of an observation: for each link, the cells that have been reported.
pub(crate) struct Watch {
    /// For each link, and each label (VPI/VCI) at the end of the link, the channel with this label.
    channels: Vec<Vec<Option<ChannelId>>>,
    /// For each link: the number of cells on the link at the last examination, and how many of the newest of
    /// these cells have not been reported.
    seen: Vec<(usize, usize)>,
    delays: Vec<Ps>,
    /// True if links have cells that are not reported yet, because their last bit leaves after the
    /// time of the examination.
    ahead: bool,
}

impl Watch {
    /// Begins an observation. Cells that have already left their nodes are not reported.
    pub(crate) fn begin(simulation: &mut Simulation<EagerServer>) -> Watch {
        for node in 0..simulation.stations.len() {
            log(simulation, node).tap = Some(Tap::default());
        }
        let mut channels = alloc::vec![Vec::new(); simulation.links.len()];
        for (channel, of) in simulation
            .network
            .plan
            .channels()
            .zip(&simulation.network.channels[..])
        {
            for hop in &of.hops {
                let (table, label): (&mut Vec<Option<ChannelId>>, _) =
                    (&mut channels[hop.link], hop.label as usize);
                table.resize(table.len().max(label + 1), None);
                table[label] = Some(channel);
            }
        }
        let delays: Vec<Ps> = simulation
            .network
            .plan
            .links
            .iter()
            .map(|link| link.delay)
            .collect();
        let seen = simulation.links.iter().zip(&delays).map(|(link, delay)| {
            let ahead = link
                .units()
                .filter(|cell| cell.at.0 - delay.0 >= simulation.now.0);
            (link.len(), ahead.count())
        });
        Watch {
            seen: seen.collect(),
            channels,
            delays,
            ahead: true,
        }
    }

    /// Ends the observation.
    pub(crate) fn end(self, simulation: &mut Simulation<EagerServer>) {
        for node in 0..simulation.stations.len() {
            log(simulation, node).tap = None;
        }
    }

    /// Reports what has happened up to this moment of a plain run.
    pub(crate) fn look(
        &mut self,
        simulation: &mut Simulation<EagerServer>,
        moment: Moment,
        observer: &mut dyn Observer,
    ) {
        let nodes = simulation.stations.len();
        match moment {
            // A port that starts a service also completes services that end one picosecond later.
            Moment::Before(_) if !self.ahead => {}
            Moment::Before(next) => {
                self.ahead = false;
                (0..nodes).for_each(|node| self.look_at(simulation, node, next, observer));
            }
            Moment::Completed(now) => {
                let next = Ps(now.0 + 1);
                (0..nodes).for_each(|node| self.look_at(simulation, node, next, observer));
            }
            Moment::Turn(now, node) => self.look_at(simulation, node, Ps(now.0 + 1), observer),
        }
    }

    /// Reports the losses of `node` since its last examination, and the cells that the node sent
    /// before the instant `before`. Removes the cells that `node` has received from the counts of
    /// its incoming links.
    fn look_at(
        &mut self,
        simulation: &mut Simulation<EagerServer>,
        node: usize,
        before: Ps,
        observer: &mut dyn Observer,
    ) {
        if let Some(tap) = &mut log(simulation, node).tap {
            tap.pdus.drain(..).for_each(|pdu| observer.on_pdu(&pdu));
            tap.losses
                .drain(..)
                .for_each(|loss| observer.on_loss(&loss));
        }
        let station = &simulation.stations[node];
        for link in station.inbox.links() {
            let (seen, _) = &mut self.seen[*link as usize];
            *seen = simulation.links[*link as usize].len().min(*seen);
        }
        for (_, index) in station.node.ports() {
            let link = &simulation.links[*index as usize];
            let (delay, channels) = (
                self.delays[*index as usize],
                &self.channels[*index as usize],
            );
            let (seen, ahead) = &mut self.seen[*index as usize];
            let untold = *ahead + link.len() - *seen;
            (*seen, *ahead) = (link.len(), untold);
            for (cell, body) in link.sent_last(untold) {
                let left = Ps(cell.at.0 - delay.0);
                if left >= before {
                    self.ahead = true;
                    break;
                }
                *ahead -= 1;
                let is_credit = matches!(body, Some(Body::Credit(_)));
                let channel = channels.get(cell.label as usize).copied().flatten();
                observer.on_cell(&Crossing {
                    link: *index,
                    channel: channel.filter(|_| !is_credit),
                    info: cell.info.without_stamp(),
                    body: body.copied(),
                    left,
                    arrives: cell.at,
                });
            }
        }
    }
}
