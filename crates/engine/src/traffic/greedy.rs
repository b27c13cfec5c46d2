//! A file transfer over TCP that never ends.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Demand, Load, Source};
use crate::kernel::{Ps, Stream};

/// Greedy source: TCP always has data to send.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GreedyConfig {}

impl Source for GreedyConfig {
    const OVER_TCP: bool = true;

    fn check(&self) -> Option<(&'static str, String)> {
        None
    }

    fn load(&self) -> Load {
        Load::Elastic
    }

    fn demand(&self, _start: Ps, _stream: Stream) -> Demand {
        Demand::Bytes(u64::MAX)
    }
}
