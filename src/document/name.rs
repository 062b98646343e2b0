//! The name that a misspelt one was meant to be.

use Instead::{Beside, Here, InKey};

/// The candidate that `name` is most likely a misspelling of, if one is near.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let length = name.chars().count();
    let allowed = (length / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| {
            let lower = candidate.to_lowercase();
            let continues =
                name.len() >= 3 && (lower.starts_with(&name) || name.starts_with(&lower));
            // Texts of very different lengths are far apart: a text of any length is soon compared.
            let difference = length.abs_diff(lower.chars().count());
            let near = continues || difference <= allowed;
            let distance = if near { strsim::osa_distance(&name, &lower) } else { difference };
            ((if continues { distance.min(1) } else { distance }, distance), candidate)
        })
        // Of one letter nothing is left that could be near.
        .filter(|((distance, changed), candidate)| {
            let shorter = length.min(candidate.chars().count());
            *distance <= allowed && (*changed < shorter || *distance < *changed)
        })
        .min_by_key(|(distances, _)| *distances)
        .map(|(_, candidate)| candidate)
}

/// What to do in place of what people write, as they do elsewhere or did here before.
enum Instead {
    /// It is called so here: of several, whichever can stand in its place.
    Here(&'static [&'static str]),
    /// Where there is this name, it is something else: do so.
    Beside(&'static str, &'static str),
    /// Of this key it is no word: do so.
    InKey(&'static str, &'static str),
}

/// What people write, in small letters with hyphens.
const WRITTEN: [(&str, Instead); 51] = [
    ("acc", Here(&["test_accuracy"])),
    ("accuracy-score", Here(&["test_accuracy"])),
    ("root-mean-squared-error", Here(&["rmse"])),
    ("neg-root-mean-squared-error", Here(&["rmse"])),
    ("mean-absolute-error", Here(&["mae"])),
    ("mean-absolute-percentage-error", Here(&["mape"])),
    ("r2-score", Here(&["r2"])),
    ("roc-auc", Here(&["auc"])),
    ("roc-auc-score", Here(&["auc"])),
    ("average-precision", Here(&["pr_auc"])),
    ("auprc", Here(&["pr_auc"])),
    ("matthews-corrcoef", Here(&["mcc"])),
    ("cohen-kappa", Here(&["kappa"])),
    ("f1-score", Here(&["f1"])),
    ("f1-micro", Here(&["test_accuracy"])),
    ("micro-f1", Here(&["test_accuracy"])),
    ("macro-f1", Here(&["f1_macro"])),
    ("neg-log-loss", Here(&["log_loss"])),
    ("cross-entropy", Here(&["log_loss"])),
    ("brier-score", Here(&["brier"])),
    ("n-neighbors", Here(&["k"])),
    ("n-neighbours", Here(&["k"])),
    ("kneighborsclassifier", Here(&["knn"])),
    ("k-nn", Here(&["knn", "knn-regression"])),
    ("svm", Here(&["linear-svm"])),
    ("logreg", Here(&["logistic-regression"])),
    ("naive-bayes", Here(&["gaussian-nb", "categorical-nb", "bernoulli-nb"])),
    ("linear-regression", Here(&["ridge"])),
    ("dummy", Here(&["majority", "mean"])),
    ("min-samples-leaf", Here(&["min_leaf"])),
    ("kfold", Here(&["cv"])),
    ("k-fold", Here(&["cv"])),
    ("n-splits", Here(&["folds"])),
    // What it was called here.
    ("undecided", Here(&["no-evidence"])),
    ("corrected-resampled-t", Here(&["t"])),
    ("choice", Here(&["moves_to"])),
    ("option", Here(&["moves_to"])),
    ("sample", Here(&["grid_sample"])),
    ("partial", Beside("best_along", "remove it: a cell averages the trials that have the metric")),
    ("cross", Beside("chosen", "remove it: options are taken together by `[universes]`")),
    // What is near is not the same.
    ("mse", Beside("rmse", "`rmse` is its root")),
    ("mean-squared-error", Beside("rmse", "`rmse` is its root")),
    ("f1-weighted", Beside("f1_macro", "`f1_macro` weighs each class alike")),
    ("precision", Beside("f1", "`f1` is its harmonic mean with the recall")),
    ("recall", Beside("f1", "`f1` is its harmonic mean with the precision")),
    ("cv", InKey("split", "write { cv = { folds = 10 } }")),
    ("kfold", InKey("split", "write { cv = { folds = 10 } }")),
    ("k-fold", InKey("split", "write { cv = { folds = 10 } }")),
    ("loo", InKey("split", "write \"leave-one-out\"")),
    ("holdout", InKey("split", "write { share = { test = 0.2, repeats = 30 } }")),
    ("sample", InKey("grid", "grid_sample, beside `grid`, is how many points are tried")),
];

/// What helps with what is written so, of all that is known.
fn known<T>(written: &str, helps: impl Fn(&Instead) -> Option<T>) -> Option<T> {
    let written = written.to_lowercase().replace(['_', ' '], "-");
    WRITTEN.iter().filter(|(known, _)| *known == written).find_map(|(_, instead)| helps(instead))
}

/// What to do in place of what is written in a key, where others write so.
pub(crate) fn instead(key: &str, written: &str) -> Option<String> {
    known(written, |instead| match instead {
        InKey(of, help) if *of == key => Some((*help).to_owned()),
        _ => None,
    })
}

/// Parts of the names of methods that libraries have, and what scikit-learn calls them.
const OF_LIBRARIES: [(&str, &str); 6] = [
    ("forest", "RandomForestClassifier"),
    ("boost", "GradientBoostingClassifier"),
    ("neural", "MLPClassifier"),
    ("mlp", "MLPClassifier"),
    ("svc", "SVC"),
    ("lasso", "Lasso"),
];

/// The same score of the test examples among these: all scores are of them, and not each name says so.
pub(crate) fn of_test<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let tested = |one: &str, other: &str| one.strip_prefix("test_") == Some(other);
    let same = |candidate: &&str| tested(name, candidate) || tested(candidate, name);
    candidates.iter().copied().find(same)
}

/// What is called so elsewhere, among these.
fn elsewhere<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    if let Some(here) = of_test(&name.to_lowercase(), candidates) {
        return Some(here);
    }
    known(name, |instead| match instead {
        Here(names) => names.iter().copied().find(|name| candidates.contains(name)),
        _ => None,
    })
}

/// "did you mean …", or all candidates where none is near.
pub fn suggestion(name: &str, candidates: &[&str]) -> Option<String> {
    const SHOWN: usize = 24;
    if let Some(here) = elsewhere(name, candidates) {
        return Some(format!("here it is `{here}`"));
    }
    let other = |instead: &Instead| match instead {
        Beside(known, help) if candidates.contains(known) => Some((*help).to_owned()),
        _ => None,
    };
    if let Some(help) = known(name, other) {
        return Some(help);
    }
    if let Some(nearest) = nearest(name, candidates.iter().copied()) {
        return Some(format!("did you mean `{nearest}`?"));
    }
    let written = name.to_lowercase();
    let of_library = OF_LIBRARIES.iter().find(|(part, _)| written.contains(part));
    if let Some((_, class)) = of_library.filter(|_| candidates.contains(&"command")) {
        return Some(format!(
            "a library has it: write, in place of `kind`, estimator = \"{class}()\", or another name of scikit-learn; or a \
             program with kind = \"command\""
        ));
    }
    let shown: Vec<String> =
        candidates.iter().take(SHOWN).map(|candidate| format!("`{candidate}`")).collect();
    match candidates.len() {
        0 => None,
        n if n <= SHOWN => Some(format!("there is {}", shown.join(", "))),
        n => Some(format!("there is {} and {} more", shown.join(", "), n - SHOWN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_call_it_is_known() {
        let metrics = ["test_accuracy", "auc", "rmse", "accuracy_of_rows"];
        assert_eq!(suggestion("accuracy", &metrics).unwrap(), "here it is `test_accuracy`");
        assert_eq!(suggestion("test_rmse", &metrics).unwrap(), "here it is `rmse`");
        for (name, class) in [
            ("random-forest", "RandomForestClassifier"),
            ("RandomForestClassifier", "RandomForestClassifier"),
            ("SVC", "SVC"),
            ("lasso", "Lasso"),
        ] {
            let kinds = ["chow-liu-forest", "linear-svm", "ridge", "command"];
            let help = suggestion(name, &kinds).unwrap();
            assert!(help.contains(&format!("estimator = \"{class}()\"")), "{name}: {help}");
        }
        assert_eq!(suggestion("ROC_AUC", &metrics).unwrap(), "here it is `auc`");
        assert_eq!(suggestion("n_neighbors", &["k"]).unwrap(), "here it is `k`");
        assert_eq!(suggestion("k-nn", &["knn-regression"]).unwrap(), "here it is `knn-regression`");
        assert_eq!(suggestion("Accuracy", &metrics).unwrap(), "here it is `test_accuracy`");
        let of_bayes = ["bernoulli-nb", "gaussian-nb"];
        assert_eq!(suggestion("naive-bayes", &of_bayes).unwrap(), "here it is `gaussian-nb`");
        // What is not there is not told of.
        assert_eq!(suggestion("roc_auc", &["rmse"]).unwrap(), "there is `rmse`");
        let here = WRITTEN.iter().filter(|(_, instead)| matches!(instead, Here(_)));
        let mut names: Vec<&str> = here.map(|(name, _)| *name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "each once");
    }

    #[test]
    fn what_it_was_called_is_known() {
        for (gone, beside, help) in [
            (
                "undecided",
                &["holds", "fails", "not-shown", "no-evidence"][..],
                "here it is `no-evidence`",
            ),
            ("corrected-resampled-t", &["t", "wilcoxon", "wilcoxon-normal"], "here it is `t`"),
            ("choice", &["document", "moves_to"], "here it is `moves_to`"),
            ("option", &["document", "moves_to"], "here it is `moves_to`"),
            ("sample", &["grid", "grid_sample"], "here it is `grid_sample`"),
            (
                "partial",
                &["best", "best_along"],
                "remove it: a cell averages the trials that have the metric",
            ),
            ("cross", &["chosen", "why"], "remove it: options are taken together by `[universes]`"),
            ("mse", &["mae", "rmse"], "`rmse` is its root"),
            ("Recall", &["f1", "auc"], "`f1` is its harmonic mean with the precision"),
            // Of other tables they are only unknown.
            ("partial", &["cv"], "there is `cv`"),
            ("undecided", &["yes"], "there is `yes`"),
        ] {
            assert_eq!(suggestion(gone, beside).unwrap(), help, "{gone}");
        }
    }

    #[test]
    fn the_nearest_name_is_near() {
        let names = ["components", "smoothing", "restarts", "tolerance"];
        assert_eq!(nearest("smothing", names), Some("smoothing"));
        assert_eq!(nearest("Restart", names), Some("restarts"));
        assert_eq!(nearest("RESTARTS", names), Some("restarts"));
        assert_eq!(nearest("restarts", ["RESTARTS"]), Some("RESTARTS"));
        assert_eq!(nearest("tol", names), Some("tolerance"));
        assert_eq!(nearest("degree", names), None);
        assert_eq!(nearest("M", ["N", "NB", "T"]), None);
        assert_eq!(nearest("NB", ["N"]), None);
        assert_eq!(nearest("n", ["N", "T"]), Some("N"));
        assert_eq!(nearest("NB", ["CL", "NBX"]), Some("NBX"));
        assert_eq!(nearest("uniform-cout", ["uniform", "uniform-count"]), Some("uniform-count"));
    }
}
