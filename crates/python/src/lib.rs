//! `cellrate._core`: scenarios, runs and stored results for Python. The crate `cellrate` does all
//! the work; long operations release the interpreter's lock.

mod bench;
mod errors;
mod files;
mod learning;
mod listing;
mod outcome;
mod progress;
mod scenario;
mod schemes;
mod store;
mod studies;

use pyo3::prelude::*;

/// Simulations at cell level, in Rust.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::bench::bench;
    #[pymodule_export]
    use super::errors::{Cancelled, ScenarioError, SchemeError};
    #[pymodule_export]
    use super::files::read_parquet_with;
    #[pymodule_export]
    use super::learning::{PortEpisode, SourceEpisode, step_ports, step_sources};
    #[pymodule_export]
    use super::listing::{measures, quantity, registry, schema, template, toml_as_json};
    #[pymodule_export]
    use super::outcome::Outcome;
    #[pymodule_export]
    use super::scenario::Scenario;
    #[pymodule_export]
    use super::schemes::{Connection, DataCell, Port, Queue, RmCell, Source, set_scheme_finder};
    #[pymodule_export]
    use super::store::Store;
    #[pymodule_export]
    use super::studies::{refuse_study, study, study_schema};
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::errors::declare_attributes(module.py())?;
        // The Python package refuses an extension that was built for another interface.
        let interface = include_str!("../../../python/cellrate/_core.pyi");
        module.add("__interface__", interface)?;
        module.add("__version__", cellrate::run::VERSION)
    }
}
