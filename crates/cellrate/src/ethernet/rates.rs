//! Rate control of hosts over Ethernet. A *record* here is a rate record: the fields of an RM cell in a
//! frame of their own.

use cellrate_engine::endsystem::AbrConfig;
use cellrate_engine::kernel::{Ps, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rate control of a source: the rules of TM 4.0 section 5.10.4 with frames in place of cells. Every Nrm-th
/// frame of the source is a rate record: a short frame with the fields of an RM cell and nothing else.
/// Switches change the record, and the destination returns it. All rates count preambles and interframe
/// gaps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RateControl {
    /// Peak rate PCR. If absent, PCR is the rate of the host's line.
    #[schemars(extend("x-change" = "the traffic contract fixes this rate", "x-not-searched" = "the traffic contract fixes this rate"))]
    pub pcr: Option<Rate>,
    /// Minimum rate MCR. If absent, MCR is zero.
    #[schemars(extend("x-change" = "the traffic contract fixes this rate", "x-not-searched" = "the traffic contract fixes this rate"))]
    pub mcr: Option<Rate>,
    /// Initial rate ICR. If absent, ICR is PCR.
    #[schemars(extend("x-change" = true, "x-search" = { "low": 0.01, "high": 1, "scale": "log", "of": "pcr" }))]
    pub icr: Option<Rate>,
    /// Rate increase factor RIF: additive increase as a share of PCR, 2^-n with n of 0..15.
    #[schemars(extend("x-change" = true, "x-search" = { "low": 3.0517578125e-05, "high": 1, "scale": "powers-of-two" }))]
    pub rif: f64,
    /// Rate decrease factor RDF: share by which each marked record lowers ACR, 2^-n with n of 0..15.
    #[schemars(extend("x-change" = true, "x-search" = { "low": 3.0517578125e-05, "high": 1, "scale": "powers-of-two" }))]
    pub rdf: f64,
    /// Number of frames per record, the record included (Nrm): a power of two of 2..256.
    #[schemars(extend("x-change" = true, "x-search" = { "low": 2, "high": 256, "scale": "powers-of-two" }))]
    pub nrm: u32,
    /// Longest time between records of a source that sends (Trm): 100 ms 2^-n with n of 0..7.
    #[schemars(extend("x-change" = true, "x-search" = { "low": "0.78125 ms", "high": "100 ms", "scale": "powers-of-two" }))]
    pub trm: Ps,
    /// Number of unanswered records from which on the source cuts ACR (CRM). If absent, the source never
    /// cuts ACR for this reason.
    #[schemars(extend("x-change" = true, "x-search" = { "low": 1, "high": 4096, "scale": "powers-of-two" }))]
    pub crm: Option<u32>,
    /// Cutoff decrease factor CDF: 0 or 2^-n with n of 0..6.
    #[schemars(extend("x-change" = true, "x-search" = { "low": 0.015625, "high": 1, "scale": "powers-of-two" }))]
    pub cdf: f64,
    /// ACR decrease time factor ADTF: idle time after which ACR returns to ICR, 0.01..10.23 s.
    #[schemars(extend("x-change" = true, "x-search" = { "low": "10 ms", "high": "10.23 s", "scale": "log", "step": "10 ms" }))]
    pub adtf: Ps,
}

impl Default for RateControl {
    fn default() -> RateControl {
        let abr = AbrConfig::default();
        RateControl {
            pcr: abr.pcr,
            mcr: abr.mcr,
            icr: abr.icr,
            rif: abr.rif,
            rdf: abr.rdf,
            nrm: abr.nrm,
            trm: abr.trm,
            crm: abr.crm,
            cdf: abr.cdf,
            adtf: abr.adtf,
        }
    }
}

impl RateControl {
    /// The settings of rate control in the form of TM 4.0.
    pub fn abr(&self) -> AbrConfig {
        AbrConfig {
            pcr: self.pcr,
            mcr: self.mcr,
            icr: self.icr,
            rif: self.rif,
            rdf: self.rdf,
            nrm: self.nrm,
            trm: self.trm,
            crm: Some(self.crm.unwrap_or(u32::MAX)),
            cdf: self.cdf,
            adtf: self.adtf,
            ..AbrConfig::default()
        }
    }
}
