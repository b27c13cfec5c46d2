//! A policer (usage parameter control, UPC): it compares the cells or frames of a channel with the contract of the
//! channel, and passes, tags or drops those that do not conform (TM 4.0 section 4.5; ITU-T I.371 section 6.2).

use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contract::{Buckets, Conformance, Contract};
use super::dynamic::{AllowedRate, DynamicConfig};
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps, Rate, ServiceRate};
use crate::passing::Passing;

/// Treatment of a cell that does not conform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// The cell passes and is only counted.
    Pass,
    /// The cell passes with CLP = 1. If the contract has an SCR, cells beyond PCR are dropped (TM 4.0 conformance
    /// definition VBR.3).
    Tag,
    /// The cell is dropped.
    #[default]
    Drop,
}

/// Treatment of the cells of one AAL5 PDU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrameRule {
    /// Each cell is treated by itself.
    #[default]
    Cells,
    /// After the first cell of a PDU that does not conform, the rest of the PDU is treated like this cell. The last cell
    /// passes if a cell of the PDU has passed, so that the receiver finds the end of the PDU.
    Partial,
    /// The first cell decides about the whole PDU, and all cells of a conforming PDU count (frame-based GCRA, TM 4.1
    /// section 4.5.5).
    Whole,
}

/// Contract of a channel, and what a policer does with cells that do not conform.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicerConfig {
    /// Peak cell rate (PCR).
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this rate"))]
    pub pcr: Rate,
    /// Cell delay variation tolerance (CDVT): a cell may come up to CDVT earlier than 1/PCR after the previous cell.
    #[serde(default = "none")]
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this tolerance"))]
    pub cdvt: Ps,
    /// Sustainable cell rate (SCR), with `mbs`. If absent, the contract has a peak rate alone.
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this rate"))]
    pub scr: Option<Rate>,
    /// Maximum burst size (MBS): number of cells that may come at PCR. The tolerance of the SCR is
    /// (MBS - 1) (1/SCR - 1/PCR), and CDVT in addition.
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this size"))]
    pub mbs: Option<Cells>,
    /// Treatment of a cell that does not conform.
    #[serde(default)]
    pub action: Action,
    /// Dynamic GCRA for an ABR channel: cells with CLP = 0 must conform to the rate that backward RM cells allow, at
    /// most `pcr`, instead of to `pcr`. Cells with CLP = 1 pass. Off if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dynamic: Option<DynamicConfig>,
    /// Treatment of the other cells of an AAL5 PDU with a cell that does not conform.
    #[serde(default)]
    pub frames: FrameRule,
}

fn none() -> Ps {
    Ps::ZERO
}

impl PolicerConfig {
    /// The contract to which the policer compares the channel.
    pub fn contract(&self) -> Contract {
        let PolicerConfig {
            pcr,
            cdvt,
            scr,
            mbs,
            ..
        } = *self;
        Contract {
            pcr,
            cdvt,
            scr,
            mbs,
        }
    }
    /// Findings about values that contradict each other or are out of range.
    pub fn check(&self) -> Vec<Finding> {
        let mut findings = self.contract().check();
        findings.extend(self.dynamic.as_ref().and_then(DynamicConfig::check));
        if self.dynamic.is_some() && self.scr.is_some() {
            let message = "`dynamic` makes the contract an ABR contract, which has no SCR: remove `scr`, or `dynamic`".into();
            findings.push(Finding::impossible("scr", message));
        }
        findings
    }
}

/// Decision of a policer on one cell or frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// The cell or frame passes unchanged.
    Pass,
    /// The cell or frame passes with a mark (CLP = 1 in a cell), so that switches drop it first.
    Tag,
    /// The cell or frame is dropped.
    Drop,
}

/// Counts of cells or frames at a policer. Each counts once as conforming or as not conforming.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicerCounts {
    /// Number that conform, or belong to a PDU that conforms as a whole.
    pub conforming: u64,
    /// Number that do not conform, or belong to the rest of a PDU that does not conform.
    pub nonconforming: u64,
    /// Number of the cells or frames counted in `nonconforming` that the policer has tagged.
    pub tagged: u64,
    /// Number of the cells or frames counted in `nonconforming` that the policer has dropped.
    pub dropped: u64,
}

/// The present PDU of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pdu {
    /// The next cell begins a PDU.
    Begins,
    /// All cells so far have conformed.
    Conforms,
    /// The first cell did not conform, and all other cells of the PDU are treated like the first.
    Whole(Treatment),
    /// A later cell did not conform, and the rest of the PDU is treated like this cell; but a last cell is not dropped.
    Rest(Treatment),
}

/// The policer of one channel.
#[derive(Clone, Debug)]
pub struct Policer {
    buckets: Buckets,
    action: Action,
    frames: FrameRule,
    pdu: Pdu,
    counts: PolicerCounts,
    /// The rate that an ABR source may have, for the dynamic GCRA, and PCR in units/s.
    allowed: Option<(AllowedRate, f64)>,
}

impl Policer {
    /// A policer before the first cell or frame. `units` converts a rate to units of service:
    /// [`ServiceRate::of_cells`] or [`ServiceRate::of_octets`].
    pub fn new(config: &PolicerConfig, units: fn(Rate) -> ServiceRate) -> Policer {
        Policer {
            buckets: Buckets::new(&config.contract(), units),
            action: config.action,
            frames: config.frames,
            pdu: Pdu::Begins,
            counts: PolicerCounts::default(),
            allowed: None,
        }
    }

    /// The same policer for a source that begins with the rate `first` in units/s, if the contract has the dynamic
    /// GCRA. `pcr` is the contract's PCR in units/s.
    pub fn beginning_with(mut self, config: &PolicerConfig, first: f64, pcr: f64) -> Policer {
        if let Some(dynamic) = &config.dynamic {
            self.buckets.set_peak(first.min(pcr));
            self.allowed = Some((AllowedRate::new(dynamic, first), pcr));
        }
        self
    }

    /// A backward RM cell that allows the source `rate` units/s passes at `now`.
    pub fn allow(&mut self, now: Ps, rate: f64) {
        if let Some((allowed, _)) = &mut self.allowed {
            allowed.tell(now, rate);
        }
    }

    /// Counts since the start of the run.
    pub fn counts(&self) -> PolicerCounts {
        self.counts
    }

    /// Decides about a cell or frame that arrives at `now`. `is_tagged` is true if it is tagged already; such a cell or
    /// frame counts against PCR alone, since SCR applies to cells with CLP = 0 (TM 4.0 VBR.2 and VBR.3).
    pub fn police(&mut self, now: Ps, passing: Passing, is_tagged: bool) -> Treatment {
        if let Some((allowed, pcr)) = &mut self.allowed {
            if is_tagged {
                self.counts.conforming += 1;
                return Treatment::Pass;
            }
            if let Some(rate) = allowed.change(now) {
                self.buckets.set_peak(rate.min(*pcr));
            }
        }
        let (conforms, treatment) = if passing.is_data() && self.frames != FrameRule::Cells {
            self.police_in_pdu(now, passing, is_tagged)
        } else {
            self.police_alone(now, passing.units, is_tagged)
        };
        let counts = &mut self.counts;
        counts.conforming += u64::from(conforms);
        counts.nonconforming += u64::from(!conforms);
        counts.tagged += u64::from(treatment == Treatment::Tag);
        counts.dropped += u64::from(treatment == Treatment::Drop);
        treatment
    }

    /// Decides about a cell or frame by itself. Returns whether it conforms, and its treatment.
    fn police_alone(&mut self, now: Ps, units: u32, is_tagged: bool) -> (bool, Treatment) {
        let conformance = match self.buckets.judge(now) {
            Conformance::BeyondScr if is_tagged => Conformance::Conforming,
            conformance => conformance,
        };
        if conformance == Conformance::Conforming {
            if is_tagged {
                self.buckets.count_peak(now, units);
            } else {
                self.buckets.count(now, units);
            }
            return (true, Treatment::Pass);
        }
        let treatment = match self.action {
            Action::Pass => Treatment::Pass,
            Action::Drop => Treatment::Drop,
            Action::Tag if conformance == Conformance::BeyondPcr && self.buckets.has_scr() => {
                Treatment::Drop
            }
            Action::Tag => Treatment::Tag,
        };
        if conformance == Conformance::BeyondScr && treatment == Treatment::Tag {
            // The cell enters the network within PCR.
            self.buckets.count_peak(now, units);
        }
        (false, treatment)
    }

    /// Decides about a cell with user data by the rule for PDUs.
    fn police_in_pdu(&mut self, now: Ps, passing: Passing, is_tagged: bool) -> (bool, Treatment) {
        let Passing {
            units, ends_pdu, ..
        } = passing;
        let decided = match self.pdu {
            Pdu::Begins => {
                let decided = self.police_alone(now, units, is_tagged);
                self.pdu = match decided {
                    (true, _) => Pdu::Conforms,
                    (false, treatment) => Pdu::Whole(treatment),
                };
                decided
            }
            Pdu::Conforms if self.frames == FrameRule::Whole => {
                self.buckets.count(now, units);
                (true, Treatment::Pass)
            }
            Pdu::Conforms => {
                let decided = self.police_alone(now, units, is_tagged);
                match decided {
                    (false, Treatment::Drop) if ends_pdu => self.pass_end(now, units),
                    (false, treatment) => {
                        self.pdu = Pdu::Rest(treatment);
                        decided
                    }
                    (true, _) => decided,
                }
            }
            Pdu::Rest(Treatment::Drop) if ends_pdu => self.pass_end(now, units),
            Pdu::Whole(treatment) | Pdu::Rest(treatment) => (false, treatment),
        };
        if ends_pdu {
            self.pdu = Pdu::Begins;
        }
        decided
    }

    /// Passes the last cell of a PDU of which a cell has passed. The cell does not conform, but counts as sent.
    fn pass_end(&mut self, now: Ps, units: u32) -> (bool, Treatment) {
        self.buckets.count(now, units);
        (false, Treatment::Pass)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::*;
    use crate::passing::Contents;

    /// PCR of a cell in 10 us, SCR of a cell in 40 us, MBS of 3 cells: `tau_s = 2 (40 - 10) us = 60 us`.
    fn contract() -> PolicerConfig {
        PolicerConfig {
            pcr: Rate::from_bps(42_400_000),
            cdvt: Ps::ZERO,
            scr: Some(Rate::from_bps(10_600_000)),
            mbs: Some(Cells(3)),
            action: Action::Drop,
            frames: FrameRule::Cells,
            dynamic: None,
        }
    }

    /// Treatment of cells at the given microseconds: `.` passes, `t` is tagged, `x` is dropped. In `cells`, `c` is a
    /// data cell, `e` the end of a PDU, `r` an RM cell and `l` a data cell with CLP = 1.
    fn treated(config: &PolicerConfig, cells: &str, at: &[u64]) -> (String, PolicerCounts) {
        assert_eq!(cells.len(), at.len());
        let mut policer = Policer::new(config, ServiceRate::of_cells);
        let treat = |(kind, us): (char, &u64)| {
            let contents = if kind == 'r' {
                Contents::Forward
            } else {
                Contents::Data
            };
            let passing = Passing::new(contents, 1, kind == 'e');
            match policer.police(Ps::from_us(*us), passing, kind == 'l') {
                Treatment::Pass => '.',
                Treatment::Tag => 't',
                Treatment::Drop => 'x',
            }
        };
        let text = cells.chars().zip(at).map(treat).collect();
        (text, policer.counts())
    }

    fn with(action: Action, frames: FrameRule) -> PolicerConfig {
        PolicerConfig {
            action,
            frames,
            ..contract()
        }
    }

    #[test]
    fn a_burst_of_mbs_cells_conforms_at_the_peak_rate() {
        // TAT of SCR: 40, 80, 120 after the cells at 0, 10, 20 (80 - 60 = 20). At 30 us it is early (120 - 60 = 60).
        let (text, counts) = treated(&contract(), "ccccccc", &[0, 10, 20, 30, 40, 60, 61]);
        assert_eq!(text, "...xx.x");
        assert_eq!((counts.conforming, counts.nonconforming), (4, 3));
        assert_eq!((counts.tagged, counts.dropped), (0, 3));
        assert_eq!(contract().contract().burst(ServiceRate::of_cells), Some(3));
    }

    #[test]
    fn cdvt_lets_more_cells_of_a_burst_pass() {
        // The limit of SCR is 60 + 30 us, so 1 + 90 / 30 = 4 cells conform at PCR, and 30 us of CDVT let them come at once.
        let config = PolicerConfig {
            cdvt: Ps::from_us(30),
            ..contract()
        };
        assert_eq!(config.contract().burst(ServiceRate::of_cells), Some(4));
        assert_eq!(treated(&config, "ccccc", &[0, 10, 20, 30, 40]).0, "....x");
        // PCR: TAT 10, 20, 30, 40 after four cells at 0. 40 - 30 = 10 us. SCR: 160 - 90 = 70 us.
        assert_eq!(treated(&config, "ccccc", &[0, 0, 0, 0, 0]).0, "...xx");
    }

    #[test]
    fn tags_what_is_beyond_scr_and_drops_what_is_beyond_pcr() {
        // 5 us: beyond PCR. 30 us: beyond SCR, tagged, and counts at PCR, so 35 us is beyond PCR.
        let config = with(Action::Tag, FrameRule::Cells);
        let (text, counts) = treated(&config, "cccccc", &[0, 5, 10, 20, 30, 35]);
        assert_eq!(text, ".x..tx");
        assert_eq!(
            (counts.nonconforming, counts.tagged, counts.dropped),
            (3, 1, 2)
        );
        // Without SCR, PCR tags. A cell that is tagged already counts at PCR alone: SCR has room for three others.
        let peak = PolicerConfig {
            scr: None,
            mbs: None,
            ..config.clone()
        };
        assert_eq!(treated(&peak, "ccc", &[0, 5, 10]).0, ".t.");
        assert_eq!(
            treated(&config, "lllccccl", &[0, 10, 20, 30, 40, 50, 60, 70]).0,
            "......t."
        );
        let (text, counts) = treated(&with(Action::Pass, FrameRule::Cells), "ccc", &[0, 5, 10]);
        assert_eq!((text.as_str(), counts.nonconforming), ("...", 1));
    }

    #[test]
    fn drops_the_rest_of_a_pdu_but_not_its_end() {
        let partial = with(Action::Drop, FrameRule::Partial);
        // 30 us is beyond SCR. The cell at 60 us would conform, but belongs to the rest of the PDU. The last cell at 62 us
        // passes.
        let (text, counts) = treated(&partial, "ccccrcec", &[0, 10, 20, 30, 60, 61, 62, 300]);
        assert_eq!(text, "...x.x..");
        assert_eq!(
            (counts.conforming, counts.nonconforming, counts.dropped),
            (5, 3, 2)
        );
        // The first cell of the second PDU does not conform: nothing of this PDU passes, not even its last cell, which at
        // 100 us would conform. The next cell, of another PDU, passes.
        assert_eq!(
            treated(&partial, "cecec", &[0, 10, 11, 100, 101]).0,
            "..xx."
        );
        // A last cell that does not conform passes if a cell of its PDU has passed, and it counts: at 110 us TAT of PCR is
        // 120 us.
        assert_eq!(
            treated(&partial, "ceccc", &[100, 101, 110, 120, 130]).0,
            "..xxx"
        );
    }

    #[test]
    fn the_first_cell_decides_about_a_whole_pdu() {
        let whole = with(Action::Drop, FrameRule::Whole);
        // Five cells at the line rate: TAT of PCR is 50 us, that of SCR 200 us, so the next PDU conforms at 140 us.
        // The cell at 200 us is a PDU; then TAT of PCR is 210 us.
        let cells: Vec<u64> = [0, 1, 2, 3, 4, 139, 140, 200, 201].into();
        assert_eq!(treated(&whole, "cccceceec", &cells).0, ".....xx.x");
        assert_eq!(
            treated(
                &with(Action::Tag, FrameRule::Whole),
                "cecce",
                &[0, 1, 60, 61, 62]
            )
            .0,
            "....."
        );
        // Beyond SCR alone the whole PDU is tagged: TAT of SCR is 160 us after four cells, so 100 us is needed.
        let tag = with(Action::Tag, FrameRule::Whole);
        assert_eq!(
            treated(&tag, "cccecce", &[0, 1, 2, 3, 60, 61, 62]).0,
            "....ttt"
        );
    }

    #[test]
    fn a_contract_must_be_whole() {
        let fields = |config: PolicerConfig| {
            let findings = config.check();
            findings
                .iter()
                .map(|finding| finding.field.into())
                .collect::<Vec<String>>()
        };
        assert!(fields(contract()).is_empty());
        assert_eq!(
            fields(PolicerConfig {
                scr: None,
                ..contract()
            }),
            ["scr"]
        );
        assert_eq!(
            fields(PolicerConfig {
                mbs: None,
                ..contract()
            }),
            ["mbs"]
        );
        assert_eq!(
            fields(PolicerConfig {
                mbs: Some(Cells(0)),
                ..contract()
            }),
            ["mbs"]
        );
        assert_eq!(
            fields(PolicerConfig {
                scr: Some(Rate::from_bps(50_000_000)),
                ..contract()
            }),
            ["scr"]
        );
    }
}
