//! Branch points of a switch: cells of point-to-multipoint channels that the switch copies, and consolidated backward RM
//! cells.

use super::Switch;
use crate::atm::branch::{Branch, BranchPoint};
use crate::atm::cell::{Body, Cell, Info, Kind, RmCell};
use crate::atm::server::Server;
use crate::atm::transport::Links;
use crate::net::channel::ChannelId;

impl<S: Server> Switch<S> {
    /// Processes a cell that arrives at the branch point with the index `point`.
    pub(super) fn branch(
        &mut self,
        point: usize,
        cell: Cell,
        mut body: Option<&mut Body>,
        links: &mut Links,
    ) {
        if cell.info.kind() == Kind::Brm {
            self.mark(cell.at, cell.label, &mut body, links);
            let Some(Body::Rm(brm)) = body else { return };
            let given = self.branch_points[point].on_backward(cell.label, brm);
            return self.give_back(point, cell, given, links);
        }
        self.branch_points[point].count(cell.info);
        for index in 0..self.branch_points[point].branches.len() {
            let Branch { out, port, .. } = self.branch_points[point].branches[index];
            let mut copy = body.as_deref().copied();
            let cell = Cell { label: out, ..cell };
            self.send(port as usize, cell, copy.as_mut(), links);
        }
        if let Some(Body::Rm(frm)) = body {
            let given = self.branch_points[point].on_forward(frm);
            self.give_back(point, cell, given, links);
        }
    }

    /// Sends the consolidated backward RM cell `given`, if any, towards the root. `cause` is the cell that causes it.
    fn give_back(&mut self, point: usize, cause: Cell, given: Option<RmCell>, links: &mut Links) {
        let Some(brm) = given else { return };
        let point = &self.branch_points[point];
        let cell = Cell {
            label: point.branches[0].back,
            info: Info::rm(Kind::Brm, cause.info.clp()),
            ..cause
        };
        // The control schemes of the branches have marked the feedback when it arrived.
        self.put(point.port as usize, cell, Some(&mut Body::Rm(brm)), links);
    }

    /// The branch point at which the further branch `channel` begins, or ends if `channel` is backward, and this branch.
    pub fn branch_of(&self, channel: ChannelId) -> Option<(&BranchPoint, &Branch)> {
        self.branch_points.iter().find_map(|point| {
            let of_channel = |branch: &&Branch| {
                let label = if channel.is_forward() {
                    branch.out
                } else {
                    branch.back
                };
                self.table[label as usize].channel == channel
            };
            let further = &point.branches[1..];
            further.iter().find(of_channel).map(|found| (point, found))
        })
    }

    /// Numbers of backward RM cells that a branch point has sent towards the root and received from its first branch, if
    /// cells with the label `back` are those of the first branch.
    pub fn consolidated(&self, back: u32) -> Option<(u64, u64)> {
        let points = self.branch_points.iter();
        let mut found = points.filter(|point| point.branches[0].back == back);
        found
            .next()
            .map(|point| (point.returned, point.branches[0].answers))
    }
}
