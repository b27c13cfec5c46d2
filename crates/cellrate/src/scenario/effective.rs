//! Parameters in force: with the values that follow from others if they are left out.

use cellrate_engine::endsystem::{AbrConfig, SourceRules};
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::tcp::TcpConfig;

use super::types::Switch;

/// ABR on an access link of `link_rate` with a fixed round trip of `round_trip`: PCR, MCR, ICR,
/// CRM.
pub fn abr(config: &AbrConfig, link_rate: Rate, round_trip: Ps) -> AbrConfig {
    let mut found = config.clone();
    found.icr = Some(Rate::from_cells_per_second(
        config.icr_cells(link_rate, round_trip),
    ));
    found.pcr = Some(config.pcr.unwrap_or(link_rate));
    found.crm = Some(u32::try_from(config.crm_frms()).unwrap_or(u32::MAX));
    found.mdf = (config.rules != SourceRules::Tm4).then(|| config.mdf_in_force());
    found
}

/// TCP with its initial slow start threshold.
pub fn tcp(config: &TcpConfig) -> TcpConfig {
    let initial_ssthresh = Some(config.initial_ssthresh.unwrap_or(Bytes(config.window.0)));
    TcpConfig {
        initial_ssthresh,
        ..config.clone()
    }
}

/// A switch with its thresholds and its target utilisation.
pub fn switch(config: &Switch) -> Switch {
    let mut found = config.clone();
    found.control = config.control.in_force();
    if !config.buffer.is_infinite() {
        found.discard = config.discard.in_force(config.buffer);
    }
    found
}
