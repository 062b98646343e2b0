//! The name that a misspelt one was meant to be.

use base::text::first_of;

/// The candidate that `name` is most likely a misspelling of, if one is near.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let length = name.chars().count();
    let allowed = (length / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| !candidate.is_empty())
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

/// What is called so here, and how people write it elsewhere: in small letters with hyphens.
const HERE: [(&str, &[&str]); 31] = [
    ("test_accuracy", &["acc", "accuracy-score", "f1-micro", "micro-f1"]),
    ("rmse", &["root-mean-squared-error", "neg-root-mean-squared-error"]),
    ("mae", &["mean-absolute-error"]),
    ("mape", &["mean-absolute-percentage-error"]),
    ("r2", &["r2-score"]),
    ("auc", &["roc-auc", "roc-auc-score"]),
    ("pr_auc", &["average-precision", "auprc"]),
    ("mcc", &["matthews-corrcoef"]),
    ("kappa", &["cohen-kappa"]),
    ("f1", &["f1-score"]),
    ("f1_macro", &["macro-f1"]),
    ("log_loss", &["neg-log-loss", "cross-entropy"]),
    ("brier", &["brier-score"]),
    ("k", &["n-neighbors", "n-neighbours"]),
    ("knn", &["kneighborsclassifier", "k-nn"]),
    ("knn-regression", &["k-nn"]),
    ("linear-svm", &["svm"]),
    ("logistic-regression", &["logreg"]),
    ("gaussian-nb", &["naive-bayes"]),
    ("categorical-nb", &["naive-bayes"]),
    ("bernoulli-nb", &["naive-bayes"]),
    ("ridge", &["linear-regression"]),
    ("majority", &["dummy"]),
    ("mean", &["dummy"]),
    ("min_leaf", &["min-samples-leaf"]),
    ("cv", &["kfold", "k-fold"]),
    ("folds", &["n-splits"]),
    // What it was called here.
    ("no-evidence", &["undecided"]),
    ("t", &["corrected-resampled-t"]),
    ("moves_to", &["choice", "option"]),
    ("grid_sample", &["sample"]),
];

/// What people write, and what to do instead where there is this name, which is something else.
const BESIDE: [(&str, &str, &str); 7] = [
    ("partial", "best_along", "remove it: a cell averages the trials that have the metric"),
    ("cross", "chosen", "remove it: options are taken together by `[universes]`"),
    // What is near is not the same.
    ("mse", "rmse", "`rmse` is its root"),
    ("mean-squared-error", "rmse", "`rmse` is its root"),
    ("f1-weighted", "f1_macro", "`f1_macro` weighs each class alike"),
    ("precision", "f1", "`f1` is its harmonic mean with the recall"),
    ("recall", "f1", "`f1` is its harmonic mean with the precision"),
];

/// What people write in a key, of which it is no word, and what to do instead.
const IN_KEY: [(&str, &str, &str); 6] = [
    ("cv", "split", "write { cv = { folds = 10 } }"),
    ("kfold", "split", "write { cv = { folds = 10 } }"),
    ("k-fold", "split", "write { cv = { folds = 10 } }"),
    ("loo", "split", "write \"leave-one-out\""),
    ("holdout", "split", "write { share = { test = 0.2, repeats = 30 } }"),
    ("sample", "grid", "grid_sample, beside `grid`, is how many points are tried"),
];

/// As these tables write it.
fn plainly(written: &str) -> String {
    written.to_lowercase().replace(['_', ' '], "-")
}

/// What to do in place of what is written in a key, where others write so.
pub(crate) fn instead(key: &str, written: &str) -> Option<String> {
    let written = plainly(written);
    let known = IN_KEY.iter().find(|(known, of, _)| *known == written && *of == key);
    known.map(|(.., help)| (*help).to_owned())
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
    let written = plainly(name);
    let there = HERE.iter().filter(|(here, _)| candidates.contains(here));
    there.filter(|(_, names)| names.contains(&&*written)).map(|(here, _)| *here).next()
}

/// "did you mean …", or all candidates where none is near.
pub fn suggestion(name: &str, candidates: &[&str]) -> Option<String> {
    const SHOWN: usize = 24;
    if let Some(here) = elsewhere(name, candidates) {
        return Some(format!("here it is `{here}`"));
    }
    let plain = plainly(name);
    let other = |(known, beside, _): &&_| *known == plain && candidates.contains(beside);
    if let Some((.., help)) = BESIDE.iter().find(other) {
        return Some((*help).to_owned());
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
    let all = candidates.iter().map(|candidate| format!("`{candidate}`"));
    (!candidates.is_empty()).then(|| format!("there is {}", first_of(all, SHOWN, ", ")))
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
        let mut names: Vec<&str> = HERE.iter().map(|(name, _)| *name).collect();
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
