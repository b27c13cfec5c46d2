//! Changes of random networks: parameters scaled, buffers, flows that stop and go on.

use cellrate_engine::atm::plan::NodeKind;
use cellrate_engine::atm::{Change, FlowChange, SwitchChange};
use cellrate_engine::kernel::units::{Buffer, Cells};
use cellrate_engine::kernel::{Ps, Rate};
use proptest::prelude::*;
use proptest::sample::select;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Network, networks, read};

/// A change before network and times are known.
#[derive(Clone, Debug)]
struct Draft {
    /// Time of the change as a share of the run in 1/65536.
    at: u16,
    /// Factors on the parameters: those of switches, and those of flows.
    factors: (f64, f64),
    buffer: u64,
    /// Bits of the flows that send. `nodes` has the bits of the nodes that change.
    sends: u8,
    nodes: u8,
}

/// Any network, with one to four changes.
pub fn changing_networks() -> impl Strategy<Value = Network> {
    let factor = || select(vec![0.3, 0.7, 1.0, 1.9, 4.0]);
    let buffer = prop_oneof![1 => Just(u64::MAX), 4 => 1..60u64];
    let draft = (
        1u16..,
        (factor(), factor()),
        buffer,
        any::<u8>(),
        any::<u8>(),
    );
    let draft = draft.prop_map(|(at, factors, buffer, sends, nodes)| Draft {
        at,
        factors,
        buffer,
        sends,
        nodes,
    });
    let drafts = prop::collection::vec(draft, 1..=4);
    (networks(), drafts).prop_map(|(mut network, drafts)| {
        let mut times: Vec<u16> = drafts.iter().map(|draft| draft.at).collect();
        times.sort_unstable();
        times.dedup();
        let changes = times.into_iter().zip(&drafts);
        let changes = changes.map(|(at, draft)| change(&network, at, draft));
        network.plan.changes = changes.collect();
        network
    })
}

fn change(Network { plan, end }: &Network, at: u16, draft: &Draft) -> Change {
    let bit = |bits: u8, number: usize| bits >> (number % 8) & 1 == 1;
    let (of_switch, of_flow) = draft.factors;
    let switches = plan.nodes.iter().enumerate().filter_map(|(node, found)| {
        let NodeKind::Switch(settings) = &found.kind else {
            return None;
        };
        let change = SwitchChange {
            buffer: Buffer(draft.buffer),
            control: scaled(&settings.control, of_switch),
            discard: scaled(&settings.discard, of_switch),
        };
        bit(draft.nodes, node).then_some((node, change))
    });
    let flows = plan.flows.iter().enumerate().map(|(number, flow)| {
        // The pieces of a file are no parameters.
        let source = match flow.source.plays_file() {
            true => flow.source.clone(),
            false => scaled(&flow.source, of_flow),
        };
        let change = FlowChange {
            sends: bit(draft.sends, number),
            source,
            abr: scaled(&flow.abr, of_flow),
        };
        (number, change)
    });
    Change {
        at: Ps((end.0 >> 16).max(1) * at as u64),
        switches: switches.collect(),
        flows: flows.collect(),
    }
}

/// Parameters with every number multiplied by `factor`, as far as its range permits.
fn scaled<T: Serialize + DeserializeOwned>(config: &T, factor: f64) -> T {
    let mut value = serde_json::to_value(config).unwrap();
    scale(&mut value, factor);
    read(value)
}

fn scale(value: &mut Value, factor: f64) {
    let whole = |number: u64| (number as f64 * factor).clamp(2.0, 1e18) as u64;
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                if !["pcr", "mcr"].contains(&key.as_str()) {
                    scale(value, factor);
                }
            }
        }
        Value::String(text) if text.ends_with(" cells") => {
            if let Ok(Cells(cells)) = serde_json::from_value(json!(text)) {
                *value = json!(Cells((cells as f64 * factor) as u64).max(Cells(cells.min(1))));
            }
        }
        Value::String(text) if text.ends_with("bit/s") => {
            let Rate(rate) = read(json!(text));
            *value = json!(Rate(whole(rate)));
        }
        Value::String(text) if text.ends_with('s') => {
            if let Ok(Ps(time)) = serde_json::from_value(json!(text)) {
                *value = json!(Ps(whole(time)));
            }
        }
        Value::Number(number) => {
            *value = match (number.as_u64(), number.as_f64()) {
                (Some(number), _) => json!(whole(number)),
                (None, Some(share)) if share <= 1.0 => json!((share * factor).min(0.999)),
                (None, Some(number)) => json!(1.0 + (number - 1.0) * factor),
                (None, None) => return,
            };
        }
        _ => {}
    }
}
