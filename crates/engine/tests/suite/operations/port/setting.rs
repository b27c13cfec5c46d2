//! Settings of any port of a switch: scheme, policy, rate, buffer, and priorities of the classes.

use cellrate_engine::atm::cell::ServiceClass;
use cellrate_engine::atm::port::{PortSettings, QueueSettings};
use cellrate_engine::discard::DiscardConfig;
use cellrate_engine::kernel::Ps;
use proptest::prelude::*;
use proptest::sample::select;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::discard::permitted;
use super::super::settings::components;
use super::super::{controls, discard};

/// Propagation delay of the link.
pub const DELAY: Ps = Ps(5_000_000);

/// Assignment of classes to queues, and the priorities of the queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// One queue for ABR and VBR.
    Shared,
    /// VBR before ABR.
    VbrFirst,
    /// ABR before VBR.
    AbrFirst,
}

/// A port: its scheme, and the policy of each of its queues.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    pub scheme: controls::Setting,
    pub discard: Value,
    pub order: Order,
}

impl Setting {
    /// Limit of each queue in cells.
    pub fn buffer(&self) -> u64 {
        self.scheme.buffer
    }
    /// Number of ABR channels; the VBR channel follows them.
    pub fn abr_channels(&self) -> usize {
        self.scheme.channels
    }
    /// Service classes of each queue, in order of priority.
    pub fn queues(&self) -> Vec<Vec<ServiceClass>> {
        let (abr, vbr) = (ServiceClass::Abr, ServiceClass::Vbr);
        match self.order {
            Order::Shared => vec![vec![abr, vbr]],
            Order::VbrFirst => vec![vec![vbr], vec![abr]],
            Order::AbrFirst => vec![vec![abr], vec![vbr]],
        }
    }
    /// Index of the queue of a class.
    pub fn queue_of(&self, class: ServiceClass) -> usize {
        self.queues()
            .iter()
            .position(|classes| classes.contains(&class))
            .expect("a queue for every class")
    }
    /// Discard policy of the port's queues.
    pub fn policy(&self) -> DiscardConfig {
        discard::parse(&self.discard)
    }
    /// The settings that the engine builds the port from.
    pub fn port(&self) -> PortSettings {
        let channels = self.abr_channels() + 1;
        let queue = |classes| QueueSettings {
            classes,
            buffer: self.buffer(),
            tagged_buffer: u64::MAX,
            is_credited: false,
            discard: self.policy().build(channels),
        };
        PortSettings {
            rate: self.scheme.rate,
            delay: DELAY,
            queues: self.queues().into_iter().map(queue).collect(),
            controlled: self.queue_of(ServiceClass::Abr),
            rm_first: false,
            orders: None,
            control: self.scheme.config().build(self.scheme.facts()),
            channels,
            prompt: None,
            losses: None,
            may_change: false,
        }
    }
}

/// Any scheme and any policy at any port.
pub fn settings() -> BoxedStrategy<Setting> {
    let orders = select(vec![Order::Shared, Order::VbrFirst, Order::AbrFirst]);
    (controls::settings(), components::<DiscardConfig>(), orders)
        .prop_map(|(scheme, discard, order)| {
            // Smaller buffers are too small for the thresholds of the other policies.
            let discard = if scheme.buffer < 5 {
                json!({ "policy": "tail-drop" })
            } else {
                discard
            };
            let discard = permitted(discard, scheme.channels + 1, scheme.buffer);
            Setting {
                scheme,
                discard,
                order,
            }
        })
        .boxed()
}
