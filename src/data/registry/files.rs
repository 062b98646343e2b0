//! The files of an entry: where they are, what they must be, how they are read.

use super::address::{Location, location};
use super::reading::{Needed, Reading};
use super::{FileEntry, Format, Integrity, Place, RemoteFile, Source};
use crate::format::attribute_csv::{ClassColumn, Columns};
use crate::format::csv::Layout;
use crate::format::text_files::{Content, Pattern};
use crate::limits;
use crate::vocabulary::{Charset, Decimal, Encoding, Kind, Role, Rows, Shape, Target};
use base::digest::Digest;
use base::words;
use base::words::Worded as _;
use document::{
    Faults, Flag, Form, Node, Pattern as Shaped, Spanned, Text, Whole, Word, holds, reads, section,
};

words! {
    /// How the text of a file is read, by the word alone.
    pub(super) enum FormatWord {
        BinaryCsv = "binary-csv", "one example a line, 0 or 1 for each variable, separated by commas";
        LabelledLines = "labelled-lines", "one document a line: class, tab, text";
        TextFiles = "text-files", "an archive of one document a file";
        Messages = "newsgroup-messages", "an archive of one mail message a file, of which headers, signatures and quotes are removed";
        ReutersSgml = "reuters-sgml", "a file of Reuters-21578";
        IdxImages = "idx-images", "images as those of MNIST";
        IdxLabels = "idx-labels", "classes as those of MNIST";
        AttributeCsv = "attribute-csv", "one example a line, its attributes and its class separated by commas";
        Csv = "csv", "a table with a header or without, its values separated by commas, tabs or another character, quoted where need be";
        Arff = "arff", "a table of Weka or OpenML, which says of each attribute whether it has names or is a number";
        Libsvm = "libsvm", "one example a line: its target, then INDEX:VALUE of the values that are not 0; also called svmlight";
        NpyFeatures = "npy-features", "an array of NumPy with an example a row, of numbers or truth values";
        NpyTarget = "npy-target", "an array of NumPy with the targets of these examples";
        Npz = "npz", "named arrays of NumPy, of the examples and of their targets";
        OpenmlSplits = "openml-splits", "the folds of an OpenML task for the rows of a table, an ARFF file";
    }
}

impl FormatWord {
    /// The kinds of dataset that have such files.
    fn of(self) -> &'static [Kind] {
        match self {
            Self::BinaryCsv => &[Kind::Binary],
            Self::LabelledLines | Self::TextFiles | Self::Messages | Self::ReutersSgml => {
                &[Kind::Text]
            }
            Self::IdxImages | Self::IdxLabels => &[Kind::Image],
            Self::NpyTarget => &[Kind::Numeric],
            Self::Libsvm | Self::NpyFeatures | Self::Npz => &[Kind::Binary, Kind::Numeric],
            Self::AttributeCsv => &[Kind::Categorical, Kind::Numeric],
            Self::Csv | Self::Arff | Self::OpenmlSplits => {
                &[Kind::Binary, Kind::Categorical, Kind::Numeric]
            }
        }
    }
}

/// What errors call a file.
const A_FILE: &str = "an item of `files`";

section! {
    in Reading;
    /// One file of a dataset.
    pub(super) struct FileKeys {
        role: Spanned<Word<Role>> => "which part of the dataset it holds";
        format: Spanned<Word<FormatWord>> => "how its text is read";
        charset: Option<Word<Charset>>, else "`\"utf-8\"`" => "which characters bytes of text stand for";
        documents: Option<Spanned<Documents>>, else "required of archives"
            => "which files of an archive are documents, such as \"{class}/{name}\"";
        class: Option<Word<ClassColumn>>, else "required of `attribute-csv`"
            => "where the class stands";
        skipped: Option<Whole<0, { limits::VARIABLES as i64 }>>, else "0"
            => "the columns at the left of `attribute-csv` that are no attributes";
        header: Option<Flag>, else "`true`" => "whether the first line of `csv` has the names of the columns; without, they are called `1`, `2`, …";
        delimiter: Option<Delimiter>, else "`\",\"`" => "the character between the values of `csv`, or `\"tab\"`";
        decimal: Option<Word<Decimal>>, else "`\".\"`, and nothing parts thousands" => "what parts the decimals of numbers of `csv`; the other character may part thousands";
        target: Option<Spanned<Text>>, else "required of `csv` and `arff`, and of `npz` in numeric datasets"
            => "the column, of `npz` the array, of the class or of the number that is to be predicted";
        features: Option<Text>, else "required of `npz`" => "the array of `npz` that has an example a row";
        group: Option<Text>, else "rows belong to nobody"
            => "the column of `csv` and `arff` that says whose a row is, such as a patient; no attribute, and `grouped = true` keeps a group on one side of every split";
        time: Option<Text>, else "rows have no order in time"
            => "the column of `csv` and `arff` that says when a row was made, a number or a date such as `2026-11-23`, for splits by `time`; no attribute unless `attributes` names it";
        attributes: Option<Vec<Text>>, else "all but target, group and time" => "the columns of `csv` and `arff` that are attributes, in this order";
        categories: Option<Spanned<Vec<Text>>>, else "none; all of kind `categorical`"
            => "the attributes of `csv` whose values are names, where the dataset is numeric: each name becomes a 0/1 column in a trial";
        sources: Vec<SourceKeys> => "copies of the file, in the order in which they are tried";
    }
    check(reading, table) {
        if let Some(format) = &format {
            let archive = matches!(format.value, FormatWord::TextFiles | FormatWord::Messages);
            let text = archive || matches!(format.value, FormatWord::LabelledLines | FormatWord::ReutersSgml);
            let columns = format.value == FormatWord::AttributeCsv;
            let csv = format.value == FormatWord::Csv;
            let arff = format.value == FormatWord::Arff;
            let npz = format.value == FormatWord::Npz;
            reading.belong::<Self>(table, A_FILE, &[
                ("charset", Needed::may(text || csv || arff)),
                ("documents", Needed::when(archive)),
                ("class", Needed::when(columns)),
                ("skipped", Needed::may(columns)),
                ("header", Needed::may(csv)),
                ("delimiter", Needed::may(csv)),
                ("decimal", Needed::may(csv)),
                ("target", if npz { Needed::May } else { Needed::when(csv || arff) }),
                ("features", Needed::when(npz)),
                ("group", Needed::may(csv || arff)),
                ("time", Needed::may(csv || arff)),
                ("attributes", Needed::may(csv || arff)),
                ("categories", Needed::may(csv)),
            ]);
            for encoding in sources.iter().flatten().map(|source| &source.encoding) {
                if archive != (encoding.value == Encoding::TarGzip) {
                    let (why, label) = if archive {
                        ("this format reads archives", "expected `encoding = \"tar.gz\"`")
                    } else {
                        ("this format reads no archives", "expected `plain` or `gzip`")
                    };
                    reading.faults.at(&encoding.span, why, label);
                }
            }
            if let Some(role) = role.as_ref().filter(|role| role.value != Role::All) {
                let documents = documents.iter().flatten().any(|documents| documents.tells_parts());
                if format.value == FormatWord::ReutersSgml || archive && documents {
                    let why = "this file itself tells which part a document belongs to";
                    reading.faults.at(&role.span, why, "its role is `all`");
                }
            }
        }
    }
}

reads! {
    in Reading;
    /// Which files of an archive are documents.
    pub(super) Documents: Pattern = Text::form(), |node, reading| {
        let pattern = Pattern::parse(node.text()?);
        pattern.map_err(|why| reading.faults.at(&node.span, why, "no pattern of paths")).ok()
    };
    /// The address of a copy.
    pub(super) Address: Location = Text::form(), |node, reading| {
        let location = location(node.text()?);
        location.map_err(|why| reading.faults.at(&node.span, why, "can't be fetched")).ok()
    };
}

/// What separates values.
static CHARACTER: Shaped = Shaped::new(
    "character",
    "`tab`, or one character that is no letter, digit, blank or quote, such as `;`",
    "^(tab|[!#-/:-@\\[-`{-~])$",
);

fn delimiter(text: &str) -> Option<u8> {
    match text.as_bytes() {
        b"tab" => Some(b'\t'),
        [byte] if byte.is_ascii_punctuation() && *byte != b'"' => Some(*byte),
        _ => None,
    }
}

holds! {
    /// The character between values.
    pub(super) Delimiter: u8 = Form::Text(&CHARACTER), |node: &Node| delimiter(node.text()?);
}

/// SHA-256 as it is written.
static DIGEST: Shaped = Shaped::new("SHA-256", "64 hexadecimal digits", "^[0-9A-Fa-f]{64}$");

holds! {
    /// A SHA-256.
    pub(super) Sha256: Digest = Form::Text(&DIGEST), |node: &Node| node.text()?.parse().ok();
}

section! {
    in Reading;
    /// One copy of a file.
    pub(super) struct SourceKeys {
        url: Option<Spanned<Address>>, else "`path`" => "where the file is: an http, https or file url";
        path: Option<Spanned<Text>>, else "`url`" => "where the file is on this machine, relative to the registry file";
        sha256: Option<Spanned<Sha256>>, else "required of a url without `tree`" => "the digest of the file as it is downloaded";
        bytes: Option<Spanned<Whole<0, { limits::FILE as i64 }>>>, else "required of a url without `tree`"
            => "the size of the file as it is downloaded";
        tree: Option<Spanned<Sha256>>, else "`sha256`" => "the tree digest of an archive whose bytes may change";
        folder: Option<Spanned<Text>>, else "required with `tree`" => "the folder that `tree` is about";
        encoding: Spanned<Word<Encoding>> = "plain" => "how its bytes are packed";
    }
    check(reading, table) {
        let heading = "an item of `sources`";
        let of_tree = table.get("tree").is_some();
        reading.belong::<Self>(table, heading, &[("folder", if of_tree { Needed::Yes } else { Needed::May })]);
        if of_tree {
            let sha256 = sha256.iter().flatten().map(|sha256| ("sha256", &sha256.span));
            let bytes = bytes.iter().flatten().map(|bytes| ("bytes", &bytes.span));
            for (key, span) in sha256.chain(bytes) {
                let why = format!("`{key}` is of a file, `tree` of an archive whose bytes may change");
                reading.faults.at(span, why, "`tree` is there too");
            }
        } else if let Some(Some(folder)) = &folder {
            reading.faults.at(&folder.span, "`folder` needs `tree`", "there is no `tree`");
        }
        match (&url, &path) {
            (Some(Some(_)), Some(Some(path))) => {
                let why = "a source has either a `url` or a `path`";
                reading.faults.at(&path.span, why, "this one has both");
            }
            (Some(None), Some(None)) => reading.lacks(table, heading, "url", "where the file is; or `path`"),
            (Some(Some(url)), _) if matches!(url.value, Location::Remote(..)) && !of_tree => {
                let needed = [("sha256", Needed::Yes), ("bytes", Needed::Yes)];
                reading.belong::<Self>(table, heading, &needed);
            }
            _ => {}
        }
    }
}

impl SourceKeys {
    fn source(self, reading: &Reading<'_>) -> Option<Source> {
        let integrity = match (self.tree, self.sha256) {
            (Some(tree), _) => {
                let folder = Some(self.folder?.trim_matches('/').to_owned());
                Some(Integrity { digest: tree.value, size: None, folder })
            }
            (None, Some(sha256)) => {
                let size = self.bytes.map(|bytes| bytes.value as u64);
                Some(Integrity { digest: sha256.value, size, folder: None })
            }
            (None, None) => None,
        };
        let place = match (self.url.map(|url| url.value), self.path) {
            (Some(Location::Remote(url, in_mirror)), _) => {
                Place::Remote(RemoteFile { url, in_mirror, integrity: integrity? })
            }
            (Some(Location::Local(path)), _) => Place::Local { path, integrity },
            (None, path) => Place::Local { path: reading.folder.join(&path?.value), integrity },
        };
        Some(Source { place, encoding: self.encoding.value })
    }
}

impl FileKeys {
    fn entry(self, reading: &Reading<'_>) -> Option<FileEntry> {
        let charset = self.charset.unwrap_or(Charset::Utf8);
        let target = self.target.map(|target| target.value);
        let format = match self.format.value {
            FormatWord::BinaryCsv => Format::BinaryCsv,
            FormatWord::LabelledLines => Format::LabelledLines(charset),
            FormatWord::ReutersSgml => Format::ReutersSgml(charset),
            FormatWord::IdxImages => Format::IdxImages,
            FormatWord::IdxLabels => Format::IdxLabels,
            FormatWord::AttributeCsv => {
                let skipped = self.skipped.unwrap_or(0);
                Format::AttributeCsv(Columns { class: self.class?, skipped })
            }
            // What an ARFF file says itself its table can't have.
            word @ (FormatWord::Csv | FormatWord::Arff) => {
                let layout = Layout {
                    header: self.header.unwrap_or(true),
                    delimiter: self.delimiter.unwrap_or(b','),
                    target: target?,
                    group: self.group,
                    time: self.time,
                    attributes: self.attributes,
                    categories: self.categories.map_or_else(Vec::new, |names| names.value),
                    decimal: self.decimal,
                    charset,
                };
                if word == FormatWord::Csv { Format::Csv(layout) } else { Format::Arff(layout) }
            }
            FormatWord::Libsvm => Format::Libsvm,
            FormatWord::NpyFeatures => Format::NpyFeatures,
            FormatWord::NpyTarget => Format::NpyTarget,
            FormatWord::Npz => Format::Npz { features: self.features?, target },
            FormatWord::OpenmlSplits => Format::OpenmlSplits,
            word @ (FormatWord::TextFiles | FormatWord::Messages) => {
                let messages = word == FormatWord::Messages;
                let content = if messages { Content::Messages } else { Content::Text };
                Format::TextFiles { documents: self.documents?.value, content, charset }
            }
        };
        let sources = self.sources.into_iter().map(|source| source.source(reading));
        let sources = sources.collect::<Option<Vec<Source>>>()?;
        Some(FileEntry { role: self.role.value, format, sources })
    }
}

/// The files that a table names, in the order of their roles, once they go with the dataset's kind and shape.
pub(super) fn files(
    named: &Spanned<Vec<FileKeys>>,
    kind: Option<Kind>,
    shape: Option<&Spanned<Shape>>,
    reading: &mut Reading<'_>,
) -> Option<Vec<FileEntry>> {
    let before = reading.faults.len();
    let files: Option<Vec<FileEntry>> =
        named.iter().map(|file| file.clone().entry(reading)).collect();
    for (at, file) in named.iter().enumerate() {
        if let Some(kind) = kind {
            check_kind(file, kind, reading);
        }
        // Documents may come in many files, everything else in one.
        let second = |other: &FileKeys| other.role == file.role && other.format == file.format;
        if kind != Some(Kind::Text) && named[..at].iter().any(second) {
            let why = format!("a second file has the role `{}`", file.role.word());
            reading.faults.at(&file.role.span, why, "again");
        }
    }
    let all = Files { named, files: files?, kind, shape: shape? };
    if reading.faults.len() > before {
        return None;
    }
    all.check_roles(reading.faults);
    all.check_parts(reading.faults);
    all.check_target(reading.faults);
    let images = [(Format::IdxImages, "images"), (Format::IdxLabels, "labels")];
    let arrays = [(Format::NpyFeatures, "examples"), (Format::NpyTarget, "targets")];
    match kind {
        Some(Kind::Image) => all.check_pairs(&images, reading.faults),
        Some(Kind::Numeric) => all.check_pairs(&arrays, reading.faults),
        _ => {}
    }
    all.check_folds(reading.faults);
    let mut files = all.files;
    files.sort_by_key(|file| file.role);
    Some(files)
}

/// A file has a format of the dataset's kind, and the keys that go with both.
fn check_kind(file: &FileKeys, kind: Kind, reading: &mut Reading<'_>) {
    let format = &file.format;
    if !format.of().contains(&kind) {
        let of: Vec<&str> = format.of().iter().map(|kind| kind.word()).collect();
        let why = format!("this format is of datasets of kind `{}`", of.join("` or `"));
        let label = format!("the dataset is of kind `{}`", kind.word());
        reading.faults.at(&format.span, why, label);
    }
    if let (Some(categories), Kind::Binary | Kind::Categorical) = (&file.categories, kind) {
        let have = if kind == Kind::Binary { "are 0/1 variables" } else { "have names" };
        let why = format!("all attributes of a dataset of kind `{}` {have}", kind.word());
        reading.leave_out(&categories.span, why);
    }
    if format.value != FormatWord::Npz {
        return;
    }
    match (&file.target, kind) {
        (None, Kind::Numeric) => {
            let why = "the examples of a numeric dataset have targets";
            reading.faults.at(&format.span, why, "`target` names their array");
        }
        (Some(target), Kind::Binary) => {
            let why = "the examples of a binary dataset have no targets";
            reading.leave_out(&target.span, why);
        }
        _ => {}
    }
}

/// The files of a dataset, with the keys that gave them, its kind and its shape.
struct Files<'a> {
    named: &'a Spanned<Vec<FileKeys>>,
    files: Vec<FileEntry>,
    kind: Option<Kind>,
    shape: &'a Spanned<Shape>,
}

impl Files<'_> {
    /// A format that has classes is of no dataset whose target is a number; and of 0/1 variables tables have classes, and
    /// nothing else has.
    fn check_target(&self, faults: &mut Faults) {
        let Self { named, kind, shape, .. } = *self;
        for format in named.iter().map(|file| &file.format) {
            let table = matches!(
                format.value,
                FormatWord::Csv | FormatWord::Arff | FormatWord::Libsvm | FormatWord::OpenmlSplits
            );
            match (shape.value.target, kind) {
                (Target::Number, _) if format.value == FormatWord::AttributeCsv => {
                    let why =
                        "`attribute-csv` has classes, and `shape` says that the target is a number";
                    faults.at(&format.span, why, "use `csv`, with `header = false`");
                }
                (Target::Number, Some(Kind::Binary)) => {
                    let why = "a dataset of kind `binary` has classes, or nothing to predict";
                    faults.at(&shape.span, why, "set kind = \"numeric\" to predict a number");
                }
                (Target::None, Some(Kind::Binary)) if table => {
                    let why =
                        "a table of 0/1 variables has classes, and `shape` does not say how many";
                    faults.at(&shape.span, why, "expected `classes`");
                }
                (Target::Classes(_), Some(Kind::Binary)) if !table => {
                    let why = format!(
                        "`{}` has no classes, and `shape` says that there are some",
                        format.word()
                    );
                    faults.at(&format.span, why, "use `csv` or `arff`");
                }
                (Target::None | Target::Number | Target::Classes(_), _) => {}
            }
        }
    }

    /// Files tell the folds that the shape counts, and only of what has no published split.
    fn check_folds(&self, faults: &mut Faults) {
        let Self { ref files, kind, shape, .. } = *self;
        let folds = |file: &FileEntry| matches!(&file.format, Format::TextFiles { documents, .. } if documents.tells_folds());
        let splits = files.iter().any(|file| file.format == Format::OpenmlSplits);
        if splits && !matches!(shape.rows, Rows::Whole(_)) {
            let why = "the folds of a task are of a dataset without a published split";
            faults.at(&shape.span, why, "expected `rows`");
        }
        if shape.folds.is_some() != (splits || files.iter().all(folds)) {
            let why = if kind == Some(Kind::Text) {
                "`folds` in `shape` and `{fold}` in `documents` need each other"
            } else {
                "`folds` in `shape` and a file of the format `openml-splits` need each other"
            };
            faults.at(&shape.span, why, "only one of them is there");
        }
    }

    /// Each role needs a file if `shape` gives it examples, unless files hold all of them.
    fn check_roles(&self, faults: &mut Faults) {
        let (named, files, rows) = (self.named, &self.files, self.shape.rows);
        let whole =
            matches!(rows, Rows::Whole(_)) || files.iter().any(|file| file.role == Role::All);
        for (word, role) in Role::WORDS.iter() {
            let size = if whole == (role == Role::All) { rows.of(role) } else { 0 };
            match files.iter().position(|file| file.role == role) {
                None if size > 0 => {
                    let why = format!("no file has the role `{word}`");
                    let label = format!("`shape` gives it {size} rows");
                    faults.at(&named.span, why, label);
                }
                Some(index) if size == 0 => {
                    let why = format!("`shape` gives no rows to the role `{word}`");
                    faults.at(&named[index].role.span, why, "no rows");
                }
                _ => {}
            }
        }
    }

    /// The documents of an archive are sorted by their paths, which have no order of parts.
    fn check_parts(&self, faults: &mut Faults) {
        for (keys, file) in self.named.iter().zip(&self.files) {
            if let (Format::TextFiles { documents, .. }, Role::All, Rows::Split(_)) =
                (&file.format, file.role, self.shape.rows)
                && !documents.tells_parts()
            {
                let why = "nothing tells which part of the published split a document belongs to";
                let label = "expected `{part}` here, or a file for each role";
                let documents = keys.documents.as_ref().map_or(&keys.role.span, |text| &text.span);
                faults.at(documents, why, label);
            }
        }
    }

    /// Examples need their targets, and targets their examples, where they are in files of their own.
    fn check_pairs(&self, pair: &[(Format, &str); 2], faults: &mut Faults) {
        let label = format!("each role needs {} and {}", pair[0].1, pair[1].1);
        for ((one, _), (other, lacks)) in [(&pair[0], &pair[1]), (&pair[1], &pair[0])] {
            for file in self.files.iter().filter(|file| file.format == *one) {
                if !self.files.iter().any(|found| found.role == file.role && found.format == *other)
                {
                    let why = format!("no file has the {lacks} of the role `{}`", file.role.word());
                    faults.at(&self.named.span, why, label.clone());
                }
            }
        }
    }
}
