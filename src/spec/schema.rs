//! The JSON Schema of experiment files (draft 2020-12), from the descriptors of their keys. It
//! checks the shape of a file; what its keys refer to is beyond it.

use serde_json::{Map, Value, json};

use super::file::{SECTIONS, VERSION, section};
use super::key::{Absent, Form, Key, Kinds, Section, Variant};
use contract::parameter::{Domain, Parameter, Value as Scalar};
use contract::{METRICS, MethodEntry, TaskKind};
use document::{Content, literal};

/// The schema of experiment files that name these methods.
pub fn json_schema(methods: &[&'static MethodEntry]) -> Value {
    let mut properties = Map::new();
    properties.insert(
        "schema".to_owned(),
        json!({ "const": VERSION, "description": "version of the format" }),
    );
    for section in SECTIONS {
        let table = section_schema(section, methods);
        let schema = if section.repeated {
            json!({ "type": "array", "items": table, "minItems": 1 })
        } else {
            table
        };
        properties.insert(section.name.to_owned(), schema);
    }
    properties.insert("profile".to_owned(), profiles());
    let required: Vec<&str> = std::iter::once("schema")
        .chain(SECTIONS.iter().filter(|section| section.required).map(|section| section.name))
        .collect();
    // Parts may give what `[task]` does not.
    let task: Vec<&Key> = section("task").into_iter().flat_map(all_keys).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Experiment file of reprise",
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
        "if": { "not": { "required": ["part"] } },
        "then": {
            "required": ["task"],
            "properties": { "task": { "required": required_names(&task) } },
        },
    })
}

fn all_keys(section: &Section) -> Vec<&'static Key> {
    section.keys.iter().copied().flatten().collect()
}

fn required_names(keys: &[&Key]) -> Vec<&'static str> {
    let required = keys.iter().filter(|key| matches!(key.absent, Absent::Required));
    required.map(|key| key.name).collect()
}

fn section_schema(section: &Section, methods: &[&'static MethodEntry]) -> Value {
    let keys = all_keys(section);
    let mut schema = object(&keys);
    schema["description"] = json!(section.meaning);
    if matches!(section.name, "task" | "part") {
        schema["required"] = if section.name == "part" { json!(["id"]) } else { json!([]) };
    }
    match section.kinds {
        Kinds::None => {}
        Kinds::Listed(variants) => {
            let kinds = variants.iter().map(|variant| {
                let keys: Vec<&Key> = variant.keys.iter().collect();
                (variant.word, variant.meaning, object(&keys))
            });
            add_kinds(&mut schema, kinds.collect(), true);
        }
        Kinds::Methods => {
            let mut kinds: Vec<(&str, &str, Vec<&MethodEntry>)> = Vec::new();
            for method in methods {
                match kinds.iter_mut().find(|(kind, ..)| *kind == method.kind) {
                    Some((.., entries)) => entries.push(method),
                    None => kinds.push((method.kind, method.summary, vec![method])),
                }
            }
            let of_kind =
                |(kind, summary, entries): (_, _, Vec<_>)| (kind, summary, of_methods(&entries));
            add_kinds(&mut schema, kinds.into_iter().map(of_kind).collect(), false);
            schema["anyOf"] = json!([
                { "required": ["kind"] },
                { "properties": { "published_only": { "const": true } }, "required": ["published_only"] },
            ]);
        }
    }
    schema
}

/// Makes a section's keys depend on its `kind`: each has a word, its meaning, and its keys.
fn add_kinds(schema: &mut Value, kinds: Vec<(&str, &str, Value)>, required: bool) {
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

/// The parameters of the methods of a kind, and the axes over them. Which of them are allowed depends on
/// the task, which a schema can't say.
fn of_methods(methods: &[&MethodEntry]) -> Value {
    let mut properties = Map::new();
    let mut axes = Map::new();
    for parameter in methods.iter().flat_map(|method| method.parameters) {
        properties.insert(parameter.name.to_owned(), parameter_schema(parameter));
        axes.insert(parameter.name.to_owned(), list(domain(parameter.domain)));
    }
    for key in ["sweep", "grid"] {
        let axes = json!({ "properties": axes, "additionalProperties": false });
        properties.insert(key.to_owned(), axes);
    }
    json!({ "properties": properties })
}

/// The schema of one parameter of a method, with its default and its meaning.
pub fn parameter_schema(parameter: &Parameter) -> Value {
    let mut schema = domain(parameter.domain);
    schema["description"] = json!(parameter.meaning);
    schema["default"] = scalar(&parameter.default.into());
    schema
}

/// Every key of `[task]`, `[[part]]`, `[[method]]` and `[[choice]]` may be overridden.
fn profiles() -> Value {
    let partial = |name: &str| {
        let keys: Vec<&Key> = section(name).into_iter().flat_map(all_keys).collect();
        let mut schema = object(&keys);
        schema["required"] = json!([]);
        schema
    };
    let by_id = |schema: Value| json!({ "type": "object", "additionalProperties": schema });
    let profile = json!({
        "type": "object",
        "properties": {
            "task": partial("task"),
            "part": by_id(partial("part")),
            "method": by_id(json!({ "type": "object" })),
            "choice": by_id(partial("choice")),
        },
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "description": "Overrides for a fast pass: run --profile NAME.",
        "propertyNames": { "pattern": "^[a-z0-9][a-z0-9_-]*$" },
        "additionalProperties": profile,
    })
}

fn object(keys: &[&Key]) -> Value {
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
        "required": required_names(keys),
        "additionalProperties": false,
    })
}

fn scalar(value: &Scalar) -> Value {
    match value {
        Scalar::Bool(truth) => json!(truth),
        Scalar::Integer(whole) => json!(whole),
        Scalar::Real(real) => json!(real),
        Scalar::Text(text) => json!(text),
    }
}

fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items, "minItems": 1, "uniqueItems": true })
}

fn form(form_: &Form) -> Value {
    match form_ {
        Form::One(of) => domain(*of),
        Form::Text(pattern) => json!({ "type": "string", "pattern": pattern.regex }),
        Form::Any => json!({ "type": ["boolean", "number", "string"] }),
        Form::TaskKind => {
            let words: Vec<&str> = TaskKind::ALL.iter().map(|(word, _)| *word).collect();
            json!({ "enum": words })
        }
        Form::Metric => {
            let metrics: Vec<Value> = METRICS
                .iter()
                .map(|metric| json!({ "const": metric.name, "description": metric.meaning }))
                .collect();
            json!({ "oneOf": metrics })
        }
        Form::List(item) => list(form(item)),
        Form::OneOrMany(item) => json!({ "anyOf": [form(item), list(form(item))] }),
        Form::Table(keys) => object(&keys.iter().collect::<Vec<_>>()),
        Form::OneOf(variants) => one_of(variants),
        Form::Axes => json!({
            "type": "object",
            "minProperties": 1,
            "additionalProperties": list(form(&Form::Any)),
        }),
        Form::Either(forms) => json!({ "anyOf": forms.iter().map(form).collect::<Vec<_>>() }),
    }
}

fn one_of(variants: &[Variant]) -> Value {
    let mut properties = Map::new();
    for variant in variants {
        let mut schema = object(&variant.keys.iter().collect::<Vec<_>>());
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
        Domain::Word(words) => {
            let words: Vec<Value> = words
                .iter()
                .map(|(word, meaning)| json!({ "const": word, "description": meaning }))
                .collect();
            json!({ "oneOf": words })
        }
    }
}
