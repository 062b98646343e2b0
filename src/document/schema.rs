//! The JSON Schema (draft 2020-12) of tables, from the descriptors of their keys. It checks the shape of a file; what
//! its keys refer to is beyond it.

use serde_json::{Map, Value, json};

use super::key::{Absent, Form, Key, Variant};
use super::tree::{Content, literal};
use contract::Value as Scalar;
use contract::parameter::{Domain, Parameter};

/// A table with these keys.
pub fn object(keys: &[Key]) -> Value {
    let mut properties = Map::new();
    for key in keys {
        let mut schema = form(&key.form);
        schema["description"] = json!(key.meaning);
        if let Absent::Value(text) = key.absent
            && let Some(Content::Scalar(default)) = literal(text, &(0..0)).map(|node| node.content)
        {
            schema["default"] = scalar(&default);
        }
        properties.insert(key.name.to_owned(), schema);
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

/// One parameter of a method, with its default and its meaning.
pub fn parameter(parameter: &Parameter) -> Value {
    let mut schema = domain(parameter.domain);
    schema["description"] = json!(parameter.meaning);
    schema["default"] = scalar(&parameter.default.into());
    schema
}

/// A list that is not empty, of different items.
pub fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items, "minItems": 1, "uniqueItems": true })
}

fn scalar(value: &Scalar) -> Value {
    match value {
        Scalar::Bool(truth) => json!(truth),
        Scalar::Integer(whole) => json!(whole),
        Scalar::Real(real) => json!(real),
        Scalar::Text(text) => json!(text),
    }
}

fn form(form_: &Form) -> Value {
    match form_ {
        Form::One(of) => domain(*of),
        Form::Text(pattern) => json!({ "type": "string", "pattern": pattern.regex }),
        Form::Name(names) => words(&(names.all)()),
        Form::Any => json!({ "type": ["boolean", "number", "string"] }),
        Form::List(item) => list(form(item)),
        Form::OneOrMany(item) => json!({ "anyOf": [form(item), list(form(item))] }),
        Form::Table(keys) => object(keys),
        Form::OneOf(variants) => one_of(variants),
        Form::Axes => json!({
            "type": "object",
            "minProperties": 1,
            "additionalProperties": list(form(&Form::Any)),
        }),
        Form::Either(forms) => json!({ "anyOf": forms.iter().map(form).collect::<Vec<_>>() }),
    }
}

fn words(words: &[(&str, &str)]) -> Value {
    let words: Vec<Value> = words
        .iter()
        .map(|(word, meaning)| json!({ "const": word, "description": meaning }))
        .collect();
    json!({ "oneOf": words })
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
pub fn domain(domain: Domain) -> Value {
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
        Domain::Word(of) => words(of),
    }
}
