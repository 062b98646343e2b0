//! Two results against each other: what moved, by how much, and which inputs differ.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use base::layout::{ENVIRONMENT, MANIFEST, SPEC};
use contract::Metrics;
use math::student_t;
use page::comparison::{CellMoved, Compared, Comparison, Flip, TrialMoved};
use run::record::Configuration;
use run::{Outcome, Record, Status, Trial, trials_csv};
use seal::{Folder, Manifest};
use spec::{Along, Header, SdOver};

use super::compare::flips;
use super::written::{MOST_COUNTED, Written, folders};
use super::{Error, environment};

/// Compares two results folders, or two trees of them experiment by experiment.
///
/// # Errors
/// If one of them holds no results, or records that can't be read.
pub fn compare(left: &Path, right: &Path, metrics: &Metrics) -> Result<Comparison, Error> {
    let names = [left, right].map(|path| path.display().to_string());
    let single = |path: &Path| path.join(MANIFEST).exists();
    if single(left) && single(right) {
        let (one, other) = (seal::check(left), seal::check(right));
        let experiments = vec![compared(&one, &other, metrics)?];
        return Ok(Comparison { sides: names, experiments, only: Default::default() });
    }
    let (left, right) = (by_id(left)?, by_id(right)?);
    let experiments = left.iter().filter_map(|(id, one)| Some((one, right.get(id)?)));
    let experiments = experiments.map(|(one, other)| compared(one, other, metrics));
    let only = |one: &BTreeMap<String, Folder>, other: &BTreeMap<String, Folder>| {
        one.keys().filter(|id| !other.contains_key(*id)).cloned().collect()
    };
    Ok(Comparison {
        sides: names,
        experiments: experiments.collect::<Result<_, _>>()?,
        only: [only(&left, &right), only(&right, &left)],
    })
}

/// The results below a folder by the ids of their experiments.
fn by_id(root: &Path) -> Result<BTreeMap<String, Folder>, Error> {
    let id = |folder: &Folder| Some(folder.manifest.as_ref()?.experiment.clone());
    let found = folders(root)?.into_iter();
    Ok(found.filter_map(|folder| Some((id(&folder)?, folder))).collect())
}

fn compared(left: &Folder, right: &Folder, metrics: &Metrics) -> Result<Compared, Error> {
    let (sides, budget) = ([left, right], Cell::new(MOST_COUNTED));
    let written = sides.map(|side| Written(&side.path, &budget));
    let manifests = sides.map(|side| side.manifest.as_ref());
    let digests = manifests.map(|side| side.map(|one| (one.digest, one.universes_digest)));
    let id = manifests.into_iter().flatten().next().map(|manifest| manifest.experiment.clone());
    let broken = sides.map(|side| side.differences.iter().map(ToString::to_string).collect());
    let records = [trials_csv::read(&left.path, metrics)?, trials_csv::read(&right.path, metrics)?];
    let (same_trials, trials, only_trials) = trials(&records);
    let (left_cells, right_cells) = (tables(left, written[0])?, tables(right, written[1])?);
    let (same_cells, cells) = cells(&left_cells, &right_cells);
    let (mut one, mut other) = (verdicts(written[0])?, verdicts(written[1])?);
    let only_claims = only(&one, &other);
    one.retain(|id, _| other.contains_key(id));
    other.retain(|id, _| one.contains_key(id));
    Ok(Compared {
        id: id.unwrap_or_default(),
        broken,
        inputs: flips([described(left, written[0])?, described(right, written[1])?]),
        same_digest: digests[0] == digests[1],
        same_trials,
        trials,
        only_trials,
        same_cells,
        cells,
        only_cells: only(&left_cells, &right_cells),
        claims: flips([one, other]),
        only_claims,
        ranks: ranks(&left_cells, &right_cells),
    })
}

/// What the inputs of results are, by name.
fn described(folder: &Folder, written: Written<'_>) -> Result<BTreeMap<String, String>, Error> {
    let mut inputs = BTreeMap::new();
    let mut input = |what: &str, value: String| drop(inputs.insert(what.to_owned(), value));
    if let Some(manifest) = &folder.manifest {
        let Manifest { experiment, reprise, layout, spec, datasets, methods, choices, .. } =
            manifest;
        input("experiment", experiment.clone());
        input("version", format!("{reprise}, layout {layout}"));
        input("experiment file with its files", spec.short());
        input("options of choices", choices.to_string());
        for (id, digest) in datasets {
            input(&format!("data {id}"), digest.short());
        }
        for (kind, revision) in methods {
            input(&format!("revision of {kind}"), revision.to_string());
        }
    }
    if let Some(seed) = Header::of(&written.bytes(SPEC)?).seed {
        input("seed", seed.to_string());
    }
    let machine = environment::recorded(&written.bytes(ENVIRONMENT)?);
    for key in ["commit", "sources", "rustc", "cpu", "os"] {
        if let Some(value) = machine.get(key) {
            input(key, value.clone());
        }
    }
    Ok(inputs)
}

/// What a trial is, whatever its seed, its data and its method's revision.
fn place(trial: &Trial) -> String {
    let Configuration { dataset, part, problem, method, choice } = &trial.configuration;
    let mut place = format!("{method} on {dataset}");
    let further: [(&str, &str); 3] =
        [(" ", problem), (", part ", part), (", ", &choice.to_string())];
    for (before, text) in further {
        if !text.is_empty() {
            place += &format!("{before}{text}");
        }
    }
    place += &format!(", repeat {}, fold {}", trial.repeat, trial.fold);
    let parameters = trial.parameters.iter().map(|(name, value)| format!("{name}={value}"));
    let parameters: Vec<String> = parameters.collect();
    if parameters.is_empty() { place } else { format!("{place}, {}", parameters.join(" ")) }
}

fn trials(records: &[Vec<Record>; 2]) -> (usize, Vec<TrialMoved>, [usize; 2]) {
    let [left, right] = records.each_ref().map(|records| {
        records.iter().map(|record| (place(&record.trial), record)).collect::<BTreeMap<_, _>>()
    });
    let (mut same, mut moved) = (0, Vec::new());
    for (place, one) in &left {
        let Some(other) = right.get(place) else { continue };
        match differs(one.outcome.as_deref(), other.outcome.as_deref()) {
            None => same += 1,
            Some((metric, sides)) => moved.push(TrialMoved { place: place.clone(), metric, sides }),
        }
    }
    (same, moved, only(&left, &right))
}

/// The first thing that differs between two outcomes, times aside.
fn differs(left: Option<&Outcome>, right: Option<&Outcome>) -> Option<(String, [String; 2])> {
    let status = |side: Option<&Outcome>| side.map_or(Status::Missing, Outcome::status);
    if status(left) != status(right) {
        let words = [left, right].map(|side| status(side).word().to_owned());
        return Some(("status".to_owned(), words));
    }
    let (left, right) = (left?, right?);
    let names: BTreeSet<&str> =
        left.metrics.iter().chain(right.metrics.iter()).map(|(metric, _)| metric.name).collect();
    names.into_iter().find_map(|name| {
        let values = [left, right].map(|side| side.metrics.get(name).map(|m| m.value()));
        let bits = values.map(|value| value.map(f64::to_bits));
        let text = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), base::text::real);
        (bits[0] != bits[1]).then(|| (name.to_owned(), values.map(text)))
    })
}

/// A cell as a table's file has it.
#[derive(Debug, Clone, Default)]
struct CellRow {
    value: Option<f64>,
    status: String,
    best: bool,
    /// Whether it is compared with the cells of its column.
    by_column: bool,
    /// Half the width of its 95% interval.
    noise: Option<f64>,
}

/// Table, row, column and metric.
type CellKey = (String, String, String, String);

fn tables(folder: &Folder, written: Written<'_>) -> Result<BTreeMap<CellKey, CellRow>, Error> {
    // Their `sd` is an error of the mean already.
    let with_errors = written.tables_with("sd", SdOver::StandardError.word())?;
    let by_columns = written.tables_with("best_along", Along::Column.word())?;
    let mut cells = BTreeMap::new();
    let Some(manifest) = &folder.manifest else { return Ok(cells) };
    // What reads a clock moves from run to run.
    for (table, file) in Written::tables(manifest, false) {
        let is_error = with_errors.iter().any(|id| id == table);
        let by_column = by_columns.iter().any(|id| id == table);
        written.rows(file, |row| {
            let of_sample = || {
                let (sd, n) = (row.number("sd")?, row.number("n").filter(|n| *n > 1.0)?);
                let error = if is_error { sd } else { sd / n.sqrt() };
                Some(student_t::two_sided_quantile(0.95, n - 1.0) * error)
            };
            let cell = CellRow {
                value: row.number("value"),
                status: row.text("status").to_owned(),
                best: row.text("best") == "true",
                by_column,
                noise: row.number("noise").or_else(of_sample),
            };
            let [at, column, metric] =
                ["row", "column", "metric"].map(|of| row.text(of).to_owned());
            cells.insert((table.to_owned(), at, column, metric), cell);
        })?;
    }
    Ok(cells)
}

/// How many things one side alone has.
fn only<K: Ord, V>(left: &BTreeMap<K, V>, right: &BTreeMap<K, V>) -> [usize; 2] {
    [(left, right), (right, left)]
        .map(|(one, other)| one.keys().filter(|key| !other.contains_key(*key)).count())
}

/// How many cells are the same, and those of both sides that have moved.
fn cells(
    left: &BTreeMap<CellKey, CellRow>,
    right: &BTreeMap<CellKey, CellRow>,
) -> (usize, Vec<CellMoved>) {
    let (mut same, mut moved) = (0, Vec::new());
    for (key, one) in left {
        let Some(other) = right.get(key) else { continue };
        let pair = [one, other];
        let bits = pair.map(|cell| (cell.value.map(f64::to_bits), &cell.status));
        if bits[0] == bits[1] {
            same += 1;
            continue;
        }
        let (table, row, column, metric) = key.clone();
        let noise = match pair.map(|cell| cell.noise) {
            [None, None] => None,
            [one, other] => {
                let [one, other] = [one, other].map(|half| half.unwrap_or(0.0));
                Some((one * one + other * other).sqrt())
            }
        };
        let values = pair.map(|cell| cell.value);
        moved.push(CellMoved { table, cell: [row, column], metric, values, noise });
    }
    (same, moved)
}

/// The lines of tables in which other cells are the best.
fn ranks(left: &BTreeMap<CellKey, CellRow>, right: &BTreeMap<CellKey, CellRow>) -> Vec<Flip> {
    let best = |side: &BTreeMap<CellKey, CellRow>| {
        let mut best: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for ((table, row, column, metric), cell) in side {
            let (line, own) = if cell.by_column { (column, row) } else { (row, column) };
            let among = best.entry(format!("{metric} of {line} in {table}")).or_default();
            if cell.best {
                among.push(own.clone());
            }
        }
        best
    };
    let (left, right) = (best(left), best(right));
    let flip = |(what, one): (&String, &Vec<String>)| {
        let other = right.get(what)?;
        let words = |best: &[String]| match best {
            [] => "none is best".to_owned(),
            best => format!("best {}", best.join(", ")),
        };
        (one != other).then(|| Flip { what: what.clone(), sides: [words(one), words(other)] })
    };
    left.iter().filter_map(flip).collect()
}

/// The verdicts of results by the ids of their claims.
fn verdicts(written: Written<'_>) -> Result<BTreeMap<String, String>, Error> {
    let mut verdicts = BTreeMap::new();
    written.claims(|row| {
        verdicts.insert(row.text("id").to_owned(), row.text("verdict").to_owned());
    })?;
    Ok(verdicts)
}

#[cfg(test)]
mod tests {
    use contract::Measure;
    use run::{Cause, Setup};
    use task::metrics::OPTIMISM;

    use super::*;

    #[test]
    fn outcomes_differ_in_how_they_ended_and_then_in_a_value() {
        let value = |value| {
            let metrics = [(&OPTIMISM, Measure::Scalar(value))].into_iter().collect();
            Outcome { metrics, ..Outcome::default() }
        };
        let (one, other) = (value(0.5), value(0.25));
        let failed = Outcome { cause: Some(Cause::Unselected), ..one.clone() };
        let differ =
            |what: &str, sides: [&str; 2]| Some((what.to_owned(), sides.map(str::to_owned)));
        assert_eq!(differs(Some(&one), Some(&one)), None);
        assert_eq!(differs(Some(&one), Some(&failed)), differ("status", ["ok", "failed"]));
        assert_eq!(differs(None, Some(&one)), differ("status", ["missing", "ok"]));
        assert_eq!(differs(Some(&one), Some(&other)), differ(OPTIMISM.name, ["0.5", "0.25"]));
    }

    #[test]
    fn cells_move_by_a_bit_or_a_status_and_ranks_by_what_is_best() {
        let table = |cells: [(&str, f64, &str, bool); 2]| {
            let cells = cells.map(|(column, value, status, best)| {
                let (value, status) = (Some(value), status.to_owned());
                let key = ["table", "iris", column, "auc"].map(str::to_owned).into();
                (key, CellRow { value, status, best, ..CellRow::default() })
            });
            BTreeMap::from(cells)
        };
        let left = table([("NB", 0.5, "ok", false), ("CL", 0.75, "ok", true)]);
        let right = table([("NB", 0.5, "failed", true), ("CL", 0.75, "ok", false)]);
        let ((same, moved), found) = (cells(&left, &right), ranks(&left, &right));
        let moved: Vec<String> = moved.into_iter().map(|one| one.cell.join(" ")).collect();
        assert_eq!((same, moved), (1, vec!["iris NB".to_owned()]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, "auc of iris in table");
        assert_eq!(found[0].sides, ["best CL", "best NB"]);
        let (same, moved) = cells(&left, &left);
        assert_eq!((same, moved.len(), ranks(&left, &left).len()), (2, 0, 0));
        // What one side alone has did not move.
        let other = table([("NB", 0.5, "ok", false), ("LTM", 0.75, "ok", true)]);
        let (same, moved) = cells(&left, &other);
        assert_eq!((same, moved.len(), only(&left, &other)), (1, 0, [1, 1]));
        // In a table whose best are those of columns no method changed places.
        let down = |best| {
            let key = ["table", "iris", "NB", "auc"].map(str::to_owned).into();
            BTreeMap::from([(key, CellRow { best, by_column: true, ..CellRow::default() })])
        };
        let found = ranks(&down(false), &down(true));
        assert_eq!(found[0].what, "auc of NB in table");
        assert_eq!(found[0].sides, ["none is best", "best iris"]);
    }

    #[test]
    fn what_is_compared_of_trials_is_their_place() {
        let of = |part: &str, problem: &str, choice: &str| {
            let configuration = Configuration {
                dataset: "iris".into(),
                part: part.into(),
                problem: problem.into(),
                method: "NB".into(),
                choice: choice.parse().unwrap(),
            };
            let setup = Setup { configuration, ..Setup::default() }.into();
            let (key, seed) = Default::default();
            place(&Trial { key, seed, repeat: 1, fold: 2, setup })
        };
        assert_eq!(of("", "", ""), "NB on iris, repeat 1, fold 2");
        assert_eq!(of("p", "0-1", "c=2"), "NB on iris 0-1, part p, c=2, repeat 1, fold 2");
    }
}
