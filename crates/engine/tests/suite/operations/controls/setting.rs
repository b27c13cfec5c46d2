//! Any scheme at any port.

use cellrate_engine::control::{ControlConfig, PortFacts, SwitchFacts};
use cellrate_engine::kernel::{Rate, ServiceRate};
use proptest::prelude::*;
use proptest::sample::select;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::settings::{components, legal};

/// Drawn parameters of a control scheme and of the port at which it works.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    pub control: Value,
    pub rate: Rate,
    pub channels: usize,
    pub buffer: u64,
}

impl Setting {
    pub fn facts(&self) -> PortFacts {
        PortFacts {
            seed: 0,
            rate: ServiceRate::of_cells(self.rate),
            channels: self.channels,
        }
    }
    pub fn config(&self) -> ControlConfig {
        serde_json::from_value(self.control.clone())
            .unwrap_or_else(|error| panic!("{error}: {}", self.control))
    }
}

/// Draws a control scheme of the registry with legal parameters, and a port.
pub fn settings() -> BoxedStrategy<Setting> {
    let rates =
        [1e6, 25.6e6, 149.76e6, 155.52e6, 622.08e6, 4e14].map(|bits| Rate((bits * 1e3) as u64));
    let buffer = prop_oneof![Just(u64::MAX), 1..50u64, 50..3_000u64];
    (
        components::<ControlConfig>(),
        select(rates.to_vec()),
        1..=4usize,
        buffer,
    )
        .prop_map(|(control, rate, channels, buffer)| {
            let facts = SwitchFacts {
                buffer,
                service_time: rate.cell_time_ceil(),
            };
            let fault = |parameters: &Value| {
                let setting = Setting {
                    control: parameters.clone(),
                    rate,
                    channels,
                    buffer,
                };
                let found = setting
                    .config()
                    .check(facts)
                    .into_iter()
                    .find(|finding| finding.is_fatal(false));
                found.map(|finding| finding.field.to_string())
            };
            Setting {
                control: legal(control, fault),
                rate,
                channels,
                buffer,
            }
        })
        .boxed()
}
