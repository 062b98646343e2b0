//! The name that a misspelt one was meant to be.

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

/// What people call something elsewhere, in small letters with hyphens, and what it is called here: of several, whichever
/// can stand in its place.
const ELSEWHERE: [(&str, &[&str]); 40] = [
    ("acc", &["test_accuracy"]),
    ("accuracy-score", &["test_accuracy"]),
    ("root-mean-squared-error", &["rmse"]),
    ("neg-root-mean-squared-error", &["rmse"]),
    ("mean-absolute-error", &["mae"]),
    ("mean-absolute-percentage-error", &["mape"]),
    ("r2-score", &["r2"]),
    ("roc-auc", &["auc"]),
    ("roc-auc-score", &["auc"]),
    ("average-precision", &["pr_auc"]),
    ("auprc", &["pr_auc"]),
    ("matthews-corrcoef", &["mcc"]),
    ("cohen-kappa", &["kappa"]),
    ("f1-score", &["f1"]),
    ("f1-micro", &["test_accuracy"]),
    ("micro-f1", &["test_accuracy"]),
    ("macro-f1", &["f1_macro"]),
    ("neg-log-loss", &["log_loss"]),
    ("cross-entropy", &["log_loss"]),
    ("brier-score", &["brier"]),
    ("n-neighbors", &["k"]),
    ("n-neighbours", &["k"]),
    ("kneighborsclassifier", &["knn"]),
    ("k-nn", &["knn", "knn-regression"]),
    ("svm", &["linear-svm"]),
    ("svc", &["linear-svm"]),
    ("lasso", &["ridge"]),
    ("logreg", &["logistic-regression"]),
    ("naive-bayes", &["gaussian-nb", "categorical-nb", "bernoulli-nb"]),
    ("linear-regression", &["ridge"]),
    ("dummy", &["majority", "mean"]),
    ("min-samples-leaf", &["min_leaf"]),
    ("kfold", &["cv"]),
    ("k-fold", &["cv"]),
    ("n-splits", &["folds"]),
    // What it was called here.
    ("undecided", &["no-evidence"]),
    ("corrected-resampled-t", &["t"]),
    ("choice", &["moves_to"]),
    ("option", &["moves_to"]),
    ("sample", &["grid_sample"]),
];

/// Keys that are gone, each with one beside which it stood, and what is there instead.
const GONE: [(&str, &str, &str); 2] = [
    ("partial", "best_along", "a cell averages the trials that have the metric"),
    ("cross", "chosen", "options are taken together by `[universes]`"),
];

/// What people write in a key, in small letters, and what to do in its place.
const WRITTEN: [(&str, &str, &str); 3] = [
    ("split", "kfold", "write { cv = { folds = 10 } }"),
    ("split", "k-fold", "write { cv = { folds = 10 } }"),
    ("grid", "sample", "grid_sample, beside `grid`, is how many points are tried"),
];

/// What to do in place of what is written in a key, where others write so.
pub(crate) fn instead(key: &str, written: &str) -> Option<String> {
    let written = written.to_lowercase();
    let same = |(of, what, _): &&(&str, &str, &str)| *of == key && *what == written;
    WRITTEN.iter().find(same).map(|(_, _, help)| (*help).to_owned())
}

/// Parts of the names of methods that libraries have.
const OF_LIBRARIES: [&str; 4] = ["forest", "boost", "neural", "mlp"];

/// The same score of the test examples among these: all scores are of them, and not each name says so.
pub(crate) fn of_test<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let tested = |one: &str, other: &str| one.strip_prefix("test_") == Some(other);
    let same = |candidate: &&str| tested(name, candidate) || tested(candidate, name);
    candidates.iter().copied().find(same)
}

/// What is called so elsewhere, among these.
fn elsewhere<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    if let Some(here) = of_test(name, candidates) {
        return Some(here);
    }
    let name = name.to_lowercase().replace(['_', ' '], "-");
    let (_, here) = ELSEWHERE.iter().find(|(known, _)| *known == name)?;
    candidates.iter().copied().find(|candidate| here.contains(candidate))
}

/// "did you mean …", or all candidates where none is near.
pub fn suggestion(name: &str, candidates: &[&str]) -> Option<String> {
    const SHOWN: usize = 24;
    if let Some(here) = elsewhere(name, candidates) {
        return Some(format!("here it is `{here}`"));
    }
    let gone = |(key, beside, _): &&(&str, &str, &str)| *key == name && candidates.contains(beside);
    if let Some((_, _, instead)) = GONE.iter().find(gone) {
        return Some(format!("remove it: {instead}"));
    }
    if let Some(nearest) = nearest(name, candidates.iter().copied()) {
        return Some(format!("did you mean `{nearest}`?"));
    }
    if candidates.contains(&"command") && OF_LIBRARIES.iter().any(|known| name.contains(known)) {
        return Some(
            "a library has it: write, in place of `kind`, estimator = \"RandomForestClassifier()\", or another name of \
             scikit-learn; or a program with kind = \"command\""
                .to_owned(),
        );
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
        let kinds = suggestion("random-forest", &["chow-liu-forest", "command"]).unwrap();
        assert!(kinds.contains("estimator = \"RandomForestClassifier()\""), "{kinds}");
        assert_eq!(suggestion("ROC_AUC", &metrics).unwrap(), "here it is `auc`");
        assert_eq!(suggestion("n_neighbors", &["k"]).unwrap(), "here it is `k`");
        assert_eq!(suggestion("k-nn", &["knn-regression"]).unwrap(), "here it is `knn-regression`");
        // What is not there is not told of.
        assert_eq!(suggestion("roc_auc", &["rmse"]).unwrap(), "there is `rmse`");
        let mut names = ELSEWHERE.map(|(name, _)| name);
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
