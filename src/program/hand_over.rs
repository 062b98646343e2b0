//! The examples that a program gets: a read-only folder, written once.
//!
//! Rows come in a seeded random order, since a file's order can tell classes, and each has a random token that the
//! answer repeats. Labels of test rows are never written.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use base::bounded::listed;
use base::digest::{Digest, FieldHasher};
use contract::Examples;
use itertools::Itertools as _;
use math::random::Random;
use serde_json::{Map, Value, json};

use crate::error::{Error, io};
use crate::program::{Form, Gives, PROTOCOL};
use crate::rows::{Labels, Layout, MISSING, Writer};

/// The most bytes of a number in a line of a CSV answer, with its comma.
pub(crate) const LONGEST_NUMBER: usize = 32;

base::words! {
    /// A batch of rows.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum BatchName {
        Train = "train", "the rows to learn from, with labels";
        Valid = "valid", "the rows to select by, with labels only where the program may see them";
        Test = "test", "the rows that count";
        Again = "again", "rows of other batches in another order";
    }
}

/// What a hand-over says beside its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// What is to be answered.
    pub gives: Gives,
    /// In what form the rows are written.
    pub form: Form,
    /// Whether the program sees the labels of validation rows.
    pub sees_valid: bool,
    /// Names of the variables; none: x1, x2, ...
    pub columns: Option<Vec<String>>,
    /// Names of the classes in their order; empty where there are none.
    pub classes: Vec<String>,
}

/// Rows to hand over.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// Which they are.
    pub name: BatchName,
    /// The rows.
    pub examples: &'a Examples,
    /// What is learned of each: of training rows but those of a density, of validation rows where the program sees them,
    /// and of no others.
    pub labels: Option<Labels<'a>>,
}

/// A folder of examples, and what it takes to read the answers to them. The folder is removed when this is dropped.
#[derive(Debug)]
pub struct HandOver {
    folder: PathBuf,
    about: About,
    places: BTreeMap<BatchName, Places>,
}

/// To which row of a batch each token belongs, in the order in which the batch was given.
pub(crate) type Places = HashMap<u64, usize>;

impl HandOver {
    /// Writes the batches into a new folder. The order of rows and their tokens follow from `seed` and the batches
    /// alone. Tokens are below 2^31, so that every language holds them exactly.
    ///
    /// # Errors
    /// If labels are missing or must not be given, batches disagree on their variables, a name comes twice, or the
    /// folder exists or can't be written.
    pub fn write(
        folder: &Path,
        about: About,
        batches: &[Batch<'_>],
        seed: Digest,
    ) -> Result<Self, Error> {
        check(&about, batches)?;
        std::fs::create_dir(folder).map_err(io("create", folder))?;
        // From here on the folder is removed again, also after an error.
        let mut hand_over = Self { folder: folder.to_owned(), about, places: BTreeMap::new() };
        let layout = Layout::of(hand_over.about.form, batches.iter().map(|batch| batch.examples));
        let columns = hand_over.columns(batches);
        let writer = Writer { folder, layout, columns: &columns };
        let mut tokens = tokens(seed);
        for batch in batches {
            let name = batch.name.word();
            let rows = batch.examples.len();
            let mut random =
                Random::new(FieldHasher::new("hand-over").field(seed.0).field(name).finish());
            let order = random.permutation(rows);
            let drawn: Vec<u64> = tokens.by_ref().take(rows).collect();
            writer.examples(name, &batch.examples.select(&order))?;
            if let Some(labels) = batch.labels {
                writer.labels(name, labels, &order)?;
            }
            writer.tokens(name, &drawn)?;
            hand_over.places.insert(batch.name, drawn.into_iter().zip(order).collect());
        }
        let task = hand_over.task(batches, layout, &columns);
        let path = folder.join("task.json");
        std::fs::write(&path, format!("{task:#}\n")).map_err(io("write", path))?;
        hand_over.protect()?;
        Ok(hand_over)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What it says beside its rows.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The rows of a batch; none if it has no such batch.
    pub(crate) fn places(&self, batch: BatchName) -> Option<&Places> {
        self.places.get(&batch)
    }

    /// The most bytes that answers to all batches may take, as numbers in text.
    pub(crate) fn largest_answers(&self) -> u64 {
        let rows: usize = self.places.values().map(HashMap::len).sum();
        let columns = 1 + self.about.classes.len().max(1);
        (rows * columns * LONGEST_NUMBER) as u64
    }

    fn columns(&self, batches: &[Batch<'_>]) -> Vec<String> {
        let variables = batches.first().map_or(0, |batch| batch.examples.variables());
        let numbered = || (1..=variables).map(|number| format!("x{number}")).collect();
        self.about.columns.clone().unwrap_or_else(numbered)
    }

    fn task(&self, batches: &[Batch<'_>], layout: Layout, columns: &[String]) -> Value {
        let about = &self.about;
        let mut task = Map::new();
        let mut say = |key: &str, value: Value| {
            task.insert(key.to_owned(), value);
        };
        say("protocol", json!(PROTOCOL));
        let classifies = about.gives.classifies();
        say("task", json!(task_of(about.gives)));
        say("gives", json!(about.gives.word()));
        say("form", json!(about.form.word()));
        say("kind", json!(layout.kind()));
        say("variables", json!(columns.len()));
        say("columns", json!(columns));
        let categorical = batches.first().and_then(|batch| batch.examples.categorical().ok());
        if let Some(rows) = categorical {
            let values = rows.attributes().iter().map(|attribute| attribute.values.len());
            say("values", json!(values.collect::<Vec<usize>>()));
        }
        if let Some(Examples::Table(table)) = batches.first().map(|batch| batch.examples) {
            let names = table.columns().iter().map(|column| column.names().map(|(names, _)| names));
            say("categories", json!(names.collect::<Vec<_>>()));
        }
        if classifies {
            say("classes", json!(about.classes));
        }
        let may_miss = |rows: &contract::categorical::CategoricalRows| {
            rows.attributes().iter().any(|a| a.missing)
        };
        say(
            "missing",
            categorical.filter(|rows| may_miss(rows)).map_or(Value::Null, |_| json!(MISSING)),
        );
        say("sparse", json!(layout.is_sparse()));
        say("dtype", json!(layout.dtype()));
        say("sees_valid", json!(about.sees_valid));
        let size = |batch: &Batch<'_>| {
            let size = json!({"rows": batch.examples.len(), "labels": batch.labels.is_some()});
            (batch.name.word().to_owned(), size)
        };
        say("batches", Value::Object(batches.iter().map(size).collect()));
        Value::Object(task)
    }

    /// Takes away the right to write, from files and folder.
    fn protect(&self) -> Result<(), Error> {
        let failed = || io("protect", &self.folder);
        for path in listed(&self.folder).map_err(failed())? {
            std::fs::set_permissions(&path, Permissions::from_mode(0o444)).map_err(failed())?;
        }
        std::fs::set_permissions(&self.folder, Permissions::from_mode(0o555)).map_err(failed())
    }
}

impl Drop for HandOver {
    fn drop(&mut self) {
        let removed = std::fs::set_permissions(&self.folder, Permissions::from_mode(0o755))
            .and_then(|()| std::fs::remove_dir_all(&self.folder));
        if let Err(error) = removed {
            log::warn!("can't remove {}: {error}", self.folder.display());
        }
    }
}

/// The word of the task whose programs answer so.
fn task_of(gives: Gives) -> &'static str {
    match gives {
        Gives::Labels | Gives::Probabilities | Gives::Scores => "classification",
        Gives::Values => "regression",
        Gives::LogLikelihoods => "density",
    }
}

/// Whether the batches can be handed over so.
fn check(about: &About, batches: &[Batch<'_>]) -> Result<(), Error> {
    let wrong = |text: String| Err(Error::Examples(text));
    let mut names = HashSet::new();
    let variables = batches.first().map_or(0, |batch| batch.examples.variables());
    if variables == 0 {
        return wrong("they have no variables".to_owned());
    }
    if about.columns.as_ref().is_some_and(|columns| columns.len() != variables) {
        return wrong(format!("they have {variables} variables, with another number of names"));
    }
    if about.gives.classifies() != (about.classes.len() >= 2) {
        let (gives, classes) = (about.gives.word(), about.classes.len());
        return wrong(format!("{gives} of {classes} classes are no task"));
    }
    let supervised = about.gives != Gives::LogLikelihoods;
    for Batch { name, examples, labels } in batches {
        let word = name.word();
        if !names.insert(*name) {
            return wrong(format!("batch `{word}` comes twice"));
        }
        if examples.variables() != variables
            || examples.described() != batches[0].examples.described()
        {
            return wrong(format!("batch `{word}` has other variables than the first"));
        }
        let labelled = match name {
            BatchName::Train => supervised,
            BatchName::Valid => supervised && about.sees_valid,
            BatchName::Test | BatchName::Again => false,
        };
        match labels {
            Some(_) if !labelled => return wrong(format!("the labels of `{word}` stay here")),
            None if labelled => return wrong(format!("batch `{word}` lacks its labels")),
            Some(labels) if labels.len() != examples.len() => {
                return wrong(format!("batch `{word}` has not one label a row"));
            }
            Some(Labels::Classes(labels))
                if labels.iter().any(|&class| class as usize >= about.classes.len()) =>
            {
                return wrong(format!("batch `{word}` has a label without a class"));
            }
            Some(Labels::Numbers(_)) if about.gives.classifies() => {
                return wrong(format!("batch `{word}` has numbers for classes"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Tokens that are distinct.
fn tokens(seed: Digest) -> impl Iterator<Item = u64> {
    let mut random = Random::new(FieldHasher::new("tokens").field(seed.0).finish());
    std::iter::repeat_with(move || random.below(1 << 31) as u64).unique()
}

#[cfg(test)]
mod tests;
