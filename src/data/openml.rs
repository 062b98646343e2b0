//! OpenML: what its API says of datasets and tasks, as XML.
//!
//! <https://www.openml.org/api_docs>

use roxmltree::{Document, Node, ParsingOptions};

use crate::draft::About;
use crate::error::{Refused, no};

/// Where the API is. A mirror has it as `www.openml.org/api/v1/xml/…`.
const API: &str = "https://www.openml.org/api/v1/xml";

/// The most bytes of a description: 16 MiB.
const LONGEST: usize = 1 << 24;

/// The most elements, attributes and texts of a description.
const MOST_NODES: u32 = 1 << 20;

/// Something that OpenML has a number for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// `openml:ID`, a dataset.
    Dataset(u64),
    /// `openml:task/ID`, a dataset with a target and fixed splits.
    Task(u64),
}

impl Named {
    /// What a text names, if it is one of OpenML's.
    ///
    /// # Errors
    /// If what follows `openml:` is no number.
    pub fn parse(text: &str) -> Result<Option<Self>, Refused> {
        let Some(named) = text.strip_prefix("openml:") else { return Ok(None) };
        let task = named.strip_prefix("task/");
        let id = task.unwrap_or(named).parse().map_err(|_| {
            let cure = "write openml:61 for a dataset, openml:task/59 for a task with its splits: the numbers at the \
                        end of www.openml.org/d/61 and www.openml.org/t/59";
            no(format!("`{text}` has no number of OpenML"), cure)
        })?;
        Ok(Some(if task.is_some() { Self::Task(id) } else { Self::Dataset(id) }))
    }

    /// Where the API describes it.
    pub fn url(self) -> String {
        match self {
            Self::Dataset(id) => format!("{API}/data/{id}"),
            Self::Task(id) => format!("{API}/task/{id}"),
        }
    }
}

/// A dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Described {
    /// Its name.
    pub name: String,
    /// Where its file is.
    pub url: String,
    /// The MD5 of the file, in hexadecimal digits.
    pub md5: Option<String>,
    /// What else is known of it.
    pub about: About,
}

/// A task of supervised learning with fixed folds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The number of its dataset.
    pub dataset: u64,
    /// The column of its target.
    pub target: String,
    /// Where the file with its folds is.
    pub splits: String,
}

/// What a description says of dataset `id`; `name` is what errors call it.
///
/// # Errors
/// If it is no description, or of another dataset, or one whose file is no ARFF.
pub fn dataset(bytes: &[u8], id: u64, name: &str) -> Result<Described, Refused> {
    let document = parsed(bytes, name)?;
    let root = root(&document, "data_set_description", name)?;
    let need = |key: &str| need(root, key, name);
    same("dataset", need("id")?, id, name)?;
    let format = need("format")?;
    if !format.eq_ignore_ascii_case("arff") {
        let what = format!("dataset {id} of OpenML is of the format {format}");
        let cure = "dense ARFF files are read: name another dataset, or its file as CSV";
        return Err(no(what, cure));
    }
    let named = need("name")?.to_owned();
    let version =
        child(root, "version").map_or(String::new(), |version| format!(", version {version}"));
    let of = format!("OpenML dataset {id}, {named}{version}");
    let people: Vec<&str> = children(root, "creator").collect();
    let citation = match child(root, "citation") {
        Some(citation) => format!("{} ({of})", citation.trim_end_matches('.')),
        None if people.is_empty() => of,
        None => format!("{} ({of})", people.join(", ")),
    };
    let columns = |key: &str| {
        let all = children(root, key).flat_map(|names| names.split(',')).map(str::trim);
        all.map(|column| column.trim_matches('"').to_owned()).collect::<Vec<_>>()
    };
    Ok(Described {
        url: need("url")?.to_owned(),
        md5: child(root, "md5_checksum").map(str::to_lowercase),
        about: About {
            title: Some(named.clone()),
            citation: Some(citation),
            licence: child(root, "licence").map(str::to_owned),
            target: child(root, "default_target_attribute").map(str::to_owned),
            left_out: [columns("row_id_attribute"), columns("ignore_attribute")].concat(),
            ..About::default()
        },
        name: named,
    })
}

/// What a description says of task `id`; `name` is what errors call it.
///
/// # Errors
/// If it is no description, or of another task, or the task has no folds that are read.
pub fn task(bytes: &[u8], id: u64, name: &str) -> Result<Task, Refused> {
    let document = parsed(bytes, name)?;
    let root = root(&document, "task", name)?;
    same("task", need(root, "task_id", name)?, id, name)?;
    let kind = need(root, "task_type_id", name)?;
    if !["1", "2"].contains(&kind) {
        let kind = child(root, "task_type").unwrap_or(kind);
        let what = format!("task {id} of OpenML is of the type {kind}");
        return Err(no(what, "tasks of supervised classification and regression are read"));
    }
    let within = |input| named(root, "input", input)?.children().find(Node::is_element);
    let lacks = |what: &str| no(format!("{name} says nothing of {what}"), "name another task");
    let data = within("source_data").ok_or_else(|| lacks("its dataset"))?;
    let procedure = within("estimation_procedure").ok_or_else(|| lacks("its splits"))?;
    let kind = need(procedure, "type", name)?;
    let repeats = named(procedure, "parameter", "number_repeats").and_then(|node| node.text());
    let repeats = repeats.map_or("1", str::trim);
    let dataset = need(data, "data_set_id", name)?;
    let number =
        || no(format!("`{dataset}` in {name} is no number of a dataset"), "name another task");
    if kind != "crossvalidation" || repeats != "1" {
        let what = match kind {
            "crossvalidation" => {
                format!("task {id} of OpenML repeats its cross-validation {repeats} times")
            }
            kind => format!("the splits of task {id} of OpenML are of the type {kind}"),
        };
        let cure = format!(
            "fixed splits of one cross-validation are read: add the data, openml:{dataset}, and have the experiment split them"
        );
        return Err(no(what, cure));
    }
    Ok(Task {
        dataset: dataset.parse().map_err(|_| number())?,
        target: need(data, "target_feature", name)?.to_owned(),
        splits: need(procedure, "data_splits_url", name)?.to_owned(),
    })
}

fn no_description(name: &str, why: impl std::fmt::Display) -> Refused {
    let what = format!("{name} is no description of OpenML: {why}");
    no(what, "compare the number with www.openml.org")
}

fn parsed<'b>(bytes: &'b [u8], name: &str) -> Result<Document<'b>, Refused> {
    let text = (bytes.len() <= LONGEST).then(|| std::str::from_utf8(bytes).ok()).flatten();
    let no_text = || no_description(name, format!("it is no text of at most {LONGEST} bytes"));
    let text = text.ok_or_else(no_text)?;
    // Without a document type there are no entities of its own, which could grow.
    let options =
        ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| no_description(name, error))
}

fn root<'d>(document: &'d Document<'_>, called: &str, name: &str) -> Result<Node<'d, 'd>, Refused> {
    let root = document.root_element();
    if root.tag_name().name() == called {
        return Ok(root);
    }
    Err(no_description(
        name,
        format!("it begins with <{}>, not with <{called}>", root.tag_name().name()),
    ))
}

/// Whether a node is an element of this name, in any name space.
fn is(node: &Node<'_, '_>, name: &str) -> bool {
    node.is_element() && node.tag_name().name() == name
}

/// The element within another one whose attribute `name` says so.
fn named<'d>(node: Node<'d, 'd>, element: &str, name: &str) -> Option<Node<'d, 'd>> {
    node.children().find(|child| is(child, element) && child.attribute("name") == Some(name))
}

/// The texts of the elements of a name that are not empty.
fn children<'d>(node: Node<'d, 'd>, name: &str) -> impl Iterator<Item = &'d str> {
    let called = node.children().filter(move |child| is(child, name));
    called.filter_map(|child| child.text()).map(str::trim).filter(|text| !text.is_empty())
}

fn child<'d>(node: Node<'d, 'd>, name: &str) -> Option<&'d str> {
    children(node, name).next()
}

fn need<'d>(node: Node<'d, 'd>, key: &str, name: &str) -> Result<&'d str, Refused> {
    child(node, key).ok_or_else(|| no_description(name, format!("it has no <{key}>")))
}

fn same(of: &str, found: &str, id: u64, name: &str) -> Result<(), Refused> {
    if found == id.to_string() {
        return Ok(());
    }
    let what = format!("{name} describes {of} {found}, not {id}");
    Err(no(what, "a mirror holds another file there: remove it from the mirror"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_is_a_number() {
        assert_eq!(Named::parse("openml:61").unwrap(), Some(Named::Dataset(61)));
        assert_eq!(Named::parse("openml:task/59").unwrap(), Some(Named::Task(59)));
        assert_eq!(Named::parse("a.csv").unwrap(), None);
        assert_eq!(Named::Task(59).url(), "https://www.openml.org/api/v1/xml/task/59");
        for wrong in ["openml:", "openml:-1", "openml:61/2", "openml:task/", "openml:t/59"] {
            assert!(Named::parse(wrong).unwrap_err().what.contains(wrong));
        }
    }

    #[test]
    fn a_description_says_what_it_says() {
        let seed = include_bytes!("../../fuzz/seeds/openml/dataset");
        let described = dataset(seed, 2, "d").unwrap();
        assert_eq!(described.name, "steel");
        assert_eq!(described.md5.unwrap(), "4eaed8b6ec9d8211024b6c089b064761");
        let about = described.about;
        assert_eq!(about.citation.unwrap(), "A. Author (OpenML dataset 2, steel, version 1)");
        assert_eq!(about.left_out, ["id", "a", "b"]);
        let task = task(include_bytes!("../../fuzz/seeds/openml/task"), 1, "t").unwrap();
        assert_eq!((task.dataset, &*task.target), (1, "class"));
        assert_eq!(task.splits, "http://www.openml.org/api_splits/get/1/Task_1_splits.arff");
    }

    #[test]
    fn what_is_no_description_is_refused() {
        let deep = "<a>".repeat(200_000) + &"</a>".repeat(200_000);
        let entities =
            "<!DOCTYPE a [<!ENTITY x \"xx\">]><data_set_description>&x;</data_set_description>";
        let wide =
            format!("<data_set_description>{}</data_set_description>", "<a/>".repeat(2 << 20));
        for text in [&*deep, entities, &wide, "", "<a", "no", "<data_set_description/>"] {
            let refused = dataset(text.as_bytes(), 2, "d").unwrap_err();
            assert!(
                refused.what.starts_with("d is no description of OpenML: "),
                "{}",
                refused.what
            );
        }
        assert!(dataset(&vec![b' '; LONGEST + 1], 2, "d").is_err());
    }
}
