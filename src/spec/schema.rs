//! The JSON Schema of experiment files (draft 2020-12), from the descriptors of their keys. It
//! checks the shape of a file; what its keys refer to is beyond it.

use contract::MethodEntry;
use document::schema::{add_kinds, form, list, object, required, value};
use document::{Key, Section as _};
use itertools::Itertools as _;
use serde_json::{Map, Value, json};

use method::command::COMMAND;

use super::catalogue::Catalogue;
use super::choice::ChoiceKeys;
use super::command;
use super::file::{OfKind, Section, VERSION, sections};
use super::known::Lists;
use super::patterns::FOLDER;
use super::task::{PartKeys, TaskKeys};

/// The schema of experiment files that name what is known.
pub fn json_schema(lists: &Lists) -> Value {
    let known = &lists.catalogue;
    let mut properties = Map::new();
    properties.insert(
        "schema".to_owned(),
        json!({ "const": VERSION, "description": "version of the format" }),
    );
    let sections = sections(lists);
    for section in &sections {
        let table = section_schema(section, known);
        let schema = if section.repeated {
            json!({ "type": "array", "items": table, "minItems": 1 })
        } else {
            table
        };
        properties.insert(section.name.to_owned(), schema);
    }
    properties.insert("profile".to_owned(), profiles(known));
    let always: Vec<&str> = std::iter::once("schema")
        .chain(sections.iter().filter(|section| section.required).map(|section| section.name))
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Experiment file of reprise",
        "type": "object",
        "properties": properties,
        "required": always,
        "additionalProperties": false,
        // Parts may give what `[task]` does not.
        "if": { "not": { "required": ["part"] } },
        "then": {
            "required": ["task"],
            "properties": { "task": { "required": required(&TaskKeys::keys()) } },
        },
    })
}

fn section_schema(section: &Section, known: &Catalogue) -> Value {
    let own =
        if matches!(section.kinds, OfKind::Tasks) { known.keys_of_tasks() } else { Vec::new() };
    let mut schema = object(&[section.keys.clone(), own].concat());
    schema["description"] = json!(section.meaning);
    if matches!(section.name, "task" | "part" | "program") {
        schema["required"] = if section.name == "part" { json!(["id"]) } else { json!([]) };
    }
    match &section.kinds {
        OfKind::None | OfKind::Tasks => {}
        OfKind::Listed(variants) => {
            let kinds = variants.iter();
            let kinds = kinds.map(|kind| (kind.word, kind.meaning, object(&kind.keys)));
            add_kinds(&mut schema, kinds.collect(), true);
        }
        OfKind::Methods => {
            let kinds = known.methods.iter().unique_by(|method| method.kind).map(|method| {
                let entries = known.methods_of(method.kind).collect_vec();
                (method.kind, method.summary, of_methods(&entries))
            });
            add_kinds(&mut schema, kinds.collect(), false);
            let keys = of_programs(&command::estimator_keys());
            let case = json!({ "if": { "required": ["estimator"] }, "then": keys });
            schema["allOf"].as_array_mut().into_iter().for_each(|cases| cases.push(case.clone()));
            schema["anyOf"] = json!([
                { "required": ["kind"] },
                { "required": ["estimator"] },
                { "properties": { "published_only": { "const": true } }, "required": ["published_only"] },
            ]);
        }
    }
    schema
}

/// The parameters of the methods of a kind, and the axes over them. Which of them are allowed depends on
/// the task, which a schema can't say.
fn of_methods(methods: &[&'static MethodEntry]) -> Value {
    let mut properties = Map::new();
    let mut axes = Map::new();
    if methods.iter().any(|method| method.kind == COMMAND.kind) {
        return of_programs(&command::keys_of(&COMMAND));
    }
    for parameter in methods.iter().flat_map(|method| method.parameters) {
        let (name, key) = (parameter.name.to_owned(), Key::from(parameter));
        also(&mut axes, &name, list(form(&key.form)));
        also(&mut properties, &name, value(&key));
    }
    for key in ["sweep", "grid"] {
        let axes = json!({ "properties": axes, "additionalProperties": false });
        properties.insert(key.to_owned(), axes);
    }
    json!({ "properties": properties })
}

/// The keys of a program. Its parameters are those that the table itself declares, or the estimator has; what it must have
/// may stand in `[program]`.
fn of_programs(keys: &[Key]) -> Value {
    let properties = keys.iter().map(|key| (key.name.to_owned(), value(key)));
    let properties: Map<String, Value> = properties.collect();
    json!({ "properties": properties, "patternProperties": { "^[A-Za-z][A-Za-z0-9_]*$": true } })
}

/// What a key may be, also where another method of the kind has it otherwise.
fn also(schemas: &mut Map<String, Value>, name: &str, schema: Value) {
    match schemas.get_mut(name) {
        None => drop(schemas.insert(name.to_owned(), schema)),
        Some(known) if *known == schema => {}
        Some(known) => *known = json!({ "anyOf": [known.take(), schema] }),
    }
}

/// Every key of `[task]`, `[[part]]`, `[[method]]` and `[[choice]]` may be overridden.
fn profiles(known: &Catalogue) -> Value {
    let partial = |keys: &[Key]| {
        let mut schema = object(keys);
        schema["required"] = json!([]);
        schema
    };
    let by_id = |schema: Value| json!({ "type": "object", "additionalProperties": schema });
    let mut task = [TaskKeys::keys(), known.keys_of_tasks()].concat();
    task.iter_mut().for_each(|key| key.form.fill(&|names| known.fill(names, &[])));
    let profile = json!({
        "type": "object",
        "properties": {
            "task": partial(&task),
            "part": by_id(partial(&[PartKeys::keys(), task].concat())),
            "method": by_id(json!({ "type": "object" })),
            "choice": by_id(partial(&ChoiceKeys::keys())),
        },
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "description": "Overrides for a fast pass: run --profile NAME.",
        "propertyNames": { "pattern": FOLDER.regex },
        "additionalProperties": profile,
    })
}
