//! Properties of each reader that must hold for any input, however hostile: one function for each
//! reader, which panics if a property is violated.
//!
//! The fuzz targets call them with the inputs that libFuzzer generates, each its own function alone:
//! libFuzzer looks at a counter of every branch in the binary after every input. A test of the
//! workspace calls them with the seeds and every input that once broke something, so nothing here
//! needs more than the workspace has.

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

pub use outcome::check as outcome;
pub use overrides::check as overrides;
pub use quantity::check as quantity;
pub use rate_table::check as rate_table;
pub use reassembly::check as reassembly;
pub use rm_cell::check as rm_cell;
pub use scenario::check as scenario;
pub use store::check as store;
pub use study::check as study;
pub use transport_stream::check as transport_stream;
pub use two_engines::check as two_engines;

/// A reader under attack.
pub type Check = fn(&[u8]);

/// Every check by the name of its target and of its directory of seeds.
pub const CHECKS: [(&str, Check); 11] = [
    ("quantity", quantity),
    ("scenario", scenario),
    ("overrides", overrides),
    ("study", study),
    ("transport_stream", transport_stream),
    ("rate_table", rate_table),
    ("outcome", outcome),
    ("store", store),
    ("rm_cell", rm_cell),
    ("reassembly", reassembly),
    ("two_engines", two_engines),
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
