//! Ends of channels at routers, where ATM and Ethernet networks are joined.

use alloc::vec::Vec;

use super::measure::InFlight;
use super::node::Node;
use super::port::Losses;
use super::server::Server;
use super::simulation::Simulation;
use super::terminal::{App, Terminal};
use super::window::Sends;
use crate::kernel::Ps;
use crate::net::channel::ChannelId;
use crate::tcp::{Segment, TcpReceiver, TcpSender};

impl<S: Server> Simulation<S> {
    /// Turns the terminal where `channel` begins into a terminal of a router. Must be called
    /// before the first event.
    pub(crate) fn become_router(&mut self, channel: ChannelId) {
        self.at_terminal(channel, Terminal::become_router);
    }
    /// Segments that have arrived at the router where `channel` begins and have not been removed
    /// yet, in order, each with its arrival time. `None` if there is no router.
    pub(crate) fn arrived(&mut self, channel: ChannelId) -> Option<&mut Vec<(Ps, Segment)>> {
        self.terminal_mut(channel).arrived()
    }
    /// Puts a segment into `channel` at the router where the channel begins. `at` must not be before
    /// [`Simulation::now`](crate::net::simulation::Simulation::now), nor before the time of the segment put
    /// before.
    pub(crate) fn enter(&mut self, channel: ChannelId, at: Ps, segment: Segment) {
        self.at_terminal(channel, |terminal| terminal.enter(at, segment));
    }
    /// Name of the router where `channel` begins; `None` if the channel begins at a host.
    pub fn router(&self, channel: ChannelId) -> Option<&str> {
        let (node, _) = self.network.begins[channel.index()];
        let is_router = matches!(self.terminal(channel).app(), App::Router(_));
        is_router.then(|| self.plan().nodes[node].name.as_str())
    }
    /// Time at which the source of `flow` had the acknowledgement of its whole transfer; `None` before.
    pub(crate) fn completed(&self, flow: usize) -> Option<Ps> {
        self.terminal(ChannelId::forward(flow)).completed()
    }
    /// The TCP sender of a flow; `None` if the ATM part of the flow begins at a router.
    pub(crate) fn tcp_sender(&self, flow: usize) -> Option<&TcpSender> {
        match self.terminal(ChannelId::forward(flow)).app() {
            App::Sender(sender) => Some(sender),
            _ => None,
        }
    }
    /// The TCP receiver of a flow; `None` if the ATM part of the flow ends at a router.
    pub(crate) fn tcp_receiver(&self, flow: usize) -> Option<&TcpReceiver> {
        match self.terminal(ChannelId::backward(flow)).app() {
            App::Receiver(receiver) => Some(receiver),
            _ => None,
        }
    }
    /// For each channel, two numbers of payload bytes: lost on the channel or refused by its source
    /// queue, and present on the channel now.
    pub(crate) fn lost_and_held(&self) -> Vec<[u64; 2]> {
        let in_flight = self.in_flight().into_iter();
        let channels = self.network.plan.channels().zip(in_flight);
        let of_channel = |(channel, in_flight): (ChannelId, InFlight)| {
            let [begin, end] = [channel, channel.reverse()].map(|channel| self.terminal(channel));
            let (lost, queue) = (self.losses(channel), begin.queue());
            let entering = match begin.app() {
                App::Router(router) => router.entering_bytes(),
                _ => 0,
            };
            [
                lost.bytes + lost.bytes_on_link + queue.dropped().bytes + end.counts().aal5_bytes,
                entering + queue.bytes() + in_flight.bytes + end.unfinished_bytes(),
            ]
        };
        channels.map(of_channel).collect()
    }
    /// Mean of ACR over the measurement window, and ACR now, of `channel` in cells/s; `None` if the
    /// channel is not ABR.
    pub(crate) fn acr_mean_and_final(&self, channel: ChannelId) -> Option<[f64; 2]> {
        let source = self.terminal(channel).abr()?;
        let (_, _, mean) = self.network.window.end.shares[channel.index()];
        Some([mean, source.acr()])
    }
    /// Three numbers of packets in the measurement window: sent by the terminal where `channel`
    /// begins, received by this terminal, and lost on `channel` or refused by its source queue.
    pub(crate) fn packets(&self, channel: ChannelId) -> [u64; 3] {
        let window = &self.network.window;
        let [then, now] =
            [&window.begin, &window.end.snapshot].map(|at| &at.sends[channel.index()]);
        let lost = |sends: &Sends| {
            let Losses {
                packets, repeated, ..
            } = sends.losses;
            packets - repeated + sends.queue_drops.packets
        };
        [
            now.counts.pdus_sent - then.counts.pdus_sent,
            now.counts.pdus_received - then.counts.pdus_received,
            lost(now).saturating_sub(lost(then)),
        ]
    }

    /// Calls `act` on the terminal where `channel` begins, and updates the next event of the terminal's host in
    /// the schedule.
    fn at_terminal(&mut self, channel: ChannelId, act: impl FnOnce(&mut Terminal)) {
        let (node, index) = self.network.begins[channel.index()];
        if let Node::Host(host) = &mut self.stations[node].node {
            host.at_terminal(index, act);
        }
        self.reschedule(node);
    }
}
