//! The files of a results folder, as a function of the experiment file, its data and the records of its
//! trials; and sealing them.

use std::collections::{BTreeMap, BTreeSet};

use crate::environment::Environment;
use base::bounded::MOST_WRITTEN;
use base::digest::{Digest, FieldHasher};
use base::layout::{CODE, DATASETS, ENVIRONMENT, EXTERNAL, PAPERS, SPEC, TIMING};
use base::own;
use method::command::COMMAND;
use report::{self, Report};
use run::needs::Needs;
use run::plan::WithChoices;
use run::store::Folder;
use run::{Record, trials_csv};
use seal::{LAYOUT, Manifest, SCHEMA, write};
use spec::{Experiment, MethodSpec};

use super::{Error, Session};

/// What a results folder is to hold.
#[derive(Debug)]
pub struct Outputs {
    /// What the records amount to.
    pub report: Report,
    /// All files but the manifest and the environment, by path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The manifest, as yet without its files.
    pub header: Manifest,
    /// The keys of the trials.
    keys: BTreeSet<Digest>,
}

impl Outputs {
    /// The outputs of these records, which are all planned trials; `choices` says whether the options of
    /// choices are among them, `png` whether figures are made pictures too.
    ///
    /// # Errors
    /// If a figure can't be made a picture.
    pub fn new(
        session: &Session,
        records: &[Record],
        choices: WithChoices,
        png: bool,
    ) -> Result<Self, Error> {
        let experiment = &session.experiment;
        let build = |records: &[Record]| {
            report::build(experiment, records, &|id| session.title(id), &session.cited())
        };
        let report = build(records)?;
        let exact = |record: &Record| {
            experiment.method(&record.trial.method).is_none_or(MethodSpec::is_exact)
        };
        let mut files = match records.iter().all(exact) {
            true => report.files.clone(),
            false => apart(&report, build(&without_values(records, exact))?),
        };
        if png {
            for (path, svg) in &files.clone() {
                if let Some(stem) = path.strip_suffix(".svg") {
                    let png = report::figure::png(&String::from_utf8_lossy(svg))?;
                    files.insert(format!("{stem}.png"), png);
                }
            }
        }
        let needs = Needs::of(experiment, records.iter().map(|record| &record.trial));
        files.extend(trials_csv::write(records, &|record| !exact(record)));
        files.insert(SPEC.to_owned(), experiment.source.text.clone().into_bytes());
        for file in &experiment.published {
            files.insert(file.path.clone(), file.text.clone().into_bytes());
        }
        files.extend(code(experiment)?);
        let entries = session.library.entries_text(&session.dataset_ids());
        files.insert(DATASETS.to_owned(), entries.into_bytes());
        let paper = experiment.paper.iter();
        files.extend(paper.map(|paper| (PAPERS.to_owned(), paper.to_text().into_bytes())));
        let header = header(experiment, records, &needs, choices);
        let keys = records.iter().map(|record| record.trial.key).collect();
        Ok(Self { report, files, header, keys })
    }

    /// Writes the files and seals the folder, as long as it is this process's. `environment` is that of the
    /// trials; none if none ran now, and then the one on record stays. The journal goes if all that it holds is
    /// sealed now.
    ///
    /// # Errors
    /// If a file can't be written, or the folder is not ours any more.
    pub fn publish(
        self,
        session: &Session,
        environment: Option<Environment>,
        folder: &mut Folder,
    ) -> Result<(Report, Manifest), Error> {
        let Self { report, mut files, header, keys } = self;
        let recorded = environment
            .map(|environment| environment.to_text().into_bytes())
            .or_else(|| own::read_bounded(&session.dir.join(ENVIRONMENT), MOST_WRITTEN).ok());
        files.extend(recorded.map(|text| (ENVIRONMENT.to_owned(), text)));
        folder.still_ours()?;
        write::outputs(&session.dir, &files)?;
        folder.still_ours()?;
        let manifest = header.with_files(&files);
        write::seal(&session.dir, &manifest)?;
        if manifest.complete && folder.outcomes().keys().all(|key| keys.contains(key)) {
            folder.forget()?;
        }
        Ok((report, manifest))
    }
}

/// The code of the programs, with their locks, as it is sealed.
fn code(experiment: &Experiment) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let mut files = BTreeMap::new();
    for program in experiment.methods.iter().filter_map(|method| method.program.as_ref()) {
        for file in program.code.iter().chain(&program.lock) {
            let path = program.folder.join(&file.path);
            let bytes = own::read_bounded(&path, file.bytes).ok();
            let same = bytes.filter(|bytes| Digest::of(bytes) == file.digest);
            let bytes = same.ok_or(Error::CodeChanged { path })?;
            files.insert(format!("{CODE}/{}", file.path), bytes);
        }
    }
    Ok(files)
}

/// The records, those that may come out otherwise without what came of them.
fn without_values(records: &[Record], exact: impl Fn(&Record) -> bool) -> Vec<Record> {
    let kept = |record: &Record| match exact(record) {
        true => record.clone(),
        false => Record { outcome: None, ..record.clone() },
    };
    records.iter().map(kept).collect()
}

/// The files of two reports: of `exact`, which has the values that come out again bit for bit alone; those of `all`
/// stand in [`EXTERNAL`]. What reads a clock is of all.
fn apart(all: &Report, exact: Report) -> BTreeMap<String, Vec<u8>> {
    let timing = |path: &str| path.starts_with(TIMING);
    let exact = exact.files.into_iter().filter(|(path, _)| !timing(path));
    let all = all.files.iter().map(|(path, bytes)| match timing(path) {
        true => (path.clone(), bytes.clone()),
        false => (format!("{EXTERNAL}{path}"), bytes.clone()),
    });
    exact.chain(all).collect()
}

/// The digest over the records of native trials, if there are others.
fn native_digest(experiment: &Experiment, records: &[Record]) -> Option<Digest> {
    let native = |record: &&Record| record.trial.kind != COMMAND.kind;
    experiment.methods.iter().find(|method| method.program.is_some())?;
    let files = trials_csv::without_times(records.iter().filter(native));
    let hashed = files.iter().fold(FieldHasher::new("native results"), |hasher, (path, bytes)| {
        hasher.field(path).field(Digest::of(bytes).0)
    });
    Some(hashed.finish())
}

/// The manifest of these records, without its files.
fn header(
    experiment: &Experiment,
    records: &[Record],
    needs: &Needs,
    choices: WithChoices,
) -> Manifest {
    // Of the method as it was when the trials ran, which may be long ago.
    let mut methods: BTreeMap<&str, u32> = BTreeMap::new();
    let mut datasets: BTreeMap<&str, Digest> = BTreeMap::new();
    for Record { trial, .. } in records {
        let revision = methods.entry(trial.kind).or_insert(trial.revision);
        *revision = trial.revision.min(*revision);
        datasets.insert(&trial.variant, trial.data);
    }
    Manifest {
        schema: SCHEMA,
        layout: LAYOUT,
        experiment: experiment.id.clone(),
        profile: experiment.profile().unwrap_or_default().to_owned(),
        reprise: env!("CARGO_PKG_VERSION").to_owned(),
        complete: records.iter().all(|record| needs.met_by(record)),
        choices: choices == WithChoices::Yes && !experiment.choices.is_empty(),
        spec: experiment.spec_digest(),
        digest: Digest::of(b""),
        native_digest: native_digest(experiment, records),
        datasets: datasets.into_iter().map(|(id, digest)| (id.to_owned(), digest)).collect(),
        methods: methods.into_iter().map(|(kind, rev)| (kind.to_owned(), rev)).collect(),
        files: Vec::new(),
    }
}
