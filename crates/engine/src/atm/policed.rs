//! A channel that a policer holds to its contract at the input of a switch.

use alloc::boxed::Box;

use super::cell::{Body, Info};
use super::losses::{LossCounts, Losses};
use crate::atm::cell::RmCell;
use crate::endsystem::{AbrConfig, AbrSource};
use crate::kernel::{Digest, Ps};
use crate::net::channel::ChannelId;
use crate::policing::{GfrPolicer, Policer, PolicerCounts, Treatment};

/// The policer of a channel at the input of a switch, and the cells that it has dropped.
#[derive(Clone)]
pub struct Policed {
    /// The policed channel.
    pub channel: ChannelId,
    /// Index of the output port to which the channel's cells go behind the policer. An index beyond the last port
    /// refers to a relay.
    pub onward: u32,
    enforcer: Enforcer,
    /// For the dynamic GCRA: a model of an ABR source that obeys all rules, whose ACR is the rate that backward RM
    /// cells allow. `None` without the dynamic GCRA.
    model: Option<Box<AbrSource>>,
    losses: LossCounts,
    digest: Digest,
}

/// The policer of a channel, by the kind of its contract.
#[derive(Clone)]
pub enum Enforcer {
    /// A policer for PCR, and perhaps SCR.
    Rates(Policer),
    /// A policer for a GFR contract.
    Frames(GfrPolicer),
}

impl Policed {
    /// A policer of a channel whose cells go on to `onward`, before the first cell.
    pub fn new(
        channel: ChannelId,
        enforcer: Enforcer,
        model: Option<Box<AbrSource>>,
        onward: u32,
    ) -> Policed {
        Policed {
            channel,
            onward,
            enforcer,
            model,
            losses: LossCounts::new(1),
            digest: Digest::default(),
        }
    }

    /// Polices the cell with the header `info` that arrives at `now`. Returns the header with which the cell goes on;
    /// `None` if the policer drops the cell.
    pub fn police(&mut self, now: Ps, info: Info, body: &mut Option<&mut Body>) -> Option<Info> {
        let (passing, clp) = (info.passing(), info.clp());
        let treatment = match &mut self.enforcer {
            Enforcer::Rates(policer) => policer.police(now, passing, clp),
            Enforcer::Frames(policer) => policer.police(now, passing, clp),
        };
        if treatment == Treatment::Drop {
            self.losses.add(0, info);
            self.digest.add(now.0);
            self.digest.add(info.without_stamp().0.into());
        }
        self.losses.pass(0, info, body);
        match treatment {
            Treatment::Pass => Some(info),
            Treatment::Tag => Some(info.tagged()),
            Treatment::Drop => None,
        }
    }

    /// Replaces the parameters of the ABR source whose rate the policer follows.
    pub fn change(&mut self, config: &AbrConfig) {
        if let Some(model) = &mut self.model {
            model.change(config);
        }
    }

    /// Processes a backward RM cell that passes at `now` on its way to the source. SES rules 8 and 9 give the rate that
    /// the cell allows. The other SES rules only lower ACR.
    pub fn take_feedback(&mut self, now: Ps, rm: &RmCell) {
        if let (Some(model), Enforcer::Rates(policer)) = (&mut self.model, &mut self.enforcer) {
            model.on_brm(now, rm);
            policer.allow(now, model.acr());
        }
    }

    /// Counts of the channel's cells since the start of the run.
    pub fn counts(&self) -> PolicerCounts {
        match &self.enforcer {
            Enforcer::Rates(policer) => policer.counts(),
            Enforcer::Frames(policer) => policer.counts(),
        }
    }
    /// Cells that the policer has dropped since the start of the run.
    pub fn losses(&self) -> Losses {
        self.losses.of(0)
    }
    /// Hash of all cells that the policer has dropped.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }
}
