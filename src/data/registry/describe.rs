//! What a registry may hold, from the declarations that read it.

use document::{Key, Section as _, schema};
use serde_json::{Value, json};

use super::parse::{EntryKeys, SCHEMA};

/// The keys of an entry.
pub fn keys() -> Vec<Key> {
    EntryKeys::keys()
}

/// The JSON Schema of registries (draft 2020-12).
pub fn json_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Dataset registry of reprise",
        "type": "object",
        "properties": {
            "schema": { "const": SCHEMA, "description": "version of the format" },
            "dataset": {
                "type": "object",
                "propertyNames": { "pattern": "^[A-Za-z0-9_][A-Za-z0-9._-]*$" },
                "additionalProperties": schema::object(&keys()),
            },
        },
        "required": ["schema"],
        "additionalProperties": false,
    })
}
