//! Interface of a source that the model needs, and random parameters.

use cellrate_engine::atm::cell::RmCell;
use cellrate_engine::endsystem::{AbrConfig, AbrSource, Counters, Emission};
use cellrate_engine::kernel::{Ps, Rate};
use proptest::prelude::*;
use proptest::sample::select;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::settings::{fields, legal};

/// An end system and its access link.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    pub abr: Value,
    pub link: Rate,
    pub frtt: Ps,
}

impl Setting {
    pub fn config(&self) -> AbrConfig {
        serde_json::from_value(self.abr.clone())
            .unwrap_or_else(|error| panic!("{error}: {}", self.abr))
    }
}

/// Any legal parameters, those outside the standard included.
pub fn settings() -> BoxedStrategy<Setting> {
    let links = [64e3, 1e6, 155.52e6, 9e14].map(|bits| Rate((bits * 1e3) as u64));
    let frtt = select(vec![
        Ps::ZERO,
        Ps(1),
        Ps::from_us(10),
        Ps::from_ms(10),
        Ps::from_s(100),
    ]);
    (fields::<AbrConfig>(), select(links.to_vec()), frtt)
        .prop_map(|(abr, link, frtt)| {
            let fault = |abr: &Value| {
                let config = Setting {
                    abr: abr.clone(),
                    link,
                    frtt,
                }
                .config();
                let found = config
                    .check(link)
                    .into_iter()
                    .find(|finding| finding.is_fatal(false));
                found.map(|finding| finding.field.to_string())
            };
            Setting {
                abr: legal(abr, fault),
                link,
                frtt,
            }
        })
        .boxed()
}

/// Interface of a source that the model needs.
pub trait Source {
    fn acr(&self) -> f64;
    fn next_wake(&self, data: bool) -> Ps;
    fn opportunity(&mut self, now: Ps, data: bool) -> Option<Emission>;
    fn on_brm(&mut self, now: Ps, rm: &RmCell);
    fn offer_brm(&mut self, rm: RmCell);
    fn counters(&self) -> Counters;
    fn brm_waits(&self) -> bool;
}

impl Source for AbrSource {
    fn acr(&self) -> f64 {
        AbrSource::acr(self)
    }
    fn next_wake(&self, data: bool) -> Ps {
        AbrSource::next_wake(self, data)
    }
    fn opportunity(&mut self, now: Ps, data: bool) -> Option<Emission> {
        AbrSource::opportunity(self, now, data)
    }
    fn on_brm(&mut self, now: Ps, rm: &RmCell) {
        AbrSource::on_brm(self, now, rm);
    }
    fn offer_brm(&mut self, rm: RmCell) {
        AbrSource::offer_brm(self, rm);
    }
    fn counters(&self) -> Counters {
        *AbrSource::counters(self)
    }
    fn brm_waits(&self) -> bool {
        AbrSource::brm_waits(self)
    }
}
