//! What a registry may hold, for editors and for people: from the declarations that read it.

use document::reference::Reference;
use document::{Section as _, schema};
use serde_json::{Value, json};

use super::parse::{EntryKeys, SCHEMA};

const HEAD: &str = "\
# The dataset registry

<!-- Generated from the declarations in src/data/registry/. Do not edit:
     REPRISE_UPDATE_DOCS=1 cargo test --test spec -->

`datasets.toml` has an entry `[dataset.ID]` for each dataset; [data.md](data.md) says how they are written. An id is
made of letters, digits, `-`, `_` and `.`, and begins with a letter, a digit or `_`. Every error of a registry is
reported at once, with its line and the nearest valid name. `reprise schema --datasets` prints the JSON Schema of this
format for editors.

";

const EXAMPLE: &str = r#"```toml
schema = 1

[dataset.passengers]
title = "Passengers"
kind = "numeric"
missing = "median"
shape = { variables = 4, rows = 1309, classes = 2 }
citation = "whom to cite"
licence = "as stated at the source"
files = [
  { role = "all", format = "csv", target = "fate", attributes = ["age", "fare", "sex", "port"], categories = ["sex", "port"], sources = [{ path = "passengers.csv" }] },
]

[dataset.drawn]
title = "Drawn from a tree"
kind = "binary"
citation = "none: drawn by reprise"
licence = "none"
generator = { kind = "tree", seed = 7, variables = 20, train = 1000, valid = 100, test = 1000 }

[dataset.few-drawn]
title = "A hundred of them"
citation = "as drawn"
licence = "as drawn"
from = "drawn"
rows = { train = [0, 100] }
```

"#;

/// The reference of registries.
pub fn markdown() -> String {
    let keys = Reference::default().table(&EntryKeys::keys());
    format!("{HEAD}The file begins with `schema = {SCHEMA}`, the version of the format.\n\n## `[dataset.ID]`\n\n{EXAMPLE}{keys}")
        .trim_end()
        .to_owned()
        + "\n"
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
                "additionalProperties": schema::object(&EntryKeys::keys()),
            },
        },
        "required": ["schema"],
        "additionalProperties": false,
    })
}
