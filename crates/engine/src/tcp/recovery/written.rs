//! Reads and writes a recovery in scenarios: its name alone, or a table with its parameters.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use serde_json::{Map, Value};

use super::{Recovery, RecoveryConfig, Table, names};

/// Writes a recovery without parameters as its name.
impl Serialize for Recovery {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Recovery::Custom(config) => config.serialize(serializer),
            plain if plain.is_plain() => serializer.serialize_str(plain.name()),
            other => other.table().serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Recovery {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Recovery, D::Error> {
        deserializer.deserialize_any(NameOrTable)
    }
}

struct NameOrTable;

impl<'de> Visitor<'de> for NameOrTable {
    type Value = Recovery;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a recovery, or a table with its `policy`")
    }
    /// A name alone means the default parameters. A name that is not in the registry may be the name of a
    /// user-defined recovery; the check of the configuration decides this.
    fn visit_str<E: Error>(self, name: &str) -> Result<Recovery, E> {
        let found = Recovery::ALL
            .iter()
            .find(|recovery| recovery.name() == name);
        let custom = || Recovery::Custom(RecoveryConfig::named(name));
        Ok(found.cloned().unwrap_or_else(custom))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Recovery, A::Error> {
        let written = Map::deserialize(MapAccessDeserializer::new(map))?;
        let name = written.get("policy").and_then(Value::as_str);
        let custom = name.is_some_and(|name| names().iter().all(|one| one.name != name));
        let written = Value::Object(written);
        if custom {
            RecoveryConfig::deserialize(written).map(Recovery::Custom)
        } else {
            Table::deserialize(written).map(Recovery::from)
        }
        .map_err(A::Error::custom)
    }
}

impl JsonSchema for Recovery {
    fn schema_name() -> Cow<'static, str> {
        "Recovery".into()
    }
    /// Schema of a recovery: first the names, each with its description, then the tables.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut found = Table::json_schema(generator);
        let tables = found.remove("oneOf");
        let name = |recovery: &crate::component::Component| {
            json_schema!({ "type": "string", "const": recovery.name, "description": recovery.about })
                .to_value()
        };
        let mut options: Vec<_> = names().iter().map(name).collect();
        options.extend(
            tables
                .iter()
                .filter_map(|tables| tables.as_array())
                .flatten()
                .cloned(),
        );
        json_schema!({
            "description": "The recovery policies: a name, or a table with the name as `policy` and parameters.",
            "oneOf": options,
        })
    }
}
