//! The sections of an experiment file, and the check of their shape.

use contract::Value;
use document::{
    Content, Entry, Faults, Key, Named, Names, Node, Section as _, Table, Variant, check, complete,
    kind_key,
};

use ::task::Task;
use method::command::COMMAND;

use super::choice::ChoiceKeys;
use super::claim::ClaimKeys;
use super::command::ProgramKeys;
use super::difference::DifferenceKeys;
use super::experiment::Header;
use super::figure::FigureKeys;
use super::known::{Kinds, Known, Lists};
use super::leak_check::LeakKeys;
use super::method::MethodKeys;
use super::scope::serving;
use super::table::TableSpec;
use super::task::{PartKeys, TaskKeys};
use super::tasks::Tasks;
use super::test::TestKeys;
use super::universes::UniverseKeys;
use super::{claim, command, kind};

/// The version of the format, the value of the key `schema`.
pub(crate) const VERSION: i64 = 1;

/// A section of the file: `[name]`, or `[[name]]` where it may be repeated.
#[derive(Debug)]
pub struct Section {
    /// Its name.
    pub name: &'static str,
    /// Whether it is `[[name]]`.
    pub repeated: bool,
    /// Whether the file must have it.
    pub required: bool,
    /// What it is for.
    pub meaning: &'static str,
    /// Its keys.
    pub keys: Vec<Key>,
    /// Keys that depend on its `kind`.
    pub kinds: OfKind,
}

/// Keys of a section that depend on its `kind`.
#[derive(Debug)]
pub enum OfKind {
    /// There is no such key.
    None,
    /// The kinds that the section itself lists.
    Listed(Vec<Variant>),
    /// The tasks, each with keys of its own.
    Tasks,
    /// The methods of the registry, each with its parameters.
    Methods,
}

/// The sections in the order in which people write them, with the names of metrics and tasks that there are.
pub fn sections(of: &Lists) -> Vec<Section> {
    sections_for(of, &[])
}

/// The same for a file with these tasks, whose metrics stand before the others.
fn sections_for(of: &Lists, tasks: &[&Task]) -> Vec<Section> {
    let mut sections = written(of);
    let fill = |names: &mut Names| of.catalogue.fill(names, tasks);
    for section in &mut sections {
        section.keys.iter_mut().for_each(|key| key.form.fill(&fill));
        if let OfKind::Listed(variants) = &mut section.kinds {
            let keys = variants.iter_mut().flat_map(|variant| &mut variant.keys);
            keys.for_each(|key| key.form.fill(&fill));
        }
    }
    sections
}

fn written(of: &Lists) -> Vec<Section> {
    let Kinds { tests, figures, claims } = of.kinds;
    let of_part = [PartKeys::keys(), TaskKeys::keys()].concat();
    vec![
        Section::of::<Header>().once().required(),
        Section::of::<TaskKeys>().once().with(OfKind::Tasks),
        Section { keys: of_part, ..Section::of::<PartKeys>() }.with(OfKind::Tasks),
        Section { keys: command::shared_keys(), ..Section::of::<ProgramKeys>() }.once(),
        Section::of::<MethodKeys>().required().with(OfKind::Methods),
        Section::of::<ChoiceKeys>(),
        Section::of::<UniverseKeys>().once(),
        Section::of::<TestKeys>().with(OfKind::Listed(kind::variants(tests))),
        Section::of::<TableSpec>(),
        Section::of::<FigureKeys>().with(OfKind::Listed(kind::variants(figures))),
        Section { keys: claim::keys(claims), ..Section::of::<ClaimKeys>() },
        Section::of::<DifferenceKeys>(),
        Section::of::<LeakKeys>().once(),
    ]
}

impl Section {
    /// One that may be left out, and written several times.
    fn of<S: document::Section + Named>() -> Self {
        let (name, meaning, keys, kinds) = (S::WORD, S::MEANING, S::keys(), OfKind::None);
        Self { name, repeated: true, required: false, meaning, keys, kinds }
    }

    fn once(self) -> Self {
        Self { repeated: false, ..self }
    }

    fn required(self) -> Self {
        Self { required: true, ..self }
    }

    fn with(self, kinds: OfKind) -> Self {
        Self { kinds, ..self }
    }

    /// How its tables begin.
    pub fn heading(&self) -> String {
        let name = self.name;
        if self.repeated { format!("`[[{name}]]`") } else { format!("`[{name}]`") }
    }
}

/// Checks a whole file, and gives absent keys their defaults: those of `[task]` and `[[part]]` excepted, which are merged
/// first, and those of `[program]`, which methods have taken.
pub(crate) fn check_file(root: &mut Table, known: &Known<'_>, faults: &mut Faults) {
    if !version_is_known(root, faults) {
        return;
    }
    command::share(root, faults);
    let tasks = Tasks::of(root, &known.lists.catalogue);
    let sections = sections_for(known.lists, &tasks.all());
    for entry in &mut root.entries {
        match sections.iter().find(|section| section.name == entry.key) {
            Some(section) => check_section(section, entry, (known, &tasks), faults),
            None if entry.key == "schema" || entry.key == "profile" => {}
            None => {
                let names: Vec<&str> = ["schema", "profile"]
                    .into_iter()
                    .chain(sections.iter().map(|section| section.name))
                    .collect();
                faults.unknown_key(entry, "an experiment file", &names);
            }
        }
    }
    for section in sections {
        if section.required && root.get(section.name).is_none() {
            faults
                .at(&(0..0), format!("the file lacks {}", section.heading()), "nowhere in the file")
                .help(section.meaning);
        }
    }
}

fn version_is_known(root: &Table, faults: &mut Faults) -> bool {
    let help = format!("this version of reprise reads `schema = {VERSION}`");
    match root.get("schema") {
        None => {
            faults.at(&(0..0), "the file lacks `schema`", "expected before all else").help(help);
            true
        }
        Some(node) => match node.scalar() {
            Some(Value::Integer(VERSION)) => true,
            Some(Value::Integer(_)) => {
                let label = format!("expected {VERSION}");
                faults.at(&node.span, "unknown version of the format", label).help(help);
                false
            }
            _ => {
                faults.wrong("schema", node, "a whole number").help(help);
                true
            }
        },
    }
}

fn check_section(
    section: &Section,
    entry: &mut Entry,
    known: (&Known<'_>, &Tasks),
    faults: &mut Faults,
) {
    match &mut entry.node.content {
        Content::Table(table) if !section.repeated => check_table(section, table, known, faults),
        // What is written is read: an empty list would be a file without a section that it has.
        Content::List(items) if section.repeated && items.is_empty() => {
            let message = format!("`{}` is an empty list", section.name);
            let help = format!("write {}, or leave it out", section.heading());
            faults.at(&entry.node.span, message, "nothing is in it").help(help);
        }
        Content::List(items) if section.repeated => {
            for item in items {
                match &mut item.content {
                    Content::Table(table) => check_table(section, table, known, faults),
                    _ => {
                        faults.wrong(section.name, item, "a table");
                    }
                }
            }
        }
        _ => {
            let message = format!("`{}` must be written {}", section.name, section.heading());
            faults.at(&entry.key_span, message, format!("expected {}", section.heading()));
        }
    }
}

fn check_table(
    section: &Section,
    table: &mut Table,
    (known, tasks): (&Known<'_>, &Tasks),
    faults: &mut Faults,
) {
    let mut keys = section.keys.clone();
    let mut kind_is_known = true;
    let mut heading = section.heading();
    match &section.kinds {
        OfKind::None => {}
        // Which task has which is looked at when parts are merged.
        OfKind::Tasks => keys.extend(known.lists.catalogue.keys_of_tasks()),
        OfKind::Listed(variants) => {
            match document::kind(table, &heading, variants, faults) {
                Some(variant) => {
                    keys.extend(variant.keys.iter().cloned());
                    heading = format!("{heading} of kind `{}`", variant.word);
                }
                None => kind_is_known = false,
            }
            keys.push(kind_key());
        }
        OfKind::Methods => match table.get("kind").and_then(Node::text) {
            _ if command::program_keys(table).is_some() => {
                keys.extend(command::keys(
                    table,
                    (&section.keys, &known.lists.catalogue.metrics),
                    faults,
                ));
                heading = format!("a method of kind `{}`", COMMAND.kind);
            }
            Some(kind) => {
                match serving(&known.lists.catalogue.methods, kind, &tasks.of_method(table)) {
                    Some(entry) => {
                        keys.extend(entry.parameters.iter().map(Key::from));
                        heading = format!("a method of kind `{kind}`");
                    }
                    None => kind_is_known = false,
                }
            }
            None => kind_is_known = table.get("published_only").and_then(Node::flag) == Some(true),
        },
    }
    let closed = kind_is_known.then_some(heading.as_str());
    check(table, &keys, closed, faults);
    let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
    // `[task]` and `[[part]]` are completed when they are merged; what `[program]` lacks its methods may have.
    let completed = keys.iter().filter(|key| match section.name {
        "task" | "program" => false,
        "part" => key.name == "id",
        _ => true,
    });
    complete(table, completed, &names, &heading, faults);
}
