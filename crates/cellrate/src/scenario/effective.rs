//! Parameters in force: those of the scenario, and values that follow from others where they are
//! left out.

use cellrate_engine::endsystem::{AbrConfig, SourceRules};
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::tcp::TcpConfig;

use super::types::Switch;

/// ABR parameters on an access link of `link_rate` with a fixed round trip of `round_trip`: PCR,
/// MCR, ICR and CRM are filled in.
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

/// TCP parameters with the initial slow start threshold filled in.
pub fn tcp(config: &TcpConfig) -> TcpConfig {
    let initial_ssthresh = Some(config.initial_ssthresh.unwrap_or(Bytes(config.window.0)));
    TcpConfig {
        initial_ssthresh,
        ..config.clone()
    }
}

/// Settings of a switch with thresholds and target utilisation filled in.
pub fn switch(config: &Switch) -> Switch {
    let mut found = config.clone();
    found.control = config.control.in_force();
    if !config.buffer.is_infinite() {
        found.discard = config.discard.in_force(config.buffer);
    }
    found
}
