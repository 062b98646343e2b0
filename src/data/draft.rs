//! A registry's entry for a dataset that nobody has described yet: what can be known by looking at its files is looked
//! up, and what has to be chosen is chosen in sight, so that it can be chosen otherwise.

mod arrays;
mod column;
mod decimal;
mod delimited;
mod header;
mod sparse;
mod table;

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use base::digest::Digest;
use base::printable::{self, is_hidden};
use base::text::{first_of, real};

use crate::error::{Refused, no};
use crate::format::unpacked;
use crate::limits;
use crate::preprocessing::Missing;
use crate::registry::Entry;
use crate::vocabulary::{Encoding, Kind, Role};

/// How many records are looked at for what a file is.
const LOOKED_AT: usize = 200;

/// What an entry says where nothing is known.
pub const NOT_STATED: &str = "not stated";

/// So many classes are shown with their sizes.
const MOST_SHOWN: usize = 20;

/// The most characters of what a description says in a text.
const LONGEST: usize = 500;

/// A file of a dataset.
#[derive(Debug, Clone)]
pub struct Sighted {
    /// Which part of the dataset it holds.
    pub role: Role,
    /// What errors call it.
    pub name: String,
    /// As the registry will say: `path = "…"` or `url = "…"`.
    pub source: String,
    /// Its bytes as they lie there.
    pub bytes: Vec<u8>,
}

/// What somebody asks of an entry.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The id.
    pub id: &'a str,
    /// The column or array of the target.
    pub target: Option<&'a str>,
    /// Whether the first line of a table has the names of its columns; else it is judged.
    pub header: Option<bool>,
    /// The column that says whose a row is.
    pub group: Option<&'a str>,
    /// The column that says when a row was made.
    pub time: Option<&'a str>,
    /// What a description says beside the files.
    pub about: &'a About,
}

/// What a dataset's description says beside its files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// What people read.
    pub title: Option<String>,
    /// Whom to cite.
    pub citation: Option<String>,
    /// Licence as stated there.
    pub licence: Option<String>,
    /// The column of the target.
    pub target: Option<String>,
    /// The columns that it describes, if it describes columns: no others count.
    pub described: Option<Vec<String>>,
    /// Columns whose values are names, whatever they look like.
    pub names: Vec<String>,
    /// Columns that are no attributes, such as the number of a row.
    pub left_out: Vec<String>,
}

impl About {
    /// The same, with what an entry tells people.
    pub(crate) fn told_by(self, entry: &Entry) -> Self {
        Self {
            title: Some(entry.title.clone()),
            citation: Some(entry.citation.clone()),
            licence: Some(entry.licence.clone()),
            ..self
        }
    }
}

/// A text of a description on one line, of characters that can be seen, and of bounded length.
pub fn plain(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(|&c| !is_hidden(c)).collect();
    let mut short: String = line.chars().take(LONGEST).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    (!short.trim().is_empty()).then_some(short)
}

/// An entry, and what was seen on the way to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The entry as it will stand in the registry.
    pub entry: String,
    /// The columns: name, what becomes of it, missing values, what it holds.
    pub columns: Vec<[String; 4]>,
    /// What is learned to predict.
    pub target: Predicted,
    /// What was chosen, and how to choose otherwise, in sentences.
    pub notes: Vec<String>,
}

/// What is learned to predict.
#[derive(Debug, Clone, PartialEq)]
pub enum Predicted {
    /// Classes, each with its number of examples.
    Classes(Vec<(String, usize)>),
    /// A number: the least, and the most.
    Number(f64, f64),
    /// Nothing: examples of 0 and 1 alone, for density estimation.
    Nothing,
}

impl fmt::Display for Predicted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Classes(classes) => {
                let classes = classes.iter().map(|(class, rows)| format!("{class} {rows}"));
                write!(f, "classes: {}", first_of(classes, MOST_SHOWN, ", "))
            }
            Self::Number(least, most) => {
                write!(f, "target: a number from {} to {}", real(*least), real(*most))
            }
            Self::Nothing => f.write_str("no target: 0/1 rows, for density estimation"),
        }
    }
}

impl Draft {
    /// Looks at the files of a dataset: tables, arrays of NumPy, or LIBSVM's lines; `splits` is a file with the folds of
    /// their rows. Without a target that is asked for or described it is the column that is called as targets are,
    /// else the last. Names and few whole numbers are classes, other numbers are numbers to be predicted.
    ///
    /// # Errors
    /// If they are no files of the same columns, or nothing in them can be the target.
    pub fn of(
        files: &[Sighted],
        splits: Option<&Sighted>,
        asked: &Asked<'_>,
    ) -> Result<Self, Refused> {
        let opened = files.iter().map(Opened::of).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = opened.first() else {
            return Err(no("there is no file", "name a file, or a folder with one"));
        };
        if arrays::are(&first.bytes) {
            return arrays::draft(&opened, asked);
        }
        match sparse::are(&opened) {
            true => sparse::draft(&opened, asked),
            false => table::draft(&opened, splits, asked),
        }
    }
}

/// A file and what is in it, unpacked.
struct Opened<'a> {
    file: &'a Sighted,
    encoding: Encoding,
    bytes: Cow<'a, [u8]>,
}

impl<'a> Opened<'a> {
    fn of(file: &'a Sighted) -> Result<Self, Refused> {
        if !file.bytes.starts_with(&[0x1f, 0x8b]) {
            return Ok(Self { file, encoding: Encoding::Plain, bytes: Cow::Borrowed(&file.bytes) });
        }
        let bytes = unpacked(file.bytes.clone(), Encoding::Gzip, limits::FILE);
        let bytes = bytes.map_err(|error| {
            no(format!("cannot unpack {}: {error}", file.name), "name a sound file")
        })?;
        Ok(Self { file, encoding: Encoding::Gzip, bytes: Cow::Owned(bytes) })
    }

    /// The item of `files` of a role and a format, with these keys behind them.
    fn item(&self, role: Role, format: &str, keys: &str) -> String {
        let role = role.word();
        let (digest, bytes) = (Digest::of(&self.file.bytes), self.file.bytes.len());
        let encoding = match self.encoding {
            Encoding::Gzip => ", encoding = \"gzip\"",
            Encoding::Plain | Encoding::TarGzip => "",
        };
        let source = &self.file.source;
        format!(
            "  {{ role = \"{role}\", format = \"{format}\"{keys}, sources = [\n    {{ {source}, sha256 = \"{digest}\", bytes = {bytes}{encoding} }},\n  ] }},\n"
        )
    }
}

/// The kind of a dataset: binary where all its attributes are `bits` and classes are predicted, else `other`.
fn kind(bits: bool, predicted: &Predicted, other: Kind, notes: &mut Vec<String>) -> Kind {
    if !(bits && matches!(predicted, Predicted::Classes(_))) {
        return other;
    }
    let note = "all attributes are 0 and 1: kind = \"binary\" keeps a bit a value; with kind = \"numeric\" they can be \
                standardised";
    notes.push(note.to_owned());
    Kind::Binary
}

/// What an entry says before its files.
struct Head<'a> {
    asked: &'a Asked<'a>,
    kind: Kind,
    missing: Option<Missing>,
    variables: usize,
    /// The rows of each part.
    sizes: Vec<(Role, usize)>,
    predicted: &'a Predicted,
    folds: Option<usize>,
}

impl Head<'_> {
    /// The entry with these items of `files`.
    fn entry(&self, files: &str) -> String {
        let About { title, citation, licence, .. } = self.asked.about;
        let said = |given: &Option<String>, silent: &str| {
            text(given.as_deref().and_then(plain).as_deref().unwrap_or(silent))
        };
        let mut entry = format!("[dataset.{}]\n", key(self.asked.id));
        let _ = writeln!(entry, "title = {}", said(title, self.asked.id));
        let _ = writeln!(entry, "kind = \"{}\"", self.kind.word());
        if let Some(missing) = self.missing {
            let _ = writeln!(entry, "missing = \"{}\"", missing.word());
        }
        let rows = self.sizes.iter().map(|(role, rows)| match role {
            Role::All => format!("rows = {rows}"),
            role => format!("{} = {rows}", role.word()),
        });
        let mut shape: Vec<String> = [format!("variables = {}", self.variables)].into();
        shape.extend(rows);
        shape.extend(match self.predicted {
            Predicted::Classes(classes) => Some(format!("classes = {}", classes.len())),
            Predicted::Number(..) => Some("target = \"number\"".to_owned()),
            Predicted::Nothing => None,
        });
        shape.extend(self.folds.map(|folds| format!("folds = {folds}")));
        let _ = writeln!(entry, "shape = {{ {} }}", shape.join(", "));
        let _ = writeln!(entry, "citation = {}", said(citation, NOT_STATED));
        let _ = writeln!(entry, "licence = {}", said(licence, NOT_STATED));
        entry + "files = [\n" + files + "]\n"
    }
}

/// That a registry can hold these names, of columns or arrays.
fn readable(of: &str, names: &[String], file: &str) -> Result<(), Refused> {
    for (at, name) in names.iter().enumerate() {
        let which = format!("the name of {of} {} of {file}", at + 1);
        if name.trim().is_empty() {
            return Err(no(format!("{which} is blank"), "give it a name in the file"));
        }
        // In a name line feed and tab are hidden too.
        let unseen = |&character: &char| is_hidden(character) || "\n\t".contains(character);
        if let Some(character) = name.chars().find(unseen) {
            let what = format!("{which} holds the character {}", printable::name(character));
            return Err(no(what, "it can't be seen: remove it from the file"));
        }
    }
    Ok(())
}

/// How many characters of a list stand on a line, about; longer ones are on lines of their own.
const LONGEST_LIST: usize = 60;

/// A list of names as TOML has it.
///
/// # Errors
/// If a registry may not have so long a list.
fn list<'n>(key: &str, names: impl Iterator<Item = &'n str>) -> Result<String, Refused> {
    let all: Vec<String> = names.map(text).collect();
    if all.len() > document::MOST_ITEMS {
        let (found, most) = (all.len(), document::MOST_ITEMS);
        let what = format!("the entry would need a list `{key}` of {found} columns");
        let cure = format!("a list of a registry has at most {most}: keep the columns that count");
        return Err(no(what, cure));
    }
    let line = all.join(", ");
    if line.chars().count() <= LONGEST_LIST {
        return Ok(format!("{key} = [{line}]"));
    }
    let mut lines = vec![String::new()];
    for name in all {
        let line = lines.last_mut().filter(|line| line.chars().count() < LONGEST_LIST);
        let name = format!(" {name},");
        match line {
            Some(line) => line.push_str(&name),
            None => lines.push(name),
        }
    }
    let lines: String = lines.iter().map(|line| format!("   {line}\n")).collect();
    Ok(format!("{key} = [\n{lines}  ]"))
}

/// That only tables have the columns that are asked for.
fn without_columns(asked: &Asked<'_>, what: &str) -> Result<(), Refused> {
    let named = [("--group", asked.group), ("--time", asked.time)];
    match named.iter().find_map(|(option, column)| column.map(|column| (option, column))) {
        None => Ok(()),
        Some((option, column)) => Err(no(
            format!("there is no column `{column}` for {option}: {what} has no named columns"),
            "write a table as CSV, with a column for it",
        )),
    }
}

/// A text as TOML has it.
pub fn text(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A key as TOML has it.
fn key(id: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    if id.chars().all(bare) { id.to_owned() } else { text(id) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::registry::Registry;

    fn draft(bytes: &[u8], target: Option<&str>) -> Result<Draft, Refused> {
        let about = &About::default();
        described(
            bytes,
            &Asked { id: "mine", target, header: None, group: None, time: None, about },
        )
    }

    fn described(bytes: &[u8], asked: &Asked<'_>) -> Result<Draft, Refused> {
        let source = "path = \"f.csv\"".to_owned();
        let (role, name) = (Role::All, "f.csv".to_owned());
        let file = Sighted { role, name, source, bytes: bytes.to_vec() };
        Draft::of(&[file], None, asked)
    }

    #[test]
    fn what_can_be_known_is_not_asked() {
        let mut text = "\u{feff}\"id\";\"who\";\"age\";\"sex\";\"fate\"\r\n".to_owned();
        for row in 0..30 {
            let (age, sex) = (row % 7, ["f", "m"][row % 2]);
            let fate = ["well done", "not found"][row % 3 % 2];
            text += &format!("{row};\"Name; {row}\";{age};{sex};{fate}\r\n");
        }
        let text = text.replace(";3;", ";NA;");
        let found = draft(text.as_bytes(), None).unwrap();
        let digest = Digest::of(text.as_bytes());
        let bytes = text.len();
        assert_eq!(
            found.entry,
            format!(
                "[dataset.mine]\ntitle = \"mine\"\nkind = \"numeric\"\nmissing = \"median\"\n\
                 shape = {{ variables = 2, rows = 30, classes = 2 }}\ncitation = \"not stated\"\n\
                 licence = \"not stated\"\nfiles = [\n  {{ role = \"all\", format = \"csv\", delimiter = \";\", \
                 target = \"fate\", attributes = [\"age\", \"sex\"], categories = [\"sex\"], sources = [\n    \
                 {{ path = \"f.csv\", sha256 = \"{digest}\", bytes = {bytes} }},\n  ] }},\n]\n"
            )
        );
        let registry = format!("schema = 1\n{}", found.entry);
        Registry::parse(&registry, "r", Path::new("")).unwrap();
        let classes = [("not found".to_owned(), 10), ("well done".to_owned(), 20)];
        assert_eq!(found.target, Predicted::Classes(classes.to_vec()));
        assert_eq!(found.notes.len(), 6, "{:?}", found.notes);
    }

    #[test]
    fn long_lists_of_columns_have_lines_of_their_own() {
        let names: Vec<String> = (0..40).map(|at| format!("column {at}")).collect();
        let rows = (0..30).map(|row| {
            let cells = (0..40).map(|at| ["low", "high", "none"][row * at % 3]);
            cells.collect::<Vec<_>>().join(",") + if row % 2 == 0 { ",a\n" } else { ",b\n" }
        });
        let text = format!("{},class\n", names.join(",")) + &rows.collect::<String>();
        let found = draft(text.as_bytes(), None).unwrap();
        let longest = found.entry.lines().filter(|line| line.starts_with("    \"")).map(str::len);
        assert!(longest.clone().count() > 5 && longest.max() < Some(80), "{}", found.entry);
        let registry = format!("schema = 1\n{}", found.entry);
        Registry::parse(&registry, "r", Path::new("")).unwrap();
    }

    #[test]
    fn a_list_of_columns_is_no_longer_than_a_registry_may_have() {
        let names: Vec<String> = (0..=document::MOST_ITEMS).map(|at| format!("c{at}")).collect();
        let most = names[1..].iter().map(String::as_str);
        assert!(list("attributes", most).is_ok());
        let error = list("attributes", names.iter().map(String::as_str)).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("the entry would need a list `attributes` of {} columns", names.len())
        );
    }

    /// The entry would be one that no registry may have.
    #[test]
    fn names_that_can_not_be_seen_are_refused() {
        let refused = draft("a,b\u{8}c,class\n1,2,y\n3,4,n\n".as_bytes(), None).unwrap_err();
        assert_eq!(refused.what, "the name of column 2 of f.csv holds the character U+0008");
        let refused = draft(b"a,\"b\nc\",class\n1,2,y\n3,4,n\n", None).unwrap_err();
        assert_eq!(refused.what, "the name of column 2 of f.csv holds the character U+000A");
        let refused = draft(b"a,b\tc,class\n1,2,y\n3,4,n\n", None).unwrap_err();
        assert_eq!(refused.what, "the name of column 2 of f.csv holds the character U+0009");
    }

    #[test]
    fn a_table_without_a_header_has_numbered_columns() {
        let found = draft(b"1.5,2,0\n0.5,3,1\n2.5,1,0\n", None).unwrap();
        assert!(found.entry.contains("header = false, target = \"3\", sources"), "{}", found.entry);
        let letters = draft(b"a,x\nb,y\na,y\n", None).unwrap();
        assert!(
            letters.entry.contains("kind = \"categorical\"")
                && letters.entry.contains("header = false")
        );
    }

    #[test]
    fn names_and_few_whole_numbers_are_classes_and_other_numbers_are_numbers() {
        let column = |values: &mut dyn Iterator<Item = String>| {
            let rows = values.enumerate().map(|(row, value)| format!("{},{value}\n", row % 3));
            draft(format!("a,b\n{}", rows.collect::<String>()).as_bytes(), Some("b")).unwrap()
        };
        let shape = |found: &Draft| {
            let line = found.entry.lines().find(|line| line.starts_with("shape")).unwrap();
            line.to_owned()
        };
        let real = column(&mut (0..40).map(|row| format!("{}.5", row % 2)));
        assert_eq!(shape(&real), "shape = { variables = 1, rows = 40, target = \"number\" }");
        assert_eq!(real.target, Predicted::Number(0.5, 1.5));
        assert_eq!(real.target.to_string(), "target: a number from 0.5 to 1.5");
        assert_eq!(real.columns[1][1], "target");
        let many = column(&mut (0..42).map(|row| (row % 21).to_string()));
        assert_eq!(many.target, Predicted::Number(0.0, 20.0));
        assert!(many.notes[1].contains("write classes = 21 in place of"), "{:?}", many.notes);
        let few = column(&mut (0..40).map(|row| (row % 20).to_string()));
        assert_eq!(shape(&few), "shape = { variables = 1, rows = 40, classes = 20 }");
        assert!(few.notes[1].contains("write target = \"number\" in place of"), "{:?}", few.notes);
        for found in [real, many, few] {
            let registry = format!("schema = 1\n{}", found.entry);
            Registry::parse(&registry, "r", Path::new("")).unwrap();
        }
    }

    #[test]
    fn an_arff_file_says_what_its_columns_hold() {
        let mut text = "@relation r\n@attribute 'bore size' {0,500}\n@attribute len real\n@attribute class {1,2,U}\n@data\n".to_owned();
        (0..12).for_each(|row| {
            let (bore, class) = ([0, 500][row % 2], ["1", "U"][row % 3 % 2]);
            text += &format!("{bore},{}.5,{class}\n", row % 5);
        });
        let found = draft(text.as_bytes(), None).unwrap();
        let shape = "shape = { variables = 2, rows = 12, classes = 2 }";
        assert!(found.entry.contains(shape) && found.entry.contains("kind = \"numeric\""));
        let keys = "{ role = \"all\", format = \"arff\", target = \"class\", sources";
        assert!(found.entry.contains(keys), "{}", found.entry);
        assert_eq!([&found.columns[0][1], &found.columns[1][1]], ["names", "number"]);
        Registry::parse(&format!("schema = 1\n{}", found.entry), "r", Path::new("")).unwrap();
        let by_number = draft(text.as_bytes(), Some("len")).unwrap();
        assert!(by_number.entry.contains("target = \"number\""), "{}", by_number.entry);
        let sparse = text + "{0 500, 2 1}\n";
        let error = draft(sparse.as_bytes(), None).unwrap_err();
        assert_eq!(error.what, "f.csv, line 18: it is sparse, and sparse rows are not read");
    }

    #[test]
    fn a_description_says_what_counts() {
        let text = "id,a,b,c,class\n1,1,2,5,x\n2,2,1,7,y\n3,1,1,5,x\n";
        let about = About {
            title: Some("A\n title\u{8}".to_owned()),
            citation: Some("word ".repeat(200)),
            target: Some("b".to_owned()),
            described: Some(["a", "b", "c", "id"].map(str::to_owned).to_vec()),
            names: vec!["a".to_owned()],
            left_out: vec!["id".to_owned()],
            ..About::default()
        };
        let asked = Asked {
            id: "mine",
            target: None,
            header: None,
            group: None,
            time: None,
            about: &about,
        };
        let found = described(text.as_bytes(), &asked).unwrap();
        let keys = "target = \"b\", attributes = [\"a\", \"c\"], categories = [\"a\"], sources";
        assert!(found.entry.contains(keys), "{}", found.entry);
        assert!(found.entry.contains("title = \"A title\"\n"), "{}", found.entry);
        let citation = found.entry.lines().find(|line| line.starts_with("citation")).unwrap();
        assert_eq!(citation.chars().count(), "citation = \"…\"".chars().count() + LONGEST);
        Registry::parse(&format!("schema = 1\n{}", found.entry), "r", Path::new("")).unwrap();
        // What is asked for counts more than what is described.
        let asked = Asked { target: Some("class"), ..asked };
        let other = described(text.as_bytes(), &asked).unwrap();
        assert!(other.entry.contains("target = \"class\", attributes = [\"a\", \"b\", \"c\"]"));
    }

    #[test]
    fn what_can_be_no_entry_is_refused_with_a_cure() {
        for (bytes, target, message) in [
            (
                &b"a,b\n1,x\n2,y\n"[..],
                Some("colour"),
                "there is no column `colour`: the columns are a, b",
            ),
            (
                b"a,b\n1,x\n2,x\n",
                None,
                "`b` is no target: it has one value everywhere: name the column of the target with --target",
            ),
            (
                b"a,b\n1,12345678901234567890\n2,12345678901234567891\n",
                None,
                "`b` is no target: its whole numbers have more than 15 digits, of which numbers keep no more: write a \
                 letter before each: name the column of the target with --target",
            ),
            (
                b"just a text\nwith lines\n",
                None,
                "f.csv is no table: no comma, tab, semicolon or bar gives its lines the same number of values: \
                 name a CSV or TSV file; every line needs as many values as the first",
            ),
            (
                b"a,b\n1,2\n3\n4,5\n",
                None,
                "f.csv, line 3: it has 1 values, the first line has 2: compare `delimiter` with the file; a value that \
                 holds it stands in quotes",
            ),
            (
                b"# made by hand\na,b\n1,2\n",
                None,
                "f.csv begins with a comment: remove the lines that begin with #",
            ),
            (b"\xff\xfea\0,\0b\0", None, "f.csv is text in UTF-16: save it as UTF-8"),
            (
                b"GIF\0",
                None,
                "f.csv is no text: save it as CSV: an entry for other formats is written by hand, see \
                 docs/reference/data.md",
            ),
            (
                b"@relation r\n@attribute '  ' real\n@attribute class {u,v}\n@data\n1,u\n2,v\n",
                None,
                "the name of column 1 of f.csv is blank: give it a name in the file",
            ),
        ] {
            let error = draft(bytes, target).unwrap_err();
            assert_eq!(format!("{}: {}", error.what, error.cure), message);
        }
    }
}
