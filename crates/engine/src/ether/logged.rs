//! The event log of a simulation: how it begins, and the events of all nodes in the order of time.

use alloc::vec::Vec;

use super::log::{Event, Kind, Log, Noted};
use super::node::Node;
use super::simulation::Simulation;
use crate::net::{ChannelId, EventKinds};

impl Simulation {
    /// Logs events of `kinds` from now on, at most `limit` at each switch and each end of a flow. The log
    /// changes no result.
    pub fn log_events(&mut self, kinds: EventKinds, limit: usize) {
        for station in &mut self.stations {
            match &mut station.node {
                Node::Switch(switch) if kinds.loss || kinds.mark => {
                    switch.log = Some(Log::new(kinds, limit));
                }
                Node::Host(host) if kinds.loss || kinds.timeout || kinds.retransmission => {
                    for endpoint in &mut host.endpoints {
                        endpoint.log = Some(Log::new(kinds, limit));
                    }
                }
                Node::Switch(_) | Node::Host(_) => {}
            }
        }
    }

    /// Closes all logs once they have `limit` events before now, so that no later event can be among the first
    /// `limit`. Later events are only counted. Called from time to time, this bounds the memory of the logs.
    pub fn close_full_logs(&mut self, limit: usize) {
        let logs = || self.nodes().flat_map(logs_of);
        if logs().map(|log| log.noted.len()).sum::<usize>() < limit {
            return;
        }
        let is_past = |noted: &&Noted| noted.at < self.now();
        let past = logs().map(|log| log.noted.iter().filter(is_past).count());
        if past.sum::<usize>() < limit {
            return;
        }
        for station in &mut self.stations {
            match &mut station.node {
                Node::Switch(switch) => switch.log.iter_mut().for_each(|log| log.close()),
                Node::Host(host) => {
                    let logs = host.endpoints.iter_mut();
                    let logs = logs.filter_map(|endpoint| endpoint.log.as_mut());
                    logs.for_each(|log| log.close());
                }
            }
        }
    }

    /// The first `limit` logged events of all nodes in order of time, and the number of further events.
    /// Events of one instant are in the order of their nodes, at a host in the order of its endpoints.
    pub fn events(&self, limit: usize) -> (Vec<Event>, u64) {
        let (mut events, mut omitted) = (Vec::new(), 0);
        let mut add = |log: &Log, channel: &dyn Fn(&Noted) -> ChannelId| {
            omitted += log.omitted;
            events.extend(log.noted.iter().map(|noted| {
                let channel = channel(noted);
                let roce = &self.plan().flows[channel.flow()].roce;
                noted.of(channel, roce.as_ref().map_or(1, |roce| roce.payload.0))
            }));
        };
        for node in self.nodes() {
            match node {
                Node::Switch(switch) => {
                    let log = switch.log.iter();
                    log.for_each(|log| {
                        add(log, &|noted| switch.routes[noted.label as usize].channel)
                    });
                }
                Node::Host(host) => {
                    for endpoint in &host.endpoints {
                        let log = endpoint.log.iter();
                        // A frame that a host drops was on its way to this host.
                        log.for_each(|log| {
                            add(log, &|noted| match noted.kind {
                                Kind::Loss(_) => endpoint.channel.reverse(),
                                _ => endpoint.channel,
                            })
                        });
                    }
                }
            }
        }
        events.sort_by_key(|event| event.at);
        omitted += events.len().saturating_sub(limit) as u64;
        events.truncate(limit);
        (events, omitted)
    }
}

fn logs_of(node: &Node) -> impl Iterator<Item = &Log> {
    let (switch, endpoints) = match node {
        Node::Switch(switch) => (switch.log.as_deref(), &[][..]),
        Node::Host(host) => (None, &host.endpoints[..]),
    };
    let of_host = endpoints.iter().filter_map(|end| end.log.as_deref());
    switch.into_iter().chain(of_host)
}
