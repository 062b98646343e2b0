//! From the files of a dataset to its examples.

use base::digest::Digest;
use contract::parameter::Value;

use super::{Library, Silent, Verdict, tables};
use crate::content::{
    NoClass, Parsed, content_digest, dataset, derived, generated, plain, published,
};
use crate::error::{DataError, no};
use crate::generate::{Drawn, Generator};
use crate::parse::parse;
use crate::registry::{Derivation, Entry, FileEntry, Origin, RowSelection};
use crate::vocabulary::Rows;
use crate::{Dataset, Truth};

impl Library {
    /// Parses a dataset, fetching what is missing, and checks its shape.
    ///
    /// # Errors
    /// As [`Self::fetch`]; or if a file is malformed or its examples are not as many as the registry says.
    pub fn load(&self, id: &str) -> Result<Dataset, DataError> {
        self.load_with(id, &[])
    }

    /// As [`Self::load`], with other values of the dataset's parameters; see [`Entry::parameters`].
    ///
    /// # Errors
    /// As [`Self::load`]; or if the dataset has no such parameter, or a value is outside of its domain.
    pub fn load_with(&self, id: &str, settings: &[(String, Value)]) -> Result<Dataset, DataError> {
        let mut entry = self.known(id)?.clone();
        for (name, value) in settings {
            entry = entry.with(name, value).ok_or_else(|| no_setting(&entry, name, value))?;
        }
        let (parsed, digest) = match &entry.origin {
            Origin::Generated(generator) => return Ok(generated(&entry, generator)),
            Origin::Files(_) | Origin::Derived(_) => self.parsed(&entry)?,
        };
        let dataset = dataset(&entry, parsed, digest, Truth::Unknown);
        if dataset.dropped > 0 {
            let (dropped, all) = (dataset.dropped, entry.shape.rows.total());
            log::warn!(
                "dataset {id}: {dropped} of {all} rows have a missing value and are left out"
            );
        }
        Ok(dataset)
    }

    /// A generated dataset as another draw of its generator has it.
    ///
    /// # Errors
    /// If the dataset is unknown.
    pub fn drawn(&self, id: &str, generator: &Generator) -> Result<Dataset, DataError> {
        Ok(generated(self.known(id)?, generator))
    }

    /// The content of an entry, with its digest.
    fn parsed(&self, entry: &Entry) -> Result<(Parsed, Digest), DataError> {
        let digested = |parsed: Parsed| {
            let digest = content_digest(&parsed, (entry.kind, &entry.preprocessing), parsed.kept);
            (parsed, digest)
        };
        match &entry.origin {
            Origin::Generated(generator) => {
                let Drawn { examples, targets, .. } = generator.draw();
                Ok(digested(plain(entry, examples, targets)))
            }
            Origin::Files(files) => {
                let content = |file: &FileEntry| self.content(entry, file, &Silent);
                let read = || parse(entry, files, &mut |file| content(file)).map(digested);
                let check = |file: &FileEntry| match self.verified(entry, file)?.verdict {
                    Verdict::Sound => Ok(()),
                    Verdict::Corrupt(_) | Verdict::Absent => content(file).map(drop),
                };
                match (&self.tables, tables::key(entry, files)) {
                    (Some(tables), Some(key)) => {
                        tables.examples(key, || files.iter().try_for_each(check), read)
                    }
                    _ => read(),
                }
            }
            Origin::Derived(rule) => {
                let base = self.known(&rule.from)?;
                // The base with the parameters of what is derived from it.
                let Entry { preprocessing, threshold, .. } = *entry;
                let base = Entry { preprocessing, threshold, ..base.clone() };
                let (parsed, _) = self.parsed(&base)?;
                let split = published(parsed.kept);
                let rule = &of_kept(entry, rule, &base, parsed.kept)?;
                derived(&parsed, split.as_ref(), rule).map(digested).map_err(|NoClass(class)| {
                    let known = parsed.targets.labels();
                    let known = known.map_or_else(String::new, |l| l.classes.join(", "));
                    let (id, base) = (&entry.id, &base.id);
                    let what = format!(
                        "dataset `{base}` has no class `{class}`, which `classes` of dataset `{id}` names"
                    );
                    let cure = format!("correct `classes` in datasets.toml: the base has {known}");
                    no(what, cure).into()
                })
            }
        }
    }
}

/// The rule where rows of the base are left out: it can take all rows, but not count them.
fn of_kept(
    entry: &Entry,
    rule: &Derivation,
    base: &Entry,
    kept: Rows,
) -> Result<Derivation, DataError> {
    let dropped = base.shape.rows.total() - kept.total();
    let rows = match kept {
        _ if dropped == 0 => return Ok(rule.clone()),
        _ if entry.shape.rows != base.shape.rows => {
            let (id, base) = (&entry.id, &base.id);
            let what = format!(
                "dataset `{id}` takes some rows of `{base}`, of which {dropped} are left out for a missing value"
            );
            let cure = "rows are counted before any is left out: take all, or give the base another `missing`";
            return Err(no(what, cure).into());
        }
        Rows::Whole(all) | Rows::Shared(all) => RowSelection::Whole(0..all),
        Rows::Split(sizes) => RowSelection::Split(sizes.map(|&size| 0..size)),
    };
    Ok(Derivation { rows, ..rule.clone() })
}

fn no_setting(entry: &Entry, name: &str, value: &Value) -> DataError {
    let parameters = entry.parameters();
    let names: Vec<&str> = parameters.iter().map(|(parameter, _)| parameter.name).collect();
    let (what, help) = match parameters.iter().find(|(parameter, _)| parameter.name == name) {
        Some((parameter, _)) => (
            format!("`{value}` is no value of `{name}`"),
            format!("expected {}", parameter.expected()),
        ),
        None if names.is_empty() => {
            (format!("`{name}` is no parameter"), "it has no parameters".to_owned())
        }
        None => (format!("`{name}` is no parameter"), format!("it has {}", names.join(", "))),
    };
    DataError::Asked(no(format!("{what} of dataset `{}`", entry.id), help))
}
