//! The files of an entry: where they are, what they must be, how they are read.

use contract::words::Words;
use std::path::{Path, PathBuf};

use reqwest::Url;

use super::fields::Fields;
use super::{
    Charset, Encoding, FileEntry, Format, Integrity, Kind, Place, RemoteFile, Role, Rows, Shape,
    Source,
};
use crate::format::attribute_csv::{ClassColumn, Columns};
use crate::format::text_files::{Content, Pattern};
use crate::limits;
use base::digest::Digest;
use document::Faults;

pub(super) fn files(
    table: &Fields<'_>,
    kind: Option<&Kind>,
    shape: Option<Shape>,
    folder: &Path,
    faults: &mut Faults,
) -> Option<Vec<FileEntry>> {
    let tables = table.needed_tables("files", "where the examples are", faults)?;
    let before = faults.len();
    let mut files: Vec<FileEntry> = Vec::new();
    for table in &tables {
        if let Some(file) = file(table, kind, folder, faults) {
            // Documents may come in many files, everything else in one.
            let text = matches!(kind, Some(Kind::Text { .. }));
            let second = |other: &FileEntry| other.role == file.role && other.format == file.format;
            if !text && files.iter().any(second) {
                let why = format!("a second file has the role `{}`", file.role.word());
                faults.at(&table.place("role"), why, "again");
            }
            files.push(file);
        }
    }
    let shape = shape?;
    if faults.len() > before {
        return None;
    }
    check_roles(table, &tables, &files, shape.rows, faults);
    check_parts(&tables, &files, shape.rows, faults);
    if kind.is_some_and(|kind| matches!(kind, Kind::Image { .. })) {
        check_images(table, &files, faults);
    }
    let folds = |file: &FileEntry| match &file.format {
        Format::TextFiles { documents, .. } => documents.tells_folds(),
        _ => false,
    };
    if shape.folds.is_some() != files.iter().all(folds) {
        let why = "`folds` in `shape` and `{fold}` in `documents` need each other";
        faults.at(&table.place("shape"), why, "only one of them is there");
    }
    files.sort_by_key(|file| file.role);
    Some(files)
}

/// Each role needs a file if `shape` gives it examples, unless files hold all of them.
fn check_roles(
    table: &Fields<'_>,
    tables: &[Fields<'_>],
    files: &[FileEntry],
    rows: Rows,
    faults: &mut Faults,
) {
    let whole = matches!(rows, Rows::Whole(_)) || files.iter().any(|file| file.role == Role::All);
    for (word, role) in Role::ALL.iter() {
        let size = if whole == (role == Role::All) { rows.of(role) } else { 0 };
        match files.iter().position(|file| file.role == role) {
            None if size > 0 => {
                let why = format!("no file has the role `{word}`");
                let label = format!("`shape` gives it {size} rows");
                faults.at(&table.place("files"), why, label);
            }
            Some(index) if size == 0 => {
                let why = format!("`shape` gives no rows to the role `{word}`");
                faults.at(&tables[index].place("role"), why, "no rows");
            }
            _ => {}
        }
    }
}

/// The documents of an archive are sorted by their paths, which have no order of parts.
fn check_parts(tables: &[Fields<'_>], files: &[FileEntry], rows: Rows, faults: &mut Faults) {
    for (table, file) in tables.iter().zip(files) {
        if let (Format::TextFiles { documents, .. }, Role::All, Rows::Split { .. }) =
            (&file.format, file.role, rows)
            && !documents.tells_parts()
        {
            let why = "nothing tells which part of the published split a document belongs to";
            let label = "expected `{part}` here, or a file for each role";
            faults.at(&table.place("documents"), why, label);
        }
    }
}

/// Images need their labels, and labels their images.
fn check_images(table: &Fields<'_>, files: &[FileEntry], faults: &mut Faults) {
    for (one, other, what) in [
        (Format::IdxImages, Format::IdxLabels, "labels"),
        (Format::IdxLabels, Format::IdxImages, "images"),
    ] {
        for file in files.iter().filter(|file| file.format == one) {
            if !files.iter().any(|found| found.role == file.role && found.format == other) {
                let why = format!("no file has the {what} of the role `{}`", file.role.word());
                faults.at(&table.place("files"), why, "each role needs images and labels");
            }
        }
    }
}

fn file(
    table: &Fields<'_>,
    kind: Option<&Kind>,
    folder: &Path,
    faults: &mut Faults,
) -> Option<FileEntry> {
    let role = table.needed_word("role", &Role::ALL, faults);
    let format = format(table, kind, faults);
    let tables = table.needed_tables("sources", "where the file is", faults);
    let sources = tables.and_then(|tables| {
        let archive = format.as_ref().map(|format| matches!(format, Format::TextFiles { .. }));
        let sources: Vec<Option<Source>> =
            tables.iter().map(|table| source(table, archive, folder, faults)).collect();
        sources.into_iter().collect::<Option<Vec<Source>>>()
    });
    let (role, format) = (role?, format?);
    let parted = match &format {
        Format::ReutersSgml(_) => true,
        Format::TextFiles { documents, .. } => documents.tells_parts(),
        _ => false,
    };
    if parted && role != Role::All {
        let why = "this file itself tells which part a document belongs to";
        faults.at(&table.place("role"), why, "its role is `all`");
    }
    Some(FileEntry { role, format, sources: sources? })
}

/// The format with its own keys.
fn format(table: &Fields<'_>, kind: Option<&Kind>, faults: &mut Faults) -> Option<Format> {
    #[derive(Clone, Copy, PartialEq)]
    enum Word {
        BinaryCsv,
        LabelledLines,
        TextFiles(Content),
        ReutersSgml,
        IdxImages,
        IdxLabels,
        AttributeCsv,
    }
    const WORDS: Words<Word> = Words(&[
        ("binary-csv", Word::BinaryCsv, "an example a line, 0 or 1 for each variable"),
        ("labelled-lines", Word::LabelledLines, "a document a line: its class, a tab, its text"),
        ("text-files", Word::TextFiles(Content::Text), "an archive of one document a file"),
        (
            "newsgroup-messages",
            Word::TextFiles(Content::Messages),
            "an archive of one message a file",
        ),
        ("reuters-sgml", Word::ReutersSgml, "a file of Reuters-21578"),
        ("idx-images", Word::IdxImages, "images as those of MNIST"),
        ("idx-labels", Word::IdxLabels, "classes as those of MNIST"),
        ("attribute-csv", Word::AttributeCsv, "an example a line, its attributes and its class"),
    ]);
    const COMMON: [&str; 3] = ["role", "format", "sources"];
    let word = table.needed_word("format", &WORDS, faults);
    let (own, of): (&[&str], &[&str]) = match word {
        None => (&["charset", "documents", "class", "skipped"], &[]),
        Some(Word::BinaryCsv) => (&[], &["binary"]),
        Some(Word::LabelledLines | Word::ReutersSgml) => (&["charset"], &["text"]),
        Some(Word::TextFiles(_)) => (&["charset", "documents"], &["text"]),
        Some(Word::IdxImages | Word::IdxLabels) => (&[], &["image"]),
        Some(Word::AttributeCsv) => (&["class", "skipped"], &["categorical", "numeric"]),
    };
    table.only(&[&COMMON[..], own].concat(), faults);
    let word = word?;
    if let Some(kind) = kind
        && !of.contains(&kind.word())
    {
        let why = format!("this format is of datasets of kind `{}`", of.join("` or `"));
        faults.at(&table.place("format"), why, format!("the dataset is of kind `{}`", kind.word()));
    }
    let charset = if table.has("charset") {
        table.word("charset", &Charset::ALL, faults)
    } else {
        Some(Charset::Utf8)
    };
    Some(match word {
        Word::BinaryCsv => Format::BinaryCsv,
        Word::LabelledLines => Format::LabelledLines(charset?),
        Word::ReutersSgml => Format::ReutersSgml(charset?),
        Word::IdxImages => Format::IdxImages,
        Word::IdxLabels => Format::IdxLabels,
        Word::AttributeCsv => {
            let class = table.needed_word("class", &ClassColumn::ALL, faults);
            let skipped = if table.has("skipped") {
                let what = "the columns at the left that are no attributes";
                table.needed_size("skipped", what, limits::VARIABLES, faults)
            } else {
                Some(0)
            };
            Format::AttributeCsv(Columns { class: class?, skipped: skipped? })
        }
        Word::TextFiles(content) => {
            let what = "which files of the archive are documents, such as \"{class}/{name}\"";
            let text = table.needed_text("documents", what, faults)?;
            match Pattern::parse(&text) {
                Ok(documents) => Format::TextFiles { documents, content, charset: charset? },
                Err(why) => {
                    faults.at(&table.place("documents"), why, "no pattern of paths");
                    return None;
                }
            }
        }
    })
}

/// `archive` says whether the format is one of archives, if it is known.
fn source(
    table: &Fields<'_>,
    archive: Option<bool>,
    folder: &Path,
    faults: &mut Faults,
) -> Option<Source> {
    table.only(&["url", "path", "sha256", "bytes", "tree", "folder", "encoding"], faults);
    let encoding = if table.has("encoding") {
        table.word("encoding", &Encoding::ALL, faults)
    } else {
        Some(Encoding::Plain)
    };
    if let (Some(archive), Some(encoding)) = (archive, encoding)
        && archive != (encoding == Encoding::TarGzip)
    {
        let (why, label) = if archive {
            ("this format reads archives", "expected `encoding = \"tar.gz\"`")
        } else {
            ("this format reads no archives", "expected `plain` or `gzip`")
        };
        faults.at(&table.place("encoding"), why, label);
    }
    let integrity = integrity(table, faults);
    let local = |path: PathBuf| Place::Local { path, integrity: integrity.clone() };
    let place = match (table.has("url"), table.has("path")) {
        (false, true) => table.text("path", faults).map(|path| local(folder.join(path))),
        (true, false) => table.text("url", faults).and_then(|text| match location(text) {
            Ok(Location::Local(path)) => Some(local(path)),
            Ok(Location::Remote(url, in_mirror)) => {
                for (key, what) in [
                    ("sha256", "the digest that the download must have"),
                    ("bytes", "the size of the download"),
                ] {
                    if !table.has(key) && !table.has("tree") {
                        table.missing(key, what, faults);
                    }
                }
                integrity
                    .clone()
                    .map(|integrity| Place::Remote(RemoteFile { url, in_mirror, integrity }))
            }
            Err(why) => {
                faults.at(&table.place("url"), why, "can't be fetched");
                None
            }
        }),
        (true, true) => {
            let why = "a source has either a `url` or a `path`";
            faults.at(&table.place("path"), why, "this one has both");
            None
        }
        (false, false) => {
            table.missing("url", "where the file is; or `path`", faults);
            None
        }
    };
    Some(Source { place: place?, encoding: encoding? })
}

/// What the file must be, if the table says.
fn integrity(table: &Fields<'_>, faults: &mut Faults) -> Option<Integrity> {
    let mut digest = |key: &str| {
        let parsed = table.text(key, faults)?.parse::<Digest>();
        parsed.map_err(|error| faults.at(&table.place(key), error.to_string(), "no digest")).ok()
    };
    let (sha256, tree) = (digest("sha256"), digest("tree"));
    if table.has("tree") {
        for key in ["sha256", "bytes"] {
            if table.has(key) {
                let why =
                    format!("`{key}` is of a file, `tree` of an archive whose bytes may change");
                faults.at(&table.place(key), why, "`tree` is there too");
            }
        }
        let folder = table.needed_text("folder", "the folder that `tree` is about", faults);
        let folder = folder?.trim_matches('/').to_owned();
        return tree.map(|digest| Integrity::Tree { digest, folder });
    }
    if table.has("folder") {
        faults.at(&table.place("folder"), "`folder` needs `tree`", "there is no `tree`");
    }
    let size = table.whole("bytes", faults);
    if size.is_some_and(|size| size > limits::FILE) {
        let label = format!("expected at most {}", limits::FILE);
        faults.at(&table.place("bytes"), "the file is larger than this program reads", label);
    }
    sha256.map(|digest| Integrity::Bytes { digest, size })
}

enum Location {
    Local(PathBuf),
    Remote(Url, Vec<String>),
}

fn location(text: &str) -> Result<Location, String> {
    let url = Url::parse(text).map_err(|error| format!("`{text}` is no url: {error}"))?;
    match url.scheme() {
        "http" | "https" => {
            if !url.username().is_empty() || url.password().is_some() {
                return Err("a url in a registry must not hold a user name or password".to_owned());
            }
            let in_mirror = in_mirror(&url)?;
            Ok(Location::Remote(url, in_mirror))
        }
        "file" => match url.to_file_path() {
            Ok(path) => Ok(Location::Local(path)),
            Err(()) => Err(format!("`{text}` names no file of this machine: file:///path")),
        },
        other => Err(format!("`{other}:` urls are refused: use https, http or file")),
    }
}

/// `<host>/<path>`, percent-decoded, as `wget --mirror` lays files out.
fn in_mirror(url: &Url) -> Result<Vec<String>, String> {
    let host = url.host_str().ok_or_else(|| format!("`{url}` has no host"))?;
    let host = match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    let mut segments = vec![host];
    for segment in url.path_segments().into_iter().flatten() {
        let decoded = percent_decoded(segment)
            .filter(|name| !matches!(name.as_str(), "" | "." | ".."))
            .filter(|name| !name.contains(['/', '\\', '\0']))
            .ok_or_else(|| format!("`{segment}` in the path of `{url}` cannot be a file name"))?;
        segments.push(decoded);
    }
    if let (Some(query), Some(last)) = (url.query(), segments.last_mut()) {
        if query.contains(['/', '\\', '\0']) {
            return Err(format!("`?{query}` of `{url}` cannot be part of a file name"));
        }
        *last = format!("{last}?{query}");
    }
    Ok(segments)
}

fn percent_decoded(segment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                bytes.push(u8::try_from(digit(high)? * 16 + digit(low)?).ok()?);
                rest = after;
            }
            (b'%', _) => return None,
            _ => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).ok()
}
