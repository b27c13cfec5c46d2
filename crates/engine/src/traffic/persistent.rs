//! A source that always has a cell to send, without TCP, limited by rate control alone.

use alloc::string::String;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Demand, Load, Source};
use crate::kernel::{Ps, Stream};

/// Persistent source: a cell is always waiting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PersistentConfig {}

impl Source for PersistentConfig {
    const OVER_TCP: bool = false;

    fn check(&self) -> Option<(&'static str, String)> {
        None
    }

    fn load(&self) -> Load {
        Load::Elastic
    }

    fn demand(&self, _start: Ps, _stream: Stream) -> Demand {
        Demand::Persistent
    }
}
