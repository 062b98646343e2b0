//! Which datasets a file names, and which methods run in which of its tasks: known before its sections are read.

use ::task::Task;
use contract::{DatasetId, MethodEntry};
use document::{Node, Table};
use itertools::Itertools as _;

use super::catalogue::Catalogue;

/// Datasets that the task or a part names, each once, in the order of the file.
pub(crate) fn named_datasets(root: &Table) -> Vec<DatasetId> {
    let task = root.table("task").into_iter();
    let parts: Vec<&Table> = root.tables("part").collect();
    let inherited = parts.is_empty() || parts.iter().any(|part| part.get("datasets").is_none());
    let tables = task.filter(|_| inherited).chain(parts);
    let named = tables.flat_map(|table| table.get("datasets").map_or(&[][..], Node::items));
    named.filter_map(Node::text).unique().map(DatasetId::from).collect()
}

/// The tasks of a file, each with the methods that it names; none where all methods run.
pub(crate) struct Tasks(Vec<(&'static Task, Option<Vec<String>>)>);

impl Tasks {
    /// The tasks of a file: that of `[task]`, or those of its parts.
    pub(crate) fn of(root: &Table, known: &Catalogue) -> Self {
        let task = root.table("task");
        let parts: Vec<&Table> = root.tables("part").collect();
        let read = |part: Option<&Table>| {
            let get = |key: &str| {
                part.and_then(|part| part.get(key)).or_else(|| task.and_then(|task| task.get(key)))
            };
            let word = get("kind")?.text()?;
            let kind = known.task(word)?;
            let texts = |node: &Node| {
                node.items().iter().filter_map(Node::text).map(str::to_owned).collect()
            };
            Some((kind, get("methods").map(texts)))
        };
        Self(if parts.is_empty() {
            read(None).into_iter().collect()
        } else {
            parts.into_iter().filter_map(|part| read(Some(part))).collect()
        })
    }

    /// All of them.
    pub(crate) fn all(&self) -> Vec<&'static Task> {
        self.0.iter().map(|(task, _)| *task).collect()
    }

    /// The tasks that a `[[method]]` may run in.
    pub(crate) fn of_method(&self, method: &Table) -> TasksOfMethod {
        let id = method.text("id");
        let names = |ids: &[String]| ids.iter().any(|named| Some(named.as_str()) == id);
        let of = |wanted: fn(&Option<Vec<String>>) -> bool| {
            self.0.iter().filter(move |(_, ids)| wanted(ids))
        };
        let named = of(Option::is_some).filter(|(_, ids)| ids.as_deref().is_some_and(names));
        TasksOfMethod {
            named: named.map(|(task, _)| *task).collect(),
            open: of(Option::is_none).map(|(task, _)| *task).collect(),
        }
    }
}

/// The tasks that a method may run in.
pub(crate) struct TasksOfMethod {
    /// Those that name it.
    named: Vec<&'static Task>,
    /// Those that name no methods, and run those that fit.
    open: Vec<&'static Task>,
}

impl TasksOfMethod {
    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &'static Task> {
        self.named.iter().chain(&self.open).copied()
    }

    /// A task that the method would have to serve and does not: one that names it; else, where it would run nowhere, one
    /// that names none.
    pub(crate) fn unserved(&self, entry: &MethodEntry) -> Option<&'static Task> {
        let unserved = |task: &&&'static Task| !(task.serves)(entry);
        let named = self.named.iter().find(unserved);
        let nowhere = self.all().all(|task| !(task.serves)(entry));
        named.or_else(|| self.open.iter().find(|_| nowhere)).copied()
    }
}
