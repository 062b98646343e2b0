//! The JSON Schema (draft 2020-12) of tables, from the descriptors of their keys. It checks the shape of a file; what
//! its keys refer to is beyond it.

use serde_json::{Map, Value, json};

use super::key::{Absent, Form, Key, Variant};
use super::parse::literal;
use contract::parameter::Domain;

/// A table with these keys.
pub fn object(keys: &[Key]) -> Value {
    let mut properties = Map::new();
    for key in keys {
        properties.insert(key.name.to_owned(), value(key));
    }
    json!({
        "type": "object",
        "properties": properties,
        "required": required(keys),
        "additionalProperties": false,
    })
}

/// The names of the keys that must be there.
pub fn required(keys: &[Key]) -> Vec<&'static str> {
    let required = keys.iter().filter(|key| matches!(key.absent, Absent::Required));
    required.map(|key| key.name).collect()
}

/// Makes a table's keys depend on its `kind`: each has a word, its meaning, and its keys.
pub fn add_kinds(schema: &mut Value, kinds: Vec<(&str, &str, Value)>, required: bool) {
    let words: Vec<Value> = kinds
        .iter()
        .map(|(word, meaning, _)| json!({ "const": word, "description": meaning }))
        .collect();
    schema["properties"]["kind"] = json!({ "oneOf": words, "description": "the kind" });
    if required && let Some(names) = schema["required"].as_array_mut() {
        names.push(json!("kind"));
    }
    let cases: Vec<Value> = kinds
        .into_iter()
        .map(|(word, _, mut keys)| {
            if let Some(keys) = keys.as_object_mut() {
                keys.remove("additionalProperties");
            }
            let case = json!({ "properties": { "kind": { "const": word } }, "required": ["kind"] });
            json!({ "if": case, "then": keys })
        })
        .collect();
    if let Some(schema) = schema.as_object_mut() {
        if !cases.is_empty() {
            schema.insert("allOf".to_owned(), json!(cases));
        }
        schema.remove("additionalProperties");
        schema.insert("unevaluatedProperties".to_owned(), json!(false));
    }
}

/// The value of a key, with its default and its meaning.
pub fn value(key: &Key) -> Value {
    let mut schema = form(&key.form);
    schema["description"] = json!(key.meaning);
    let default = match key.absent {
        Absent::Value(text) => literal(text, &(0..0)).and_then(|node| node.scalar().cloned()),
        Absent::Preset(preset) => Some(preset.into()),
        Absent::Required | Absent::Means(_) => None,
    };
    if let Some(default) = default {
        schema["default"] = json!(default);
    }
    schema
}

/// A list that is not empty, of different values. Two tables of one list may be equal.
pub fn list(items: Value) -> Value {
    let values = items["type"] != "object";
    json!({ "type": "array", "items": items, "minItems": 1, "uniqueItems": values })
}

/// A value that looks so.
pub fn form(form_: &Form) -> Value {
    match form_ {
        Form::One(of) => domain(*of),
        Form::Text(pattern) => json!({ "type": "string", "pattern": pattern.regex }),
        Form::Name(names) => words(names.all.iter().copied()),
        Form::Any => json!({ "type": ["boolean", "number", "string"] }),
        Form::List(item) => list(form(item)),
        Form::OneOrMany(item) => json!({ "anyOf": [form(item), list(form(item))] }),
        Form::Table(keys) => object(keys),
        Form::OneOf(variants) => one_of(variants),
        Form::Row(item) => json!({ "type": "array", "items": form(item) }),
        Form::Range => json!({
            "type": "array",
            "items": { "type": "integer", "minimum": 0 },
            "minItems": 2,
            "maxItems": 2,
        }),
        Form::ByKind(variants) => {
            let mut schema = object(&[]);
            let kinds = variants.iter();
            let kinds = kinds.map(|kind| (kind.word, kind.meaning, object(&kind.keys)));
            add_kinds(&mut schema, kinds.collect(), true);
            schema
        }
        Form::Lists(_) => json!({
            "type": "object",
            "minProperties": 1,
            "additionalProperties": list(form(&Form::Any)),
        }),
        Form::Tables(_, keys) => json!({
            "type": "object",
            "additionalProperties": object(keys),
        }),
        Form::Either(forms) => json!({ "anyOf": forms.iter().map(form).collect::<Vec<_>>() }),
    }
}

fn words(words: impl IntoIterator<Item = (&'static str, &'static str)>) -> Value {
    let words = words.into_iter();
    let words = words.map(|(word, meaning)| json!({ "const": word, "description": meaning }));
    json!({ "oneOf": words.collect::<Vec<_>>() })
}

fn one_of(variants: &[Variant]) -> Value {
    let mut properties = Map::new();
    for variant in variants {
        let mut schema = object(&variant.keys);
        schema["description"] = json!(variant.meaning);
        properties.insert(variant.word.to_owned(), schema);
    }
    json!({
        "type": "object",
        "properties": properties,
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": false,
    })
}

/// A value in a domain.
fn domain(domain: Domain) -> Value {
    match domain {
        Domain::Bool => json!({ "type": "boolean" }),
        Domain::Integer { least, most: i64::MAX } => json!({ "type": "integer", "minimum": least }),
        Domain::Integer { least, most } => {
            json!({ "type": "integer", "minimum": least, "maximum": most })
        }
        Domain::Real { least, most, open } => {
            let mut schema = json!({ "type": "number" });
            let (low, high) = if open {
                ("exclusiveMinimum", "exclusiveMaximum")
            } else {
                ("minimum", "maximum")
            };
            if least.is_finite() {
                schema[low] = json!(least);
            }
            if most.is_finite() {
                schema[high] = json!(most);
            }
            schema
        }
        Domain::Word(of) => words(of.iter()),
        Domain::Given(values) => json!({ "enum": values }),
    }
}
