//! ABR end systems: sources with every kind of rules and every option, and the destination that
//! passes them the RM cells to be sent back (TM 4.0 sections 5.10.4 and 5.10.5).

mod source;

pub use source::{Setting, Source, settings};

use cellrate_engine::atm::cell::{Kind as CellKind, RmCell};
use cellrate_engine::atm::rm;
use cellrate_engine::endsystem::{
    AbrConfig, AbrDestination, AbrSource, Emission, ErBelowMcr, OutOfRate, SourceRules,
};
use cellrate_engine::kernel::{Digest, Ps, Rate, ServiceRate};
use proptest::prelude::*;

use super::Subject;
use super::drawing::Kind;
use super::operation::{END, Level, Operation, Span};

/// Both halves of an end system, with a complete record of its line.
pub struct Ends<S> {
    source: S,
    destination: AbrDestination,
    config: AbrConfig,
    link: Rate,
    now: Ps,
    data: bool,
    last_in_rate: Option<Ps>,
    last_probe: Option<Ps>,
    since_frm: u32,
    offered: u64,
    /// The RM cell that waits to be sent back.
    waiting: Option<RmCell>,
    efci: bool,
    generated: Option<Ps>,
    digest: Digest,
}

/// The subject: the engine's ABR source and destination.
pub type EndSystem = Ends<AbrSource>;

impl<S: Source> Ends<S> {
    pub fn with(source: S, setting: &Setting) -> Ends<S> {
        let config = setting.config();
        Ends {
            source,
            destination: AbrDestination::new(&config, ServiceRate::of_cells(setting.link)),
            config,
            link: setting.link,
            now: Ps::ZERO,
            data: true,
            last_in_rate: None,
            last_probe: None,
            since_frm: 0,
            offered: 0,
            waiting: None,
            efci: false,
            generated: None,
            digest: Digest::default(),
        }
    }

    fn is_tm4(&self) -> bool {
        self.config.rules == SourceRules::Tm4
    }

    pub fn happen(&mut self, operation: &Operation) {
        match *operation {
            Operation::Pass(span) => {
                self.now = Span::from(span, self.now, self.source.next_wake(self.data))
            }
            Operation::Serve(cells) => (0..cells).for_each(|_| self.send()),
            Operation::Open(_) => self.data = true,
            Operation::Close(_) => self.data = false,
            Operation::Cells { efci, .. } => {
                self.destination.on_data(efci);
                self.efci = efci;
            }
            Operation::Rm {
                backward: true,
                cell,
                ..
            } => self.feedback(cell.rm()),
            Operation::Rm {
                backward: false,
                cell,
                ..
            } => self.turn_round(cell.rm()),
            Operation::Queue(Level::Full) => self.congested(),
            _ => {}
        }
    }

    /// Handles a BRM and checks SES rules 8 and 9: CI never raises ACR, the explicit rate bounds
    /// it, and without CI and NI it only falls to the explicit rate.
    fn feedback(&mut self, rm: RmCell) {
        let before = self.source.acr();
        self.source.on_brm(self.now, &rm);
        let after = self.source.acr();
        let mcr = self.config.mcr_cells();
        if self.is_tm4() {
            let er = if self.config.quantise_rates {
                rm::quantise(rm.er)
            } else {
                rm.er
            };
            let ignored = er < mcr && self.config.er_below_mcr == ErBelowMcr::Ignore;
            assert!(ignored || after <= er.max(mcr), "ACR {after} above ER {er}");
            assert!(
                !(rm.ci || rm.ni) || after <= before,
                "ACR rose to {after} under CI or NI"
            );
            assert!(
                rm.ci || after >= before.min(er.max(mcr)),
                "ACR fell to {after} without CI and above ER"
            );
        } else if self.config.rules != SourceRules::SmithPredictor {
            assert!(!rm.ci || after <= before, "ACR rose to {after} under CI");
        }
        self.digest.add(after.to_bits());
    }

    /// Turns an FRM round and checks DES rule 2.
    fn turn_round(&mut self, frm: RmCell) {
        let turned = self.destination.on_frm(frm);
        assert_eq!(
            turned,
            RmCell {
                bn: false,
                ci: frm.ci | self.efci,
                ..frm
            },
            "more than BN and CI changed"
        );
        self.efci &= !self.config.reset_saved_efci;
        self.offer(turned);
    }

    fn offer(&mut self, rm: RmCell) {
        self.source.offer_brm(rm);
        (self.offered, self.waiting) = (self.offered + 1, Some(rm));
    }

    /// Lets a congested destination generate a BRM and checks DES rule 5.
    fn congested(&mut self) {
        let Some(rm) = self.destination.generate(self.now) else {
            return;
        };
        assert!(rm.ci && rm.bn);
        let ready = self
            .generated
            .is_none_or(|last| self.now - last >= Ps::from_ms(100));
        assert!(ready, "cells generated faster than ten a second");
        self.generated = Some(self.now);
        self.offer(rm);
    }

    fn send(&mut self) {
        let wake = self.source.next_wake(self.data);
        if wake > self.now {
            assert_eq!(
                self.source.opportunity(self.now, self.data),
                None,
                "sent before its time"
            );
        }
        // A host calls its source for as long as a run lasts, this test for ten minutes.
        if wake > self.now.saturating_add(Ps::from_s(600)) || wake > END {
            return;
        }
        self.now = self.now.max(wake);
        let acr = self.source.acr();
        let emission = self
            .source
            .opportunity(self.now, self.data)
            .expect("a wake finds something to send");
        self.observe(emission, acr);
    }

    fn observe(&mut self, emission: Emission, acr: f64) {
        self.digest.add(self.now.0);
        match emission {
            Emission::Rm(info, rm) if info.kind() == CellKind::Frm => {
                self.observe_frm(&rm, acr);
                if info.clp() {
                    return self.observe_probe(acr);
                }
                self.since_frm = 0;
            }
            Emission::Rm(info, rm) => {
                let waited = self.waiting.take();
                assert!(
                    waited.is_some_and(|waited| same(&waited, &rm)),
                    "not the BRM that was offered last"
                );
                if info.clp() {
                    assert!(
                        1e12 / acr >= 1e19 || acr <= 0.0,
                        "a BRM out of rate at ACR {acr}"
                    );
                    return;
                }
                self.since_frm += 1;
            }
            Emission::Data => {
                assert!(self.data, "data that do not wait");
                self.since_frm += 1;
            }
        }
        assert!(
            self.since_frm < self.config.nrm || self.config.frm_needs_data,
            "no FRM within Nrm cells"
        );
        self.observe_gap(acr);
    }

    /// Checks SES rules 4, 7 and 10 at an FRM. Rules 5, 6 and 13 may cut ACR before the FRM states
    /// it; other laws cut it after every cell.
    fn observe_frm(&mut self, rm: &RmCell, before: f64) {
        let code = |rate: f64| {
            if self.config.quantise_rates {
                rm::quantise(rate)
            } else {
                rate
            }
        };
        assert!(!(rm.ci || rm.ni || rm.bn), "an FRM with bits set");
        let acr = if self.is_tm4() {
            self.source.acr()
        } else {
            before
        };
        assert_eq!(
            (rm.ccr, rm.mcr),
            (code(acr), code(self.config.mcr_cells())),
            "CCR and MCR of an FRM"
        );
        let smith = self.config.rules == SourceRules::SmithPredictor;
        assert_eq!(
            rm.er,
            code(if smith {
                rm::MAX_RATE
            } else {
                self.config.pcr_cells(self.link)
            })
        );
    }

    /// Checks SES rule 1, up to the picosecond that the clock rounds off; a source that exceeds ACR keeps its factor.
    fn observe_gap(&mut self, acr: f64) {
        let rate = acr * self.config.excess_factor.unwrap_or(1.0);
        if let Some(last) = self.last_in_rate {
            assert!(
                (self.now - last).0.saturating_add(1) >= (1e12 / rate) as u64,
                "closer than 1/{rate} s"
            );
        }
        self.last_in_rate = Some(self.now);
    }

    /// Checks SES rule 11 when the source sends an RM cell out of rate.
    fn observe_probe(&mut self, acr: f64) {
        let tcr = self.config.tcr.cells_per_second();
        assert!(
            acr < tcr && self.config.out_of_rate != OutOfRate::Never,
            "a probe at ACR {acr}"
        );
        if let Some(last) = self.last_probe {
            assert!(
                self.now - last >= Ps::from_secs_f64(1.0 / tcr),
                "probes faster than TCR"
            );
        }
        self.last_probe = Some(self.now);
    }

    pub fn holds(&self) {
        let (acr, mcr, pcr) = (
            self.source.acr(),
            self.config.mcr_cells(),
            self.config.pcr_cells(self.link),
        );
        assert!(
            acr.is_finite() && (mcr..=pcr).contains(&acr),
            "ACR {acr} leaves {mcr}..{pcr}"
        );
        let sent = self.source.counters();
        let waiting = u64::from(self.source.brm_waits());
        assert_eq!(
            sent.brms + sent.overwritten + waiting,
            self.offered,
            "an RM cell was lost"
        );
        assert_eq!(self.source.brm_waits(), self.waiting.is_some());
        // Rule 11 ensures that no source with data is silent for ever.
        let far = self.now > Ps(END.0 / 4);
        let speaks = self.source.next_wake(self.data).is_scheduled();
        assert!(
            !self.data || far || speaks || self.config.out_of_rate == OutOfRate::Never,
            "silent at ACR {acr}"
        );
    }

    pub fn hash(&self) -> u64 {
        self.digest.value()
    }
}

/// True if two RM cells are equal bit by bit.
fn same(one: &RmCell, other: &RmCell) -> bool {
    let bits = |rm: &RmCell| {
        (
            [rm.er, rm.ccr, rm.mcr].map(f64::to_bits),
            rm.ci,
            rm.ni,
            rm.bn,
        )
    };
    bits(one) == bits(other)
}

impl Subject for Ends<AbrSource> {
    type Setting = Setting;
    const NAME: &'static str = "end-system";
    const VOCABULARY: &'static [(u32, Kind)] = &[
        (4, Kind::Pass),
        (8, Kind::Serve),
        (6, Kind::Rm),
        (1, Kind::Cells),
        (1, Kind::Queue),
        (2, Kind::Channels),
    ];

    fn settings() -> BoxedStrategy<Setting> {
        settings()
    }
    fn new(setting: &Setting) -> Self {
        Ends::with(
            AbrSource::new(&setting.config(), setting.link, setting.frtt),
            setting,
        )
    }
    fn apply(&mut self, operation: &Operation) {
        self.happen(operation);
    }
    fn check(&self) {
        self.holds();
    }
    fn digest(&self) -> u64 {
        self.hash()
    }
}
