//! The pictures of trials, for figures.

use contract::Measure;
use math::decimal::significant;
use run::Record;
use run::needs::shows;
use run::outcome::Outcome;
use spec::{FigureDesign, Panel, Part, Pictured};

use super::axis::method_label;
use super::cells::reason;
use super::values::Values;

/// The panels of a figure: by part, dataset, method and sweep point, in the order of the figure's lists. Each shows what
/// is `joined` of all that its trials have.
pub fn panels<'a, T, U>(
    spec: &'a FigureDesign,
    pictured: Pictured,
    values: Values<'a>,
    of: impl Fn(&'a Outcome) -> Option<T>,
    joined: impl Fn(Vec<T>) -> Result<U, &'static str>,
) -> Vec<Panel<U>> {
    let Values { experiment, cells, titles, .. } = values;
    let mut panels = Vec::new();
    for part in &spec.parts {
        for dataset in &spec.datasets {
            // Where two parts run one dataset, its part is named.
            let shown = experiment.parts.iter().filter(|one| spec.parts.contains(&one.id));
            let running: Vec<&Part> = shown.filter(|one| one.datasets.contains(dataset)).collect();
            let own = running.iter().find(|one| one.id == *part);
            let shared = own.filter(|_| running.len() > 1);
            for method in &spec.methods {
                let trials = cells.records(dataset, method).into_iter();
                let trials: Vec<&'a Record> = trials
                    .filter(|record| record.trial.part == *part)
                    .filter(|record| shows(spec, pictured, &record.trial))
                    .collect();
                for point in cells.sweep_points(method) {
                    let here = |record: &&'a Record| {
                        let own = record.trial.sweep.iter();
                        own.map(|(name, value)| (name.as_str(), value)).eq(point.iter().copied())
                    };
                    let records: Vec<&'a Record> = trials.iter().copied().filter(here).collect();
                    if records.is_empty() {
                        continue;
                    }
                    let mut label = method_label(experiment, method).to_owned();
                    for (name, value) in &point {
                        label += &format!(", {name} = {value}");
                    }
                    if spec.datasets.len() > 1 {
                        label = format!("{}: {label}", titles(dataset));
                    }
                    if let Some(part) = shared {
                        label = format!("{}, {label}", part.label);
                    }
                    panels.push(panel(spec, &records, label, &of, &joined));
                }
            }
        }
    }
    panels
}

/// One of the selected trials among these, at least one; of a path without any, of all of its trials.
fn panel<'a, T, U>(
    spec: &FigureDesign,
    records: &[&'a Record],
    label: String,
    of: impl Fn(&'a Outcome) -> Option<T>,
    joined: impl Fn(Vec<T>) -> Result<U, &'static str>,
) -> Panel<U> {
    let selected: Vec<&'a Record> =
        records.iter().copied().filter(|record| record.selected).collect();
    let records = if selected.is_empty() { records } else { &selected };
    let mut values = Vec::new();
    let mut all = Vec::new();
    let mut without = None;
    for record in records {
        let outcome = record.outcome.as_ref().filter(|outcome| outcome.cause.is_none());
        let value = outcome.and_then(|outcome| outcome.metrics.get(spec.y?.name));
        values.extend(value.map(Measure::value));
        match outcome.and_then(|outcome| of(outcome)) {
            Some(one) => all.push(one),
            None => without = without.or(Some(reason(record.status()))),
        }
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let value = base::text::real(significant(mean, 3));
    let note = spec.y.filter(|_| !values.is_empty());
    let note = note.map(|y| format!("{} {value}", within_a_sentence(y.label)));
    let picture = without.map_or_else(|| joined(all), Err);
    Panel { label, note: note.unwrap_or_default(), picture }
}

/// A label as it stands within a sentence: without its capital, unless its first word is a name with others.
fn within_a_sentence(label: &str) -> String {
    let word = label.split(' ').next().unwrap_or(label);
    match label.chars().next() {
        Some(first) if !word.chars().skip(1).any(char::is_uppercase) => {
            first.to_lowercase().chain(label.chars().skip(1)).collect()
        }
        _ => label.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_capitals() {
        assert_eq!(within_a_sentence("Largest displacement"), "largest displacement");
        assert_eq!(within_a_sentence("Robinson-Foulds distance"), "Robinson-Foulds distance");
        assert_eq!(within_a_sentence(""), "");
    }
}
