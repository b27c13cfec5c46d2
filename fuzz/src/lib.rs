//! Properties of each reader that must hold for any input, however hostile: one function for each
//! reader, which panics if a property is violated.
//!
//! The fuzz targets call them with the inputs that libFuzzer generates. A test of the workspace
//! calls them with the seeds and every input that once broke something, so nothing here needs more
//! than the workspace has.

mod input;
mod outcome;
mod overrides;
mod quantity;
mod rate_table;
mod reassembly;
mod rm_cell;
mod scenario;
mod store;
mod study;
mod transport_stream;
pub mod two_engines;

/// A reader under attack.
pub type Check = fn(&[u8]);

/// Every check by the name of its target and of its directory of seeds.
pub const CHECKS: [(&str, Check); 11] = [
    ("quantity", quantity::check),
    ("scenario", scenario::check),
    ("overrides", overrides::check),
    ("study", study::check),
    ("transport_stream", transport_stream::check),
    ("rate_table", rate_table::check),
    ("outcome", outcome::check),
    ("store", store::check),
    ("rm_cell", rm_cell::check),
    ("reassembly", reassembly::check),
    ("two_engines", two_engines::check),
];

/// Runs the check of a target.
///
/// # Panics
/// If no target has that name, or the check finds a fault.
pub fn run(target: &str, data: &[u8]) {
    let found = CHECKS.iter().find(|(name, _)| *name == target);
    let (_, check) = found.unwrap_or_else(|| panic!("no fuzz target `{target}`"));
    check(data);
}
