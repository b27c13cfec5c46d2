//! Computes the report from the counters at the beginning and the end of the measurement window.

mod accounts;
mod flows;
mod ports;
mod relays;
mod snapshot;
#[cfg(test)]
mod tests;
mod totals;

use alloc::format;
use alloc::vec::Vec;

pub(super) use accounts::InFlight;

use super::node::Node;
use super::report::{FlowReport, Report, VcReport};
use super::simulation::Simulation;
use super::terminal::Terminal;
use super::window::WindowEnd;
use crate::atm::server::Server;
use crate::kernel::{Ps, Summary};
use crate::net::channel::ChannelId;

impl Simulation {
    /// Runs to the time `end`, measures from `from` to `to`, and returns the report.
    pub fn measure(&mut self, from: Ps, to: Ps, end: Ps) -> Report {
        self.run_until(from);
        self.begin_window();
        self.run_until(to);
        self.end_window();
        self.run_until(end);
        self.report()
    }
}

impl<S: Server> Simulation<S> {
    /// The terminal at which `channel` begins: the source or the destination of a flow.
    pub(super) fn terminal(&self, channel: ChannelId) -> &Terminal {
        let (node, index) = self.network.begins[channel.index()];
        match &self.stations[node].node {
            Node::Host(host) => &host.terminals[index],
            Node::Switch(_) => unreachable!("flows end at hosts"),
        }
    }
    /// The terminals of a flow: first the source, then the destination.
    fn terminals(&self, flow: usize) -> [&Terminal; 2] {
        ChannelId::both(flow).map(|channel| self.terminal(channel))
    }
    pub(super) fn terminal_mut(&mut self, channel: ChannelId) -> &mut Terminal {
        let (node, index) = self.network.begins[channel.index()];
        match &mut self.stations[node].node {
            Node::Host(host) => &mut host.terminals[index],
            Node::Switch(_) => unreachable!("flows end at hosts"),
        }
    }
    pub(super) fn is_switch(&self, node: usize) -> bool {
        matches!(self.stations[node].node, Node::Switch(_))
    }

    /// Begins the measurement window now.
    pub fn begin_window(&mut self) {
        let now = self.now;
        self.network.window.begin = self.snapshot();
        self.network.window.samples = Vec::new();
        self.network.window.queue_max_before = self.longest_so_far();
        for channel in self.network.plan.channels() {
            self.terminal_mut(channel).begin_window(now);
        }
        for node in 0..self.stations.len() {
            if self.is_switch(node) {
                for (port, link) in self.stations[node].node.ports_mut() {
                    port.forget_longest(now, &mut self.links.outlet(*link));
                }
            }
        }
    }

    /// Ends the measurement window now.
    pub fn end_window(&mut self) {
        let (now, window) = (self.now, self.now - self.network.window.begin.at);
        let snapshot = self.snapshot();
        let terminals = || {
            self.network
                .plan
                .channels()
                .map(|channel| self.terminal(channel))
        };
        self.network.window.end = WindowEnd {
            snapshot,
            shares: terminals()
                .map(|terminal| terminal.shares(now, window))
                .collect(),
            acr_ranges: terminals().map(Terminal::acr_range).collect(),
            delays: terminals()
                .map(|t| (t.delays().0.clone(), t.delays().1.clone()))
                .collect(),
            source_queue_max: terminals()
                .map(|terminal| terminal.queue().longest())
                .collect(),
            queue_max: self.queue_maxima(),
            front_max: self.front_maxima(),
            samples: core::mem::take(&mut self.network.window.samples),
        };
    }

    /// By node, port and queue: greatest queue length since the beginning of the run, in cells.
    fn longest_so_far(&self) -> Vec<Vec<Vec<u64>>> {
        let mut longest = self.queue_maxima();
        let before = self
            .network
            .window
            .queue_max_before
            .iter()
            .flatten()
            .flatten();
        longest
            .iter_mut()
            .flatten()
            .flatten()
            .zip(before)
            .for_each(|(longest, before)| *longest = (*longest).max(*before));
        longest
    }

    fn queue_maxima(&self) -> Vec<Vec<Vec<u64>>> {
        let ports = |node: &Node<S>| {
            node.ports()
                .iter()
                .map(|(port, _)| (0..port.queue_count()).map(|q| port.longest(q)).collect())
                .collect()
        };
        self.nodes().map(ports).collect()
    }

    /// Records the present length of every switch queue as a sample, and updates the greatest sum
    /// of all queues.
    pub fn sample(&mut self) {
        let queued = self.sample_queues();
        self.network.window.queued_max = self.network.window.queued_max.max(Some(queued));
    }

    /// Records the present length of every switch queue as a sample. Returns the sum of all queues
    /// in cells.
    pub(super) fn sample_queues(&mut self) -> u64 {
        let now = self.now;
        let mut queued = 0;
        if self.network.window.samples.is_empty() {
            let ports = |node: &Node<S>| {
                node.ports()
                    .iter()
                    .map(|(port, _)| alloc::vec![Summary::default(); port.queue_count()])
                    .collect()
            };
            self.network.window.samples = self.nodes().map(ports).collect();
        }
        for node in (0..self.stations.len())
            .filter(|node| self.is_switch(*node))
            .collect::<Vec<_>>()
        {
            for (index, (port, link)) in self.stations[node].node.ports_mut().iter_mut().enumerate()
            {
                for queue in 0..port.queue_count() {
                    let length = port.queue_length(now, queue, &mut self.links.outlet(*link));
                    self.network.window.samples[node][index][queue].add(length);
                    queued += length;
                }
                queued += port.front_length().unwrap_or(0);
            }
        }
        let hosts = self.nodes().filter_map(|node| match node {
            Node::Host(host) => Some(host),
            Node::Switch(_) => None,
        });
        let terminals = hosts.flat_map(|host| &host.terminals);
        let waiting = terminals.map(|terminal| terminal.queue().cells());
        queued + waiting.sum::<u64>()
    }

    /// The report of a run that ends now, after the measurement window.
    ///
    /// # Panics
    /// If no window has begun and ended. If cells or bytes are not conserved, which is a defect of the simulator, not of its input.
    pub fn report(&mut self) -> Report {
        let ends = [
            &self.network.window.begin,
            &self.network.window.end.snapshot,
        ];
        assert!(
            ends.iter()
                .all(|end| end.flows.len() == self.network.plan.flows.len()),
            "a report needs a measuring window that has begun and ended"
        );
        let last = self.snapshot();
        let in_flight = self.in_flight();
        for (channel, send) in last.sends.iter().enumerate() {
            let lost = send.losses.cells + send.losses.cells_on_link;
            let accounted =
                send.delivered + lost + in_flight[channel].cells + send.relayed.absorbed;
            let sent = send.counts.cells_sent + send.relayed.inserted;
            assert_eq!(
                sent, accounted,
                "cells of channel {channel} sent and accounted for"
            );
        }
        self.check_allocations();
        let flows: Vec<FlowReport> = (0..self.network.plan.flows.len())
            .map(|flow| self.flow_report(flow, &in_flight))
            .collect();
        let vcs = self
            .network
            .plan
            .channels()
            .filter(|channel| !self.network.channels[channel.index()].hops.is_empty());
        let vcs: Vec<VcReport> = vcs
            .map(|channel| self.vc_report(channel, in_flight[channel.index()].cells))
            .collect();
        let window = self.network.window.end.snapshot.at - self.network.window.begin.at;
        Report {
            digest: format!("{:016x}", self.digest(&last).value()),
            simulated_seconds: self.now.as_secs_f64(),
            window_seconds: window.as_secs_f64(),
            cell_hops: self.crossings(&last, &in_flight),
            totals: self.totals(&flows, &vcs),
            classes: self.class_reports(),
            ports: self.port_reports(window, &flows),
            flows,
            vcs,
        }
    }
}
