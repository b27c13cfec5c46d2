//! Measures of a control scheme at a port.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use schemars::JsonSchema;
use serde::Serialize;

/// Statistics of a control scheme (whole run); their keys depend on the scheme.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(extend("x-source" = "cellrate"))]
pub struct ControlReport {
    /// Key of the control scheme.
    pub scheme: String,
    /// Name and value of each statistic of the scheme.
    #[serde(flatten)]
    pub statistics: BTreeMap<String, f64>,
}

impl ControlReport {
    /// The report of the scheme with the key `scheme` and its statistics.
    pub fn new(scheme: &str, statistics: Vec<(&'static str, f64)>) -> ControlReport {
        let statistics = statistics
            .into_iter()
            .map(|(name, value)| (name.to_string(), value))
            .collect();
        ControlReport {
            scheme: scheme.to_string(),
            statistics,
        }
    }
}
