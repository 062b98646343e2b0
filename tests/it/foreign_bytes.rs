//! The readers of foreign bytes (TOML, comma-separated values, SGML, tar, and the smaller ones) never bring the
//! process down, and what they refuse has a place in the file. `REPRISE_FUZZ_CASES` asks for more cases than the
//! few that are tried each time, and for others.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use reprise::KNOWN;
use reprise::contract::binary::BinaryRows;
use reprise::data::format::attribute_csv::{self, ClassColumn, Columns};
use reprise::data::format::columns::{Table, Wanted};
use reprise::data::format::csv;
use reprise::data::format::fault::{Fault, Place};
use reprise::data::format::{archive, binary_csv, idx, labelled_lines, reuters_sgml};
use reprise::data::registry::Registry;
use reprise::data::vocabulary::Charset;
use reprise::document::DocumentError;
use reprise::spec::{self, Known};

use crate::support::property::{damaged, fuzz};
use crate::support::registry;

/// A sound file, which damages turn into others.
#[derive(Debug, Clone)]
struct Damages {
    seed: u64,
    times: usize,
}

impl Damages {
    fn of(&self, sound: &[u8]) -> Vec<u8> {
        damaged(sound, self.seed, self.times)
    }
}

fn damages() -> impl Strategy<Value = Damages> {
    (any::<u64>(), 0..6_usize).prop_map(|(seed, times)| Damages { seed, times })
}

/// A damaged file, or one that never was any.
fn file(sound: &'static [u8]) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => damages().prop_map(move |damages| damages.of(sound)),
        1 => vec(any::<u8>(), 0..300),
    ]
}

/// Whether a place is one of the file, or right behind its end.
fn inside(fault: &Fault, bytes: &[u8]) -> bool {
    match fault.place {
        Place::InLine { line, column } => {
            let mut lines = bytes.split(|&byte| byte == b'\n');
            let line = lines.nth(line.wrapping_sub(1));
            line.is_some_and(|line| 1 <= column && column <= line.len() + 1)
        }
        Place::Byte(byte) => byte <= bytes.len(),
        _ => false,
    }
}

/// Whether what is read has as many columns as it should and lines of the file, and what is refused a line and a cure.
fn has_its_line(read: &Result<Table, Fault>, bytes: &[u8], width: usize) -> bool {
    let lines = 1..=1 + bytes.iter().filter(|&&byte| byte == b'\n').count();
    match read {
        Ok(table) => {
            let inside = |line: &u32| lines.contains(&(*line as usize));
            table.attributes.len() == width && table.lines.iter().all(inside)
        }
        Err(Fault { place, cure, .. }) => match place {
            Place::Line(line) | Place::Value { line, .. } => {
                lines.contains(line) && !cure.is_empty()
            }
            Place::InLine { .. }
            | Place::Byte(_)
            | Place::Document { .. }
            | Place::Array { .. } => false,
        },
    }
}

const BITS: &[u8] = b"0,1,0\n1,1,1\n0,0,0\n1,0,0\n";
const RECORDS: &[u8] = b"1,2.5,yes\n?,-3,no\n\n4,1e5,yes\r\n0,0,no\n";
const LINES: &[u8] = b"a\tapple both\nb\tbread\nc\tcaf\xc3\xa9\n";
const STORIES: &[u8] = b"<!DOCTYPE lewis SYSTEM \"lewis.dtd\">\n\
    <REUTERS TOPICS=\"YES\" LEWISSPLIT=\"TRAIN\" CGISPLIT=\"TRAINING-SET\" OLDID=\"1\" NEWID=\"1\">\n\
    <DATE>1</DATE><TOPICS><D>cocoa</D></TOPICS><TEXT>&#2;<TITLE>RAIN &amp; SUN</TITLE>\
    <BODY>Showers &lt;continued&gt; &#13;\n&#3;</BODY></TEXT>\n</REUTERS>\n\
    <REUTERS TOPICS=\"YES\" LEWISSPLIT=\"TEST\" NEWID=\"2\"><TOPICS><D>earn</D></TOPICS>\
    <TEXT TYPE=\"UNPROC\">&#2;plain text</TEXT></REUTERS>\n";

/// A tar, not yet packed.
fn tar() -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let long = format!("r-1/{}/c", "d".repeat(150));
    for (path, content) in [("r-1/a", "one"), ("r-1/b", ""), (&*long, "two\n")] {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, path, content.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

proptest! {
    #![proptest_config(fuzz())]

    #[test]
    fn rows_of_bits(bytes in file(BITS)) {
        let mut rows = BinaryRows::new(3);
        match binary_csv::parse(&bytes, &mut rows) {
            // What is read is what is there.
            Ok(count) => {
                let cell = |row: &[u32], at| if row.contains(&at) { "1" } else { "0" };
                let line = |row| [0, 1, 2].map(|at| cell(row, at)).join(",");
                let text = rows.iter().map(line).collect::<Vec<_>>().join("\n");
                prop_assert_eq!(count, rows.len());
                prop_assert_eq!(text.as_bytes(), bytes.strip_suffix(b"\n").unwrap_or(&bytes));
            }
            Err(fault) => prop_assert!(inside(&fault, &bytes), "{fault} in {bytes:?}"),
        }
    }

    #[test]
    fn comma_separated_values(bytes in file(RECORDS), first in any::<bool>(), skipped in 0..2_usize) {
        let class = if first { ClassColumn::First } else { ClassColumn::Last };
        let columns = Columns { skipped, class };
        for wanted in [Wanted::Names, Wanted::Numbers] {
            let read = attribute_csv::read(&bytes, 2 - skipped, columns, 100, wanted);
            prop_assert!(has_its_line(&read, &bytes, 2 - skipped), "{read:?} in {bytes:?}");
        }
    }

    /// A table is read, or refused with a line that it has.
    #[test]
    fn tables(bytes in file(RECORDS), header in any::<bool>(), tabs in any::<bool>()) {
        let layout = csv::Layout {
            header,
            delimiter: if tabs { b'\t' } else { b',' },
            target: if header { "a" } else { "1" }.to_owned(),
            group: None,
            time: None,
            attributes: None,
            categories: Vec::new(),
            decimal: None,
            charset: Charset::Utf8,
        };
        let read = csv::read(&bytes, &layout, 100, &|_| Wanted::Names, Wanted::Names);
        let width = read.as_ref().map_or(0, |table| table.attributes.len());
        prop_assert!(has_its_line(&read, &bytes, width), "{read:?} in {bytes:?}");
    }

    #[test]
    fn documents_by_lines(bytes in file(LINES), latin in any::<bool>()) {
        let charset = if latin { Charset::Latin1 } else { Charset::Utf8 };
        let read = labelled_lines::read(&bytes, charset, &mut |_| ControlFlow::Continue(()));
        if let Err(fault) = read {
            prop_assert!(inside(&fault, &bytes), "{fault} in {bytes:?}");
        }
    }

    #[test]
    fn stories_in_sgml(bytes in file(STORIES), latin in any::<bool>()) {
        let charset = if latin { Charset::Latin1 } else { Charset::Utf8 };
        let read = reuters_sgml::read(&bytes, charset, &mut |_| ControlFlow::Continue(()));
        if let Err(fault) = read {
            prop_assert!(inside(&fault, &bytes), "{fault} in {bytes:?}");
        }
    }

    #[test]
    fn images(bytes in vec(any::<u8>(), 0..40), count in 0..4_u8, rows in 0..3_u8) {
        let header = [0, 0, 8, 3, 0, 0, 0, count, 0, 0, 0, rows, 0, 0, 0, 2];
        for bytes in [&bytes[..], &[&header[..], &bytes].concat()] {
            for fault in [idx::images(bytes).err(), idx::labels(bytes, 10).err()].into_iter().flatten() {
                prop_assert!(inside(&fault, bytes), "{fault} in {bytes:?}");
            }
        }
    }

    /// Damages inside of the packing, where its checksum does not find them, and of the packing itself.
    #[test]
    fn archives(damages in damages(), inner in any::<bool>(), folder in any::<bool>()) {
        let sound = tar();
        let bytes = if inner { packed(&damages.of(&sound)) } else { damages.of(&packed(&sound)) };
        let mut files = 0;
        let folder = folder.then_some("");
        let visit = |_: &str, content: &[u8]| -> std::io::Result<ControlFlow<()>> {
            files += content.len();
            Ok(ControlFlow::Continue(()))
        };
        let _ = archive::for_each(&bytes[..], folder, visit);
        prop_assert!(files <= sound.len() * 2, "more comes out than went in");
    }

    #[test]
    fn registries(damages in damages()) {
        let sound = registry::of(&[registry::tree(), registry::mine("path = \"rows.csv\"")]);
        let text = String::from_utf8_lossy(&damages.of(sound.as_bytes())).into_owned();
        match Registry::parse(&text, "datasets.toml", Path::new("")) {
            // What was read can be written, and read again.
            Ok(registry) => {
                let again = Registry::parse(&registry.to_text(), "datasets.toml", Path::new(""));
                let again = again.map(|again| again.to_text());
                prop_assert_eq!(again.ok(), Some(registry.to_text()));
            }
            Err(errors) => prop_assert!(!errors.errors.is_empty()),
        }
    }

    #[test]
    fn experiment_files(damages in damages()) {
        let sound = include_str!("../../experiments/quickstart.toml");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("experiment.toml");
        std::fs::write(&path, damages.of(sound.as_bytes())).unwrap();
        let known = Known { lists: &KNOWN, datasets: &[], code: None };
        if let Err(errors) = spec::load(&path, None, None, &known) {
            prop_assert!(!errors.errors.is_empty());
            // What is left out says why.
            let unsaid = |error: &DocumentError| error.to_string().contains("without saying why");
            prop_assert!(!errors.errors.iter().any(unsaid), "{errors:?}");
        }
    }
}
