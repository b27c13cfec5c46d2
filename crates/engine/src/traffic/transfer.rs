//! A file transfer of a given size.

use alloc::string::{String, ToString};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Demand, Load, Source};
use crate::kernel::units::Bytes;
use crate::kernel::{Ps, Stream};

/// A transfer of one file over TCP, whose completion time is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TransferConfig {
    /// Size of the file in bytes.
    pub size: Bytes,
}

impl Source for TransferConfig {
    const OVER_TCP: bool = true;
    const MEASURED_WHOLE: bool = true;

    fn check(&self) -> Option<(&'static str, String)> {
        (self.size.0 == 0).then(|| ("size", "a transfer must have at least 1 byte".to_string()))
    }

    fn load(&self) -> Load {
        Load::Elastic
    }

    fn demand(&self, _start: Ps, _stream: Stream) -> Demand {
        Demand::Bytes(self.size.0)
    }
}
