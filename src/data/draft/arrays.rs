//! Arrays of NumPy: of examples, and of their targets.

use std::borrow::Cow;

use base::text::real;

use super::column::{Summary, can_be_target, learned};
use super::{Asked, Draft, Head, Opened, Predicted, readable, text, without_columns};
use crate::arrays::{self, Held};
use crate::error::{Refused, no};
use crate::format::columns::{Column, Table, Wanted};
use crate::format::npy::Array;
use crate::format::npz::Npz;
use crate::vocabulary::{Kind, Role};

/// What arrays of targets are called, in the order in which it is believed.
const TARGETS: [&str; 6] = ["y", "target", "targets", "label", "labels", "class"];

/// What arrays of examples are called.
const FEATURES: [&str; 4] = ["x", "features", "data", "examples"];

/// Whether a file holds arrays, or is an archive that may.
pub(super) fn are(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x93NUMPY") || bytes.starts_with(b"PK\x03\x04")
}

/// An array that is there, by its shape.
struct Seen<'o> {
    /// Its file.
    opened: &'o Opened<'o>,
    /// What it is called: in its archive, or as its file.
    name: String,
    /// Whether it is one of an archive.
    archived: bool,
    shape: Vec<usize>,
    /// The part that its file has or its name tells.
    role: Role,
    /// The rest of its name in lower case: of `X_train` it is `x`.
    rest: String,
}

impl<'o> Seen<'o> {
    fn new(opened: &'o Opened<'o>, name: String, archived: bool, shape: Vec<usize>) -> Self {
        let lower = name.to_lowercase();
        let role = |word: &str| match word {
            "train" | "training" | "tr" => Some(Role::Train),
            "valid" | "val" | "validation" | "dev" => Some(Role::Valid),
            "test" | "te" => Some(Role::Test),
            _ => None,
        };
        let ends = |(rest, word): (&str, &str)| Some((role(word)?, rest.to_owned()));
        let begins = |(word, rest): (&str, &str)| Some((role(word)?, rest.to_owned()));
        let split = ['_', '-', '.'];
        let told = lower.rsplit_once(split).and_then(ends);
        let told = told.or_else(|| lower.split_once(split).and_then(begins));
        let (told, rest) = told.unwrap_or((Role::All, lower));
        let role = if opened.file.role == Role::All { told } else { opened.file.role };
        Self { opened, name, archived, shape, role, rest }
    }

    /// What errors call it.
    fn shown(&self) -> String {
        format!("`{}` {}", self.name, base::npy::shown(&self.shape))
    }

    /// Its bytes.
    fn held(&self) -> Result<Held<'_>, Refused> {
        let Opened { file, bytes, .. } = self.opened;
        if self.archived {
            return Held::archived(bytes, &file.name, &self.name);
        }
        Ok(Held { file: file.name.clone(), name: None, bytes: Cow::Borrowed(bytes) })
    }
}

/// All arrays of the files.
fn seen<'o>(files: &'o [Opened<'o>]) -> Result<Vec<Seen<'o>>, Refused> {
    let mut all = Vec::new();
    for opened in files {
        let file = &opened.file.name;
        let fault = Refused::in_file(file);
        if opened.bytes.starts_with(b"PK") {
            let mut npz = Npz::of(&opened.bytes).map_err(&fault)?;
            let names = npz.names();
            if names.is_empty() {
                let what = format!("{file} is a zip file without arrays of NumPy");
                return Err(no(what, "save a spreadsheet as CSV; write arrays with numpy.savez"));
            }
            readable("array", &names, file)?;
            for name in names {
                let shape = npz.shape(&name).map_err(&fault)?;
                all.push(Seen::new(opened, name, true, shape));
            }
        } else {
            let array = Array::of(&opened.bytes).map_err(fault)?;
            let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
            let name = name.split(['?', '#']).next().unwrap_or_default();
            let name = name.strip_suffix(".gz").unwrap_or(name);
            let name = name.strip_suffix(".npy").unwrap_or(name).to_owned();
            all.push(Seen::new(opened, name, false, array.shape().to_vec()));
        }
    }
    Ok(all)
}

/// The arrays of one part.
struct Part<'s, 'o> {
    role: Role,
    features: &'s Seen<'o>,
    target: Option<&'s Seen<'o>>,
}

/// The only array of these, else the only one that is called so.
fn one<'s, 'o>(found: &[&'s Seen<'o>], called: &[&str]) -> Option<&'s Seen<'o>> {
    if let [only] = found {
        return Some(only);
    }
    let mut named = found.iter().filter(|seen| called.contains(&seen.rest.as_str()));
    let first = named.next()?;
    named.next().is_none().then_some(*first)
}

/// The array with the examples of a part.
fn features_of<'s, 'o>(
    of_role: &[&'s Seen<'o>],
    role: Role,
    shown: &str,
) -> Result<&'s Seen<'o>, Refused> {
    let examples: Vec<_> = of_role.iter().copied().filter(|seen| seen.shape.len() == 2).collect();
    one(&examples, &FEATURES).ok_or_else(|| {
        let of = match role {
            Role::All => String::new(),
            Role::Train | Role::Valid | Role::Test => format!(" of the {} part", role.word()),
        };
        let what = format!("it is not clear which array has the examples{of}: there are {shown}");
        no(what, "save one array with two directions, a row an example, called X")
    })
}

/// The array with the targets of so many examples, if there is one.
fn target_of<'s, 'o>(
    of_role: &[&'s Seen<'o>],
    rows: usize,
    wanted: Option<&str>,
    shown: &str,
) -> Result<Option<&'s Seen<'o>>, Refused> {
    let lists: Vec<_> = of_role.iter().copied().filter(|seen| seen.shape == [rows]).collect();
    let Some(wanted) = wanted else {
        if lists.is_empty() {
            return Ok(None);
        }
        return one(&lists, &TARGETS).map(Some).ok_or_else(|| {
            let what = format!("it is not clear which array has the targets: there are {shown}");
            no(what, "name it with --target")
        });
    };
    let called = |seen: &&Seen<'o>| seen.name == wanted || seen.rest == wanted.to_lowercase();
    lists.into_iter().find(called).map(Some).ok_or_else(|| {
        let what = format!("there is no array `{wanted}` with {rows} targets: there are {shown}");
        no(what, "name an array with one direction, as long as there are examples")
    })
}

/// The arrays that belong together.
fn parts<'s, 'o>(
    all: &'s [Seen<'o>],
    asked: &Asked<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<Part<'s, 'o>>, Refused> {
    let split = [Role::Train, Role::Test].map(|role| all.iter().any(|seen| seen.role == role));
    let roles: &[Role] = match split {
        [true, true] => &[Role::Train, Role::Valid, Role::Test],
        _ => &[Role::All],
    };
    let shown = all.iter().map(Seen::shown).collect::<Vec<_>>().join(", ");
    let mut parts = Vec::new();
    for &role in roles {
        let of_role = |seen: &&Seen<'o>| roles.len() == 1 || seen.role == role;
        let of_role: Vec<_> = all.iter().filter(of_role).collect();
        if of_role.is_empty() && role == Role::Valid {
            continue;
        }
        let features = features_of(&of_role, role, &shown)?;
        let target = target_of(&of_role, features.shape[0], asked.target, &shown)?;
        if let (Some(target), None, []) = (target, asked.target, &parts[..]) {
            let name = &target.name;
            notes.push(format!("`{name}` is taken for the target; --target names another array"));
        }
        parts.push(Part { role, features, target });
    }
    let used = parts.iter().flat_map(|part| part.target.into_iter().chain([part.features]));
    let unused = all.iter().filter(|seen| !used.clone().any(|used| std::ptr::eq(used, *seen)));
    notes.extend(unused.map(|seen| format!("{} is left out", seen.shown())));
    Ok(parts)
}

/// What the arrays of all parts hold.
#[derive(Default)]
struct Contents {
    examples: Vec<Column>,
    /// None where there are none.
    targets: Option<Column>,
    /// How many examples each part has.
    sizes: Vec<(Role, usize)>,
}

fn contents(parts: &[Part<'_, '_>], wanted: Wanted) -> Result<Contents, Refused> {
    let first = parts[0].features;
    let variables = first.shape[1];
    let mut contents = Contents::default();
    contents.examples.resize_with(variables, || Column::new(Wanted::Numbers));
    for Part { role, features, target } in parts {
        if features.shape[1] != variables {
            let what = format!("{} and {} have unlike columns", first.shown(), features.shown());
            return Err(no(what, "the parts of a dataset have the same columns"));
        }
        let held = features.held()?;
        let columns = match target {
            None => held.columns(variables)?,
            Some(target) => {
                let Table { attributes, target, .. } =
                    arrays::numeric(&held, &target.held()?, variables, wanted)?;
                contents.targets.get_or_insert_with(|| Column::new(wanted)).append(target);
                attributes
            }
        };
        contents.sizes.push((*role, features.shape[0]));
        contents.examples.iter_mut().zip(columns).for_each(|(all, more)| all.append(more));
    }
    Ok(contents)
}

/// The entry of arrays.
pub(super) fn draft(files: &[Opened<'_>], asked: &Asked<'_>) -> Result<Draft, Refused> {
    without_columns(asked, "an array")?;
    let all = seen(files)?;
    let mut notes = Vec::new();
    let parts = parts(&all, asked, &mut notes)?;
    let variables = parts[0].features.shape[1];
    let mut found = contents(&parts, Wanted::Either)?;
    if let Some(Column::Torn(_)) = found.targets {
        found = contents(&parts, Wanted::Names)?;
    }
    let Contents { examples, targets, sizes } = found;
    let name = &parts[0].features.name;
    let rows = examples[0].len();
    if rows == 0 {
        return Err(no(format!("`{name}` has no rows"), "save an array with examples"));
    }
    let values = || examples.iter().flat_map(Column::numbers);
    let missing = values().filter(|value| value.is_nan()).count();
    let beyond_bits = values().any(|value| value != 0.0 && value != 1.0);
    let range = values().filter(|value| !value.is_nan()).map(|value| (value, value));
    let range = range.reduce(|(least, most), (value, _)| (least.min(value), most.max(value)));
    let range = range
        .map_or("nothing".to_owned(), |(least, most)| format!("{} to {}", real(least), real(most)));
    let columns = format!("{variables} columns, {range}");
    let mut shown = vec![[name.clone(), "number".to_owned(), missing.to_string(), columns]];
    let (kind, missing, predicted) = match &targets {
        None if beyond_bits => {
            let shown = all.iter().map(Seen::shown).collect::<Vec<_>>().join(", ");
            let what = format!("`{name}` has no targets beside it: there are {shown}");
            let cure = "save them as y.npy and say --target y.npy, or as y in one file: \
                        numpy.savez(\"set.npz\", X=X, y=y). Without targets an array holds 0 and 1 only";
            return Err(no(what, cure));
        }
        None => (Kind::Binary, None, Predicted::Nothing),
        Some(targets) if targets.len() != rows => {
            let what = "some parts have targets, and others have none";
            return Err(no(what, "save the targets of every part"));
        }
        Some(targets) => {
            let called = parts[0].target.map_or("y", |target| &target.name);
            let target = Summary::of(called, targets);
            can_be_target(&target, &mut notes)?;
            let becomes = if target.is_number() { "target" } else { "class" };
            let absent = target.missing.to_string();
            shown.push([called.to_owned(), becomes.to_owned(), absent, target.held()]);
            let attributes: Vec<&Column> = examples.iter().collect();
            let (missing, predicted) = learned(&target, &attributes, &mut notes)?;
            (Kind::Numeric, missing, predicted)
        }
    };
    let items: String = parts.iter().map(Part::items).collect();
    let head = Head { asked, kind, missing, variables, sizes, predicted: &predicted, folds: None };
    Ok(Draft { entry: head.entry(&items), columns: shown, target: predicted, notes })
}

impl Part<'_, '_> {
    /// The items of `files`.
    fn items(&self) -> String {
        if self.features.archived {
            let mut keys = format!(", features = {}", text(&self.features.name));
            if let Some(target) = self.target {
                keys += &format!(", target = {}", text(&target.name));
            }
            return self.features.opened.item(self.role, "npz", &keys);
        }
        let item = |seen: &Seen<'_>, format: &str| seen.opened.item(self.role, format, "");
        let target = self.target.map(|target| item(target, "npy-target"));
        item(self.features, "npy-features") + &target.unwrap_or_default()
    }
}
