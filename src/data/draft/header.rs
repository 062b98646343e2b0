//! Whether the first line of a table has the names of its columns.

use std::collections::HashSet;

use crate::format::columns::number;
use crate::format::csv::is_missing;

/// What the first line is taken for, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// Whether it has names.
    pub is: bool,
    /// Why, for people.
    pub why: String,
}

/// What people write where a value is missing, beside what is read so.
const GAPS: [&str; 9] = ["n/a", "na", "nan", "null", "none", "-", "--", ".", "#n/a"];

/// Whether a text stands where a value is missing, as people write it.
pub(super) fn is_gap(text: &str) -> bool {
    is_missing(text) || GAPS.contains(&text.to_lowercase().as_str())
}

/// So many values that are not written as whole numbers make one on top of them odd.
const LEAST_FRACTIONS: usize = 10;

/// What one column says of the text on top of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// It is no number, and numbers are below it: a name.
    Proven,
    /// It stands nowhere among many values of few names.
    Stranger,
    /// It does not come again, where other values do.
    Name,
    /// It comes again.
    Again,
    /// It is a whole number, and none below it is written as one.
    Whole,
    /// It is a number, as those below it.
    Number,
    /// Nothing.
    Nothing,
}

fn is_whole(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn says(top: &str, below: &[&str]) -> Says {
    let numbers = below.iter().filter(|text| number(text, None).is_some()).count();
    let odd = is_whole(top)
        && below.len() >= LEAST_FRACTIONS
        && below.iter().all(|text| text.contains('.'));
    match (number(top, None).is_some(), 10 * numbers >= 9 * below.len()) {
        _ if below.is_empty() || is_gap(top) => Says::Nothing,
        (false, true) => Says::Proven,
        (true, true) if odd => Says::Whole,
        (true, true) => Says::Number,
        (true, false) => Says::Nothing,
        (false, false) if below.contains(&top) => Says::Again,
        (false, false) => {
            let different = below.iter().collect::<HashSet<_>>().len();
            match below.len() / different {
                10.. => Says::Stranger,
                2.. => Says::Name,
                _ => Says::Nothing,
            }
        }
    }
}

impl Header {
    /// Judges the first of some records by each column: one proof is enough, else more columns must speak for names
    /// than against. `asked` is what was said of the header, `target` the column that was asked for.
    pub fn of(rows: &[Vec<String>], asked: Option<bool>, target: Option<&str>) -> Self {
        let of = |is: bool, why: &str| Self { is, why: why.to_owned() };
        let (first, rest) = match (asked, rows.split_first()) {
            (Some(is), _) => return of(is, "--header says so"),
            (None, None) => return of(false, "there is none"),
            (None, Some(split)) => split,
        };
        // Without a header columns are called by their number.
        let is_place = |name: &str| name.parse().is_ok_and(|at| (1..=first.len()).contains(&at));
        let stands = |name: &&str| !is_place(name) && first.iter().any(|text| text == name);
        if let Some(name) = target.filter(stands) {
            return Self { is: true, why: format!("`{name}` stands there") };
        }
        let below = |at: usize| -> Vec<&str> {
            let texts = rest.iter().filter_map(|row| row.get(at)).map(String::as_str);
            texts.filter(|text| !is_missing(text)).collect()
        };
        let said: Vec<Says> =
            first.iter().enumerate().map(|(at, top)| says(top, &below(at))).collect();
        let of_column = |what: Says, is: bool, why: &str| {
            let at = said.iter().position(|&said| said == what)?;
            Some(Self { is, why: format!("`{}` of column {} {why}", first[at], at + 1) })
        };
        let count = |what: Says| said.iter().filter(|&&said| said == what).count();
        // Years and codes may be names, measured numbers are none but beside a name that is nowhere below.
        let measured = |(said, top): (&Says, &String)| *said == Says::Number && !is_whole(top);
        let measured = said.iter().zip(first).any(measured);
        let strangers = count(Says::Stranger);
        let named =
            strangers + count(Says::Name) > count(Says::Again) && (!measured || strangers > 0);
        of_column(Says::Proven, true, "stands above numbers")
            .or_else(|| counts_up(first).then(|| of(true, "its numbers count the columns")))
            .or_else(|| {
                let name = [Says::Stranger, Says::Name].into_iter();
                let mut name = name.filter_map(|says| of_column(says, true, "does not come again"));
                name.next().filter(|_| named)
            })
            .or_else(|| of_column(Says::Again, false, "comes again as a value"))
            .or_else(|| {
                of_column(Says::Whole, true, "is a whole number, unlike all below it")
                    .filter(|_| !measured)
            })
            .or_else(|| of_column(Says::Number, false, "is a number, as those below"))
            .unwrap_or_else(|| of(true, "nothing in it comes again"))
    }
}

/// Whether columns are called 0, 1, 2, …, as pandas does, perhaps behind one without a name: `0,1` alone is a row as well.
fn counts_up(first: &[String]) -> bool {
    let (named, least) = if first[0].is_empty() { (&first[1..], 2) } else { (first, 3) };
    named.len() >= least && named.iter().enumerate().all(|(at, name)| *name == at.to_string())
}
