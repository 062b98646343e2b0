//! Executing sealed results again. Everything that is a function of the experiment file, its data and the
//! program is made anew from the sealed inputs and the plan, never from the sealed rows, and compared byte
//! for byte: rows, selection, statuses, tables, tests, claims, figures and the manifest. What sealed rows say
//! is believed only where a path is not executed again, and such paths are counted and named.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::process::Command;
use std::sync::{Arc, Mutex};

use base::bounded::MOST_WRITTEN;
use base::digest::{Digest, FieldHasher};
use base::layout::{AUDITED, ENVIRONMENT};
use base::parallel::{lock, unwrap_mutex};
use base::{durable, own};
use contract::Metrics;
use math::random::Random;
use run::crash::{self, CRASHES, Crashes};
use run::datasets::Datasets;
use run::executor::{self, Observer, Options, Sink};
use run::journal::{self, StoreError};
use run::needs::Needs;
use run::only::Only;
use run::plan::{Path, Plan, WithChoices};
use run::reserve::free_memory;
use run::{Outcome, Status, Trial, select, trials_csv};
use seal::{Class, Manifest};

use program::Determinism;
use spec::{Experiment, MethodSpec};

use super::outputs::{Outputs, Renderings};
use super::promises::Promises;
use super::{Error, Session, compare};

/// How many paths are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// So many, drawn at random by this seed and the results' digest: who forges results knows the digest, but
    /// not the seed.
    AtMost(usize, u64),
    /// All.
    All,
}

/// Makes who is told of the paths of a plan that are executed.
pub type Observing<'a> = dyn for<'p> Fn(&'p Plan, &[&Path]) -> Box<dyn Observer + 'p> + 'a;

/// How results are made again.
pub struct Execution<'a> {
    /// How many paths.
    pub amount: Amount,
    /// Of which trials; of all if none.
    pub only: Option<Only>,
    /// Worker threads.
    pub jobs: usize,
    /// The command that restricts itself and then becomes a program; none where the code of sealed programs is not
    /// executed.
    pub programs: Option<Vec<OsString>>,
    /// The command that executes one path of the sealed results in a process of its own, by its id, and journals
    /// it in a folder: for paths that took their process down.
    pub child: &'a dyn Fn(Digest, &std::path::Path) -> Command,
    /// Told of the paths that are executed.
    pub observer: &'a Observing<'a>,
}

/// What came of making results again.
#[derive(Debug, Default)]
pub struct Again {
    /// Paths that were executed.
    pub executed: usize,
    /// All paths.
    pub paths: usize,
    /// The paths that were to be executed and were not, with the reason.
    pub skipped: Vec<String>,
    /// What came out otherwise, in sentences.
    pub differences: Vec<String>,
    /// What was executed again, and is still not checked.
    pub unchecked: Vec<String>,
    /// Promises of less than the same bits that were kept, with the evidence.
    pub kept: Vec<String>,
    /// What can't be made again.
    pub believed: Vec<String>,
}

/// Makes the results of a sealed folder again; none if the user interrupted.
///
/// # Errors
/// If the data is unavailable, or the sealed experiment makes no sense for it.
pub fn again(
    session: &Session,
    manifest: &Manifest,
    datasets: &Datasets<'_>,
    execution: &Execution<'_>,
) -> Result<Option<Again>, Error> {
    let experiment = &session.experiment;
    let choices = WithChoices::from(manifest.choices);
    let plan = session.plan(datasets, choices)?;
    let rows = trials_csv::read(&session.dir, session.metrics())?;
    let keys: BTreeSet<Digest> = rows.iter().map(|row| row.key).collect();
    let mut outcomes = trials_csv::by_key(&rows);
    let mut found = Again { paths: plan.paths.len(), ..Again::default() };

    let wanted = execution.only.as_ref().map(|only| only.keys(&plan.trials)).transpose()?;
    let asked = |path: &&Path| {
        let mut trials = path.trials.iter().map(|&trial| plan.trials[trial].key);
        wanted.as_ref().is_none_or(|wanted| trials.any(|key| wanted.contains(&key)))
    };
    let missing = |path: &&Path| {
        let mut trials = path.trials.iter().map(|&trial| &plan.trials[trial]);
        trials.any(|trial| keys.contains(&trial.key) && !outcomes.contains_key(&trial.key))
    };
    let (missing, paths): (Vec<&Path>, Vec<&Path>) =
        plan.paths.iter().filter(asked).partition(missing);
    // The code of a program is a stranger's.
    let (foreign, mut paths): (Vec<&Path>, Vec<&Path>) =
        paths.into_iter().partition(|path| path.program.is_some() && execution.programs.is_none());
    found.skipped.extend(foreign.iter().map(|path| {
        let place = plan.trials[path.trials[0]].place();
        format!("{place}: the sealed code is a stranger's program; --trust executes it, contained")
    }));
    match execution.amount {
        Amount::All => {
            let place = |path: &&Path| plan.trials[path.trials[0]].place();
            let places = missing.iter().map(place);
            found.skipped.extend(places.map(|place| format!("{place}: sealed as missing")));
        }
        Amount::AtMost(n, draw) => {
            let seed = FieldHasher::new("rerun").field(manifest.digest.0).number(draw);
            Random::new(seed.finish()).shuffle(&mut paths);
            paths.truncate(n);
        }
    }
    let ended = |path: &Path, status: Status| {
        let mut keys = path.trials.iter().map(|&trial| plan.trials[trial].key);
        keys.any(|key| outcomes.get(&key).is_some_and(|outcome| outcome.status == status))
    };
    let (crashed, paths): (Vec<&Path>, Vec<&Path>) =
        paths.into_iter().partition(|path| ended(path, Status::Crashed));
    let limited = |path: &&Path| {
        experiment.parts[path.part].timeout.is_some() && ended(path, Status::Timeout)
    };
    let (limited, free): (Vec<&Path>, Vec<&Path>) = paths.into_iter().partition(limited);

    // What the sealed run kept on this machine would confirm itself.
    let audited = session.library.cache().join(AUDITED);
    let _in_use = execution.programs.as_ref().map(|_| in_use(&audited, manifest)).transpose()?;
    let options = Options {
        jobs: execution.jobs,
        needs: Needs::of(experiment, plan.trials.iter()),
        derived: session.library.derived().anew(),
        crashes: Crashes::default(),
        kills: Arc::default(),
        memory: free_memory(),
        programs: match &execution.programs {
            Some(contain) => {
                // What builds an environment is a stranger's too, and sees the sealed code: nobody else may use it.
                let cache = audited.join(manifest.digest.to_string());
                session.programs(contain, &cache, &|text| log::warn!("{text}"))?
            }
            None => Arc::default(),
        },
    };
    let execute = |experiment: &Experiment, paths: &[&Path]| {
        let made = Made { plan: &plan, outcomes: Mutex::default() };
        let observer = (execution.observer)(&plan, paths);
        let all =
            executor::execute(experiment, &plan, paths, datasets, &options, &made, &*observer)?;
        Ok::<_, Error>(all.then(|| unwrap_mutex(made.outcomes)))
    };
    // This machine may be slower than the one that kept the limit.
    let mut patient = experiment.clone();
    patient.parts.iter_mut().for_each(|part| part.timeout = None);
    let Some(mut made) = execute(&patient, &free)? else { return Ok(None) };
    found.executed += free.len();
    let Some(under_limit) = execute(experiment, &limited)? else { return Ok(None) };
    for path in limited {
        let place = || plan.trials[path.trials[0]].place();
        let keys = || path.trials.iter().map(|&trial| plan.trials[trial].key);
        let timeout = |outcome: Option<&Outcome>| {
            outcome.is_some_and(|outcome| outcome.status == Status::Timeout)
        };
        let same =
            |key| timeout(under_limit.get(&key)) == timeout(outcomes.get(&key).map(|o| &**o));
        if keys().all(same) {
            made.extend(keys().filter_map(|key| Some((key, under_limit.get(&key)?.clone()))));
            found.executed += 1;
        } else {
            let why = "sealed as out of time; on this machine other trials of its path are";
            found.skipped.push(format!("{}: {why}", place()));
        }
    }
    for path in crashed {
        match in_a_process_of_its_own(&plan, path, session.metrics(), execution.child)? {
            Ok(outcomes) => {
                made.extend(outcomes);
                found.executed += 1;
            }
            Err(why) => {
                let place = plan.trials[path.trials[0]].place();
                found.skipped.push(format!("{place}: sealed as crashed, and {why}"));
            }
        }
    }
    let mut promises = Promises::new(experiment);
    let trials: BTreeMap<Digest, &Trial> =
        plan.trials.iter().map(|trial| (trial.key, trial)).collect();
    for (key, mut outcome) in made {
        // What promises less than its bits is compared with what is sealed, and that stays.
        if let (Some(trial), Some(sealed)) = (trials.get(&key), outcomes.get(&key))
            && promises.compare(trial, sealed, &outcome)
        {
            continue;
        }
        // Seconds never come out again.
        outcome.times = outcomes.get(&key).map(|sealed| sealed.times.clone()).unwrap_or_default();
        outcomes.insert(key, Arc::new(outcome));
    }

    found.believed.extend(experiment.methods.iter().flat_map(unverifiable));
    let promises = promises.judge();
    found.differences.extend(promises.differences);
    found.kept = promises.kept;
    match execution.amount {
        Amount::All => found.unchecked = promises.unchecked,
        Amount::AtMost(..) => found.believed.extend(promises.unchecked),
    }

    let records = select::records(experiment, &plan, &outcomes, &options.needs);
    let renderings = Renderings::sealed(manifest);
    let Outputs { files, manifest: again, .. } =
        Outputs::new(session, &records, choices, renderings, None)?;
    found.differences.extend(headers(manifest, &again));
    compare_files(session, manifest, &files, &mut found);
    let timing = files.keys().any(|path| Class::of(path) == Class::Timing);
    if timing {
        found.believed.push(
            "timing/: the machine, the seconds, and the verdicts over them; tables are made anew from \
             the seconds"
                .to_owned(),
        );
    }
    Ok(Some(found))
}

/// What of a method's results no execution can check, in sentences.
fn unverifiable(method: &MethodSpec) -> Vec<String> {
    let MethodSpec { id, program: Some(program), .. } = method else { return Vec::new() };
    let mut found = Vec::new();
    if !program.readable.is_empty() {
        let paths: Vec<String> =
            program.readable.iter().map(|path| path.display().to_string()).collect();
        found.push(format!("{id}: it reads {}, which is not sealed", paths.join(", ")));
    }
    if program.determinism == Determinism::Stochastic {
        found.push(format!(
            "{id}: values of single test examples, and single trials among draws that show no shift"
        ));
    }
    found
}

/// Says, for as long as it is held, that an audit uses what lies there for these results.
fn in_use(audited: &std::path::Path, manifest: &Manifest) -> Result<File, StoreError> {
    durable::create_folders(audited).map_err(StoreError::on("create", audited))?;
    let path = audited.join(format!("{}.lock", manifest.digest));
    let lock = File::create(&path).map_err(StoreError::on("write", &path))?;
    lock.lock_shared().map_err(StoreError::on("lock", &path))?;
    Ok(lock)
}

/// Keeps the outcomes of executed paths.
struct Made<'a> {
    plan: &'a Plan,
    outcomes: Mutex<BTreeMap<Digest, Outcome>>,
}

impl Sink for Made<'_> {
    fn finished(&self, path: &Path, outcomes: Vec<Outcome>) -> Result<(), StoreError> {
        let keys = path.trials.iter().map(|&trial| self.plan.trials[trial].key);
        lock(&self.outcomes).extend(keys.zip(outcomes));
        Ok(())
    }
}

/// The outcomes of a path that took its process down, executed in another one: twice, if it takes that one down
/// too. The inner error says why there are none.
fn in_a_process_of_its_own(
    plan: &Plan,
    path: &Path,
    metrics: &Metrics,
    child: &dyn Fn(Digest, &std::path::Path) -> Command,
) -> Result<Result<BTreeMap<Digest, Outcome>, String>, Error> {
    let what = || plan.trials[path.trials[0]].place();
    let failed = |cause| Error::Child { what: what(), cause };
    let keys = || path.trials.iter().map(|&trial| plan.trials[trial].key);
    for _ in 0..2 {
        let folder = tempfile::tempdir().map_err(failed)?;
        let output = child(path.id, folder.path()).output().map_err(failed)?;
        let crashes = crash::read(&folder.path().join(CRASHES)).map_err(failed)?;
        match output.status.code() {
            None if crashes.of(path.id) > 0 => {}
            None => {
                let why = "a signal from outside ended the process that executed it again";
                return Ok(Err(why.to_owned()));
            }
            Some(0) => {
                let finished = journal::read(folder.path(), metrics)?;
                let outcome = |key| Some((key, Outcome::clone(finished.outcomes.get(&key)?)));
                let why = || "the process that executed it again journaled nothing".to_owned();
                return Ok(keys().map(outcome).collect::<Option<_>>().ok_or_else(why));
            }
            Some(code) => {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
                let why = "the process that executed it again ended with";
                return Ok(Err(format!("{why} {code}: {said}")));
            }
        }
    }
    Ok(Ok(keys().map(|key| (key, executor::crashed())).collect()))
}

/// How the sealed manifest differs from the one of the plan and the data, files and digest aside.
fn headers(sealed: &Manifest, again: &Manifest) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, again: String, sealed: String| {
        if again != sealed {
            found.push(format!("manifest.toml: {what} is {again}, sealed as {sealed}"));
        }
    };
    compare("experiment", again.experiment.clone(), sealed.experiment.clone());
    compare("profile", format!("`{}`", again.profile), format!("`{}`", sealed.profile));
    compare("complete", again.complete.to_string(), sealed.complete.to_string());
    compare("choices", again.choices.to_string(), sealed.choices.to_string());
    let native = |manifest: &Manifest| match manifest.native_digest {
        Some(digest) => digest.to_string(),
        None => "not there".to_owned(),
    };
    compare("native_digest", native(again), native(sealed));
    fn value<T: ToString>(map: &BTreeMap<String, T>, name: &str) -> String {
        map.get(name).map_or_else(|| "not there".to_owned(), T::to_string)
    }
    let names: BTreeSet<&String> = again.datasets.keys().chain(sealed.datasets.keys()).collect();
    for name in names {
        let what = format!("the digest of dataset {name}");
        compare(&what, value(&again.datasets, name), value(&sealed.datasets, name));
    }
    let kinds: BTreeSet<&String> = again.methods.keys().chain(sealed.methods.keys()).collect();
    for kind in kinds {
        let what = format!("the revision of method {kind}");
        compare(&what, value(&again.methods, kind), value(&sealed.methods, kind));
    }
    found
}

/// Compares every file but the record of the machine.
fn compare_files(
    session: &Session,
    manifest: &Manifest,
    again: &BTreeMap<String, Vec<u8>>,
    found: &mut Again,
) {
    for file in manifest.files.iter().filter(|file| file.path != ENVIRONMENT) {
        let Some(again) = again.get(&file.path) else {
            found.differences.push(format!("{}: sealed, but no output of spec.toml", file.path));
            continue;
        };
        if Digest::of(again) == file.sha256 {
            continue;
        }
        // A file that is much larger is not looked into.
        let most = 2 * again.len() as u64 + MOST_WRITTEN;
        match own::read_bounded(&session.dir.join(&file.path), most) {
            Ok(sealed) => {
                found.differences.extend(compare::differences(&file.path, &sealed, again));
            }
            Err(error) => found.differences.push(format!("{}: can't be read: {error}", file.path)),
        }
    }
    let sealed: BTreeSet<&str> = manifest.files.iter().map(|file| file.path.as_str()).collect();
    let absent = again.keys().filter(|path| !sealed.contains(path.as_str()));
    found
        .differences
        .extend(absent.map(|path| format!("{path}: an output of spec.toml, not sealed")));
}
