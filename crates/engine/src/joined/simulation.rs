//! The simulation of a joined network: a simulation of each link layer, and the packets that
//! routers pass between them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::plan::{Crossing, Division, Fault, JoinedPlan, Layer, Leg};
use crate::atm::plan as cells;
use crate::atm::server::{BuildServer, EagerServer, LazyServer, Server};
use crate::atm::{Moment, Observer, Watch};
use crate::kernel::Ps;
use crate::net::channel::ChannelId;
use crate::net::simultaneous::Order;
use crate::tcp::Segment;
use crate::{atm, ether};

/// A packet that has arrived at a router and will enter the next leg.
struct Packet {
    arrived: Ps,
    /// Index of the crossing and direction: twice the index of the crossing, plus one for the backward direction.
    number: usize,
    /// Link layer of the next leg, and the channel that the packet enters there.
    to: (Layer, ChannelId),
    delay: Ps,
    segment: Segment,
}

/// The simulation of a network with both link layers.
pub struct Joined<S: Server = LazyServer> {
    /// The simulation of the ATM part.
    pub(super) atm: atm::Simulation<S>,
    /// The simulation of the Ethernet part.
    pub(super) ethernet: ether::Simulation,
    /// For each flow its legs, from the source on.
    pub(super) legs: Vec<Vec<Leg>>,
    crossings: Vec<Crossing>,
    /// Random order of packets that arrive at routers at the same instant, by crossing and direction; `None` if
    /// no such order is needed.
    order: Option<Order>,
    /// Least forwarding delay of all routers.
    lookahead: Ps,
    now: Ps,
    /// Packets that are about to enter their next leg; empty between two steps of the run.
    packets: Vec<Packet>,
}

impl<S: BuildServer> Joined<S> {
    /// A simulation of `plan` at time zero.
    ///
    /// # Errors
    /// A text on what makes the plan invalid.
    pub fn new(plan: &JoinedPlan) -> Result<Joined<S>, Fault> {
        let Division {
            atm,
            ethernet,
            legs,
            crossings,
        } = plan.divide()?;
        let mut atm = atm::Simulation::new(atm).map_err(|error| error.0)?;
        let mut ethernet = ether::Simulation::new(ethernet).map_err(|error| error.0)?;
        for (layer, end) in crossings
            .iter()
            .flat_map(|crossing| [crossing.before, crossing.behind])
        {
            match layer {
                Layer::Atm => atm.become_router(end),
                Layer::Ethernet => ethernet.become_router(end),
            }
        }
        let cells::MeasurePlan {
            events,
            event_limit,
            ..
        } = plan.measure;
        ethernet.log_events(events, event_limit);
        // Each crossing and direction has a name of its own, even if a flow passes a router twice.
        let names = crossings.iter().enumerate().flat_map(|(number, crossing)| {
            ["there", "back"].map(|way| format!("{} {number} {way}", crossing.name))
        });
        let names: Vec<String> = names.collect();
        Ok(Joined {
            atm,
            ethernet,
            legs,
            order: Order::drawn(
                plan.seed,
                "simultaneous packets",
                names.iter().map(String::as_str),
            ),
            lookahead: crossings
                .iter()
                .map(|crossing| crossing.delay)
                .min()
                .unwrap_or(Ps::NEVER),
            crossings,
            now: Ps::ZERO,
            packets: Vec::new(),
        })
    }
}

impl<S: Server> Joined<S> {
    /// Time before which all events have been processed.
    pub fn now(&self) -> Ps {
        self.now
    }
    /// The simulation of the ATM part, whose flows are legs of the joined flows.
    pub fn atm(&self) -> &atm::Simulation<S> {
        &self.atm
    }
    /// The simulation of the Ethernet part, whose flows are legs of the joined flows.
    pub fn ethernet(&self) -> &ether::Simulation {
        &self.ethernet
    }
    /// The simulations of the ATM part and of the Ethernet part, to read their states or to set up what is
    /// recorded.
    pub fn parts_mut(&mut self) -> (&mut atm::Simulation<S>, &mut ether::Simulation) {
        (&mut self.atm, &mut self.ethernet)
    }
    /// The legs of the flow with the index `flow`, from the source on.
    pub fn legs(&self, flow: usize) -> &[Leg] {
        &self.legs[flow]
    }

    /// Time at which the source of a flow had the acknowledgement of its whole transfer; `None` before.
    pub fn completed(&self, flow: usize) -> Option<Ps> {
        let first = self.legs[flow][0];
        match first.layer {
            Layer::Atm => self.atm.completed(first.flow),
            Layer::Ethernet => {
                let source = ChannelId::forward(first.flow);
                self.ethernet.endpoint(source).completed()
            }
        }
    }

    /// Processes all events before `until`. The result does not depend on the division of a run into calls.
    pub fn run_until(&mut self, until: Ps) {
        let mut now = self.now;
        while now < until {
            let first = self
                .atm
                .schedule
                .first()
                .min(self.ethernet.schedule.first());
            // A packet that an event at `first` or later causes enters the other simulation no earlier than one
            // lookahead after this event.
            now = first.max(now).saturating_add(self.lookahead).min(until);
            self.atm.work(now, now, &mut ());
            self.ethernet.work(now, now, &mut ());
            self.change_over();
        }
        self.atm.advance(until, &mut ());
        self.ethernet.advance(until, &mut ());
        self.now = until;
    }

    /// Moves the packets that have arrived at routers to their next legs, in the order of arrival. Packets that
    /// arrive at the same instant are in a random order.
    fn change_over(&mut self) {
        let ends = self.crossings.iter().flat_map(|crossing| {
            let Crossing { before, behind, .. } = *crossing;
            [(before, behind), (behind, before)].map(|ends| (ends, crossing.delay))
        });
        for (number, ((from, to), delay)) in ends.enumerate() {
            let arrived = match from.0 {
                Layer::Atm => self.atm.arrived(from.1),
                Layer::Ethernet => self.ethernet.arrived(from.1),
            };
            let Some(arrived) = arrived else { continue };
            self.packets
                .extend(arrived.drain(..).map(|(arrived, segment)| Packet {
                    arrived,
                    number,
                    to,
                    delay,
                    segment,
                }));
        }
        let order = &self.order;
        self.packets.sort_by_key(|packet| {
            let rank = order
                .as_ref()
                .map(|order| order.rank(packet.arrived, packet.number));
            (packet.arrived, rank)
        });
        for packet in self.packets.drain(..) {
            let at = packet.arrived.saturating_add(packet.delay);
            match packet.to.0 {
                Layer::Atm => self.atm.enter(packet.to.1, at, packet.segment),
                Layer::Ethernet => self.ethernet.enter(packet.to.1, at, packet.segment),
            }
        }
    }
}

impl Joined<EagerServer> {
    /// Processes all events before `until`, instant by instant and without lookahead. Packets pass
    /// between the parts after all nodes have been processed at an instant.
    pub fn run_plainly(&mut self, until: Ps) {
        self.run_watched(until, &mut |_, _| ());
    }

    /// Runs as [`Joined::run_plainly`] does, and reports to `observer` the cells put on ATM links, the PDUs that
    /// begin, and the losses of the ATM part. The reports do not depend on how a run is divided into calls.
    pub fn observe(&mut self, until: Ps, observer: &mut dyn Observer) {
        let mut watch = Watch::begin(&mut self.atm);
        self.run_watched(until, &mut |atm, moment| watch.look(atm, moment, observer));
        watch.end(&mut self.atm);
    }

    fn run_watched(
        &mut self,
        until: Ps,
        look: &mut dyn FnMut(&mut atm::Simulation<EagerServer>, Moment),
    ) {
        loop {
            let now = self.atm.earliest().min(self.ethernet.earliest());
            look(&mut self.atm, Moment::Before(now.min(until)));
            if now >= until {
                break;
            }
            self.atm.complete(now);
            look(&mut self.atm, Moment::Completed(now));
            for node in 0..self.atm.stations.len() {
                self.atm.instant(node, now);
                look(&mut self.atm, Moment::Turn(now, node));
            }
            (0..self.ethernet.stations.len()).for_each(|node| self.ethernet.instant(node, now));
            self.change_over();
        }
        self.atm.now = until;
        self.ethernet.advance(until, &mut ());
        self.now = until;
    }
}
