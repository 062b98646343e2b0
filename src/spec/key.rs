//! What a key of an experiment file is: one descriptor drives its validation, the JSON Schema and
//! the reference in `docs/experiment-file.md`.

use contract::parameter::Domain;

/// A section of the file: `[name]`, or `[[name]]` where it may be repeated.
#[derive(Debug)]
pub(super) struct Section {
    /// Its name.
    pub name: &'static str,
    /// Whether it is `[[name]]`.
    pub repeated: bool,
    /// Whether the file must have it.
    pub required: bool,
    /// What it is for.
    pub meaning: &'static str,
    /// Its keys, in groups that sections share.
    pub keys: &'static [&'static [Key]],
    /// Keys that depend on its `kind`.
    pub kinds: Kinds,
}

/// Keys of a section that depend on its `kind`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kinds {
    /// There is no such key.
    None,
    /// The kinds that the section itself lists.
    Listed(&'static [Variant]),
    /// The methods of the registry, each with its parameters.
    Methods,
}

/// A kind, or the one key of a table, with the keys that it brings.
#[derive(Debug)]
pub(super) struct Variant {
    /// The word.
    pub word: &'static str,
    /// What it is.
    pub meaning: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
}

/// A key.
#[derive(Debug)]
pub(super) struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value looks like.
    pub form: Form,
    /// What holds where the file is silent.
    pub absent: Absent,
    /// What it means.
    pub meaning: &'static str,
}

/// What holds where the file does not give a key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Absent {
    /// An error.
    Required,
    /// This value, in TOML.
    Value(&'static str),
    /// What these words say.
    Means(&'static str),
}

/// What a value looks like.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// One truth value, number or word.
    One(Domain),
    /// A text of a certain shape.
    Text(&'static Pattern),
    /// Any single value: its meaning depends on the parameter that it is for.
    Any,
    /// A kind of task.
    TaskKind,
    /// The name of a metric.
    Metric,
    /// A list that is not empty, of different values.
    List(&'static Form),
    /// A value, or a list of them.
    OneOrMany(&'static Form),
    /// A table with these keys.
    Table(&'static [Key]),
    /// A table with exactly one of these keys, itself a table.
    OneOf(&'static [Variant]),
    /// A table of lists: parameters with the values that they take.
    Axes,
    /// One of several forms.
    Either(&'static [Form]),
}

/// A kind of text.
#[derive(Debug)]
pub(super) struct Pattern {
    /// Its name in the reference.
    pub noun: &'static str,
    /// What it is, as a phrase that follows "expected".
    pub expected: &'static str,
    /// The same as a regular expression for the JSON Schema.
    pub regex: &'static str,
    /// Whether a text is one.
    pub accepts: fn(&str) -> bool,
}

/// Any text but blank ones.
pub(super) static TEXT: Pattern = Pattern {
    noun: "text",
    expected: "text",
    regex: r"\S",
    accepts: |text| !text.trim().is_empty(),
};

/// Names that appear in file names, in joined ids and on the command line.
pub(super) static ID: Pattern = Pattern {
    noun: "id",
    expected: "an id: letters, digits, `-`, `_`, `.` and `+`, beginning with a letter or digit",
    regex: r"^[A-Za-z0-9][A-Za-z0-9._+-]*$",
    accepts: is_id,
};

fn is_id(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
}

/// Experiment ids, which are paths of folders.
pub(super) static EXPERIMENT_ID: Pattern = Pattern {
    noun: "experiment id",
    expected: "an experiment id: lower-case letters, digits, `-` and `_`, in parts joined by `/`",
    regex: r"^[a-z0-9][a-z0-9_-]*(/[a-z0-9][a-z0-9_-]*)*$",
    accepts: |text| text.split('/').all(is_folder),
};

/// Whether a text is a safe name of one folder.
pub(super) fn is_folder(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c))
}

/// Paths of files beside the experiment file. They are sealed at the same paths, where no output is.
pub(super) static BESIDE: Pattern = Pattern {
    noun: "path",
    expected: "the path of a `.csv` file in `published/` beside the experiment file, without `..`",
    regex: r"^published(/[A-Za-z0-9_][A-Za-z0-9._-]*)+\.csv$",
    accepts: |text| {
        text.ends_with(".csv")
            && text.starts_with("published/")
            && text.split('/').all(|part| {
                part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
                    && part.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
            })
    },
};

/// Times such as `30m`.
pub(super) static DURATION: Pattern = Pattern {
    noun: "time, such as `\"90s\"`, `\"30m\"` or `\"2h\"`",
    expected: "a time such as \"90s\", \"30m\" or \"2h\"",
    regex: r"^[0-9]+(\.[0-9]+)?[smh]$",
    accepts: |text| seconds(text).is_some(),
};

/// Longer times are no limit: about thirty years.
pub(super) const MOST_SECONDS: f64 = 1e9;

/// The seconds of a time such as `30m`, above 0 and below [`MOST_SECONDS`].
pub(super) fn seconds(text: &str) -> Option<f64> {
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
pub(super) static AXIS: Pattern = Pattern {
    noun: "axis",
    expected: "\"dataset\", \"method\", \"part\", \"metric\", \"sweep:NAME\" or \"grid:NAME\"",
    regex: r"^(dataset|method|part|metric|sweep:\S+|grid:\S+)$",
    accepts: |text| {
        matches!(text, "dataset" | "method" | "part" | "metric")
            || ["sweep:", "grid:"]
                .iter()
                .any(|prefix| text.strip_prefix(prefix).is_some_and(|name| !name.is_empty()))
    },
};

/// `method:ID`; the other targets that the format knows are answered where choices are read.
pub(super) static TARGET: Pattern = Pattern {
    noun: "`method:ID` or `dataset:ID`",
    expected: "`method:ID` or `dataset:ID`",
    regex: r"^(method|dataset):\S+$",
    accepts: |text| {
        text == "task"
            || ["method:", "dataset:"]
                .iter()
                .any(|prefix| text.strip_prefix(prefix).is_some_and(|id| !id.is_empty()))
    },
};

impl Form {
    /// What is expected, as a phrase that follows "expected".
    pub fn expected(&self) -> String {
        match self {
            Self::One(domain) => expected(*domain),
            Self::Text(pattern) => pattern.expected.to_owned(),
            Self::Any => "one value".to_owned(),
            Self::TaskKind => "a kind of task".to_owned(),
            Self::Metric => "a metric".to_owned(),
            Self::List(item) => format!("a list; each item {}", item.expected()),
            Self::OneOrMany(item) => format!("{}; or a list of such", item.expected()),
            Self::Table(_) => "a table".to_owned(),
            Self::OneOf(variants) => {
                let words: Vec<String> =
                    variants.iter().map(|variant| format!("`{}`", variant.word)).collect();
                format!("a table with one of {}", words.join(", "))
            }
            Self::Axes => "a table of lists, such as { smoothing = [0.1, 1.0] }".to_owned(),
            Self::Either(forms) => {
                let forms: Vec<String> = forms.iter().map(Self::expected).collect();
                forms.join("; or ")
            }
        }
    }
}

/// What a domain allows, in words.
pub(super) fn expected(domain: Domain) -> String {
    parameter(domain).expected()
}

/// A nameless parameter: keys and parameters of methods are checked by the same code.
pub(super) fn parameter(domain: Domain) -> contract::parameter::Parameter {
    contract::parameter::Parameter {
        name: "",
        domain,
        default: contract::parameter::Default::Bool(false),
        meaning: "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn experiment_ids_are_safe_folders() {
        for good in ["quickstart", "evm/table5", "apt/table1-sgd"] {
            assert!((EXPERIMENT_ID.accepts)(good), "{good}");
        }
        for bad in ["", "/", "evm/", "../x", "evm//t", "Evm", "evm/.x", "a b", "-a", "x@smoke"] {
            assert!(!(EXPERIMENT_ID.accepts)(bad), "{bad}");
        }
    }

    #[test]
    fn published_files_stay_beside_the_experiment() {
        assert!((BESIDE.accepts)("published/table5.csv"));
        for bad in [
            "../table5.csv",
            "/etc/x.csv",
            "published/../../x.csv",
            "published/a\\b.csv",
            "published/x.txt",
            "published.csv",
            "trials.csv",
        ] {
            assert!(!(BESIDE.accepts)(bad), "{bad}");
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
