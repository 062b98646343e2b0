//! A method of your own as a program without dependencies: the class of the nearest centroid. `fit` and `nearest` are
//! the method; below them is the dialogue with reprise (docs/reference/command-methods.md).

use std::fs::{self, File};
use std::io::{self, BufRead as _, Write as _};
use std::os::fd::FromRawFd as _;

/// The mean of the rows of each class.
fn fit(rows: &[Vec<f64>], classes: &[usize]) -> Vec<Vec<f64>> {
    let count = classes.iter().max().map_or(0, |&last| last + 1);
    let columns = rows.first().map_or(0, Vec::len);
    let mut means = vec![vec![0.0; columns]; count];
    let mut sizes = vec![0.0; count];
    for (row, &class) in rows.iter().zip(classes) {
        sizes[class] += 1.0;
        means[class].iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    for (mean, size) in means.iter_mut().zip(sizes) {
        mean.iter_mut().for_each(|sum| *sum /= f64::max(size, 1.0));
    }
    means
}

/// The class whose mean is nearest; of equally near ones the first.
fn nearest(means: &[Vec<f64>], row: &[f64], power: i32) -> usize {
    let far = |mean: &Vec<f64>| -> f64 {
        mean.iter().zip(row).map(|(a, b)| (a - b).abs().powi(power)).sum()
    };
    let far: Vec<f64> = means.iter().map(far).collect();
    (0..far.len()).fold(0, |best, class| if far[class] < far[best] { class } else { best })
}

fn main() -> io::Result<()> {
    let reply = std::env::var("REPRISE_REPLY_FD").ok().and_then(|fd| fd.parse().ok());
    // SAFETY: reprise opened it for this program alone.
    let mut reply = unsafe { File::from_raw_fd(reply.expect("started by reprise")) };
    writeln!(reply, "{{\"ready\": 1}}")?;
    for request in io::stdin().lock().lines() {
        let request = request?;
        let text = |key: &str| value(&request, key).trim_matches('"').to_owned();
        let (data, out, trial) = (text("data"), text("out"), text("trial"));
        let power = text("power").parse::<f64>().expect("a number") as i32;
        let classes = column(&format!("{data}/train.y.csv"))?;
        let classes: Vec<usize> =
            classes.iter().map(|class| class.parse().expect("a class")).collect();
        let means = fit(&rows(&format!("{data}/train.x.csv"))?, &classes);
        for batch in value(&request, "answer").trim_matches(['[', ']']).split(',') {
            let batch = batch.trim().trim_matches('"');
            let tokens = column(&format!("{data}/{batch}.token.csv"))?;
            let mut answer = "token,answer\n".to_owned();
            for (token, row) in tokens.iter().zip(rows(&format!("{data}/{batch}.x.csv"))?) {
                answer += &format!("{token},{}\n", nearest(&means, &row, power));
            }
            fs::write(format!("{out}/{batch}.partial"), answer)?;
            fs::rename(format!("{out}/{batch}.partial"), format!("{out}/{batch}.csv"))?;
        }
        writeln!(reply, "{{\"trial\": \"{trial}\", \"done\": true}}")?;
    }
    Ok(())
}

/// The value of a key in a line of JSON: a text, a number or a list without lists in it.
fn value<'j>(json: &'j str, key: &str) -> &'j str {
    let start = json.find(&format!("\"{key}\"")).expect("reprise says it") + key.len() + 2;
    let rest = json[start..].trim_start_matches([':', ' ']);
    let end = match rest.chars().next() {
        Some('[') => rest.find(']').map(|at| at + 1),
        Some('"') => rest[1..].find('"').map(|at| at + 2),
        _ => rest.find([',', '}']),
    };
    &rest[..end.unwrap_or(rest.len())]
}

/// The lines of a CSV file below its header.
fn column(path: &str) -> io::Result<Vec<String>> {
    Ok(fs::read_to_string(path)?.lines().skip(1).map(str::to_owned).collect())
}

/// The rows of numbers of a CSV file.
fn rows(path: &str) -> io::Result<Vec<Vec<f64>>> {
    let row =
        |line: String| line.split(',').map(|field| field.parse().expect("a number")).collect();
    Ok(column(path)?.into_iter().map(row).collect())
}
