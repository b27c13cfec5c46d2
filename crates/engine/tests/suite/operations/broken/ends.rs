//! Broken sources.

use cellrate_engine::atm::cell::{Kind as CellKind, RmCell};
use cellrate_engine::endsystem::{AbrSource, Counters, Emission};
use cellrate_engine::kernel::Ps;

use super::super::Subject;
use super::super::end_systems::{EndSystem, Ends, Source, settings};
use super::caught;

/// The faults that a broken ABR source can have.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    TooFast,
    NotANumber,
    Early,
    NothingToSend,
    NoFrms,
    MarkedFrms,
    WrongCcr,
    WrongBrm,
    LosesBrms,
    DeafToEr,
    DeafToCi,
    FallsWithoutCi,
    Silent,
    NoPause,
}

struct Faulty {
    inner: AbrSource,
    fault: Fault,
}

impl Faulty {
    /// True if a source without pauses sends at once: not below TCR, 10 cells/s, where cells are out of rate.
    fn hurries(&self, data: bool) -> bool {
        data && self.inner.acr() > 10.0
    }
}

impl Source for Faulty {
    fn acr(&self) -> f64 {
        match self.fault {
            Fault::TooFast => 1e14,
            Fault::NotANumber => f64::NAN,
            _ => self.inner.acr(),
        }
    }
    fn next_wake(&self, data: bool) -> Ps {
        match self.fault {
            Fault::Silent => Ps::NEVER,
            Fault::NoPause if self.hurries(data) => Ps::ZERO,
            _ => self.inner.next_wake(data),
        }
    }
    fn opportunity(&mut self, now: Ps, data: bool) -> Option<Emission> {
        let due = self.inner.next_wake(data);
        let hasty =
            self.fault == Fault::Early || (self.fault == Fault::NoPause && self.hurries(data));
        match (
            self.fault,
            self.inner
                .opportunity(if hasty { now.max(due) } else { now }, data),
        ) {
            (Fault::Early, Some(_)) if due > now => Some(Emission::Data),
            (Fault::NoPause, sent) => sent,
            (Fault::NothingToSend, _) => None,
            (fault, Some(Emission::Rm(info, rm))) if info.kind() == CellKind::Frm => match fault {
                Fault::NoFrms if data && !info.clp() => Some(Emission::Data),
                Fault::MarkedFrms => Some(Emission::Rm(info, RmCell { ni: true, ..rm })),
                Fault::WrongCcr => Some(Emission::Rm(
                    info,
                    RmCell {
                        ccr: rm.ccr + 1.0,
                        ..rm
                    },
                )),
                _ => Some(Emission::Rm(info, rm)),
            },
            (Fault::WrongBrm, Some(Emission::Rm(info, rm))) => Some(Emission::Rm(
                info,
                RmCell {
                    mcr: 1.0 + rm.mcr,
                    ..rm
                },
            )),
            (_, sent) => sent,
        }
    }
    fn on_brm(&mut self, now: Ps, rm: &RmCell) {
        let mut rm = *rm;
        match self.fault {
            Fault::DeafToEr => rm.er = f64::MAX,
            Fault::DeafToCi => (rm.ci, rm.ni) = (false, false),
            Fault::FallsWithoutCi => rm.ci = true,
            _ => {}
        }
        self.inner.on_brm(now, &rm);
    }
    fn offer_brm(&mut self, rm: RmCell) {
        if self.fault != Fault::LosesBrms {
            self.inner.offer_brm(rm);
        }
    }
    fn counters(&self) -> Counters {
        *self.inner.counters()
    }
    fn brm_waits(&self) -> bool {
        self.inner.brm_waits()
    }
}

#[test]
fn broken_sources_are_caught() {
    let expected = [
        (Fault::TooFast, "leaves"),
        (Fault::NotANumber, "leaves"),
        (Fault::Early, "sent before its time"),
        (Fault::NothingToSend, "a wake finds something to send"),
        (Fault::NoFrms, "no FRM within Nrm cells"),
        (Fault::MarkedFrms, "an FRM with bits set"),
        (Fault::WrongCcr, "CCR and MCR of an FRM"),
        (Fault::WrongBrm, "not the BRM that was offered last"),
        (Fault::LosesBrms, "an RM cell was lost"),
        (Fault::DeafToEr, "above ER"),
        (Fault::DeafToCi, "under CI or NI"),
        (Fault::FallsWithoutCi, "without CI and above ER"),
        (Fault::Silent, "silent at ACR"),
        (Fault::NoPause, "closer than 1/"),
    ];
    for (fault, why) in expected {
        caught(
            settings(),
            EndSystem::VOCABULARY,
            why,
            |setting, operations| {
                let mut setting = setting.clone();
                setting.abr = serde_json::json!({ "pcr": "10000 cells/s", "icr": "2500 cells/s" });
                setting.link = cellrate_engine::kernel::Rate::from_bps(155_520_000);
                let inner = AbrSource::new(&setting.config(), setting.link, setting.frtt);
                let mut ends = Ends::with(Faulty { inner, fault }, &setting);
                ends.holds();
                for operation in operations {
                    ends.happen(operation);
                    ends.holds();
                }
            },
        );
    }
}
