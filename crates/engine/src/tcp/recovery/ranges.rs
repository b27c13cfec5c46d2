//! Checks of parameters that several recoveries share.

use alloc::format;
use alloc::string::String;

/// Refuses `value` unless `holds` is true. The message names the field, its value and the allowed
/// values.
pub(super) fn require(field: &str, holds: bool, value: f64, allowed: &str) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(format!("`{field}` is {value}; allowed: {allowed}"))
    }
}

/// Refuses a value that is not above zero.
pub(super) fn above_zero(field: &str, value: f64) -> Result<(), String> {
    require(field, value > 0.0 && value.is_finite(), value, "above 0")
}
