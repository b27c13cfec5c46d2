//! Parameters in force: with the values that follow from others if they are left out.

use cellrate_engine::control::ControlConfig;
use cellrate_engine::discard::DiscardConfig;
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
    match &mut found.control {
        ControlConfig::Efci(efci) if efci.high.is_none() => {
            efci.threshold = Some(efci.threshold_in_force())
        }
        ControlConfig::Erica(erica) => erica.target_utilisation = Some(erica.utilisation()),
        _ => {}
    }
    if !found.buffer.is_infinite() {
        let buffer = found.buffer;
        match &mut found.discard {
            DiscardConfig::Epd(epd) => epd.threshold = Some(epd.threshold_in_force(buffer)),
            DiscardConfig::SelectiveDrop(drop) => {
                drop.threshold = Some(drop.threshold_in_force(buffer))
            }
            DiscardConfig::FairBufferAllocation(fba) => {
                fba.threshold = Some(fba.threshold_in_force(buffer))
            }
            _ => {}
        }
    }
    found
}
