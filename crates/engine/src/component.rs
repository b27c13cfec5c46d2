//! Descriptions of the entries of the registries: control schemes, discard policies, sources and
//! recoveries.

use alloc::string::{String, ToString};

use schemars::{JsonSchema, SchemaGenerator};

/// A component's entry in its registry, from which schema, command line and reference pages are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// Name of the component in scenarios.
    pub name: &'static str,
    /// Description of the component in one line.
    pub about: &'static str,
    /// Source of the description: paper and section, contribution or standard; `cellrate` for a
    /// component that cellrate defines itself.
    pub source: &'static str,
}

/// A number that a component counts, in addition to the measures of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// Key of the statistic in a report, with the unit if there is one.
    pub name: &'static str,
    /// Unit of the statistic; empty if it has none.
    pub unit: &'static str,
    /// Meaning of the statistic, in one sentence.
    pub about: &'static str,
}

/// The statistics of a component, in addition to the measures of the report: name, unit and meaning
/// of each.
macro_rules! statistics {
    ($($name:literal, $unit:literal, $about:literal;)*) => {
        &[$($crate::component::Statistic { name: $name, unit: $unit, about: $about }),*]
    };
}
pub(crate) use statistics;

/// The doc comment of a struct of parameters, as text.
pub(crate) fn documentation<T: JsonSchema>() -> String {
    let schema = T::json_schema(&mut SchemaGenerator::default());
    schema
        .get("description")
        .and_then(|text| text.as_str())
        .unwrap_or_default()
        .to_string()
}
