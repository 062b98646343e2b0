//! A method of somebody else, with a metric of its own: rows are tosses of one coin.

use reprise::base::parallel::Cores;
use reprise::contract::binary::{BinaryRows, DistinctRows};
use reprise::contract::parameter::{Parameters, Real, parameters, settings};
use reprise::contract::{
    Carry, Context, DensityModel, Fit, FitError, Measure, MethodEntry, Reported, metrics,
};
use reprise::math::special::ln;

/// The methods of this crate.
pub static METHODS: &[&MethodEntry] = &[&COIN];

metrics! {
    pub BIAS: Model = "bias", "Bias", "probability that a toss is a one" .within(0.0, 1.0);
}

settings! { SMOOTHING smoothing: Real::positive(1.0), "added to the numbers of ones and of zeros"; }

/// The registry's entry.
pub static COIN: MethodEntry = MethodEntry {
    kind: "coin",
    summary: "every value of every row is a toss of the same coin",
    source: "this crate",
    parameters: parameters![SMOOTHING],
    reports: &[&BIAS],
    fits: &[Fit::Density(fit)],
    ..MethodEntry::PLAIN
};

fn fit(
    parameters: &Parameters,
    train: &DistinctRows,
    _: &Context,
    _: &mut Carry,
) -> Result<Box<dyn DensityModel>, FitError> {
    let ones = train.rows.iter().zip(&train.counts);
    let ones: f64 = ones.map(|(row, &count)| row.len() as f64 * f64::from(count)).sum();
    let tosses = (train.variables() * train.examples()) as f64;
    let smoothing = parameters.get(&SMOOTHING);
    let bias = (ones + smoothing) / (tosses + 2.0 * smoothing);
    Ok(Box::new(Coin { variables: train.variables(), bias }))
}

struct Coin {
    variables: usize,
    bias: f64,
}

impl DensityModel for Coin {
    fn log_likelihoods(&self, rows: &BinaryRows, _: &Cores) -> Vec<f64> {
        let (one, zero) = (ln(self.bias), ln(1.0 - self.bias));
        let log = |ones: usize| ones as f64 * one + (self.variables - ones) as f64 * zero;
        rows.iter().map(|row| log(row.len())).collect()
    }

    fn measures(&self) -> Reported {
        vec![(&BIAS, Measure::Scalar(self.bias))]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use reprise::data::DataConfig;
    use reprise::harness::run::{Ended, Listener, Options, run, unobserved};
    use reprise::harness::{Error, Session};
    use reprise::run::plan::MAX_TRIALS;
    use reprise::spec::{Catalogue, Lists};
    use reprise::{KNOWN, method, report, task};

    use super::*;

    static OURS: LazyLock<Lists> = LazyLock::new(|| Lists {
        catalogue: Catalogue::new([method::METHODS, METHODS].concat(), task::TASKS.to_vec()),
        kinds: report::KINDS,
    });

    const EXPERIMENT: &str = r#"
schema = 1
experiment = { id = "coin", title = "Is it a coin?", seed = 1 }
task = { kind = "density", datasets = ["generated-tree"], split = "published" }
method = [{ id = "C", kind = "coin", smoothing = 0.5 }, { id = "I", kind = "independent" }]
table = [{ id = "t", rows = "dataset", columns = "method", metric = "bias", digits = 2, methods = ["C"] }]
"#;

    fn session(lists: &'static Lists, folder: &std::path::Path) -> Result<Session, Error> {
        let file = folder.join("coin.toml");
        std::fs::write(&file, EXPERIMENT).unwrap();
        let data = DataConfig { cache: Some(folder.join("cache")), ..DataConfig::default() };
        Session::open(lists, &file, None, None, &folder.join("results"), &data, MAX_TRIALS)
    }

    #[test]
    fn a_session_runs_what_it_is_handed_and_seals_the_metric() {
        let folder = tempfile::tempdir().unwrap();
        let session = session(&OURS, folder.path()).unwrap();
        let listener = Listener { paths: &unobserved, warn: &|_| () };
        let ended = run(&session, &Options::default(), &listener).unwrap();
        let Ended::Sealed(sealed) = ended else { panic!("{ended:?}") };
        assert!(sealed.manifest.complete);
        let trials = session.dir.join("trials.csv");
        let mut reader = csv::Reader::from_path(&trials).unwrap();
        let header = reader.headers().unwrap().clone();
        let place = |name: &str| header.iter().position(|column| column == name).unwrap();
        // Behind the metrics of the baselines, which stay where they are.
        assert!(place("test_ll") < place("parameters") && place("parameters") < place("bias"));
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let value = |method: &str, name: &str| -> f64 {
            let row = rows.iter().find(|row| &row[place("method")] == method).unwrap();
            row[place(name)].parse().unwrap()
        };
        assert!((0.0..1.0).contains(&value("C", "bias")));
        // One coin says less of rows than one a variable.
        assert!(value("C", "test_ll") < value("I", "test_ll"));
    }

    #[test]
    fn who_is_not_handed_it_does_not_know_it() {
        let folder = tempfile::tempdir().unwrap();
        let Err(Error::Spec(errors)) = session(&KNOWN, folder.path()) else { panic!() };
        let said = reprise::document::render::text(&errors, false);
        assert!(said.contains("there is no method of kind `coin`"), "{said}");
        assert!(said.contains("there is no metric `bias`"), "{said}");
    }
}
