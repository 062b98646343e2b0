//! The shape of the house: no room names a higher one, and no file of a room stands in a circle of imports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The rooms from the ground up.
const ROOMS: [&str; 16] = [
    "base", "math", "contract", "document", "stats", "program", "data", "task", "method", "spec",
    "run", "report", "seal", "page", "harness", "papers",
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn no_room_names_a_higher_one() {
    for (floor, room) in ROOMS.iter().enumerate() {
        let manifest = std::fs::read_to_string(source().join(room).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let named = manifest["dependencies"].as_table().unwrap().keys();
        for other in named.filter(|name| ROOMS.contains(&name.as_str())) {
            assert!(ROOMS[..floor].contains(&other.as_str()), "{room} names {other}");
        }
    }
}

/// The system's functions differ between machines: `math::special` is the one door to those that don't.
#[test]
fn only_math_names_libm() {
    for room in &ROOMS {
        let manifest = std::fs::read_to_string(source().join(room).join("Cargo.toml")).unwrap();
        assert_eq!(manifest.contains("\nlibm"), *room == "math", "{room}");
    }
}

#[test]
fn no_file_stands_in_a_circle() {
    for room in ROOMS.iter().chain(&["cli"]) {
        let files = Files::of(&source().join(room));
        let mut done = BTreeSet::new();
        for file in files.imports.keys() {
            files.walk(file, &mut Vec::new(), &mut done);
        }
        assert!(files.imports.values().flatten().count() > 0 || *room == "base", "{room}");
    }
}

/// The modules of a crate, by path (`report::figure`), each with those that it imports from. A module and those
/// that lie in it are one subject, and may name each other.
struct Files {
    imports: BTreeMap<String, BTreeSet<String>>,
}

impl Files {
    fn of(folder: &Path) -> Self {
        let mut texts = BTreeMap::new();
        read(folder, "crate", &mut texts);
        // What a module hands on is its child's: `pub use child::Name`.
        let mut handed: BTreeMap<String, String> = BTreeMap::new();
        for (module, text) in &texts {
            for path in uses(text).into_iter().filter(|path| path.public) {
                let name = path.text.rsplit("::").next().unwrap();
                if let Some(home) = home(&absolute(module, &path.text), &texts) {
                    handed.insert(format!("{module}::{name}"), home);
                }
            }
        }
        let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (module, text) in &texts {
            let found = imports.entry(module.clone()).or_default();
            for path in uses(text).into_iter().filter(|path| !path.public) {
                let path = absolute(module, &path.text);
                let from = handed.get(&path).cloned().or_else(|| home(&path, &texts));
                let within =
                    |one: &str, other: &str| format!("{one}::").starts_with(&format!("{other}::"));
                found.extend(from.filter(|from| !within(from, module) && !within(module, from)));
            }
        }
        Self { imports }
    }

    fn walk(&self, file: &str, above: &mut Vec<String>, done: &mut BTreeSet<String>) {
        if let Some(first) = above.iter().position(|seen| seen == file) {
            panic!("a circle: {} -> {file}", above[first..].join(" -> "));
        }
        if done.contains(file) {
            return;
        }
        above.push(file.to_owned());
        self.imports[file].iter().for_each(|next| self.walk(next, above, done));
        above.pop();
        done.insert(file.to_owned());
    }
}

/// The texts of the modules below a folder, tests left out.
fn read(folder: &Path, module: &str, texts: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if path.is_dir() && name != "tests" {
            read(&path, &format!("{module}::{name}"), texts);
            continue;
        }
        let Some(stem) = name.strip_suffix(".rs").filter(|stem| !stem.ends_with("tests")) else {
            continue;
        };
        let text = std::fs::read_to_string(&path).unwrap();
        let product = product(&text).to_owned();
        match stem {
            "build" => {}
            "lib" | "main" | "mod" => drop(texts.insert(module.to_owned(), product)),
            _ => drop(texts.insert(format!("{module}::{stem}"), product)),
        }
    }
}

/// What stands before the tests of a file, which are its end; a declaration of a file of tests is none.
fn product(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap()
}

struct Use {
    public: bool,
    text: String,
}

const BEGINNINGS: [&str; 4] = ["\nuse ", "\npub use ", "\npub(crate) use ", "\npub(super) use "];

/// Every path of the `use` declarations, and every one that stands in the code itself.
fn uses(text: &str) -> Vec<Use> {
    let mut found = Vec::new();
    for statement in text.split(';') {
        let begin = BEGINNINGS.iter().filter_map(|begin| statement.rfind(begin)).max();
        let (code, declared) = statement.split_at(begin.unwrap_or(statement.len()));
        let public = declared.starts_with("\npub");
        if let Some((_, tree)) = declared.split_once("use ") {
            found.extend(leaves("", tree.trim()).into_iter().map(|text| Use { public, text }));
        }
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        found.extend(lines.flat_map(in_code).map(|text| Use { public: false, text }));
    }
    found
}

/// The paths from the crate's root, or from the module above, in a line of code. A macro stands where it is called.
fn in_code(line: &str) -> Vec<String> {
    let of_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = line.split(|c: char| !of_path(c) && !matches!(c, '$' | '!'));
    let paths = words.filter(|word| !word.ends_with('!'));
    paths
        .filter(|word| word.starts_with("crate::") || word.starts_with("super::"))
        .map(|word| word.trim_end_matches(':').to_owned())
        .collect()
}

fn leaves(prefix: &str, tree: &str) -> Vec<String> {
    let Some((head, body)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap().trim();
        let name = name.strip_suffix("::self").unwrap_or(name);
        return vec![if name == "self" {
            prefix.trim_end_matches("::").to_owned()
        } else {
            format!("{prefix}{name}")
        }];
    };
    let body = &body[..body.rfind('}').unwrap()];
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in body.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&body[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&body[start..]);
    let prefix = format!("{prefix}{}", head.trim());
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| leaves(&prefix, part.trim())).collect()
}

/// A path from the crate's root on.
fn absolute(module: &str, path: &str) -> String {
    let (mut base, mut rest) = (module.to_owned(), path);
    loop {
        if let Some(after) = rest.strip_prefix("super::") {
            base.truncate(base.rfind("::").unwrap_or(0));
            rest = after;
        } else if let Some(after) = rest.strip_prefix("self::") {
            rest = after;
        } else if rest.starts_with("crate") {
            return rest.to_owned();
        } else {
            return format!("{base}::{rest}");
        }
    }
}

/// The module that a path leads into, if it is one of this crate.
fn home(path: &str, texts: &BTreeMap<String, String>) -> Option<String> {
    let mut module = path;
    loop {
        if module != "crate" && texts.contains_key(module) {
            return Some(module.to_owned());
        }
        module = &module[..module.rfind("::")?];
    }
}
