//! The shapes of an experiment file's texts.

use std::time::Duration;

use contract::parameter::Domain;
use document::{Form, Node, Pattern, holds};

/// Experiment ids, which are paths of folders.
static EXPERIMENT_ID: Pattern = Pattern::new(
    "experiment id",
    "an experiment id: lower-case letters, digits, `-` and `_`, in at most 8 parts of up to 100, joined by `/`",
    r"^[a-z0-9][a-z0-9_-]{0,99}(/[a-z0-9][a-z0-9_-]{0,99}){0,7}$",
);

/// Safe names of one folder, as profiles have.
pub(crate) static FOLDER: Pattern = Pattern::new(
    "name",
    "up to 100 lower-case letters, digits, `-` and `_`",
    "^[a-z0-9][a-z0-9_-]{0,99}$",
);

/// Paths of files beside the experiment file. They are sealed at the same paths, where no output is.
static BESIDE: Pattern = Pattern::new(
    "path",
    "the path of a `.csv` file in `published/` beside the experiment file, without `..`",
    r"^published(/[A-Za-z0-9_][A-Za-z0-9._-]*)+\.csv$",
);

/// Times such as `30m`.
static DURATION: Pattern = Pattern::new(
    "time, such as `\"90s\"`, `\"30m\"` or `\"2h\"`",
    "a time such as \"90s\", \"30m\" or \"2h\"",
    r"^[0-9]+(\.[0-9]+)?[smh]$",
)
.by(|text| seconds(text).is_some());

/// Longer times are no limit: about thirty years.
const MOST_SECONDS: f64 = 1e9;

/// The seconds of a time such as `30m`, above 0 and below [`MOST_SECONDS`].
fn seconds(text: &str) -> Option<f64> {
    let unit = match text.chars().last()? {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    let plain = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.ends_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let seconds = digits.parse::<f64>().ok().filter(|_| plain)? * unit;
    (0.0 < seconds && seconds < MOST_SECONDS).then_some(seconds)
}

/// What rows, columns, series and positions run over.
static AXIS: Pattern = Pattern::new(
    "axis",
    "\"dataset\", \"method\", \"part\", \"metric\", \"sweep:NAME\" or \"grid:NAME\"",
    r"^(dataset|method|part|metric|sweep:\S+|grid:\S+)$",
);

/// `method:ID`; the other targets that the format knows are answered where choices are read.
static TARGET: Pattern = Pattern::new(
    "`method:ID` or `dataset:ID`",
    "`method:ID` or `dataset:ID`",
    r"^(method|dataset):\S+$",
)
.by(|text| {
    let (of, id) = text.split_once(':').unwrap_or_default();
    text == "task" || ["method", "dataset"].contains(&of) && !id.is_empty()
});

/// A heading of a document: the file, then the heading as links to it name it.
static HEADING: Pattern = Pattern::new(
    "heading of a document",
    "a heading of a document, such as `docs/papers/evm.md#table-5-test-log-likelihood`",
    r"^docs/[A-Za-z0-9._/-]+\.md#[a-z0-9_-]+$",
);

/// Whether a text is the path of a file of published values.
pub(crate) fn is_beside(path: &str) -> bool {
    BESIDE.accepts(path)
}

holds! {
    /// A heading of a document.
    pub(crate) Heading: String = Form::Text(&HEADING), Node::string;
    /// The id of an experiment.
    pub(crate) ExperimentId: String = Form::Text(&EXPERIMENT_ID), Node::string;
    /// The path of a file of published values.
    pub(crate) Beside: String = Form::Text(&BESIDE), Node::string;
    /// What rows, columns, series or positions run over.
    pub(crate) AxisText: String = Form::Text(&AXIS), Node::string;
    /// Whose parameter a choice is about.
    pub(crate) TargetText: String = Form::Text(&TARGET), Node::string;
    /// A time limit.
    pub(crate) TimeLimit: Duration = Form::Either(vec![
        Form::Text(&DURATION),
        Form::One(Domain::Real { least: 0.0, most: MOST_SECONDS, open: true }),
    ]), time_limit;
}

fn time_limit(node: &Node) -> Option<Duration> {
    let seconds = node.real().or_else(|| seconds(node.text()?))?;
    Duration::try_from_secs_f64(seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiment_ids_are_safe_folders() {
        for good in ["quickstart", "evm/table5", "apt/table1-sgd"] {
            assert!(EXPERIMENT_ID.accepts(good), "{good}");
        }
        for bad in ["", "/", "evm/", "../x", "evm//t", "Evm", "evm/.x", "a b", "-a", "x@smoke"] {
            assert!(!EXPERIMENT_ID.accepts(bad), "{bad}");
        }
        for long in ["x".repeat(101), ["x"; 9].join("/")] {
            assert!(!EXPERIMENT_ID.accepts(&long) && EXPERIMENT_ID.accepts(&long[2..]), "{long}");
        }
    }

    #[test]
    fn published_files_stay_beside_the_experiment() {
        assert!(BESIDE.accepts("published/table5.csv"));
        for bad in [
            "../table5.csv",
            "/etc/x.csv",
            "published/../../x.csv",
            "published/a\\b.csv",
            "published/x.txt",
            "published.csv",
            "trials.csv",
        ] {
            assert!(!BESIDE.accepts(bad), "{bad}");
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(seconds("90s"), Some(90.0));
        assert_eq!(seconds("1.5m"), Some(90.0));
        assert_eq!(seconds("2h"), Some(7200.0));
        for bad in ["", "s", "30", "-1s", "1e3s", "infs", "1.s", "5 m", "0s", "9999999h"] {
            assert_eq!(seconds(bad), None, "{bad}");
        }
    }
}
