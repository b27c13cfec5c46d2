//! An endless file transfer.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Demand, Load};
use crate::kernel::{Ps, Stream};

/// Greedy source: TCP always has data to send.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GreedyConfig {}

impl GreedyConfig {
    pub(super) fn check(&self) -> Option<(&'static str, String)> {
        None
    }
    pub(super) fn load(&self) -> Load {
        Load::Elastic
    }
    pub(super) fn demand(&self, _start: Ps, _stream: Stream) -> Demand {
        Demand::Bytes(u64::MAX)
    }
}
