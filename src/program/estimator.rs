//! What makes a program of an estimator of scikit-learn: files that reprise brings along, and how they are used.

/// The folder of the files, in results and in an environment.
const FOLDER: &str = "reprise/";
/// The lock of an environment that no experiment gives: CPython 3.10 to 3.13, Linux on x86-64.
pub const LOCK: &str = "reprise/requirements.txt";
/// The files that every estimator stands on.
pub const FILES: [&str; 2] = ["reprise/estimator.py", "reprise/reprise_method.py"];
/// Where an environment keeps the names of its estimators, each with its module.
pub(crate) const NAMES: &str = "reprise/names.json";

/// The text of a file that reprise brings along.
pub(crate) fn brought(path: &str) -> Option<&'static str> {
    Some(match path.strip_prefix(FOLDER)? {
        "estimator.py" => include_str!("estimator/estimator.py"),
        "reprise_method.py" => include_str!("../../clients/python/reprise_method.py"),
        "requirements.txt" => include_str!("estimator/requirements.txt"),
        _ => return None,
    })
}

/// The command that answers as the estimator of an expression does.
pub fn command(expression: &str) -> Vec<String> {
    ["{env}/bin/python", "{env}/reprise/estimator.py", expression].map(str::to_owned).into()
}

/// The commands that build the environment of an estimator: of this lock, or of that which is brought along.
pub fn prepare(lock: Option<&str>) -> Vec<Vec<String>> {
    let pip = ["{env}/bin/pip", "install", "-q", "--disable-pip-version-check", "-r"];
    let brought = ["{env}/reprise/requirements.txt", "--no-deps", "--require-hashes"];
    let install = match &lock {
        Some(lock) => [&pip[..], &[*lock]].concat(),
        None => [&pip[..], &brought].concat(),
    };
    let list = ["{env}/bin/python", "{env}/reprise/estimator.py", "--names"];
    let commands = [&["python3", "-m", "venv", "{env}"][..], &install, &list];
    commands.map(|words| words.iter().map(|&word| word.to_owned()).collect()).into()
}
