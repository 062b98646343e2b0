//! Answers as comma-separated text.

use ndarray::Array2;

use super::{Raw, Values};
use crate::hand_over::About;
use crate::program::Gives;

/// The rows of a CSV answer: `token,answer`, or `token` and a number of each class.
///
/// # Errors
/// What is wrong, as a phrase that goes on after "test.csv ".
pub(super) fn read(text: &[u8], about: &About) -> Result<Raw, String> {
    let mut reader = csv::Reader::from_reader(text);
    let header = reader.headers().map_err(|error| format!("can't be read: {error}"))?;
    let of_each_class = about.gives.of_each_class();
    let columns = if of_each_class { about.classes.len() } else { 1 };
    if header.len() != columns + 1 || header.get(0) != Some("token") {
        let named = if of_each_class { about.classes.join(",") } else { "answer".to_owned() };
        let found = header.iter().collect::<Vec<&str>>().join(",");
        return Err(format!("begins with `{found}`; `token,{named}` was expected"));
    }
    let named = |(found, class): (&str, &String)| found != class.as_str();
    if of_each_class && header.iter().skip(1).zip(&about.classes).any(named) {
        return Err(format!("has other classes than, in this order, {}", about.classes.join(",")));
    }
    let (mut tokens, mut labels, mut reals) = (Vec::new(), Vec::new(), Vec::new());
    for (row, record) in reader.records().enumerate() {
        let line = row + 2;
        let record = record.map_err(|error| format!("can't be read: {error}"))?;
        let mut cells = record.iter().map(str::trim);
        tokens.push(number(cells.next(), line, "a token")?);
        for cell in cells {
            if about.gives == Gives::Labels {
                labels.push(number(Some(cell), line, "a class, counted from 0")?);
            } else {
                reals.push(number(Some(cell), line, "a number")?);
            }
        }
    }
    let values = match about.gives {
        Gives::Labels => Values::Labels(labels),
        Gives::Values | Gives::LogLikelihoods => Values::Reals(reals),
        Gives::Probabilities | Gives::Scores => {
            let shaped = Array2::from_shape_vec((tokens.len(), columns), reals);
            Values::OfEachClass(shaped.map_err(|error| format!("can't be read: {error}"))?)
        }
    };
    Ok(Raw { tokens, values })
}

fn number<T: std::str::FromStr>(cell: Option<&str>, line: usize, what: &str) -> Result<T, String> {
    let cell = cell.unwrap_or_default();
    cell.parse().map_err(|_| {
        let shown: String = cell.chars().take(40).collect();
        format!(
            "has `{}` where {what} was expected, in line {line}",
            base::printable::printable(&shown)
        )
    })
}
