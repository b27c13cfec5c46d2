//! Parameters of an ABR connection (TM 4.0 table 5-3), and options for rules that simulators
//! interpret differently.

use alloc::format;
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::custom::LawConfig;
use crate::kernel::units::Cells;
use crate::kernel::{Finding, Ps, Rate, ServiceRate};

/// Condition under which a source sends out-of-rate FRMs (source rule 11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OutOfRate {
    /// ACR is below TCR.
    #[default]
    BelowTcr,
    /// Only while ACR is zero. An ACR below one cell in 115 days counts as zero, because no cell can then be sent
    /// in-rate.
    OnlyAtZero,
    /// Never. A connection whose ACR falls to zero then sends nothing more.
    Never,
}

/// Rounding of CRM = TBE / Nrm to a whole number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CrmRounding {
    /// Up to the next whole number, as in TM 4.0.
    #[default]
    Up,
    /// Down to a whole number, as in some simulators.
    Down,
}

/// Effect on ACR of an explicit rate below MCR (source rule 9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErBelowMcr {
    /// ACR falls to MCR.
    #[default]
    Clamp,
    /// The source ignores the explicit rate, as in the YATS simulator.
    Ignore,
}

/// The rules by which a source sets its rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceRules {
    /// The source rules of TM 4.0.
    #[default]
    Tm4,
    /// PRCA (Gerla et al. 1995): ACR falls by ADR = ACR / 2^MDF with every cell, and rises by Nrm
    /// ADR + AIR with an RM cell without CI. `rif`, `rdf`, `cdf`, `crm`, `adtf`, NI and ER have no
    /// effect.
    Prca,
    /// EPRCA (ATM Forum 94-0735R1, after surveys): as PRCA, but the source obeys ER, and Nrm AIR
    /// replaces AIR. NI has no effect.
    Eprca,
    /// EPRCA by Smith's principle (Mascolo, Cavendish and Gerla 1996), for switches with the scheme
    /// of this name. ACR is the explicit rate, less the number of cells on the way divided by
    /// `time_constant`. `rif`, `rdf`, `cdf`, `crm`, `adtf`, CI and NI have no effect.
    SmithPredictor,
}

/// Amount by which PRCA and EPRCA restore the decreases of a cycle of Nrm cells. Gerla et al. do
/// not specify it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Compensation {
    /// Nrm ADR, whatever the decreases were. At MCR, where ACR does not decrease, Nrm ADR exceeds
    /// the sum of the decreases.
    #[default]
    Reckoned,
    /// The sum of the decreases since the last BRM.
    Counted,
}

/// Parameters of the source and the destination of an ABR end system. Defaults are those of TM 4.0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AbrConfig {
    /// The rules by which a source sets its rate. Every switch may serve sources with any rules.
    pub rules: SourceRules,
    /// Peak cell rate. If absent, the rate of the access link.
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this rate"))]
    pub pcr: Option<Rate>,
    /// Minimum cell rate. Zero if absent.
    #[schemars(extend("x-not-searched" = "the traffic contract fixes this rate"))]
    pub mcr: Option<Rate>,
    /// Initial cell rate. PCR if absent.
    #[schemars(extend("x-search" = { "low": 0.01, "high": 1, "scale": "log", "of": "pcr" }))]
    pub icr: Option<Rate>,
    /// Rate increase factor: additive increase as a share of PCR, 2^-n with n from 0 to 15.
    #[schemars(extend("x-search" = { "low": 3.0517578125e-05, "high": 1, "scale": "powers-of-two" }))]
    pub rif: f64,
    /// Rate decrease factor: share by which each BRM with CI lowers ACR, 2^-n with n from 0 to 15.
    #[schemars(extend("x-search" = { "low": 3.0517578125e-05, "high": 1, "scale": "powers-of-two" }))]
    pub rdf: f64,
    /// Additive increase rate (AIR) of `rules = "prca"` and `"eprca"`, which need it.
    #[schemars(extend("x-search" = { "low": 0.001, "high": 1, "scale": "log", "of": "pcr", "when": {"rules": ["prca", "eprca"]} }))]
    pub air: Option<Rate>,
    /// Multiplicative decrease factor (MDF) of `rules = "prca"` and `"eprca"`, from 1 to 16: ACR
    /// falls by ACR / 2^MDF with each cell. 5 if absent.
    #[schemars(extend("x-search" = { "low": 2, "high": 10, "scale": "linear", "step": 1, "when": {"rules": ["prca", "eprca"]} }))]
    pub mdf: Option<u32>,
    /// A user-defined law for the rate, such as a class in Python: a table with the name of the law
    /// under the key `law`, and the law's parameters. The law replaces source rules 5, 6, 8, 9 and
    /// 13; ACR stays between MCR and PCR. No such law if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-change" = "a law takes its parameters once, when its source is made", "x-not-searched" = "a law of one's own"))]
    pub law: Option<LawConfig>,
    /// Amount that an RM cell without CI restores under `rules = "prca"` and `"eprca"`, in addition
    /// to AIR.
    pub compensation: Compensation,
    /// Time constant tau of `rules = "smith-predictor"`, which needs it. It should equal the time constant of the
    /// switches.
    #[schemars(extend("x-search" = { "low": "0.1 ms", "high": "100 ms", "scale": "log", "when": {"rules": ["smith-predictor"]} }))]
    pub time_constant: Option<Ps>,
    /// Round trip time (RTD) of `rules = "smith-predictor"`, from the source to the queue and back:
    /// cells sent within this time count as on the way. If absent, the fixed round trip time of the
    /// loop, which is at least as long.
    #[schemars(extend("x-not-searched" = "a property of the way"))]
    pub rtd: Option<Ps>,
    /// Number of in-rate cells for each in-rate FRM, including this FRM: a power of two from 2 to
    /// 256.
    #[schemars(extend("x-search" = { "low": 2, "high": 256, "scale": "powers-of-two" }))]
    pub nrm: u32,
    /// Number of in-rate cells that must follow an FRM before `trm` can cause the next FRM.
    #[schemars(extend("x-not-searched" = "a constant of TM 4.0"))]
    pub mrm: u32,
    /// Longest time between FRMs while a source sends: 100 ms 2^-n with n from 0 to 7.
    #[schemars(extend("x-search" = { "low": "0.78125 ms", "high": "100 ms", "scale": "powers-of-two" }))]
    pub trm: Ps,
    /// Number of FRMs sent since the last BRM from which on source rule 6 cuts ACR. TBE / Nrm if absent.
    #[schemars(extend("x-search" = { "low": 1, "high": 4096, "scale": "powers-of-two" }))]
    pub crm: Option<u32>,
    /// Rounding of TBE / Nrm to a whole number.
    pub crm_rounding: CrmRounding,
    /// Transient buffer exposure: number of cells that the source may send before the first
    /// feedback.
    #[schemars(extend("x-not-searched" = "granted by the network; `crm` and `icr` are what it sets"))]
    pub tbe: Cells,
    /// Cutoff decrease factor: 0, or 2^-n with n from 0 to 6.
    #[schemars(extend("x-search" = { "low": 0.015625, "high": 1, "scale": "powers-of-two" }))]
    pub cdf: f64,
    /// ACR decrease time factor: idle time after which ACR returns to ICR, 0.01 to 10.23 s.
    #[schemars(extend("x-search" = { "low": "10 ms", "high": "10.23 s", "scale": "log", "step": "10 ms" }))]
    pub adtf: Ps,
    /// Rate of out-of-rate FRMs.
    #[schemars(extend("x-not-searched" = "a constant of TM 4.0"))]
    pub tcr: Rate,
    /// Limits the initial cell rate to TBE cells per fixed round trip time.
    pub apply_tbe_icr_cap: bool,
    /// Condition under which a source sends out-of-rate FRMs.
    pub out_of_rate: OutOfRate,
    /// Sends FRMs only while data wait. A source without data then sends only BRMs.
    pub frm_needs_data: bool,
    /// Truncates the rates in RM cells to the cells' 16-bit code.
    pub quantise_rates: bool,
    /// Tolerance of use-it-or-lose-it (source rule 13). If ACR exceeds the measured rate by more
    /// than this before an FRM, ACR loses 1/16 and the next increase is skipped (NEC uPD98405). Off
    /// if absent.
    #[schemars(extend("x-search" = { "low": "0.1 Mbit/s", "high": "100 Mbit/s", "scale": "log", "when": {"use_it_or_lose_it": true} }))]
    pub use_it_or_lose_it: Option<Rate>,
    /// Effect on ACR of an explicit rate below MCR.
    pub er_below_mcr: ErBelowMcr,
    /// Factor by which the source of a flow exceeds ACR, at least 1: it sends at this many times ACR, and its RM cells
    /// say ACR. If absent, the source obeys ACR.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-change" = "a source obeys or does not", "x-not-searched" = "a misbehaviour"))]
    pub excess_factor: Option<f64>,
    /// The destination clears the saved EFCI of the last data cell when a BRM has reported it.
    pub reset_saved_efci: bool,
}

impl Default for AbrConfig {
    fn default() -> AbrConfig {
        AbrConfig {
            rules: SourceRules::Tm4,
            pcr: None,
            mcr: None,
            icr: None,
            rif: 1.0 / 16.0,
            rdf: 1.0 / 16.0,
            air: None,
            law: None,
            compensation: Compensation::Reckoned,
            mdf: None,
            time_constant: None,
            rtd: None,
            nrm: 32,
            mrm: 2,
            trm: Ps::from_ms(100),
            crm: None,
            crm_rounding: CrmRounding::Up,
            tbe: Cells(MAX_TBE),
            cdf: 1.0 / 16.0,
            adtf: Ps::from_ms(500),
            tcr: Rate::from_bps(4_240),
            apply_tbe_icr_cap: false,
            out_of_rate: OutOfRate::BelowTcr,
            frm_needs_data: false,
            quantise_rates: false,
            use_it_or_lose_it: None,
            er_below_mcr: ErBelowMcr::Clamp,
            excess_factor: None,
            reset_saved_efci: true,
        }
    }
}

/// Default of MDF (Gerla et al., section III.E).
const DEFAULT_MDF: u32 = 5;
const MAX_MDF: u32 = 16;

/// Text of a finding about a parameter that belongs to other source rules.
const PROPORTIONAL: &str =
    "belongs to `rules = \"prca\"` or `\"eprca\"`; TM 4.0 has `rif` and `rdf`";
const PREDICTING: &str = "belongs to `rules = \"smith-predictor\"`";

/// Largest transient buffer exposure in cells that can be signalled (24 bits).
const MAX_TBE: u64 = 16_777_215;

impl AbrConfig {
    /// PCR in cells/s on an access link of `link_rate`.
    pub fn pcr_cells(&self, link_rate: Rate) -> f64 {
        self.pcr_units(ServiceRate::of_cells(link_rate))
    }
    /// MCR in cells/s.
    pub fn mcr_cells(&self) -> f64 {
        self.mcr.map_or(0.0, Rate::cells_per_second)
    }
    /// Initial cell rate in cells/s on an access link of `link_rate`; with `apply_tbe_icr_cap` at most TBE cells
    /// per fixed round-trip time `frtt`.
    pub fn icr_cells(&self, link_rate: Rate, frtt: Ps) -> f64 {
        self.icr_units(ServiceRate::of_cells(link_rate), frtt)
    }
    /// PCR in units/s on an access link of rate `line`.
    pub(super) fn pcr_units(&self, line: ServiceRate) -> f64 {
        line.in_units(self.pcr.unwrap_or(line.line()))
    }
    /// MCR in units/s.
    pub(super) fn mcr_units(&self, line: ServiceRate) -> f64 {
        self.mcr.map_or(0.0, |mcr| line.in_units(mcr))
    }
    /// Initial cell rate in units/s on an access link of rate `line`; with `apply_tbe_icr_cap` at most TBE cells
    /// per fixed round-trip time `frtt`.
    pub(super) fn icr_units(&self, line: ServiceRate, frtt: Ps) -> f64 {
        let icr = self
            .icr
            .map_or(self.pcr_units(line), |icr| line.in_units(icr));
        if !self.apply_tbe_icr_cap || frtt == Ps::ZERO {
            return icr;
        }
        // TM 4.0: ICR := max(MCR, min(ICR, TBE / FRTT))
        icr.min(self.tbe.0 as f64 / frtt.as_secs_f64())
            .max(self.mcr_units(line))
    }
    /// MDF of PRCA and EPRCA with its default applied.
    pub fn mdf_in_force(&self) -> u32 {
        self.mdf.unwrap_or(DEFAULT_MDF)
    }
    /// Number of FRMs without a BRM after which source rule 6 cuts ACR; at least 1.
    pub fn crm_frms(&self) -> u64 {
        let nrm = self.nrm.max(1) as u64;
        let derived = match self.crm_rounding {
            CrmRounding::Up => self.tbe.0.div_ceil(nrm), // CRM = ceil(TBE / Nrm)
            CrmRounding::Down => self.tbe.0 / nrm,
        };
        self.crm.map_or(derived, u64::from).max(1)
    }
    /// True if SES rules 8 and 9 of TM 4.0 set ACR at each BRM, and no other law.
    pub fn follows_tm4(&self) -> bool {
        self.rules == SourceRules::Tm4 && self.law.is_none()
    }
    /// The same parameters without `excess_factor`, for a source that obeys ACR.
    pub fn obeying(&self) -> AbrConfig {
        AbrConfig {
            excess_factor: None,
            ..self.clone()
        }
    }
    /// Findings about parameters that are impossible or outside the standard, on an access link of
    /// `link_rate`.
    pub fn check(&self, link_rate: Rate) -> Vec<Finding> {
        let mut findings = Vec::new();
        self.check_rates(link_rate, &mut findings);
        self.check_factors(&mut findings);
        self.check_counts(&mut findings);
        self.check_times(&mut findings);
        self.check_rules(&mut findings);
        findings
    }

    /// Adds findings about parameters that belong to other rules, and about missing parameters
    /// without which no rate can rise.
    fn check_rules(&self, findings: &mut Vec<Finding>) {
        if let Some(law) = &self.law {
            if law.found().is_none() {
                let message = format!("there is no law `{}`", law.name);
                findings.push(Finding::impossible("law", message));
            }
            if self.rules != SourceRules::Tm4 {
                findings.push(Finding::impossible(
                    "law",
                    "`law` replaces `rules` and their parameters: leave them out".into(),
                ));
            }
        }
        let is_proportional = matches!(self.rules, SourceRules::Prca | SourceRules::Eprca);
        let is_predicting = self.rules == SourceRules::SmithPredictor;
        let strangers = [
            ("air", self.air.is_some() && !is_proportional, PROPORTIONAL),
            ("mdf", self.mdf.is_some() && !is_proportional, PROPORTIONAL),
            (
                "compensation",
                self.compensation == Compensation::Counted && !is_proportional,
                PROPORTIONAL,
            ),
            (
                "time_constant",
                self.time_constant.is_some() && !is_predicting,
                PREDICTING,
            ),
            ("rtd", self.rtd.is_some() && !is_predicting, PREDICTING),
        ];
        for (field, _, message) in strangers
            .into_iter()
            .filter(|(_, is_strange, _)| *is_strange)
        {
            findings.push(Finding::impossible(field, message.into()));
        }
        if is_proportional && self.air.is_none() {
            findings.push(Finding::impossible(
                "rules",
                "PRCA and EPRCA need `air`, by which a rate rises".into(),
            ));
        }
        if is_predicting && self.time_constant.is_none() {
            findings.push(Finding::impossible(
                "rules",
                "a Smith predictor needs `time_constant`".into(),
            ));
        }
        if self.time_constant == Some(Ps::ZERO) {
            findings.push(Finding::impossible(
                "time_constant",
                "must be above 0, but is 0 s".into(),
            ));
        }
        if !(1..=MAX_MDF).contains(&self.mdf_in_force()) {
            let message = format!(
                "must be from 1 to {MAX_MDF}, but is {}",
                self.mdf_in_force()
            );
            findings.push(Finding::impossible("mdf", message));
        }
    }

    fn check_rates(&self, link_rate: Rate, findings: &mut Vec<Finding>) {
        let pcr = self.pcr.unwrap_or(link_rate);
        let icr = self.icr.unwrap_or(pcr);
        let above = |name: &str, rate: Rate| format!("{name} of {rate} exceeds PCR of {pcr}");
        if icr > pcr {
            findings.push(Finding::impossible("icr", above("ICR", icr)));
        }
        let Some(mcr) = self.mcr else { return };
        if mcr > pcr {
            findings.push(Finding::impossible("mcr", above("MCR", mcr)));
        }
        if icr < mcr {
            findings.push(Finding::impossible(
                "icr",
                format!("ICR of {icr} is below MCR of {mcr}"),
            ));
        }
    }

    fn check_factors(&self, findings: &mut Vec<Finding>) {
        if let Some(factor) = self.excess_factor
            && !(1.0..=1e6).contains(&factor)
        {
            let message = format!("must be from 1 to 1000000, but is {factor}");
            findings.push(Finding::impossible("excess_factor", message));
        }
        factor("rif", self.rif, 15, findings);
        factor("rdf", self.rdf, 15, findings);
        if self.cdf != 0.0 {
            factor("cdf", self.cdf, 6, findings);
        }
    }

    fn check_counts(&self, findings: &mut Vec<Finding>) {
        if self.nrm < 2 {
            findings.push(Finding::impossible(
                "nrm",
                format!("must be at least 2, but is {}", self.nrm),
            ));
        } else if !self.nrm.is_power_of_two() || self.nrm > 256 {
            findings.push(Finding::standard(
                "nrm",
                format!("must be a power of two from 2 to 256, but is {}", self.nrm),
            ));
        }
        if self.mrm != 2 {
            findings.push(Finding::standard(
                "mrm",
                format!("must be the constant 2, but is {}", self.mrm),
            ));
        }
        if self.crm == Some(0) {
            findings.push(Finding::impossible(
                "crm",
                "must be at least 1, but is 0".into(),
            ));
        }
        if self.tbe.0 > MAX_TBE {
            findings.push(Finding::standard(
                "tbe",
                format!("TBE of {} exceeds {MAX_TBE} cells", self.tbe),
            ));
        }
    }

    fn check_times(&self, findings: &mut Vec<Finding>) {
        if !is_standard_trm(self.trm) {
            findings.push(Finding::standard(
                "trm",
                format!(
                    "must be 100 ms 2^-n with n from 0 to 7, but is {}",
                    self.trm
                ),
            ));
        }
        let step = Ps::from_ms(10).0;
        let adtf = self.adtf.0;
        if !adtf.is_multiple_of(step) || !(1..=1023).contains(&(adtf / step)) {
            findings.push(Finding::standard(
                "adtf",
                format!(
                    "must be a multiple of 10 ms from 10 ms to 10.23 s, but is {}",
                    self.adtf
                ),
            ));
        }
    }
}

fn factor(field: &'static str, value: f64, max_exponent: u32, findings: &mut Vec<Finding>) {
    if !(0.0..=1.0).contains(&value) {
        findings.push(Finding::impossible(
            field,
            format!("must be from 0 to 1, but is {value}"),
        ));
    } else if !(0..=max_exponent).any(|n| value * (1u64 << n) as f64 == 1.0) {
        findings.push(Finding::standard(
            field,
            format!("must be 2^-n with n from 0 to {max_exponent}, but is {value}"),
        ));
    }
}

fn is_standard_trm(trm: Ps) -> bool {
    let longest = Ps::from_ms(100).0;
    trm.0 <= longest && (0..8).any(|n| trm.0 << n == longest)
}
