//! Parameters in force: those that the scenario sets, and values that follow from other parameters
//! where the scenario sets none.

use cellrate_engine::endsystem::{AbrConfig, SourceRules};
use cellrate_engine::kernel::units::Bytes;
use cellrate_engine::kernel::{Ps, Rate};
use cellrate_engine::tcp::TcpConfig;

use super::types::Switch;

/// Completes ABR parameters with PCR, ICR and CRM, for an access link of `link_rate` and a fixed
/// round trip of `round_trip`. MDF is completed, too, unless the source rules are those of TM 4.0,
/// which do not use MDF.
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

/// Completes TCP parameters with the initial slow start threshold.
pub fn tcp(config: &TcpConfig) -> TcpConfig {
    let initial_ssthresh = Some(config.initial_ssthresh.unwrap_or(Bytes(config.window.0)));
    TcpConfig {
        initial_ssthresh,
        ..config.clone()
    }
}

/// Completes the settings of a switch with the thresholds and the target utilisation of its control
/// scheme and discard policy.
pub fn switch(config: &Switch) -> Switch {
    let mut found = config.clone();
    found.control = config.control.in_force();
    if !config.buffer.is_infinite() {
        found.discard = config.discard.in_force(config.buffer);
    }
    found
}
