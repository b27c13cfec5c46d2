//! What the registries of schemes, policies, sources and recoveries say of each of their lines.

use alloc::string::{String, ToString};

use schemars::{JsonSchema, SchemaGenerator};

/// A line of a registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// Name in scenarios.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Where it is described: paper and section, contribution, standard; what is nobody else's says so.
    pub source: &'static str,
}

/// One number that a component counts, beside what is measured anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    /// Its key in a report, with its unit where it has one.
    pub name: &'static str,
    /// Its unit; empty where it has none.
    pub unit: &'static str,
    /// What it is.
    pub about: &'static str,
}

/// What a component counts, beside what is measured anyway: name, unit and meaning of each.
macro_rules! statistics {
    ($($name:literal, $unit:literal, $about:literal;)*) => {
        &[$($crate::component::Statistic { name: $name, unit: $unit, about: $about }),*]
    };
}
pub(crate) use statistics;

/// The documentation of a struct of parameters.
pub(crate) fn documentation<T: JsonSchema>() -> String {
    let schema = T::json_schema(&mut SchemaGenerator::default());
    schema
        .get("description")
        .and_then(|text| text.as_str())
        .unwrap_or_default()
        .to_string()
}
