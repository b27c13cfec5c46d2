//! Builds the branch points of point-to-multipoint channels, and checks the flows that have such channels.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use crate::atm::branch::{Branch, BranchPoint};
use crate::atm::cell::ServiceClass;
use crate::atm::draft::Draft;
use crate::atm::plan::{NodeKind, PlanError, SwitchPlan};
use crate::atm::switch::Route;
use crate::control::ControlConfig;
use crate::net::channel::ChannelId;

impl Draft<'_> {
    /// Index of the switch at which `flow` branches off; `None` if the flow begins at a host.
    pub(super) fn branches_at(&self, flow: usize) -> Option<usize> {
        let flow = &self.plan.flows[flow];
        flow.branch.as_ref()?;
        flow.forward.first().map(|link| self.plan.links[*link].from)
    }

    /// The flow that begins at the root of the tree of `flow`.
    pub(super) fn root_of(&self, mut flow: usize) -> usize {
        while let Some(branch) = &self.plan.flows[flow].branch {
            flow = branch.of;
        }
        flow
    }

    /// True if the cells of `flow` go to several leaves.
    pub(super) fn is_multipoint(&self, flow: usize) -> bool {
        self.plan.flows[flow].branch.is_some() || self.further.contains_key(&flow)
    }

    /// Checks the flows of point-to-multipoint channels.
    pub(super) fn check_branches(&self) -> Result<(), PlanError> {
        for flow in (0..self.plan.flows.len()).filter(|flow| self.is_multipoint(*flow)) {
            if let Some(fault) = self.fault_of_leaf(flow) {
                let name = &self.plan.flows[flow].name;
                let message = format!("flow {name} is point-to-multipoint, but {fault}");
                return Err(PlanError(message));
            }
        }
        Ok(())
    }

    fn fault_of_leaf(&self, flow: usize) -> Option<&'static str> {
        let plan = &self.plan.flows[flow];
        let path = || plan.forward.iter().chain(&plan.backward);
        let ends = path().flat_map(|link| [self.plan.links[*link].from, self.plan.links[*link].to]);
        let has_switch = |is: fn(&SwitchPlan) -> bool| {
            ends.clone().any(|node| match &self.plan.nodes[node].kind {
                NodeKind::Switch(switch) => is(switch),
                NodeKind::Host => false,
            })
        };
        let ports = &self.plan.port_controls;
        let generates_at_port = path().any(|link| {
            let own =
                |(port, control): &(usize, ControlConfig)| port == link && control.generates();
            ports.iter().any(own)
        });
        let is_abr = |channel| self.class(channel) == ServiceClass::Abr;
        if !ChannelId::both(flow).into_iter().all(is_abr) || plan.backward.is_empty() {
            Some("is not ABR in both directions")
        } else if plan.source.over_tcp() {
            Some("runs over TCP")
        } else if !plan.abr.follows_tm4() {
            Some("its rate does not follow the source rules of TM 4.0")
        } else if plan.policer.is_some() || plan.gfr.is_some() {
            Some("has a policer")
        } else if has_switch(|switch| switch.vsvd.is_some()) {
            Some("passes a virtual source")
        } else if has_switch(|switch| switch.control.generates()) || generates_at_port {
            Some("passes a switch that generates backward RM cells")
        } else {
            self.fault_of_branch(flow)
        }
    }

    /// Fault of a further branch that does not begin and end at a switch within the path of the flow that it copies.
    fn fault_of_branch(&self, flow: usize) -> Option<&'static str> {
        let branch = self.plan.flows[flow].branch.as_ref()?;
        let node = self.branches_at(flow);
        let links = &self.plan.links;
        let passes = |channel: ChannelId| {
            let mut pairs = self.path(channel).windows(2);
            pairs.any(|pair| Some(links[pair[0]].to) == node)
        };
        let both = ChannelId::both(branch.of);
        let back = self.plan.flows[flow].backward.last();
        let returns = back.map(|link| links[*link].to) == node;
        (!returns || !both.into_iter().all(passes))
            .then_some("does not begin and end at a switch of the flow whose cells it copies")
    }

    /// The branch points of switch `node`. Changes the routes in `table` of all channels that meet there, so that the
    /// routes lead to the branch points. `before` is the number of the switch's ports, relays and policers.
    pub(super) fn branch_points(
        &self,
        node: usize,
        table: &mut [Route],
        before: usize,
    ) -> Vec<BranchPoint> {
        let mut further: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let begin = self.arriving[node].iter();
        for channel in begin.filter(|channel| channel.is_forward()) {
            let flow = channel.flow();
            if self.branches_at(flow) == Some(node)
                && let Some(branch) = &self.plan.flows[flow].branch
            {
                further.entry(branch.of).or_default().push(flow);
            }
        }
        let mut points = Vec::new();
        for (of, further) in further {
            let number = (before + points.len()) as u32;
            let flows = [of].into_iter().chain(further.iter().copied());
            let branches: Vec<Branch> = flows.map(|flow| self.branch(node, flow, table)).collect();
            let rule = self.plan.flows[further[0]].branch.as_ref();
            let rule = rule.map(|branch| branch.consolidation).unwrap_or_default();
            let port = table[branches[0].back as usize].port;
            table[branches[0].out as usize].port = number;
            for branch in &branches {
                table[branch.back as usize].port = number;
            }
            points.push(BranchPoint::new(branches, port, rule));
        }
        points
    }

    fn branch(&self, node: usize, flow: usize, table: &[Route]) -> Branch {
        let [out, back] = ChannelId::both(flow).map(|channel| self.entry(node, channel));
        Branch {
            out,
            port: table[out as usize].port,
            back,
            answers: 0,
        }
    }

    /// Index of `channel` in the table of switch `node`.
    fn entry(&self, node: usize, channel: ChannelId) -> u32 {
        let position = self.arriving[node].iter().position(|one| *one == channel);
        position.expect("a channel of a branch point is in its table") as u32
    }
}
