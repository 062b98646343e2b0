//! The published density sets as they lie in the mirror folder that `REPRISE_MIRROR` names.

use std::io::Read as _;
use std::path::PathBuf;

use reprise::data::binary::BinaryRows;

const FOLDER: &str = "raw.githubusercontent.com/nicoladimauro/dcsn/\
                      dd0f7a43f5fededeeaf37905f48f918a25b8c2c7/data/generative";

/// One file of a set: `ts`, `valid` or `test`; none if no mirror is set.
pub fn load(set: &str, part: &str) -> Option<BinaryRows> {
    let mirror = PathBuf::from(std::env::var_os("REPRISE_MIRROR").filter(|path| !path.is_empty())?);
    let path = mirror.join(FOLDER).join(format!("{set}.{part}.data.gz"));
    let file = std::fs::File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
    let width = text.lines().next().unwrap().split(',').count();
    let mut rows = BinaryRows::new(width);
    for line in text.lines() {
        let ones: Vec<u32> =
            (0..).zip(line.split(',')).filter(|(_, digit)| *digit == "1").map(|(i, _)| i).collect();
        rows.push(&ones);
    }
    Some(rows)
}
