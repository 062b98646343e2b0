//! The splits of an OpenML task: an ARFF file with the attributes `type`, `rowid`, `repeat` and `fold`. A row says that
//! an example, counted from 0, is for training (`TRAIN`) or for testing (`TEST`) in a fold of a repeat.

use super::arff::Arff;
use super::excerpt;
use super::fault::Fault;
use crate::limits;

const COLUMNS: [&str; 4] = ["type", "rowid", "repeat", "fold"];

/// The fold of each of `rows` examples, in which it is for testing.
///
/// # Errors
/// If the file is no such ARFF, has several repeats, or is no cross-validation of so many examples.
pub fn folds(text: &str, rows: usize) -> Result<Vec<u32>, Fault> {
    let arff = Arff::new(text)?;
    let names = arff.attributes.iter().map(|attribute| attribute.name.as_str());
    if !names.eq(COLUMNS) {
        let cure = "name the splits of an OpenML task";
        return Err(Fault::in_line(1, "its attributes are not type, rowid, repeat, fold", cure));
    }
    let mut of_row: Vec<Option<u32>> = vec![None; rows];
    let mut training: Vec<(usize, usize, u32)> = Vec::new();
    for (line, values) in arff.rows() {
        let values = values?;
        let text = |at: usize| values[at].as_deref().unwrap_or("?");
        let no = |what: String, cure: &str| Err(Fault::in_line(line, what, cure));
        let whole = |at: usize, below: usize| {
            text(at).parse::<usize>().ok().filter(|&number| number < below).ok_or_else(|| {
                let what = format!("{} {} is out of range", COLUMNS[at], excerpt(text(at)));
                Fault::in_line(line, what, format!("it is a whole number below {below}"))
            })
        };
        let row = whole(1, rows)?;
        if text(2) != "0" {
            let what = format!("repeat {} is not 0", excerpt(text(2)));
            return no(what, "splits of one repeat are read: keep those of repeat 0");
        }
        let fold = whole(3, limits::FOLDS)? as u32;
        match text(0) {
            "TRAIN" => training.push((line, row, fold)),
            "TEST" if of_row[row].is_some() => {
                let what = format!("example {row} is for testing a second time");
                return no(what, "an example is for testing in one fold");
            }
            "TEST" => of_row[row] = Some(fold),
            other => {
                return no(format!("type {} is unknown", excerpt(other)), "expected TRAIN or TEST");
            }
        }
    }
    if let Some(row) = of_row.iter().position(Option::is_none) {
        let what = format!("example {row} is in no fold for testing");
        return Err(Fault::in_line(1, what, "a cross-validation tests every example once"));
    }
    let known: Vec<u32> = of_row.into_iter().flatten().collect();
    check_training(&known, training)?;
    Ok(known)
}

/// That the training examples of each fold are all those for testing in others; they come with line, row and fold.
fn check_training(known: &[u32], training: Vec<(usize, usize, u32)>) -> Result<(), Fault> {
    let rows = known.len();
    let mut left: Vec<usize> = vec![0; known.iter().max().map_or(0, |&last| last as usize + 1)];
    known.iter().for_each(|&fold| left[fold as usize] += 1);
    let mut trained: Vec<usize> = vec![0; left.len()];
    for (line, row, fold) in training {
        if known[row] == fold || fold as usize >= left.len() {
            let what = format!("example {row} is for training in fold {fold}");
            let cure = "the training examples of a fold are those for testing in others";
            return Err(Fault::in_line(line, what, cure));
        }
        trained[fold as usize] += 1;
    }
    let short = (0..left.len()).find(|&fold| left[fold] + trained[fold] != rows);
    if let Some(fold) = short {
        let found = trained[fold];
        let what = format!("fold {fold} has {found} training examples, not {}", rows - left[fold]);
        let cure = "the training examples of a fold are all those for testing in others";
        return Err(Fault::in_line(1, what, cure));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "@relation s\n@attribute type {TRAIN,TEST}\n@attribute rowid numeric\n@attribute repeat numeric\n\
                        @attribute fold numeric\n@data\n";

    fn of(rows: &str) -> Result<Vec<u32>, String> {
        let rows = rows.replace(' ', "\n");
        folds(&(HEAD.to_owned() + &rows), 3).map_err(|fault| fault.to_string())
    }

    #[test]
    fn folds_are_those_for_testing() {
        let sound = "TEST,0,0,1 TRAIN,1,0,1 TRAIN,2,0,1 TEST,2,0,0 TEST,1,0,0 TRAIN,0,0,0";
        assert_eq!(of(sound).unwrap(), [1, 0, 0]);
        for (rows, message) in [
            ("TEST,3,0,0", "line 7: rowid `3` is out of range"),
            ("TEST,-1,0,0", "line 7: rowid `-1` is out of range"),
            ("TEST,0,1,0", "line 7: repeat `1` is not 0"),
            ("TEST,0,0,5000", "line 7: fold `5000` is out of range"),
            ("TEST,0,0,0 TEST,0,0,1", "line 8: example 0 is for testing a second time"),
            ("HOLD,0,0,0", "line 7: type `HOLD` is unknown"),
            ("TEST,0,0,0 TEST,1,0,0", "line 1: example 2 is in no fold for testing"),
            (
                "TEST,0,0,0 TEST,1,0,1 TEST,2,0,1 TRAIN,1,0,1",
                "line 10: example 1 is for training in fold 1",
            ),
            (
                "TEST,0,0,0 TEST,1,0,1 TEST,2,0,1 TRAIN,1,0,0",
                "line 1: fold 0 has 1 training examples, not 2",
            ),
        ] {
            assert_eq!(of(rows), Err(message.to_owned()));
        }
        let other = folds("@relation s\n@attribute a real\n@data\n1\n", 1).unwrap_err();
        assert_eq!(other.what, "its attributes are not type, rowid, repeat, fold");
    }
}
