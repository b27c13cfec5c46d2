//! Endless cells without TCP, limited by rate control alone.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Demand, Load};
use crate::kernel::{Ps, Stream};

/// Persistent source: a cell is always waiting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PersistentConfig {}

impl PersistentConfig {
    pub(super) fn check(&self) -> Option<(&'static str, String)> {
        None
    }
    pub(super) fn load(&self) -> Load {
        Load::Elastic
    }
    pub(super) fn demand(&self, _start: Ps, _stream: Stream) -> Demand {
        Demand::Persistent
    }
}
